/*
 * cuBLAS, level 2: updates of a matrix by one or two products of vectors, in full or packed form. A thread has one row,
 * and every so many columns.
 */
#include "runtime/math/cublas/stored.cuh"

namespace hd_blas {

enum { ROWS = 32, COLUMNS = 8 };

/*
 * A += alpha x y^T; with `both`, and alpha y x^T: of Hermitian matrices, y and x are conjugated where they stand
 * transposed, and the second factor is conj(alpha).
 */
template <class T, class R> struct rank_update {
	stored<T> a;
	T *matrix;
	int64_t rows, columns;
	const T *x, *y;
	int64_t incx, incy;
	scalar<R> alpha;
	bool conjugate, both;
};

template <class T, class R> __global__ void __launch_bounds__(ROWS *COLUMNS) update_kernel(const rank_update<T, R> p)
{
	int64_t i = (int64_t)blockIdx.x * ROWS + threadIdx.x % ROWS;
	T alpha;
	if constexpr (sizeof(T) == sizeof(R))
		alpha = p.alpha.get();
	else
		alpha = make<T>(p.alpha.get());
	if (i >= p.rows || is_zero(alpha))
		return;
	T x = p.x[i * p.incx], y = p.both ? p.y[i * p.incy] : T{};
	for (int64_t j = (int64_t)blockIdx.y * COLUMNS + threadIdx.x / ROWS; j < p.columns;
	     j += (int64_t)gridDim.y * COLUMNS) {
		if (p.a.kind != GENERAL && (p.a.upper ? i > j : i < j))
			continue;
		T *to = p.matrix + p.a.place(i, j);
		T value = multiply_add(alpha * x, conj_if(p.conjugate, p.y[j * p.incy]), *to);
		if (p.both)
			value = multiply_add(conj_if(p.conjugate, alpha) * y, conj_if(p.conjugate, p.x[j * p.incx]), value);
		*to = p.a.kind == HERMITIAN && i == j ? make<T>(real(value)) : value;
	}
}

template <class T, class R> static cublasStatus_t run(cublasHandle_t handle, const rank_update<T, R> &p)
{
	if (p.rows == 0 || p.columns == 0 || known_zero(p.alpha))
		return CUBLAS_STATUS_SUCCESS;
	dim3 grid((unsigned)divide_up(p.rows, ROWS), blocks_for(p.columns, COLUMNS));
	update_kernel<<<grid, ROWS * COLUMNS, 0, handle->stream>>>(p);
	return launched();
}

template <bool CONJUGATE, class T>
cublasStatus_t ger(cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, const T *x, int64_t incx, const T *y,
		   int64_t incy, T *A, int64_t lda)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(m >= 0 && n >= 0 && incx && incy && lda >= m && lda >= 1);
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha);
	return run(handle, rank_update<T, T>{whole<T>(lda, CUBLAS_OP_N), A, m, n, first_element(x, m, incx),
					     first_element(y, n, incy), incx, incy, factor(handle, alpha), CONJUGATE,
					     false});
}

/* A symmetric or Hermitian A by x (and y). */
template <class T, class R>
static cublasStatus_t symmetric_update(cublasHandle_t handle, const stored<T> &a, T *A, int64_t n, const R *alpha, const T *x,
				       int64_t incx, const T *y, int64_t incy, bool both)
{
	if (n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha);
	return run(handle, rank_update<T, R>{a, A, n, n, first_element(x, n, incx), first_element(y, n, incy), incx, incy,
					     factor(handle, alpha), a.kind == HERMITIAN, both});
}

template <class T>
cublasStatus_t syr(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha, const T *x, int64_t incx, T *A,
		   int64_t lda)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && n >= 0 && incx && lda >= n && lda >= 1);
	return symmetric_update(handle, symmetric(whole<T>(lda, CUBLAS_OP_N), uplo, false), A, n, alpha, x, incx, x, incx,
				false);
}

template <class T>
cublasStatus_t her(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const real_of<T> *alpha, const T *x,
		   int64_t incx, T *A, int64_t lda)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && n >= 0 && incx && lda >= n && lda >= 1);
	return symmetric_update(handle, symmetric(whole<T>(lda, CUBLAS_OP_N), uplo, true), A, n, alpha, x, incx, x, incx,
				false);
}

template <bool HERMITIAN, class T>
cublasStatus_t syr2(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha, const T *x, int64_t incx,
		    const T *y, int64_t incy, T *A, int64_t lda)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && n >= 0 && incx && incy && lda >= n && lda >= 1);
	return symmetric_update(handle, symmetric(whole<T>(lda, CUBLAS_OP_N), uplo, HERMITIAN), A, n, alpha, x, incx, y,
				incy, true);
}

/* Packed: Hermitian where the elements are complex. */
template <class T>
cublasStatus_t spr(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const real_of<T> *alpha, const T *x,
		   int64_t incx, T *AP)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && n >= 0 && incx);
	return symmetric_update(handle, symmetric(packed<T>(n), uplo, traits<T>::complex), AP, n, alpha, x, incx, x, incx,
				false);
}

template <bool HERMITIAN, class T>
cublasStatus_t spr2(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha, const T *x, int64_t incx,
		    const T *y, int64_t incy, T *AP)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && n >= 0 && incx && incy);
	return symmetric_update(handle, symmetric(packed<T>(n), uplo, HERMITIAN), AP, n, alpha, x, incx, y, incy, true);
}

} // namespace hd_blas

#define HD_CUBLAS_NO_PRODUCTS
#define HD_CUBLAS_TABLE <heddle_cublas_level2.def>
#include "runtime/math/cublas/define.cuh"
