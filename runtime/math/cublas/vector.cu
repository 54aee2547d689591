/* cuBLAS, level 1: routines that change vectors. */
#include "runtime/math/cublas/vector.cuh"

namespace hd_blas {

template <class T> struct axpy_of {
	scalar<T> alpha;
	strided<const T> x;
	strided<T> y;
	T factor = {};
	__device__ void begin()
	{
		factor = alpha.get();
	}
	__device__ void operator()(int64_t i) const
	{
		y[i] = multiply_add(factor, x[i], y[i]);
	}
};

template <class T>
cublasStatus_t axpy(cublasHandle_t handle, int64_t n, const T *alpha, const T *x, int64_t incx, T *y, int64_t incy)
{
	HD_BLAS_HANDLE(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha);
	scalar<T> by = factor(handle, alpha);
	if (known_zero(by))
		return CUBLAS_STATUS_SUCCESS;
	return change(handle, n, axpy_of<T>{by, {x, n, incx}, {y, n, incy}});
}

template <class T, class R> struct scal_of {
	scalar<R> alpha;
	strided<T> x;
	R factor = {};
	__device__ void begin()
	{
		factor = alpha.get();
	}
	__device__ void operator()(int64_t i) const
	{
		x[i] = factor * x[i];
	}
};

/* BLAS leaves a vector of an increment below one as it is. */
template <class T, class R>
cublasStatus_t scal(cublasHandle_t handle, int64_t n, const R *alpha, T *x, int64_t incx)
{
	HD_BLAS_HANDLE(handle);
	if (n <= 0 || incx <= 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha);
	return change(handle, n, scal_of<T, R>{factor(handle, alpha), {x, n, incx}});
}

template <class T> struct copy_of {
	strided<const T> x;
	strided<T> y;
	__device__ void begin()
	{
	}
	__device__ void operator()(int64_t i) const
	{
		y[i] = x[i];
	}
};

template <class T>
cublasStatus_t copy(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, T *y, int64_t incy)
{
	HD_BLAS_HANDLE(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	return change(handle, n, copy_of<T>{{x, n, incx}, {y, n, incy}});
}

template <class T> struct swap_of {
	strided<T> x, y;
	__device__ void begin()
	{
	}
	__device__ void operator()(int64_t i) const
	{
		T from = x[i];
		x[i] = y[i];
		y[i] = from;
	}
};

template <class T> cublasStatus_t swap(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy)
{
	HD_BLAS_HANDLE(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	return change(handle, n, swap_of<T>{{x, n, incx}, {y, n, incy}});
}

template <class T, class R, class S> struct rot_of {
	strided<T> x, y;
	scalar<R> cosine;
	scalar<S> sine;
	R c = {};
	S s = {};
	__device__ void begin()
	{
		c = cosine.get();
		s = sine.get();
	}
	__device__ void operator()(int64_t i) const
	{
		T a = x[i], b = y[i];
		x[i] = c * a + s * b;
		y[i] = c * b - conj(s) * a;
	}
};

template <class T, class R, class S>
cublasStatus_t rot(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy, const R *c, const S *s)
{
	HD_BLAS_HANDLE(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(c && s);
	return change(handle, n, rot_of<T, R, S>{{x, n, incx}, {y, n, incy}, factor(handle, c), factor(handle, s)});
}

/* The modified rotation's matrix: a flag, h11, h21, h12, h22, of which some are implied by the flag. */
template <class T> struct rotation {
	T flag, h11, h21, h12, h22;
};

template <class T> struct rotm_of {
	strided<T> x, y;
	rotation<T> given;
	const T *place;
	T h11 = 0, h21 = 0, h12 = 0, h22 = 0;
	bool none = false;
	__device__ void begin()
	{
		rotation<T> h = given;
		if (place)
			h = rotation<T>{place[0], place[1], place[2], place[3], place[4]};
		none = h.flag == -2;
		h11 = h.flag == 0 ? 1 : h.h11;
		h22 = h.flag == 0 ? 1 : h.h22;
		h21 = h.flag == 1 ? -1 : h.h21;
		h12 = h.flag == 1 ? 1 : h.h12;
	}
	__device__ void operator()(int64_t i) const
	{
		T a = x[i], b = y[i];
		if (none)
			return;
		x[i] = h11 * a + h12 * b;
		y[i] = h21 * a + h22 * b;
	}
};

template <class T>
cublasStatus_t rotm(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy, const T *param)
{
	HD_BLAS_HANDLE(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(param);
	rotm_of<T> functor{{x, n, incx}, {y, n, incy}, {}, param};
	if (handle->pointer_mode == CUBLAS_POINTER_MODE_HOST) {
		functor.given = rotation<T>{param[0], param[1], param[2], param[3], param[4]};
		functor.place = nullptr;
	}
	return change(handle, n, functor);
}

} // namespace hd_blas

#define HD_CUBLAS_NO_REDUCTIONS
#define HD_CUBLAS_TABLE <heddle_cublas_level1.def>
#include "runtime/math/cublas/define.cuh"
