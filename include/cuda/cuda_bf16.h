/*
 * bfloat16: __nv_bfloat16 and __nv_bfloat162.
 * Written from the documented interface of CUDA's Math API. Conversions, arithmetic, comparisons and minima work on the
 * host, too; mathematics, shuffles and atomics are device code. Arithmetic is that of single precision, rounded.
 */
#ifndef HEDDLE_CUDA_BF16_H
#define HEDDLE_CUDA_BF16_H

#include "heddle_narrow.h"

struct __nv_bfloat16_raw {
	unsigned short x;
};
struct __nv_bfloat162_raw {
	unsigned short x, y;
};

__host__ __device__ static inline unsigned short __hd_bfloat16_of_float(float x)
{
	unsigned int bits = __builtin_bit_cast(unsigned int, x);
	return x != x ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
/* By way of a float rounded towards zero, whose last bit is set where anything was cut off. */
__host__ __device__ static inline unsigned short __hd_bfloat16_of_double(double x)
{
	float nearest = (float)x;
	unsigned int bits = __builtin_bit_cast(unsigned int, nearest);
	if (x == x && (double)nearest != x) {
		bits -= __builtin_fabs((double)nearest) > __builtin_fabs(x);
		bits |= 1;
	}
	return __hd_bfloat16_of_float(__builtin_bit_cast(float, bits));
}
__host__ __device__ static inline float __hd_bfloat16_to_float(unsigned short bits)
{
	return __builtin_bit_cast(float, (unsigned int)bits << 16);
}
/* The double product is exact; of the sum, what a double loses is far below what rounding looks at. */
__host__ __device__ static inline unsigned short __hd_bfloat16_fma(unsigned short a, unsigned short b, unsigned short c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	return __builtin_bit_cast(unsigned short,
				  __nvvm_fma_rn_bf16(__builtin_bit_cast(__bf16, a), __builtin_bit_cast(__bf16, b),
						     __builtin_bit_cast(__bf16, c)));
#else
	return __hd_bfloat16_of_double((double)__hd_bfloat16_to_float(a) * __hd_bfloat16_to_float(b) +
				       __hd_bfloat16_to_float(c));
#endif
}

/* Converts from and to every arithmetic type, as CUDA's does. */
struct __nv_bfloat16 {
	unsigned short __x;

	__nv_bfloat16() = default;
	__host__ __device__ constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
#define HD_FROM(type, expression)                                                       \
	__host__ __device__ __nv_bfloat16(type x) : __x(expression)                          \
	{                                                                               \
	}
	HD_FROM(float, __hd_bfloat16_of_float(x))
	HD_FROM(double, __hd_bfloat16_of_double(x))
	HD_FROM(short, __hd_bfloat16_of_float(x))
	HD_FROM(unsigned short, __hd_bfloat16_of_float(x))
	HD_FROM(int, __hd_bfloat16_of_double(x))
	HD_FROM(unsigned int, __hd_bfloat16_of_double(x))
	HD_FROM(long, __hd_bfloat16_of_double(__hd_of_signed(x)))
	HD_FROM(unsigned long, __hd_bfloat16_of_double(__hd_of_unsigned(x)))
	HD_FROM(long long, __hd_bfloat16_of_double(__hd_of_signed(x)))
	HD_FROM(unsigned long long, __hd_bfloat16_of_double(__hd_of_unsigned(x)))
#undef HD_FROM

	__host__ __device__ operator __nv_bfloat16_raw() const
	{
		return {__x};
	}
	__host__ __device__ operator float() const
	{
		return __hd_bfloat16_to_float(__x);
	}
	__host__ __device__ constexpr operator bool() const
	{
		return __x & 0x7fff;
	}
#define HD_TO(type, least, most)                                                                                       \
	__host__ __device__ operator type() const                                                                      \
	{                                                                                                              \
		return __hd_to_integer<type>(__hd_bfloat16_to_float(__x), least, most);                                   \
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

struct __attribute__((aligned(4))) __nv_bfloat162 {
	__nv_bfloat16 x, y;

	__nv_bfloat162() = default;
	__host__ __device__ constexpr __nv_bfloat162(const __nv_bfloat16 &low, const __nv_bfloat16 &high) : x(low), y(high) {}
	__host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &raw) : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
	__host__ __device__ operator __nv_bfloat162_raw() const
	{
		return {x.__x, y.__x};
	}
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define HD_T __nv_bfloat16
#define HD_T2 __nv_bfloat162
#define HD_NAME(before, after) before##bfloat16##after
#define HD_FLOAT(v) __hd_bfloat16_to_float((v).__x)
#define HD_NARROW(f) __nv_bfloat16(__nv_bfloat16_raw{__hd_bfloat16_of_float(f)})
#define HD_EXACT(d) __nv_bfloat16(__nv_bfloat16_raw{__hd_bfloat16_of_double(d)})
#define HD_FUSED(a, b, c) __nv_bfloat16(__nv_bfloat16_raw{__hd_bfloat16_fma((a).__x, (b).__x, (c).__x)})
#include "heddle_narrow.inc"
#include "heddle_narrow_convert.inc"

__host__ __device__ static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
	return __nv_bfloat162(low, high);
}
__host__ __device__ static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a)
{
	return __nv_bfloat162(a, a);
}
__host__ __device__ static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
	return __nv_bfloat162(low, high);
}

#undef HD_T
#undef HD_T2
#undef HD_NAME
#undef HD_FLOAT
#undef HD_NARROW
#undef HD_EXACT
#undef HD_FUSED

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

#endif
