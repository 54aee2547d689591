/*
 * Half precision: half and half2.
 * Written from the documented interface of CUDA's Math API. Conversions, arithmetic, comparisons and minima work on the
 * host, too; mathematics, shuffles and atomics are device code. Arithmetic is that of single precision, rounded.
 */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "heddle_narrow.h"

/*
 * A device's conversion makes 0x7fff of every NaN. What is constant here becomes a constant; the optimizer, which would
 * make 0x7e00 of a NaN that it finds later, does not know the intrinsic.
 */
__host__ __device__ static inline unsigned short __hd_half_of_float(float x)
{
#ifdef __CUDA_ARCH__
	if (!__builtin_constant_p(x))
		return (unsigned short)__nvvm_f2h_rn(x);
#endif
	return x != x ? 0x7fff : __builtin_bit_cast(unsigned short, (_Float16)x);
}
/* The same of a result of arithmetic, which the optimizer makes one instruction of halves. */
__host__ __device__ static inline unsigned short __hd_half_of_result(float x)
{
#ifdef __CUDA_ARCH__
	if (!__builtin_constant_p(x))
		return __builtin_bit_cast(unsigned short, (_Float16)x);
#endif
	return __hd_half_of_float(x);
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

#define HD_T __half
#define HD_T2 __half2
#define HD_RAW __half_raw
#define HD_RAW2 __half2_raw
#define HD_OTHER __nv_bfloat16
#define HD_NAME(before, after) before##half##after
#include "heddle_narrow_type.inc"

typedef __half half;
typedef __half __nv_half;
typedef __half2 half2;
typedef __half2 __nv_half2;

__host__ __device__ static inline __half2 __half2half2(__half a)
{
	return __half2(a, a);
}

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

#include "heddle_narrow_cross.h"

#endif
