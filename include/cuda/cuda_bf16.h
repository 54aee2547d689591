/*
 * bfloat16: __nv_bfloat16 and __nv_bfloat162.
 * Written from the documented interface of CUDA's Math API. Conversions, arithmetic, comparisons and minima work on the
 * host, too; mathematics, shuffles and atomics are device code. Arithmetic is that of single precision, rounded.
 */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "heddle_narrow.h"

/* So does a device's instruction (sm_80); what is constant here becomes a constant. */
__host__ __device__ static inline unsigned short __hd_bfloat16_of_float(float x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	if (!__builtin_constant_p(x))
		return __builtin_bit_cast(unsigned short, __nvvm_f2bf16_rn(x));
#endif
	unsigned int bits = __builtin_bit_cast(unsigned int, x);
	return x != x ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
__host__ __device__ static inline unsigned short __hd_bfloat16_of_result(float x)
{
	return __hd_bfloat16_of_float(x);
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

#define HD_T __nv_bfloat16
#define HD_T2 __nv_bfloat162
#define HD_RAW __nv_bfloat16_raw
#define HD_RAW2 __nv_bfloat162_raw
#define HD_OTHER __half
#define HD_NAME(before, after) before##bfloat16##after
#include "heddle_narrow_type.inc"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__host__ __device__ static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a)
{
	return __nv_bfloat162(a, a);
}

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

#include "heddle_narrow_cross.h"

#endif
