/*
 * Half precision: half and half2.
 * Written from the documented interface of CUDA's Math API. Conversions, arithmetic, comparisons and minima work on the
 * host, too; mathematics, shuffles and atomics are device code. Arithmetic is that of single precision, rounded.
 */
#ifndef HEDDLE_CUDA_FP16_H
#define HEDDLE_CUDA_FP16_H

#include "heddle_narrow.h"

struct __half_raw {
	unsigned short x;
};
struct __half2_raw {
	unsigned short x, y;
};

__host__ __device__ static inline unsigned short __hd_half_of_float(float x)
{
	return x != x ? 0x7fff : __builtin_bit_cast(unsigned short, (_Float16)x);
}
__host__ __device__ static inline unsigned short __hd_half_of_double(double x)
{
	return x != x ? 0x7fff : __builtin_bit_cast(unsigned short, (_Float16)x);
}
__host__ __device__ static inline float __hd_half_to_float(unsigned short bits)
{
	return (float)__builtin_bit_cast(_Float16, bits);
}
__host__ __device__ static inline unsigned short __hd_half_fma(unsigned short a, unsigned short b, unsigned short c)
{
#ifdef __CUDA_ARCH__
	return __builtin_bit_cast(unsigned short,
				  __builtin_fmaf16(__builtin_bit_cast(_Float16, a), __builtin_bit_cast(_Float16, b),
						   __builtin_bit_cast(_Float16, c)));
#else /* a double holds the product, and the sum as far as rounding looks */
	return __hd_half_of_double((double)__hd_half_to_float(a) * __hd_half_to_float(b) + __hd_half_to_float(c));
#endif
}

/* Converts from and to every arithmetic type, as CUDA's does. */
struct __half {
	unsigned short __x;

	__half() = default;
	__host__ __device__ constexpr __half(__half_raw raw) : __x(raw.x) {}
#define HD_FROM(type, expression)                                                       \
	__host__ __device__ __half(type x) : __x(expression)                          \
	{                                                                               \
	}
	HD_FROM(float, __hd_half_of_float(x))
	HD_FROM(double, __hd_half_of_double(x))
	HD_FROM(short, __hd_half_of_float(x))
	HD_FROM(unsigned short, __hd_half_of_float(x))
	HD_FROM(int, __hd_half_of_double(x))
	HD_FROM(unsigned int, __hd_half_of_double(x))
	HD_FROM(long, __hd_half_of_double(__hd_of_signed(x)))
	HD_FROM(unsigned long, __hd_half_of_double(__hd_of_unsigned(x)))
	HD_FROM(long long, __hd_half_of_double(__hd_of_signed(x)))
	HD_FROM(unsigned long long, __hd_half_of_double(__hd_of_unsigned(x)))
#undef HD_FROM

	__host__ __device__ operator __half_raw() const
	{
		return {__x};
	}
	__host__ __device__ operator float() const
	{
		return __hd_half_to_float(__x);
	}
	__host__ __device__ constexpr operator bool() const
	{
		return __x & 0x7fff;
	}
#define HD_TO(type, least, most)                                                                                       \
	__host__ __device__ operator type() const                                                                      \
	{                                                                                                              \
		return __hd_to_integer<type>(__hd_half_to_float(__x), least, most);                                   \
	}
	HD_TO(signed char, -128, 127)
	HD_TO(unsigned char, 0, 255)
	HD_TO(char, -128, 127)
	HD_TO(short, -32768, 32767)
	HD_TO(unsigned short, 0, 65535)
	HD_TO(int, -2147483647 - 1, 2147483647)
	HD_TO(unsigned int, 0u, 4294967295u)
	HD_TO(long, -9223372036854775807l - 1, 9223372036854775807l)
	HD_TO(unsigned long, 0ul, 18446744073709551615ul)
	HD_TO(long long, -9223372036854775807ll - 1, 9223372036854775807ll)
	HD_TO(unsigned long long, 0ull, 18446744073709551615ull)
#undef HD_TO
};

struct __attribute__((aligned(4))) __half2 {
	__half x, y;

	__half2() = default;
	__host__ __device__ constexpr __half2(const __half &low, const __half &high) : x(low), y(high) {}
	__host__ __device__ __half2(const __half2_raw &raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
	__host__ __device__ operator __half2_raw() const
	{
		return {x.__x, y.__x};
	}
};

typedef __half half;
typedef __half __nv_half;
typedef __half2 half2;
typedef __half2 __nv_half2;

#define HD_T __half
#define HD_T2 __half2
#define HD_NAME(before, after) before##half##after
#define HD_FLOAT(v) __hd_half_to_float((v).__x)
#define HD_NARROW(f) __half(__half_raw{__hd_half_of_float(f)})
#define HD_EXACT(d) __half(__half_raw{__hd_half_of_double(d)})
#define HD_FUSED(a, b, c) __half(__half_raw{__hd_half_fma((a).__x, (b).__x, (c).__x)})
#include "heddle_narrow.inc"
#include "heddle_narrow_convert.inc"

__host__ __device__ static inline __half2 __halves2half2(__half low, __half high)
{
	return __half2(low, high);
}
__host__ __device__ static inline __half2 __half2half2(__half a)
{
	return __half2(a, a);
}
__host__ __device__ static inline __half2 make_half2(__half low, __half high)
{
	return __half2(low, high);
}

#undef HD_T
#undef HD_T2
#undef HD_NAME
#undef HD_FLOAT
#undef HD_NARROW
#undef HD_EXACT
#undef HD_FUSED

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

#endif
