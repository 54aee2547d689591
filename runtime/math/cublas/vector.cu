/*
 * cuBLAS, level 1: vectors. Each kernel strides over the vector with its grid.
 */
#include "runtime/math/cublas/blas.cuh"

namespace hd_blas {

enum { THREADS = 256 };

template <class T>
__global__ void __launch_bounds__(THREADS)
	axpy_kernel(int64_t n, scalar<T> alpha, const T *x, int64_t incx, T *y, int64_t incy)
{
	T factor = alpha.get();
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
		y[i * incy] = multiply_add(factor, x[i * incx], y[i * incy]);
}

template <class T>
cublasStatus_t axpy(cublasHandle_t handle, int64_t n, const T *alpha, const T *x, int64_t incx, T *y, int64_t incy)
{
	HD_BLAS_HANDLE(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha);
	scalar<T> factor = hd_blas::factor(handle, alpha);
	if (known_zero(factor))
		return CUBLAS_STATUS_SUCCESS;
	axpy_kernel<T><<<blocks_for(n, THREADS), THREADS, 0, handle->stream>>>(
		n, factor, first_element(x, n, incx), incx, first_element(y, n, incy), incy);
	return launched();
}

} // namespace hd_blas

#define HD_CUBLAS HD_CUBLAS_DEFINE
#define HD_INT int
#include <heddle_cublas_level1.def>
#undef HD_CUBLAS
#undef HD_INT
#define HD_CUBLAS HD_CUBLAS_DEFINE_64
#define HD_INT int64_t
#include <heddle_cublas_level1.def>
