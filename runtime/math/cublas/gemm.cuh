/*
 * Products of matrices whose types are known at run time (cublasGemmEx, cublasLtMatmul): D = act(alpha A B + beta C + bias).
 * Operands are given by distances, as in product.cuh. gemm_run chooses the kernel:
 *
 *   tensor_sm80.cu   half, bfloat16, tf32 and bytes on tensor cores of sm_80 and later (mma.sync, cp.async)
 *   tensor_sm70.cu   half on tensor cores (wmma)
 *   gemm.cu          everything else, on the ordinary units, in single precision or in integers
 */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "runtime/math/cublas/product.cuh"

namespace hd_blas {

enum activation : uint8_t { NO_ACTIVATION, RELU, GELU, RELU_BACKWARD, GELU_BACKWARD };

/* A matrix in memory, or one for each batch. */
struct typed_matrix {
	void *data = nullptr;
	void *const *array = nullptr;
	int64_t batch = 0, rows = 1, columns = 1; /* in elements */
	cudaDataType type = CUDA_R_32F;

	template <class T> __device__ T *of(unsigned number) const
	{
		return array ? static_cast<T *>(array[number]) : static_cast<T *>(data) + number * batch;
	}
};

struct typed_scalar {
	double value = 0;
	const void *place = nullptr;
	cudaDataType type = CUDA_R_32F;
};

struct gemm_problem {
	int64_t m = 0, n = 0, k = 0;
	unsigned count = 1;
	typed_matrix a, b, c, d;
	typed_scalar alpha, beta;
	cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
	/* Added to each element; one of rows and columns is zero. */
	typed_matrix bias;
	/* What goes into the activation, which is written, or is read by its derivative. */
	typed_matrix aux;
	activation act = NO_ACTIVATION;
	bool writes_aux = false;
};

inline size_t size_of(cudaDataType type)
{
	switch (type) {
	case CUDA_R_8I:
	case CUDA_R_8U:
	case CUDA_R_8F_E4M3:
	case CUDA_R_8F_E5M2:
		return 1;
	case CUDA_R_16F:
	case CUDA_R_16BF:
		return 2;
	case CUDA_R_64F:
	case CUDA_C_32F:
		return 8;
	case CUDA_C_64F:
		return 16;
	default:
		return 4;
	}
}

/* Types of one byte are calls, which keep the kernels small. */
static __device__ __noinline__ float load_rare(const void *from, int64_t at, cudaDataType type)
{
	switch (type) {
	case CUDA_R_8I:
		return static_cast<const signed char *>(from)[at];
	case CUDA_R_8F_E4M3:
		return float(static_cast<const __nv_fp8_e4m3 *>(from)[at]);
	default:
		return float(static_cast<const __nv_fp8_e5m2 *>(from)[at]);
	}
}

static __device__ __noinline__ void store_rare(void *to, int64_t at, cudaDataType type, float value)
{
	switch (type) {
	case CUDA_R_8I:
		static_cast<signed char *>(to)[at] = (signed char)fminf(127, fmaxf(-128, rintf(value)));
		break;
	case CUDA_R_8F_E4M3:
		static_cast<__nv_fp8_e4m3 *>(to)[at] = __nv_fp8_e4m3(value);
		break;
	default:
		static_cast<__nv_fp8_e5m2 *>(to)[at] = __nv_fp8_e5m2(value);
	}
}

__device__ inline float load_float(const typed_matrix &matrix, unsigned number, int64_t at)
{
	switch (matrix.type) {
	case CUDA_R_32F:
		return matrix.of<float>(number)[at];
	case CUDA_R_16F:
		return __half2float(matrix.of<__half>(number)[at]);
	case CUDA_R_16BF:
		return __bfloat162float(matrix.of<__nv_bfloat16>(number)[at]);
	default:
		return load_rare(matrix.of<char>(number), at, matrix.type);
	}
}

__device__ inline void store_float(const typed_matrix &matrix, unsigned number, int64_t at, float value)
{
	switch (matrix.type) {
	case CUDA_R_32F:
		matrix.of<float>(number)[at] = value;
		break;
	case CUDA_R_16F:
		matrix.of<__half>(number)[at] = __float2half_rn(value);
		break;
	case CUDA_R_16BF:
		matrix.of<__nv_bfloat16>(number)[at] = __float2bfloat16_rn(value);
		break;
	default:
		store_rare(matrix.of<char>(number), at, matrix.type, value);
	}
}

__device__ inline float get_float(const typed_scalar &scalar)
{
	if (!scalar.place)
		return (float)scalar.value;
	if (scalar.type == CUDA_R_16F)
		return __half2float(*static_cast<const __half *>(scalar.place));
	if (scalar.type == CUDA_R_64F)
		return (float)*static_cast<const double *>(scalar.place);
	return *static_cast<const float *>(scalar.place);
}

__device__ inline int get_int(const typed_scalar &scalar)
{
	return scalar.place ? *static_cast<const int *>(scalar.place) : (int)scalar.value;
}

/* By the hyperbolic tangent, as cublasLt does. */
static __device__ __noinline__ float gelu(float x)
{
	return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

static __device__ __noinline__ float gelu_derivative(float x)
{
	float t = tanhf(0.7978845608f * (x + 0.044715f * x * x * x));
	return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * x * x);
}

/* What becomes of the sum of a row and a column. */
struct finisher {
	float alpha, beta;

