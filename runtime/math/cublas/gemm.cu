/*
 * hd_blas::gemm_run: which kernel computes a product of run-time types, and the one for those that no tensor core takes. Its
 * elements go through shared memory as single precision or as integers, a tile of 64 x 64 for a block; so do the sums, so that
 * what finishes an element is there once.
 */
#include "runtime/math/cublas/gemm.cuh"

namespace hd_blas {

enum { THREADS = 256, SIDE = 64, STEPS = 16, EACH = 4, LOADS = SIDE * STEPS / THREADS };

template <class S> struct units;
template <> struct units<float> {
	using finisher = hd_blas::finisher;
	static __device__ float load(const typed_matrix &matrix, unsigned number, int64_t at)
	{
		return load_float(matrix, number, at);
	}
};
template <> struct units<int> {
	using finisher = integer_finisher;
	static __device__ int load(const typed_matrix &matrix, unsigned number, int64_t at)
	{
		return matrix.of<signed char>(number)[at];
	}
};

/* A tile of a factor: `across` and `along` are the distances of rows (of B: columns) and of steps. */
template <class S>
__device__ void load_tile(S (&tile)[STEPS][SIDE + 4], const typed_matrix &matrix, unsigned number, int64_t across,
			  int64_t along, int64_t first, int64_t limit, int64_t step, int64_t steps)
{
#pragma unroll
	for (int load = 0; load < LOADS; load++) {
		int e = load * THREADS + threadIdx.x;
		int i = along < across ? e / STEPS : e % SIDE, p = along < across ? e % STEPS : e / SIDE;
		bool there = first + i < limit && step + p < steps;
		tile[p][i] = there ? units<S>::load(matrix, number, (first + i) * across + (step + p) * along) : S(0);
	}
}

template <class S> __global__ void __launch_bounds__(THREADS) gemm_kernel(const gemm_problem p, unsigned first_number)
{
	__shared__ S a[STEPS][SIDE + 4], b[STEPS][SIDE + 4], sums[SIDE][SIDE + 1];
	const tile_place place(p, SIDE, first_number);
	int64_t row = place.row, column = place.column;
	int x = threadIdx.x % (SIDE / EACH) * EACH, y = threadIdx.x / (SIDE / EACH) * EACH;
	typename units<S>::finisher finish(p);
	unsigned number = place.number;
	S sum[EACH][EACH] = {};
	for (int64_t step = 0; step < p.k; step += STEPS) {
		__syncthreads();
		load_tile(a, p.a, number, p.a.rows, p.a.columns, row, p.m, step, p.k);
		load_tile(b, p.b, number, p.b.columns, p.b.rows, column, p.n, step, p.k);
		__syncthreads();
#pragma unroll
		for (int t = 0; t < STEPS; t++)
#pragma unroll
			for (int i = 0; i < EACH; i++)
#pragma unroll
				for (int j = 0; j < EACH; j++)
					sum[i][j] += a[t][x + i] * b[t][y + j];
	}
#pragma unroll
	for (int j = 0; j < EACH; j++)
#pragma unroll
		for (int i = 0; i < EACH; i++)
			sums[y + j][x + i] = sum[i][j];
	__syncthreads();
#pragma unroll 1
	for (int e = threadIdx.x; e < SIDE * SIDE; e += THREADS) {
		int i = e % SIDE, j = e / SIDE;
		if (row + i < p.m && column + j < p.n)
			finish(p, number, row + i, column + j, sums[j][i]);
	}
}

bool gemm_is_real(cudaDataType type)
{
	return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_8I ||
	       type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

bool gemm_is_integer(cublasComputeType_t compute)
{
	return compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC;
}

/* Single precision without anything behind it has the kernel of level 3. */
static bool is_plain(const gemm_problem &p)
{
	return p.a.type == CUDA_R_32F && p.b.type == CUDA_R_32F && p.c.type == CUDA_R_32F && p.d.type == CUDA_R_32F &&
	       !p.bias.data && !p.aux.data && p.act == NO_ACTIVATION && p.c.data == p.d.data && p.c.array == p.d.array &&
	       (p.alpha.type == CUDA_R_32F || !p.alpha.place);
}

static operand<float> plain_operand(const typed_matrix &matrix)
{
	operand<float> operand;
	operand.data = static_cast<const float *>(matrix.data);
	operand.array = reinterpret_cast<const float *const *>(matrix.array);
	operand.batch = matrix.batch;
	operand.rows = matrix.rows;
	operand.columns = matrix.columns;
	return operand;
}

static cublasStatus_t run_plain(const context *context, const gemm_problem &problem)
{
	product<float> p;
	p.m = problem.m;
	p.n = problem.n;
	p.k = problem.k;
	p.count = problem.count;
	p.a = plain_operand(problem.a);
	p.b = plain_operand(problem.b);
	p.c.data = static_cast<float *>(problem.d.data);
	p.c.array = reinterpret_cast<float *const *>(problem.d.array);
	p.c.batch = problem.d.batch;
	p.c.rows = problem.d.rows;
	p.c.columns = problem.d.columns;
	p.alpha = scalar<float>{(float)problem.alpha.value, problem.alpha.place, PLAIN};
	p.beta = scalar<float>{(float)problem.beta.value, problem.beta.place, PLAIN};
	return multiply(context, p);
}

bool gemm_has(cublasComputeType_t compute, cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType d)
{
	if (gemm_is_integer(compute))
		return a == CUDA_R_8I && b == CUDA_R_8I && c == CUDA_R_32I && d == CUDA_R_32I;
	return gemm_is_real(a) && gemm_is_real(b) && gemm_is_real(c) && gemm_is_real(d);
}

cublasStatus_t gemm_run(const context *context, gemm_problem p)
{
	bool integer = gemm_is_integer(p.compute);
	if (!gemm_has(p.compute, p.a.type, p.b.type, p.c.type, p.d.type))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (p.m <= 0 || p.n <= 0 || p.count == 0)
		return CUBLAS_STATUS_SUCCESS;
	/* Tensor cores' results have neighbouring columns in a lane: rows are to be what lies side by side. */
	if (p.d.rows < p.d.columns)
		transpose(&p);
	if (tensor_run_sm80(context, p) || tensor_run_sm70(context, p))
		return launched();
	if (is_plain(p))
		return run_plain(context, p);
	/* The lanes of this one are neighbouring rows. */
	transpose(&p);
	launch_tiles(integer ? gemm_kernel<int> : gemm_kernel<float>, THREADS, SIDE, context, p);
	return launched();
}

} // namespace hd_blas
