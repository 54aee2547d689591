/*
 * Numbers of 8 bits: e4m3 (no infinities, at most 448) and e5m2 (half precision's upper byte). Written from the
 * documented interface of CUDA's Math API. Conversions round to nearest even and work on both sides.
 */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#define HD_BOTH __host__ __device__ static inline

/*
 * The code is the number in units of the last place of its binade, counted on from the binades below. What is too large
 * becomes the largest number (saturate), or e4m3's NaN and e5m2's infinity.
 */
HD_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
						  const __nv_fp8_interpretation_t format)
{
	const int mantissa = format == __NV_E4M3 ? 3 : 2, least = format == __NV_E4M3 ? -6 : -14;
	const unsigned int most = format == __NV_E4M3 ? 0x7e : 0x7b;
	unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
	unsigned int sign = (unsigned int)(bits >> 56) & 0x80;
	if (x != x)
		return 0x7f;
	int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	unsigned int code = most + 1;
	if (exponent < 16) {
		exponent = exponent < least ? least : exponent;
		double unit = __builtin_bit_cast(double, (unsigned long long)(1023 + mantissa - exponent) << 52);
		code = ((unsigned int)(exponent - least) << mantissa) + (unsigned int)rint(fabs(x) * unit);
	}
	if (code > most)
		code = saturate == __NV_SATFINITE ? most : most + 1;
	return (__nv_fp8_storage_t)(sign | code);
}
HD_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
						 const __nv_fp8_interpretation_t format)
{
	return __nv_cvt_double_to_fp8((double)x, saturate, format);
}
HD_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate,
						   const __nv_fp8_interpretation_t format)
{
	return __nv_cvt_float_to_fp8(__hd_half_to_float(x.x), saturate, format);
}
HD_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
						       const __nv_fp8_interpretation_t format)
{
	return __nv_cvt_float_to_fp8(__hd_bfloat16_to_float(x.x), saturate, format);
}

/* Half precision has every number of both. */
HD_BOTH __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t format)
{
	unsigned int sign = (unsigned int)(x & 0x80) << 8, code = x & 0x7f;
	__half_raw out;
	if (format == __NV_E5M2) {
		out.x = (unsigned short)(code > 0x7c ? 0x7fff : sign | code << 8);
	} else if (code == 0x7f) {
		out.x = 0x7fff;
	} else if (code >= 8) {
		out.x = (unsigned short)(sign | ((code << 7) + (8 << 10))); /* the bias is 15, not 7 */
	} else {
		out.x = (unsigned short)(sign | __hd_half_of_float((float)code / 512.0f));
	}
	return out;
}

/* Two at once: the first is the low byte. */
#define HD_FP8_PAIRS(name, type, first, second, convert)                                                       \
	HD_BOTH __nv_fp8x2_storage_t name(const type x, const __nv_saturation_t saturate,                      \
					  const __nv_fp8_interpretation_t format)                              \
	{                                                                                                      \
		return (__nv_fp8x2_storage_t)(convert(first, saturate, format) |                               \
					      convert(second, saturate, format) << 8);                         \
	}
HD_FP8_PAIRS(__nv_cvt_float2_to_fp8x2, float2, x.x, x.y, __nv_cvt_float_to_fp8)
HD_FP8_PAIRS(__nv_cvt_double2_to_fp8x2, double2, x.x, x.y, __nv_cvt_double_to_fp8)
HD_FP8_PAIRS(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __half_raw{x.x}, __half_raw{x.y}, __nv_cvt_halfraw_to_fp8)
HD_FP8_PAIRS(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_bfloat16_raw{x.x}, __nv_bfloat16_raw{x.y},
	     __nv_cvt_bfloat16raw_to_fp8)
#undef HD_FP8_PAIRS
HD_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t format)
{
	__half2_raw out;
	out.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, format).x;
	out.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), format).x;
	return out;
}
HD_BOTH float __hd_fp8_to_float(unsigned int x, __nv_fp8_interpretation_t format)
{
	return __hd_half_to_float(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, format).x);
}

