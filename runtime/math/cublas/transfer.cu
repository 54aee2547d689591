/* cuBLAS's copies of vectors and matrices between host and device, which are copies of pitched memory. */
#include "runtime/math/cublas/blas.cuh"

namespace hd_blas {

static cublasStatus_t copy_matrix(int64_t rows, int64_t columns, int64_t size, const void *from, int64_t ld_from, void *to,
				  int64_t ld_to, cudaMemcpyKind kind, bool waits, cudaStream_t stream)
{
	HD_BLAS_VALID(rows >= 0 && columns >= 0 && size > 0);
	if (rows == 0 || columns == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(is_leading(ld_from, rows) && is_leading(ld_to, rows));
	cudaError_t error = waits ? cudaMemcpy2D(to, ld_to * size, from, ld_from * size, rows * size, columns, kind)
				  : cudaMemcpy2DAsync(to, ld_to * size, from, ld_from * size, rows * size, columns, kind,
						      stream);
	return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

/* A vector is a row of a matrix. */
static cublasStatus_t copy_vector(int64_t n, int64_t size, const void *from, int64_t inc_from, void *to, int64_t inc_to,
				  cudaMemcpyKind kind, bool waits, cudaStream_t stream)
{
	HD_BLAS_VALID(n >= 0 && size > 0 && inc_from > 0 && inc_to > 0);
	return copy_matrix(1, n, size, from, inc_from, to, inc_to, kind, waits, stream);
}

} // namespace hd_blas

extern "C" {

#define HD_TRANSFERS(suffix, I)                                                                                        \
	cublasStatus_t cublasSetVector##suffix(I n, I elemSize, const void *x, I incx, void *devicePtr, I incy)        \
	{                                                                                                              \
		return hd_blas::copy_vector(n, elemSize, x, incx, devicePtr, incy, cudaMemcpyHostToDevice, true,       \
					    nullptr);                                                                  \
	}                                                                                                              \
	cublasStatus_t cublasGetVector##suffix(I n, I elemSize, const void *x, I incx, void *y, I incy)                \
	{                                                                                                              \
		return hd_blas::copy_vector(n, elemSize, x, incx, y, incy, cudaMemcpyDeviceToHost, true, nullptr);     \
	}                                                                                                              \
	cublasStatus_t cublasSetMatrix##suffix(I rows, I cols, I elemSize, const void *A, I lda, void *B, I ldb)       \
	{                                                                                                              \
		return hd_blas::copy_matrix(rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyHostToDevice, true,        \
					    nullptr);                                                                  \
	}                                                                                                              \
	cublasStatus_t cublasGetMatrix##suffix(I rows, I cols, I elemSize, const void *A, I lda, void *B, I ldb)       \
	{                                                                                                              \
		return hd_blas::copy_matrix(rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyDeviceToHost, true,        \
					    nullptr);                                                                  \
	}
HD_TRANSFERS(, int)
HD_TRANSFERS(_64, int64_t)

cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void *hostPtr, int incx, void *devicePtr, int incy,
				    cudaStream_t stream)
{
	return hd_blas::copy_vector(n, elemSize, hostPtr, incx, devicePtr, incy, cudaMemcpyHostToDevice, false, stream);
}

cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void *devicePtr, int incx, void *hostPtr, int incy,
				    cudaStream_t stream)
{
	return hd_blas::copy_vector(n, elemSize, devicePtr, incx, hostPtr, incy, cudaMemcpyDeviceToHost, false, stream);
}

cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb,
				    cudaStream_t stream)
{
	return hd_blas::copy_matrix(rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyHostToDevice, false, stream);
}

cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb,
				    cudaStream_t stream)
{
	return hd_blas::copy_matrix(rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyDeviceToHost, false, stream);
}
}
