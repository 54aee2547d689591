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

template <int M, int N, int K, class F, class LayoutA, class LayoutB, class D, class C> static void one(bool c_rows)
{
	typedef typename factor<F>::type V;
	const int pad = 16;
	bool a_rows = __is_same(LayoutA, wmma::row_major), b_rows = __is_same(LayoutB, wmma::row_major);
	bool d_rows = !c_rows, bytes = sizeof(V) == 1, is_signed = __is_same(V, signed char);
	int lda = (a_rows ? K : M) + pad, ldb = (b_rows ? N : K) + pad, ldc = (c_rows ? N : M) + pad,
	    ldd = (d_rows ? N : M) + pad;
	static V *a, *b;
	static C *c;
	static D *d;
	cudaMallocManaged(&a, 64 * 64 * sizeof(V));
	cudaMallocManaged(&b, 64 * 64 * sizeof(V));
	cudaMallocManaged(&c, 64 * 64 * sizeof(C));
	cudaMallocManaged(&d, 64 * 64 * sizeof(D));
	int least = bytes && !is_signed ? 0 : -4;
	for (int i = 0; i < 64 * 64; i++) {
		a[i] = (V)(float)next(least, 4);
		b[i] = (V)(float)next(least, 4);
		c[i] = (C)(float)next(-9, 9);
		d[i] = (D)(float)-77.0f;
	}
	product<M, N, K, F, LayoutA, LayoutB, D, C><<<1, 32>>>(d, a, b, c, lda, ldb, ldc, ldd,
							       c_rows ? wmma::mem_row_major : wmma::mem_col_major,
							       d_rows ? wmma::mem_row_major : wmma::mem_col_major);
	cudaError_t error = cudaDeviceSynchronize();
	int bad = error != cudaSuccess, stray = 0;
	for (int row = 0; row < M; row++)
		for (int column = 0; column < N; column++) {
			float sum = value(c[at(c_rows, ldc, row, column)]);
			for (int k = 0; k < K; k++)
				sum += 2 * value(a[at(a_rows, lda, row, k)]) * value(b[at(b_rows, ldb, k, column)]);
			D *to = &d[at(d_rows, ldd, row, column)];
			bad += value(*to) != 2 * sum;
			*to = (D)(float)-77.0f;
		}
	for (int i = 0; i < 64 * 64; i++)
		stray += value(d[i]) != -77.0f;
	if (bad || stray)
		printf("m%dn%dk%d, factors of %zu bytes, %d%d%d, sums of %zu from %zu: %d wrong, %d stray\n", M, N, K,
		       sizeof(V), a_rows, b_rows, c_rows, sizeof(D), sizeof(C), bad, stray);
	wrong += bad + stray;
	done++;
	cudaFree(a);
	cudaFree(b);
	cudaFree(c);
	cudaFree(d);
}

template <int M, int N, int K, class F, class D, class C> static void layouts()
{
	one<M, N, K, F, wmma::row_major, wmma::row_major, D, C>(true);
	one<M, N, K, F, wmma::row_major, wmma::col_major, D, C>(false);
	one<M, N, K, F, wmma::col_major, wmma::row_major, D, C>(true);
	one<M, N, K, F, wmma::col_major, wmma::col_major, D, C>(false);
}

template <class F, class D, class C> static void shapes()
{
	layouts<16, 16, 16, F, D, C>();
	layouts<32, 8, 16, F, D, C>();
	layouts<8, 32, 16, F, D, C>();
}

int main()
{
	shapes<__half, float, float>();
	shapes<__half, __half, __half>();
	shapes<__half, float, __half>();
	shapes<__half, __half, float>();
#if LEVEL >= 75
	shapes<signed char, int, int>();
	shapes<unsigned char, int, int>();
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
