/*
 * Arithmetic that real and complex elements share: float, double, and CUDA's pairs float2 and double2 (cuComplex,
 * cuDoubleComplex) as complex numbers. Code in namespace hd_math is written once for all four.
 */
#pragma once

#include <cstdint>
#include <cstring>
#include <cuComplex.h>
#include <cuda_runtime.h>

namespace hd_math {

template <class T> struct traits;
template <> struct traits<float> {
	using real = float;
	static constexpr bool complex = false;
};
template <> struct traits<double> {
	using real = double;
	static constexpr bool complex = false;
};
template <> struct traits<float2> {
	using real = float;
	static constexpr bool complex = true;
};
template <> struct traits<double2> {
	using real = double;
	static constexpr bool complex = true;
};
template <class T> using real_of = typename traits<T>::real;

template <class T> __host__ __device__ inline T make(real_of<T> re, real_of<T> im = 0)
{
	if constexpr (traits<T>::complex)
		return T{re, im};
	else
		return re;
}

template <class T> __host__ __device__ inline real_of<T> real(T a)
{
	if constexpr (traits<T>::complex)
		return a.x;
	else
		return a;
}

template <class T> __host__ __device__ inline real_of<T> imag(T a)
{
	if constexpr (traits<T>::complex)
		return a.y;
	else
		return 0;
}

template <class T> __host__ __device__ inline T conj(T a)
{
	if constexpr (traits<T>::complex)
		return T{a.x, -a.y};
	else
		return a;
}

/* Only where `yes` says so: a uniform flag of a kernel. */
template <class T> __host__ __device__ inline T conj_if(bool yes, T a)
{
	if constexpr (traits<T>::complex)
		return T{a.x, yes ? -a.y : a.y};
	else
		return a;
}

template <class T> __host__ __device__ inline bool is_zero(T a)
{
	return real(a) == 0 && imag(a) == 0;
}

template <class T> __host__ __device__ inline bool is_one(T a)
{
	return real(a) == 1 && imag(a) == 0;
}

#define HD_MATH_COMPLEX(T, R)                                                                                          \
	__host__ __device__ inline T operator+(T a, T b)                                                               \
	{                                                                                                              \
		return T{a.x + b.x, a.y + b.y};                                                                        \
	}                                                                                                              \
	__host__ __device__ inline T operator-(T a, T b)                                                               \
	{                                                                                                              \
		return T{a.x - b.x, a.y - b.y};                                                                        \
	}                                                                                                              \
	__host__ __device__ inline T operator-(T a)                                                                    \
	{                                                                                                              \
		return T{-a.x, -a.y};                                                                                  \
	}                                                                                                              \
	__host__ __device__ inline T operator*(T a, T b)                                                               \
	{                                                                                                              \
		return T{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                                \
	}                                                                                                              \
	__host__ __device__ inline T operator*(R a, T b)                                                               \
	{                                                                                                              \
		return T{a * b.x, a * b.y};                                                                            \
	}                                                                                                              \
	__host__ __device__ inline T operator/(T a, R b)                                                               \
	{                                                                                                              \
		return T{a.x / b, a.y / b};                                                                            \
	}                                                                                                              \
	__host__ __device__ inline T &operator+=(T &a, T b)                                                            \
	{                                                                                                              \
		return a = a + b;                                                                                      \
	}                                                                                                              \
	__host__ __device__ inline T &operator-=(T &a, T b)                                                            \
	{                                                                                                              \
		return a = a - b;                                                                                      \
	}
HD_MATH_COMPLEX(float2, float)
HD_MATH_COMPLEX(double2, double)
#undef HD_MATH_COMPLEX

/* Smith's quotient: overflows only where the result does. */
#define HD_MATH_DIVIDE(T, R)                                                                                           \
	__host__ __device__ inline T operator/(T a, T b)                                                               \
	{                                                                                                              \
		if (fabs(b.x) >= fabs(b.y)) {                                                                          \
			R r = b.y / b.x, d = b.x + r * b.y;                                                            \
			return T{(a.x + a.y * r) / d, (a.y - a.x * r) / d};                                            \
		}                                                                                                      \
		R r = b.x / b.y, d = b.y + r * b.x;                                                                    \
		return T{(a.x * r + a.y) / d, (a.y * r - a.x) / d};                                                    \
	}
HD_MATH_DIVIDE(float2, float)
HD_MATH_DIVIDE(double2, double)
#undef HD_MATH_DIVIDE

/* sum + a * b with fused multiply-adds. */
__device__ inline float multiply_add(float a, float b, float sum)
{
	return fmaf(a, b, sum);
}

__device__ inline double multiply_add(double a, double b, double sum)
{
	return fma(a, b, sum);
}

template <class T> __device__ inline T multiply_add(T a, T b, T sum)
{
	sum.x = multiply_add(a.x, b.x, sum.x);
	sum.y = multiply_add(a.x, b.y, sum.y);
	sum.x = multiply_add(-a.y, b.y, sum.x);
	sum.y = multiply_add(a.y, b.x, sum.y);
	return sum;
}

/* The sum over a warp, in each lane. */
template <class T> __device__ inline T sum_of_warp(T value)
{
	for (int offset = 16; offset; offset /= 2) {
		if constexpr (traits<T>::complex) {
			value.x += __shfl_xor_sync(0xffffffff, value.x, offset);
			value.y += __shfl_xor_sync(0xffffffff, value.y, offset);
		} else {
			value += __shfl_xor_sync(0xffffffff, value, offset);
		}
	}
	return value;
}

/* |re| + |im|, by which BLAS chooses pivots. */
template <class T> __host__ __device__ inline real_of<T> abs1(T a)
{
	return fabs(real(a)) + fabs(imag(a));
}

template <class T> __host__ __device__ inline real_of<T> abs_squared(T a)
{
	return real(a) * real(a) + imag(a) * imag(a);
}

/*
 * A factor of a routine: a number that the host has, or its place in device memory (CUBLAS_POINTER_MODE_DEVICE), from
 * which the kernel reads it: as the elements are, as their real type, or to be conjugated.
 */
enum form : uint8_t { PLAIN, REAL, CONJUGATED };

template <class T> struct scalar {
	T value;
	const void *place;
	form form = PLAIN;

	__device__ T get() const
	{
		if (!place)
			return value;
		if (form == REAL)
			return make<T>(*static_cast<const real_of<T> *>(place));
		return conj_if(form == CONJUGATED, *static_cast<const T *>(place));
	}
};

template <class T> inline scalar<T> value_of(T value)
{
	return scalar<T>{value, nullptr, PLAIN};
}

/* A number of the host's at a place that may be less aligned than CUDA's type: a std::complex<double> is at 8 bytes. */
template <class T> inline T host_value(const void *place)
{
	T value;
	memcpy(&value, place, sizeof value);
	return value;
}

template <class T> inline scalar<T> conjugate_of(scalar<T> factor)
{
	return scalar<T>{conj(factor.value), factor.place, factor.form == PLAIN ? CONJUGATED : factor.form};
}

} // namespace hd_math
