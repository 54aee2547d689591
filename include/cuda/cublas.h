/*
 * cuBLAS's interface of before 2011: one handle for the program, factors and results by value, letters in place of
 * enumerations. Each function calls that of cublas_v2.h; cublasGetError says what the last ones returned. A source
 * includes this header or cublas_v2.h. Here are levels 1 to 3 for full matrices; there are no banded and packed ones.
 */
#ifndef CUBLAS_H_
#define CUBLAS_H_
#ifdef CUBLAS_V2_H_
#error "cublas.h and cublas_v2.h have functions of the same names: include one of them"
#endif

#include "cublas_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef cublasStatus_t cublasStatus;

/* One of each for all sources of a program. */
__attribute__((weak)) cublasHandle_t __hd_cublas_handle;
__attribute__((weak)) cublasStatus_t __hd_cublas_error;

#define HD_OLD static inline __attribute__((unused))

HD_OLD cublasStatus_t __hd_cublas_keep(cublasStatus_t status)
{
	if (status != CUBLAS_STATUS_SUCCESS)
		__hd_cublas_error = status;
	return status;
}
HD_OLD cublasStatus_t cublasInit(void)
{
	return __hd_cublas_handle ? CUBLAS_STATUS_SUCCESS : __hd_cublas_keep(cublasCreate_v2(&__hd_cublas_handle));
}
HD_OLD cublasStatus_t cublasShutdown(void)
{
	cublasHandle_t handle = __hd_cublas_handle;
	__hd_cublas_handle = 0;
	return handle ? __hd_cublas_keep(cublasDestroy_v2(handle)) : CUBLAS_STATUS_NOT_INITIALIZED;
}
/* The last error, which is forgotten. */
HD_OLD cublasStatus_t cublasGetError(void)
{
	cublasStatus_t status = __hd_cublas_error;
	__hd_cublas_error = CUBLAS_STATUS_SUCCESS;
	return status;
}
HD_OLD cublasStatus_t cublasGetVersion(int *version)
{
	return cublasGetVersion_v2(__hd_cublas_handle, version);
}
HD_OLD cublasStatus_t cublasAlloc(int n, int elemSize, void **devicePtr)
{
	if (n <= 0 || elemSize <= 0)
		return __hd_cublas_keep(CUBLAS_STATUS_INVALID_VALUE);
	return cudaMalloc(devicePtr, (size_t)n * (size_t)elemSize) == cudaSuccess
		       ? CUBLAS_STATUS_SUCCESS
		       : __hd_cublas_keep(CUBLAS_STATUS_ALLOC_FAILED);
}
HD_OLD cublasStatus_t cublasFree(void *devicePtr)
{
	return cudaFree(devicePtr) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
						  : __hd_cublas_keep(CUBLAS_STATUS_INTERNAL_ERROR);
}
HD_OLD cublasStatus_t cublasSetKernelStream(cudaStream_t stream)
{
	return __hd_cublas_keep(cublasSetStream_v2(__hd_cublas_handle, stream));
}