/* The types: conversions to them saturate; integers go by way of double or float, whichever holds them. */
#define HD_FP8(name, format)                                                                                       \
	struct __nv_fp8_##name {                                                                                   \
		__nv_fp8_storage_t __x;                                                                            \
		__nv_fp8_##name() = default;                                                                       \
		HD_FP8_FROM(__nv_fp8_##name, const __half, __half2float(f), format)                                \
		HD_FP8_FROM(__nv_fp8_##name, const __nv_bfloat16, __bfloat162float(f), format)                     \
		HD_FP8_FROM(__nv_fp8_##name, const float, f, format)                                               \
		HD_FP8_FROM(__nv_fp8_##name, const double, f, format)                                              \
		HD_FP8_FROM(__nv_fp8_##name, const short, f, format)                                               \
		HD_FP8_FROM(__nv_fp8_##name, const unsigned short, f, format)                                      \
		HD_FP8_FROM(__nv_fp8_##name, const int, f, format)                                                 \
		HD_FP8_FROM(__nv_fp8_##name, const unsigned int, f, format)                                        \
		HD_FP8_FROM(__nv_fp8_##name, const long, __hd_of_signed(f), format)                                \
		HD_FP8_FROM(__nv_fp8_##name, const unsigned long, __hd_of_unsigned(f), format)                     \
		HD_FP8_FROM(__nv_fp8_##name, const long long, __hd_of_signed(f), format)                           \
		HD_FP8_FROM(__nv_fp8_##name, const unsigned long long, __hd_of_unsigned(f), format)                \
		HD_FP8_TO(__half, __half(__nv_cvt_fp8_to_halfraw(__x, format)))                                    \
		HD_FP8_TO(__nv_bfloat16, __float2bfloat16(__hd_fp8_to_float(__x, format)))                         \
		HD_FP8_TO(float, __hd_fp8_to_float(__x, format))                                                   \
		HD_FP8_TO(double, (double)__hd_fp8_to_float(__x, format))                                          \
		HD_FP8_TO(signed char, __hd_to_integer<signed char>(__hd_fp8_to_float(__x, format), -128, 127))    \
		HD_FP8_TO(unsigned char, __hd_to_integer<unsigned char>(__hd_fp8_to_float(__x, format), 0, 255))   \
		HD_FP8_TO(short, __hd_to_integer<short>(__hd_fp8_to_float(__x, format), -32768, 32767))            \
		HD_FP8_TO(unsigned short, __hd_to_integer<unsigned short>(__hd_fp8_to_float(__x, format), 0, 65535)) \
		HD_FP8_TO(int, __hd_to_integer<int>(__hd_fp8_to_float(__x, format), -2147483647 - 1, 2147483647))  \
		HD_FP8_TO(unsigned int, __hd_to_integer<unsigned int>(__hd_fp8_to_float(__x, format), 0u, ~0u))    \
		HD_FP8_TO(long long, (long long)(int)*this)                                                        \
		HD_FP8_TO(unsigned long long, (unsigned long long)(unsigned int)*this)                             \
		HD_FP8_TO(bool, (__x & 0x7f) != 0)                                                                 \
	};                                                                                                         \
	struct __nv_fp8x2_##name {                                                                                 \
		__nv_fp8x2_storage_t __x;                                                                          \
		__nv_fp8x2_##name() = default;                                                                     \
		__host__ __device__ explicit __nv_fp8x2_##name(const float2 f)                                     \
			: __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, format))                                 \
		{                                                                                                  \
		}                                                                                                  \
		__host__ __device__ explicit __nv_fp8x2_##name(const double2 f)                                    \
			: __x(__nv_cvt_double2_to_fp8x2(f, __NV_SATFINITE, format))                                \
		{                                                                                                  \
		}                                                                                                  \
		__host__ __device__ explicit __nv_fp8x2_##name(const __half2 f)                                    \
			: __x(__nv_cvt_halfraw2_to_fp8x2(f, __NV_SATFINITE, format))                               \
		{                                                                                                  \
		}                                                                                                  \
		__host__ __device__ explicit __nv_fp8x2_##name(const __nv_bfloat162 f)                             \
			: __x(__nv_cvt_bfloat16raw2_to_fp8x2(f, __NV_SATFINITE, format))                           \
		{                                                                                                  \
		}                                                                                                  \
		HD_FP8_TO(__half2, __half2(__nv_cvt_fp8x2_to_halfraw2(__x, format)))                               \
		HD_FP8_TO(float2, make_float2(__hd_fp8_to_float(__x, format), __hd_fp8_to_float(__x >> 8, format))) \
	};                                                                                                         \
	struct __nv_fp8x4_##name {                                                                                 \
		__nv_fp8x4_storage_t __x;                                                                          \
		__nv_fp8x4_##name() = default;                                                                     \
		HD_FP8_FOUR(name, (const float4 f), __nv_cvt_float2_to_fp8x2, make_float2(f.x, f.y), make_float2(f.z, f.w), format) \
		HD_FP8_FOUR(name, (const double4 f), __nv_cvt_double2_to_fp8x2, make_double2(f.x, f.y),            \
			    make_double2(f.z, f.w), format)                                                        \
		HD_FP8_FOUR(name, (const __half2 low, const __half2 high), __nv_cvt_halfraw2_to_fp8x2, low, high, format) \
		HD_FP8_FOUR(name, (const __nv_bfloat162 low, const __nv_bfloat162 high), __nv_cvt_bfloat16raw2_to_fp8x2, \
			    low, high, format)                                                                     \
		HD_FP8_TO(float4, make_float4(__hd_fp8_to_float(__x, format), __hd_fp8_to_float(__x >> 8, format), \
					      __hd_fp8_to_float(__x >> 16, format),                                \
					      __hd_fp8_to_float(__x >> 24, format)))                               \
	};
#define HD_FP8_FROM(name, type, value, format)                                                 \
	__host__ __device__ explicit name(type f)                                              \
		: __x(__nv_cvt_double_to_fp8((double)(value), __NV_SATFINITE, format))         \
	{                                                                                      \
	}
#define HD_FP8_FOUR(name, arguments, convert, first, second, format)                                    \
	__host__ __device__ explicit __nv_fp8x4_##name arguments                                        \
		: __x(convert(first, __NV_SATFINITE, format) |                                          \
		      (__nv_fp8x4_storage_t)convert(second, __NV_SATFINITE, format) << 16)              \
	{                                                                                               \
	}
#define HD_FP8_TO(type, value)                         \
	__host__ __device__ explicit operator type() const \
	{                                              \
		return value;                          \
	}
HD_FP8(e4m3, __NV_E4M3)
HD_FP8(e5m2, __NV_E5M2)
#undef HD_FP8
#undef HD_FP8_FROM
#undef HD_FP8_FOUR
#undef HD_FP8_TO
#undef HD_BOTH

#endif
