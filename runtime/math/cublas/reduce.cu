/* cuBLAS, level 1: routines whose result is a number. */
#include "runtime/math/cublas/reduce.cuh"

namespace hd_blas {

template <class T> struct dot_of {
	using state = T;
	using result = T;
	const T *x, *y;
	int64_t incx, incy;
	bool conjugate;
	__device__ T none() const
	{
		return T{};
	}
	__device__ T add(T sum, int64_t i) const
	{
		return multiply_add(conj_if(conjugate, x[i * incx]), y[i * incy], sum);
	}
	__device__ T join(T a, T b) const
	{
		return a + b;
	}
	__device__ T finish(T sum) const
	{
		return sum;
	}
};

template <bool CONJUGATE, class T>
cublasStatus_t dot(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y, int64_t incy, T *result)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(result);
	if (n <= 0)
		return nothing(handle, result);
	return reduce(handle, n,
		      dot_of<T>{first_element(x, n, incx), first_element(y, n, incy), incx, incy, CONJUGATE}, result);
}

template <class T> struct asum_of {
	using state = real_of<T>;
	using result = real_of<T>;
	const T *x;
	int64_t incx;
	__device__ state none() const
	{
		return 0;
	}
	__device__ state add(state sum, int64_t i) const
	{
		return sum + abs1(x[i * incx]);
	}
	__device__ state join(state a, state b) const
	{
		return a + b;
	}
	__device__ result finish(state sum) const
	{
		return sum;
	}
};

template <class T>
cublasStatus_t asum(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, real_of<T> *result)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(result);
	if (n <= 0 || incx <= 0)
		return nothing(handle, result);
	return reduce(handle, n, asum_of<T>{x, incx}, result);
}

template <class T>
cublasStatus_t nrm2(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, real_of<T> *result)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(result);
	if (n <= 0 || incx <= 0)
		return nothing(handle, result);
	return reduce(handle, n, nrm2_of<T>{x, incx}, result);
}

/* The first of the largest (or smallest), counted from one; where `index` is zero, nothing was seen. */
template <class R> struct place {
	R value;
	int64_t index;
};

template <class T> struct extreme_of {
	using R = real_of<T>;
	using state = place<R>;
	using result = int64_t;
	const T *x;
	int64_t incx;
	bool smallest;
	__device__ state none() const
	{
		return state{0, 0};
	}
	__device__ state join(state a, state b) const
	{
		if (!b.index)
			return a;
		bool better = smallest ? b.value < a.value : b.value > a.value;
		return !a.index || better || (b.value == a.value && b.index < a.index) ? b : a;
	}
	__device__ state add(state best, int64_t i) const
	{
		return join(best, state{abs1(x[i * incx]), i + 1});
	}
	__device__ result finish(state best) const
	{
		return best.index;
	}
};

template <bool SMALLEST, class T, class I>
cublasStatus_t extreme(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, I *result)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(result);
	if (n <= 0 || incx <= 0)
		return nothing(handle, result);
	return reduce(handle, n, extreme_of<T>{x, incx, SMALLEST}, result);
}

} // namespace hd_blas

#define HD_CUBLAS_NO_VECTORS
#define HD_CUBLAS_TABLE <heddle_cublas_level1.def>
#include "runtime/math/cublas/define.cuh"