HD_OLD cublasOperation_t __hd_cublas_operation(char letter)
{
	return letter == 't' || letter == 'T'	 ? CUBLAS_OP_T
	       : letter == 'c' || letter == 'C' ? CUBLAS_OP_C
						 : CUBLAS_OP_N;
}
HD_OLD cublasFillMode_t __hd_cublas_fill(char letter)
{
	return letter == 'l' || letter == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
HD_OLD cublasDiagType_t __hd_cublas_diag(char letter)
{
	return letter == 'u' || letter == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}
HD_OLD cublasSideMode_t __hd_cublas_side(char letter)
{
	return letter == 'r' || letter == 'R' ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
}

/* HD_VOID(NAME, PARAMETERS, ARGUMENTS behind the handle), and one whose result is a T. */
#define HD_VOID(name, parameters, ...)                                                   \
	HD_OLD void cublas##name parameters                                              \
	{                                                                                \
		__hd_cublas_keep(cublas##name##_v2(__hd_cublas_handle, __VA_ARGS__));    \
	}
#define HD_RESULT(T, name, parameters, ...)                                                    \
	HD_OLD T cublas##name parameters                                                       \
	{                                                                                      \
		T result;                                                                      \
		__builtin_memset(&result, 0, sizeof result);                                   \
		__hd_cublas_keep(cublas##name##_v2(__hd_cublas_handle, __VA_ARGS__, &result)); \
		return result;                                                                 \
	}

/* L: letter, l: in lower case, T: elements. */
#define HD_TYPE(L, l, T)                                                                                                      \
	HD_VOID(L##axpy, (int n, T alpha, const T *x, int incx, T *y, int incy), n, &alpha, x, incx, y, incy)                 \
	HD_VOID(L##scal, (int n, T alpha, T *x, int incx), n, &alpha, x, incx)                                                \
	HD_VOID(L##copy, (int n, const T *x, int incx, T *y, int incy), n, x, incx, y, incy)                                  \
	HD_VOID(L##swap, (int n, T *x, int incx, T *y, int incy), n, x, incx, y, incy)                                        \
	HD_RESULT(int, I##l##amax, (int n, const T *x, int incx), n, x, incx)                                                 \
	HD_RESULT(int, I##l##amin, (int n, const T *x, int incx), n, x, incx)                                                 \
	HD_VOID(L##gemv,                                                                                                      \
		(char trans, int m, int n, T alpha, const T *_A, int lda, const T *x, int incx, T beta, T *y, int incy),      \
		__hd_cublas_operation(trans), m, n, &alpha, _A, lda, x, incx, &beta, y, incy)                                  \
	HD_VOID(L##trmv, (char uplo, char trans, char diag, int n, const T *_A, int lda, T *x, int incx),                     \
		__hd_cublas_fill(uplo), __hd_cublas_operation(trans), __hd_cublas_diag(diag), n, _A, lda, x, incx)             \
	HD_VOID(L##trsv, (char uplo, char trans, char diag, int n, const T *_A, int lda, T *x, int incx),                     \
		__hd_cublas_fill(uplo), __hd_cublas_operation(trans), __hd_cublas_diag(diag), n, _A, lda, x, incx)             \
	HD_VOID(L##gemm,                                                                                                      \
		(char transa, char transb, int m, int n, int k, T alpha, const T *_A, int lda, const T *_B, int ldb, T beta,  \
		 T *_C, int ldc),                                                                                             \
		__hd_cublas_operation(transa), __hd_cublas_operation(transb), m, n, k, &alpha, _A, lda, _B, ldb, &beta, _C, ldc) \
	HD_VOID(L##symm,                                                                                                      \
		(char side, char uplo, int m, int n, T alpha, const T *_A, int lda, const T *_B, int ldb, T beta, T *_C,      \
		 int ldc),                                                                                                    \
		__hd_cublas_side(side), __hd_cublas_fill(uplo), m, n, &alpha, _A, lda, _B, ldb, &beta, _C, ldc)                  \
	HD_VOID(L##syrk, (char uplo, char trans, int n, int k, T alpha, const T *_A, int lda, T beta, T *_C, int ldc),        \
		__hd_cublas_fill(uplo), __hd_cublas_operation(trans), n, k, &alpha, _A, lda, &beta, _C, ldc)                    \
	HD_VOID(L##syr2k,                                                                                                     \
		(char uplo, char trans, int n, int k, T alpha, const T *_A, int lda, const T *_B, int ldb, T beta, T *_C,     \
		 int ldc),                                                                                                    \
		__hd_cublas_fill(uplo), __hd_cublas_operation(trans), n, k, &alpha, _A, lda, _B, ldb, &beta, _C, ldc)            \
	/* In place, as in BLAS. */                                                                                           \
	HD_VOID(L##trmm,                                                                                                      \
		(char side, char uplo, char transa, char diag, int m, int n, T alpha, const T *_A, int lda, T *_B, int ldb),  \
		__hd_cublas_side(side), __hd_cublas_fill(uplo), __hd_cublas_operation(transa), __hd_cublas_diag(diag), m, n,  \
		&alpha, _A, lda, _B, ldb, _B, ldb)                                                                               \
	HD_VOID(L##trsm,                                                                                                      \
		(char side, char uplo, char transa, char diag, int m, int n, T alpha, const T *_A, int lda, T *_B, int ldb),  \
		__hd_cublas_side(side), __hd_cublas_fill(uplo), __hd_cublas_operation(transa), __hd_cublas_diag(diag), m, n,  \
		&alpha, _A, lda, _B, ldb)
HD_TYPE(S, s, float)
HD_TYPE(D, d, double)
HD_TYPE(C, c, cuComplex)
HD_TYPE(Z, z, cuDoubleComplex)
#undef HD_TYPE

/* P: letters of functions of elements T whose result is R. */
#define HD_TYPE(P, T, R)                                                 \
	HD_RESULT(R, P##nrm2, (int n, const T *x, int incx), n, x, incx) \
	HD_RESULT(R, P##asum, (int n, const T *x, int incx), n, x, incx)
HD_TYPE(S, float, float)
HD_TYPE(D, double, double)
HD_TYPE(Sc, cuComplex, float)
HD_TYPE(Dz, cuDoubleComplex, double)
#undef HD_TYPE

#define HD_TYPE(name, T) \
	HD_RESULT(T, name, (int n, const T *x, int incx, const T *y, int incy), n, x, incx, y, incy)
HD_TYPE(Sdot, float)
HD_TYPE(Ddot, double)
HD_TYPE(Cdotu, cuComplex)
HD_TYPE(Cdotc, cuComplex)
HD_TYPE(Zdotu, cuDoubleComplex)
HD_TYPE(Zdotc, cuDoubleComplex)
#undef HD_TYPE

#define HD_TYPE(L, T)                                                                                                     \
	HD_VOID(L##rot, (int n, T *x, int incx, T *y, int incy, T c, T s), n, x, incx, y, incy, &c, &s)                   \
	HD_VOID(L##symv,                                                                                                  \
		(char uplo, int n, T alpha, const T *_A, int lda, const T *x, int incx, T beta, T *y, int incy),          \
		__hd_cublas_fill(uplo), n, &alpha, _A, lda, x, incx, &beta, y, incy)                                       \
	HD_VOID(L##ger, (int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *_A, int lda), m, n, &alpha, \
		x, incx, y, incy, _A, lda)                                                                                 \
	HD_VOID(L##syr, (char uplo, int n, T alpha, const T *x, int incx, T *_A, int lda), __hd_cublas_fill(uplo), n,     \
		&alpha, x, incx, _A, lda)
HD_TYPE(S, float)
HD_TYPE(D, double)
#undef HD_TYPE

#undef HD_VOID
#undef HD_RESULT
#undef HD_OLD

#ifdef __cplusplus
}
#endif
#endif
