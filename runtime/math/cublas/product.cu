/*
 * The kernel of hd_blas::multiply. A block computes a tile of TM x TN: both factors' tiles of TK steps go through shared
 * memory, transposed there so that a thread reads its rows and columns as vectors of 16 bytes; the next ones are loaded
 * to registers meanwhile. A thread's elements lie in chunks of such a vector, spread over the tile, so that the lanes of a
 * warp read neighbouring words. Two tiles: a large one for the rate, a small one where the result is small.
 */
#include "runtime/math/cublas/product.cuh"

namespace hd_blas {

enum { THREADS = 256 };

/* TM, TN: tile; TK: steps; R: a thread's rows, and columns. */
template <class T, int TM, int TN, int TK, int R> struct tile {
	static constexpr int VECTOR = 16 / sizeof(T) < R ? 16 / sizeof(T) : R;
	static constexpr int CHUNKS = R / VECTOR;
	static constexpr int PITCH_A = TM + 16 / sizeof(T), PITCH_B = TN + 16 / sizeof(T);
	static constexpr int LOADS_A = TM * TK / THREADS, LOADS_B = TN * TK / THREADS;
	static_assert(TM / R * (TN / R) == THREADS, "one thread for each R x R elements");
	T a[TK][PITCH_A], b[TK][PITCH_B];
};

/* Element (i, j) of a factor of which a triangle is stored. */
template <class T> __device__ T shaped_element(const operand<T> &operand, const T *data, int64_t i, int64_t j)
{
	bool mirrored = operand.upper ? i > j : i < j;
	if (i == j && operand.kind == UNIT_TRIANGULAR)
		return make<T>(1);
	if (mirrored && operand.kind >= TRIANGULAR)
		return T{};
	T value = mirrored ? data[j * operand.rows + i * operand.columns] : data[i * operand.rows + j * operand.columns];
	if (operand.kind == HERMITIAN)
		value = i == j ? make<T>(real(value)) : conj_if(mirrored, value);
	return conj_if(operand.conjugate, value);
}

/*
 * A thread's elements of a factor's next tile. ACROSS: how wide the tile is; `at` is the tile's first row (of B: column),
 * `limit` how many there are, `along` the distance of steps. Neighbouring threads take what lies side by side in memory.
 */
template <class T, int ACROSS, int TK, int LOADS> struct loader {
	const T *data;
	int64_t across, along, limit, steps, at;
	bool steps_first;

	__device__ loader(const T *data, int64_t across, int64_t along, int64_t at, int64_t limit, int64_t steps)
		: data(data), across(across), along(along), limit(limit), steps(steps), at(at), steps_first(along < across)
	{
	}
	__device__ int row(int number) const
	{
		int e = number * THREADS + threadIdx.x;
		return steps_first ? e / TK : e % ACROSS;
	}
	__device__ int step(int number) const
	{
		int e = number * THREADS + threadIdx.x;
		return steps_first ? e % TK : e / ACROSS;
	}
	template <bool B> __device__ void load(T (&values)[LOADS], const operand<T> &operand, int64_t first) const
	{
#pragma unroll
		for (int l = 0; l < LOADS; l++) {
			int64_t i = at + row(l), p = first + step(l);
			if (i >= limit || p >= steps)
				values[l] = T{};
			else if (operand.kind == GENERAL)
				values[l] = conj_if(operand.conjugate, data[i * across + p * along]);
			else
				values[l] = B ? shaped_element(operand, data, p, i) : shaped_element(operand, data, i, p);
		}
	}
	template <int PITCH> __device__ void store(T (&to)[TK][PITCH], const T (&values)[LOADS]) const
	{
#pragma unroll
		for (int l = 0; l < LOADS; l++)
			to[step(l)][row(l)] = values[l];
	}
};

/* R elements of a step's row in shared memory: CHUNKS vectors, WIDTH apart. */
template <class T, int R, int VECTOR, int WIDTH> __device__ void read_row(T (&to)[R], const T *row, int thread)
{
	struct alignas(sizeof(T) * VECTOR) vector {
		T x[VECTOR];
	};
#pragma unroll
	for (int chunk = 0; chunk < R / VECTOR; chunk++) {
		vector v = *reinterpret_cast<const vector *>(row + chunk * WIDTH + thread * VECTOR);
#pragma unroll
		for (int i = 0; i < VECTOR; i++)
			to[chunk * VECTOR + i] = v.x[i];
	}
}

template <class T> __device__ void store_element(const product<T> &p, T *c, int64_t i, int64_t j, T sum, T alpha, T beta)
{
	if (i >= p.m || j >= p.n || (p.written == UPPER_PART && i > j) || (p.written == LOWER_PART && i < j))
		return;
	T *to = c + i * p.c.rows + j * p.c.columns;
	T value = alpha * sum;
	/* What is multiplied by zero is not read: it may be unset. */
	if (!is_zero(beta))
		value = multiply_add(beta, *to, value);
	*to = p.real_diagonal && i == j ? make<T>(real(value)) : value;
}

template <class T, int TM, int TN, int TK, int R>
__global__ void __launch_bounds__(THREADS) product_kernel(const product<T> p)
{
	using shared_tile = tile<T, TM, TN, TK, R>;
	constexpr int VECTOR = shared_tile::VECTOR;
	__shared__ shared_tile shared;
	int64_t first_row = (int64_t)blockIdx.x * TM, first_column = (int64_t)blockIdx.y * TN;
	if ((p.written == UPPER_PART && first_row >= first_column + TN) ||
	    (p.written == LOWER_PART && first_column >= first_row + TM))
		return;
	int x = threadIdx.x % (TM / R), y = threadIdx.x / (TM / R);
	T alpha = p.alpha.get(), beta = p.beta.get();
	int64_t steps = is_zero(alpha) ? 0 : p.k;
	for (unsigned number = blockIdx.z; number < p.count; number += gridDim.z) {
		loader<T, TM, TK, shared_tile::LOADS_A> load_a(p.a.of(number), p.a.rows, p.a.columns, first_row, p.m,
							      steps);
		loader<T, TN, TK, shared_tile::LOADS_B> load_b(p.b.of(number), p.b.columns, p.b.rows, first_column,
							      p.n, steps);
		T next_a[shared_tile::LOADS_A], next_b[shared_tile::LOADS_B];
		T sum[R][R] = {};
		load_a.template load<false>(next_a, p.a, 0);
		load_b.template load<true>(next_b, p.b, 0);
		for (int64_t step = 0; step < steps; step += TK) {
			load_a.store(shared.a, next_a);
			load_b.store(shared.b, next_b);
			__syncthreads();
			load_a.template load<false>(next_a, p.a, step + TK);
			load_b.template load<true>(next_b, p.b, step + TK);
#pragma unroll
			for (int t = 0; t < TK; t++) {
				T a[R], b[R];
				read_row<T, R, VECTOR, TM / shared_tile::CHUNKS>(a, shared.a[t], x);
				read_row<T, R, VECTOR, TN / shared_tile::CHUNKS>(b, shared.b[t], y);
#pragma unroll
				for (int i = 0; i < R; i++)
#pragma unroll
					for (int j = 0; j < R; j++)
						sum[i][j] = multiply_add(a[i], b[j], sum[i][j]);
			}
			__syncthreads();
		}
		T *c = p.c.of(number);
#pragma unroll
		for (int j = 0; j < R; j++)
#pragma unroll
			for (int i = 0; i < R; i++)
				store_element(p, c,
					      first_row + i / VECTOR * (TM / shared_tile::CHUNKS) + x * VECTOR + i % VECTOR,
					      first_column + j / VECTOR * (TN / shared_tile::CHUNKS) + y * VECTOR +
						      j % VECTOR,
					      sum[i][j], alpha, beta);
	}
}

template <class T, int TM, int TN, int TK, int R> static void launch(const context *context, const product<T> &p)
{
	dim3 grid((unsigned)divide_up(p.m, TM), (unsigned)divide_up(p.n, TN), p.count < 65535 ? p.count : 65535);
	product_kernel<T, TM, TN, TK, R><<<grid, THREADS, 0, context->stream>>>(p);
}

template <class T> cublasStatus_t multiply(const context *context, const product<T> &p)
{
	/* Large tiles of doubles and of complex numbers are smaller: a thread has 255 registers. */
	constexpr int SIDE = sizeof(T) == 4 ? 128 : 64;
	if (p.m <= 0 || p.n <= 0 || p.count == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (divide_up(p.m, SIDE) * divide_up(p.n, SIDE) * p.count >= context->sm_count)
		launch<T, SIDE, SIDE, 8, SIDE / 16>(context, p);
	else
		launch<T, 32, 32, 16, 2>(context, p);
	return launched();
}

template cublasStatus_t multiply(const context *, const product<float> &);
template cublasStatus_t multiply(const context *, const product<double> &);
template cublasStatus_t multiply(const context *, const product<float2> &);
template cublasStatus_t multiply(const context *, const product<double2> &);

} // namespace hd_blas
