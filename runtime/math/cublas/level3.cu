/* cuBLAS, level 3: checks arguments as BLAS does, and makes a product of each routine (product.cuh). */
#include "runtime/math/cublas/product.cuh"

namespace hd_blas {

static int64_t at_least_one(int64_t n)
{
	return n > 1 ? n : 1;
}

/* Whether a matrix of these sizes, with its operation, may be stored with this leading dimension. */
static bool is_leading(int64_t ld, cublasOperation_t operation, int64_t rows, int64_t columns)
{
	return ld >= at_least_one(is_transposed(operation) ? columns : rows);
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
		    int64_t k, const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb, const T *beta, T *C,
		    int64_t ldc)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_operation(transa) && is_operation(transb) && m >= 0 && n >= 0 && k >= 0 &&
		      is_leading(lda, transa, m, k) && is_leading(ldb, transb, k, n) && ldc >= at_least_one(m));
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	product<T> p;
	p.m = m;
	p.n = n;
	p.k = k;
	p.alpha = factor(handle, alpha);
	p.beta = factor(handle, beta);
	p.a = matrix(A, lda, transa);
	p.b = matrix(B, ldb, transb);
	p.c = target(C, ldc);
	return multiply(handle, p);
}

} // namespace hd_blas

#define HD_CUBLAS HD_CUBLAS_DEFINE
#define HD_INT int
#include <heddle_cublas_level3.def>
#undef HD_CUBLAS
#undef HD_INT
#define HD_CUBLAS HD_CUBLAS_DEFINE_64
#define HD_INT int64_t
#include <heddle_cublas_level3.def>