	__device__ explicit finisher(const gemm_problem &p) : alpha(get_float(p.alpha)), beta(get_float(p.beta))
	{
	}
	__device__ void operator()(const gemm_problem &p, unsigned number, int64_t i, int64_t j, float sum) const
	{
		float value = alpha * sum;
		if (beta != 0)
			value += beta * load_float(p.c, number, i * p.c.rows + j * p.c.columns);
		if (p.bias.data)
			value += load_float(p.bias, number, i * p.bias.rows + j * p.bias.columns);
		int64_t at = i * p.aux.rows + j * p.aux.columns;
		if (p.writes_aux)
			store_float(p.aux, number, at, value);
		if (p.act == RELU)
			value = fmaxf(value, 0);
		else if (p.act == GELU)
			value = gelu(value);
		else if (p.act == GELU_BACKWARD)
			value *= gelu_derivative(load_float(p.aux, number, at));
		store_float(p.d, number, i * p.d.rows + j * p.d.columns, value);
	}
};

/* Integers: no rounding, and neither bias nor activation. */
struct integer_finisher {
	int alpha, beta;

	__device__ explicit integer_finisher(const gemm_problem &p) : alpha(get_int(p.alpha)), beta(get_int(p.beta))
	{
	}
	__device__ void operator()(const gemm_problem &p, unsigned number, int64_t i, int64_t j, int sum) const
	{
		int value = alpha * sum;
		if (beta != 0)
			value += beta * p.c.of<int>(number)[i * p.c.rows + j * p.c.columns];
		p.d.of<int>(number)[i * p.d.rows + j * p.d.columns] = value;
	}
};

/* Rows become columns: the same elements, with the factors in each other's place. */
inline void transpose(typed_matrix *matrix)
{
	int64_t rows = matrix->rows;
	matrix->rows = matrix->columns;
	matrix->columns = rows;
}

inline void transpose(gemm_problem *p)
{
	typed_matrix a = p->a;
	int64_t m = p->m;
	p->a = p->b;
	p->b = a;
	p->m = p->n;
	p->n = m;
	typed_matrix *const all[] = {&p->a, &p->b, &p->c, &p->d, &p->bias, &p->aux};
	for (typed_matrix *matrix : all)
		transpose(matrix);
}

/* The tile of a block, and of which batch: blocks of x are the tiles, column by column, those of y are batches. */
struct tile_place {
	int64_t row, column;
	unsigned number;

	__device__ tile_place(const gemm_problem &p, int side, unsigned first_number)
	{
		unsigned high = (unsigned)((p.m + side - 1) / side);
		row = (int64_t)(blockIdx.x % high) * side;
		column = (int64_t)(blockIdx.x / high) * side;
		number = first_number + blockIdx.y;
	}
};

/*
 * Launches such a kernel, once for every 65,535 batches: a loop over batches in the kernel would move its addresses out of
 * it, into the sums' registers.
 */
inline void launch_tiles(void (*kernel)(gemm_problem, unsigned), int threads, int side, const context *context,
			 const gemm_problem &p)
{
	unsigned tiles = (unsigned)(divide_up(p.m, side) * divide_up(p.n, side));
	for (unsigned first = 0; first < p.count; first += MOST_BATCHES) {
		unsigned count = p.count - first < MOST_BATCHES ? p.count - first : MOST_BATCHES;
		kernel<<<dim3(tiles, count), threads, 0, context->stream>>>(p, first);
	}
}

cublasStatus_t gemm_run(const context *context, gemm_problem problem);
/* Whether it has kernels for these types of elements. */
bool gemm_has(cublasComputeType_t compute, cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType d);
bool gemm_is_integer(cublasComputeType_t compute);
/* Whether single precision holds the type's numbers. */
bool gemm_is_real(cudaDataType type);

/* The kernels: false where they have none for this problem. */
bool tensor_run_sm80(const context *context, const gemm_problem &problem);
bool tensor_run_sm70(const context *context, const gemm_problem &problem);

} // namespace hd_blas
