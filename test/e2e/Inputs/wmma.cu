/* Every shape, type, layout and pair of accumulators of mma.h: on small integers, whose sums are exact, against the
 * host. LEVEL is the processor's. */
#include <cstdio>
#include <mma.h>

using namespace nvcuda;

template <class T> struct factor {
	typedef T type;
};
template <> struct factor<wmma::precision::tf32> {
	typedef float type;
};


/* d = a * b + c, then each element doubled through x, and c's own layout read back. */
template <int M, int N, int K, class F, class LayoutA, class LayoutB, class D, class C>
__global__ void product(D *d, const typename factor<F>::type *a, const typename factor<F>::type *b, const C *c, int lda,
			int ldb, int ldc, int ldd, wmma::layout_t c_layout, wmma::layout_t d_layout)
{
	wmma::fragment<wmma::matrix_a, M, N, K, F, LayoutA> fa;
	wmma::fragment<wmma::matrix_b, M, N, K, F, LayoutB> fb;
	wmma::fragment<wmma::accumulator, M, N, K, C> fc;
	wmma::fragment<wmma::accumulator, M, N, K, D> fd;
	wmma::load_matrix_sync(fa, a, lda);
	wmma::load_matrix_sync(fb, b, ldb);
	wmma::load_matrix_sync(fc, c, ldc, c_layout);
	for (int i = 0; i < fa.num_elements; i++)
		fa.x[i] = fa.x[i] + fa.x[i];
	wmma::fill_fragment(fd, (D)1.0f);
	wmma::mma_sync(fd, fa, fb, fc);
	for (int i = 0; i < fd.num_elements; i++)
		fd.x[i] = fd.x[i] + fd.x[i];
	wmma::store_matrix_sync(d, fd, ldd, d_layout);
}

template <class T> __host__ float value(T v)
{
	return (float)v;
}

static unsigned state = 1;
static int next(int least, int most)
{
	state = state * 1664525u + 1013904223u;
	return least + (int)((state >> 16) % (unsigned)(most - least + 1));
}

/* Row-major or not, with a pitch that is larger than the matrix. */
static int at(bool by_rows, int ld, int row, int column)
{
	return by_rows ? row * ld + column : column * ld + row;
}

static int wrong, done;

/* How the matrices of a product lie, and its sizes. */
struct form {
	int m, n, k, lda, ldb, ldc, ldd;
	bool a_rows, b_rows, c_rows, d_rows;
};

/* One for all shapes and layouts, so that the host compiles few of it. V, D, C: of the factors and of the sums. */
template <class V, class D, class C> struct held {
	V *a, *b;
	C *c;
	D *d;

	held()
	{
		cudaMallocManaged(&a, 64 * 64 * sizeof(V));
		cudaMallocManaged(&b, 64 * 64 * sizeof(V));
		cudaMallocManaged(&c, 64 * 64 * sizeof(C));
		cudaMallocManaged(&d, 64 * 64 * sizeof(D));
		bool bytes = sizeof(V) == 1, is_signed = __is_same(V, signed char);
		int least = bytes && !is_signed ? 0 : -4;
		for (int i = 0; i < 64 * 64; i++) {
			a[i] = (V)(float)next(least, 4);
			b[i] = (V)(float)next(least, 4);
			c[i] = (C)(float)next(-9, 9);
			d[i] = (D)(float)-77.0f;
		}
	}

	__attribute__((noinline)) void judge(const form &f)
	{
		cudaError_t error = cudaDeviceSynchronize();
		int bad = error != cudaSuccess, stray = 0;
		for (int row = 0; row < f.m; row++)
			for (int column = 0; column < f.n; column++) {
				float sum = value(c[at(f.c_rows, f.ldc, row, column)]);
				for (int k = 0; k < f.k; k++)
					sum += 2 * value(a[at(f.a_rows, f.lda, row, k)]) *
					       value(b[at(f.b_rows, f.ldb, k, column)]);
				D *to = &d[at(f.d_rows, f.ldd, row, column)];
				bad += value(*to) != 2 * sum;
				*to = (D)(float)-77.0f;
			}
		for (int i = 0; i < 64 * 64; i++)
			stray += value(d[i]) != -77.0f;
		if (bad || stray)
			printf("m%dn%dk%d, factors of %zu bytes, %d%d%d, sums of %zu from %zu: %d wrong, %d stray\n", f.m,
			       f.n, f.k, sizeof(V), f.a_rows, f.b_rows, f.c_rows, sizeof(D), sizeof(C), bad, stray);
		wrong += bad + stray;
		done++;
	}

	~held()
	{
		cudaFree(a);
		cudaFree(b);
		cudaFree(c);
		cudaFree(d);
	}
};

