/*
 * What cuSOLVER's routines share: the handle, and the routines of cuBLAS that they are made of, by one name for four types.
 * The handle's cuBLAS handle has the same stream and factors in host memory.
 */
#pragma once

#pragma GCC visibility push(default)
#include <cusolverDn.h>
#pragma GCC visibility pop

#include <climits>

#include "runtime/math/common/launch.cuh"
#include "runtime/math/common/scalar.cuh"

struct cusolverDnContext {
	cublasHandle_t blas = nullptr;
	cudaStream_t stream = nullptr;
};

namespace hd_solver {

using namespace hd_math;

#define HD_SOLVER_CHECK(condition, status)                                                                             \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			return status;                                                                                 \
	} while (0)
#define HD_SOLVER_HANDLE(handle) HD_SOLVER_CHECK(hd_math::begin_call() && handle, CUSOLVER_STATUS_NOT_INITIALIZED)
#define HD_SOLVER_VALID(condition) HD_SOLVER_CHECK(condition, CUSOLVER_STATUS_INVALID_VALUE)

/* Columns of a panel: blocked routines do a panel by a kernel of their own, and the rest by products. */
enum { PANEL = 32, THREADS = 256 };

inline cusolverStatus_t finished(cublasStatus_t status)
{
	return status == CUBLAS_STATUS_SUCCESS && hd_math::error_of_call() == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
										       : CUSOLVER_STATUS_EXECUTION_FAILED;
}

inline bool is_fill(cublasFillMode_t uplo)
{
	return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}

inline bool is_matrix(int m, int n, int ld)
{
	return m >= 0 && n >= 0 && ld >= (m > 1 ? m : 1);
}

inline bool is_side(cublasSideMode_t side)
{
	return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}

inline bool is_mode(cusolverEigMode_t jobz)
{
	return jobz == CUSOLVER_EIG_MODE_NOVECTOR || jobz == CUSOLVER_EIG_MODE_VECTOR;
}

/* Whether memory of so many elements has room for a batch, each of which needs `elements`. */
inline bool has_room(int size, int64_t elements, int batch = 1)
{
	return size >= 0 && (batch == 0 || elements <= size / batch);
}

/* What a routine of bufferSize says: as an int, which a large matrix's work may not be. */
inline cusolverStatus_t tell_size(int64_t elements, int *size, int batch = 1)
{
	HD_SOLVER_VALID(has_room(INT_MAX, elements, batch));
	*size = (int)elements * batch;
	return CUSOLVER_STATUS_SUCCESS;
}

/* The transpose, of complex elements the conjugate one. */
template <class T> constexpr cublasOperation_t adjoint = traits<T>::complex ? CUBLAS_OP_C : CUBLAS_OP_T;

#define HD_SOLVER_BLAS(L, T)                                                                                           \
	inline cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,   \
				   int n, int k, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C,      \
				   int ldc)                                                                            \
	{                                                                                                              \
		return cublas##L##gemm(handle, transa, transb, m, n, k, &alpha, A, lda, B, ldb, &beta, C, ldc);        \
	}                                                                                                              \
	inline cublasStatus_t trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                \
				   cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *A, int lda,  \
				   T *B, int ldb)                                                                      \
	{                                                                                                              \
		T one = make<T>(1);                                                                                    \
		return cublas##L##trsm(handle, side, uplo, trans, diag, m, n, &one, A, lda, B, ldb);                   \
	}
HD_SOLVER_BLAS(S, float)
HD_SOLVER_BLAS(D, double)
HD_SOLVER_BLAS(C, cuComplex)
HD_SOLVER_BLAS(Z, cuDoubleComplex)
#undef HD_SOLVER_BLAS

/* C -= A A^H (trans: A^H A) in a triangle. */
#define HD_SOLVER_RANK_K(L, T, R, HERK)                                                                                \
	inline cublasStatus_t subtract_square(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,   \
					      int n, int k, const T *A, int lda, T *C, int ldc)                        \
	{                                                                                                              \
		R minus = -1, one = 1;                                                                                 \
		return cublas##L##HERK(handle, uplo, trans, n, k, &minus, A, lda, &one, C, ldc);                       \
	}
HD_SOLVER_RANK_K(S, float, float, syrk)
HD_SOLVER_RANK_K(D, double, double, syrk)
HD_SOLVER_RANK_K(C, cuComplex, float, herk)
HD_SOLVER_RANK_K(Z, cuDoubleComplex, double, herk)
#undef HD_SOLVER_RANK_K

/* A matrix of a batch: the distances of rows and columns, by which its adjoint is a matrix, too, and of matrices. */
template <class T> struct laid_out {
	T *data;
	int64_t rows, columns, step;
	bool conjugate;

	__device__ void move_to(unsigned number)
	{
		if (data)
			data += number * step;
	}
	__device__ T get(int64_t i, int64_t j) const
	{
		return conj_if(conjugate, data[i * rows + j * columns]);
	}
	__device__ void set(int64_t i, int64_t j, T value) const
	{
		data[i * rows + j * columns] = conj_if(conjugate, value);
	}
};

/* The sum over a block's threads, for all of them. */
template <class T> __device__ T sum_of_block(T own)
{
	__shared__ T sums[THREADS];
	__syncthreads();
	sums[threadIdx.x] = own;
	for (unsigned step = THREADS / 2; step; step /= 2) {
		__syncthreads();
		if (threadIdx.x < step)
			sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + step];
	}
	__syncthreads();
	return sums[0];
}

template <class R> __device__ R most_of_block(R own)
{
	__shared__ R values[THREADS];
	__syncthreads();
	values[threadIdx.x] = own;
	for (unsigned step = THREADS / 2; step; step /= 2) {
		__syncthreads();
		if (threadIdx.x < step)
			values[threadIdx.x] = fmax(values[threadIdx.x], values[threadIdx.x + step]);
	}
	__syncthreads();
	return values[0];
}

/* The larger part of an element. Infinity for what is no number, which a maximum would leave out. */
template <class T> __device__ real_of<T> largest_part(T a)
{
	return isnan(real(a)) || isnan(imag(a)) ? real_of<T>(INFINITY) : fmax(fabs(real(a)), fabs(imag(a)));
}

/*
 * The power of two near a matrix' largest element: divided by it, which rounds nothing, no square overflows or vanishes.
 * It and its reciprocal are ordinary numbers. Of a matrix without a number that is not zero: one.
 */
template <class R> __device__ R scale_of(R largest)
{
	int most = sizeof(R) == 4 ? 120 : 1000;
	if (!(largest > 0) || isinf(largest))
		return 1;
	int power = ilogb(largest);
	return scalbn(R(1), power > most ? most : power < -most ? -most : power);
}

} // namespace hd_solver