template <int M, int N, int K, class F, class LayoutA, class LayoutB, class D, class C> static void one(bool c_rows)
{
	const int pad = 16;
	form f = {M, N, K};
	f.a_rows = __is_same(LayoutA, wmma::row_major), f.b_rows = __is_same(LayoutB, wmma::row_major);
	f.c_rows = c_rows, f.d_rows = !c_rows;
	f.lda = (f.a_rows ? K : M) + pad, f.ldb = (f.b_rows ? N : K) + pad;
	f.ldc = (f.c_rows ? N : M) + pad, f.ldd = (f.d_rows ? N : M) + pad;
	held<typename factor<F>::type, D, C> matrices;
	product<M, N, K, F, LayoutA, LayoutB, D, C>
		<<<1, 32>>>(matrices.d, matrices.a, matrices.b, matrices.c, f.lda, f.ldb, f.ldc, f.ldd,
			    f.c_rows ? wmma::mem_row_major : wmma::mem_col_major,
			    f.d_rows ? wmma::mem_row_major : wmma::mem_col_major);
	matrices.judge(f);
}

template <int M, int N, int K, class F, class D, class C> static void layouts()
{
	one<M, N, K, F, wmma::row_major, wmma::row_major, D, C>(true);
	one<M, N, K, F, wmma::row_major, wmma::col_major, D, C>(false);
	one<M, N, K, F, wmma::col_major, wmma::row_major, D, C>(true);
	one<M, N, K, F, wmma::col_major, wmma::col_major, D, C>(false);
}

/* In every layout. */
template <class F, class D, class C> static void shapes()
{
	layouts<16, 16, 16, F, D, C>();
	layouts<32, 8, 16, F, D, C>();
	layouts<8, 32, 16, F, D, C>();
}

/* In one layout of the factors each. Loads of other layouts are those of another call of `shapes`; products of sm_70 in other
 * layouts are in ALL alone. */
template <class F, class D, class C> static void each_shape(bool c_rows)
{
#ifdef ALL
	shapes<F, D, C>();
#else
	one<16, 16, 16, F, wmma::row_major, wmma::col_major, D, C>(c_rows);
	one<32, 8, 16, F, wmma::col_major, wmma::row_major, D, C>(c_rows);
	one<8, 32, 16, F, wmma::row_major, wmma::row_major, D, C>(c_rows);
#endif
}

int main()
{
	shapes<__half, float, float>();
#if LEVEL == 70 && !defined ALL /* whose products take their factors as they lie */
	layouts<16, 16, 16, __half, __half, __half>();
#endif
	each_shape<__half, __half, __half>(true);
	each_shape<__half, float, __half>(false);
	each_shape<__half, __half, float>(false);
#if LEVEL >= 75
	shapes<signed char, int, int>();
	each_shape<unsigned char, int, int>(true);
#endif
#if LEVEL >= 80
	shapes<__nv_bfloat16, float, float>();
	layouts<16, 16, 8, wmma::precision::tf32, float, float>();
	one<8, 8, 4, double, wmma::row_major, wmma::col_major, double, double>(true);
	one<8, 8, 4, double, wmma::row_major, wmma::row_major, double, double>(false);
	one<8, 8, 4, double, wmma::col_major, wmma::col_major, double, double>(true);
#endif
	printf("sm_%d: %d products, %d wrong\n", LEVEL, done, wrong);
	return wrong != 0;
}
