/*
 * Conversions between the two 16-bit formats, for a source that includes both cuda_fp16.h and cuda_bf16.h: by way of
 * single precision, which has every number of either.
 */
#if defined(CUDART_ONE_FP16) && defined(CUDART_ONE_BF16) && !defined(HEDDLE_NARROW_CROSS_H)
#define HEDDLE_NARROW_CROSS_H

__host__ __device__ inline __half::__half(const __nv_bfloat16 &x)
	: __x(__hd_half_of_float(__hd_bfloat16_to_float(x.__x)))
{
}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(const __half &x)
	: __x(__hd_bfloat16_of_float(__hd_half_to_float(x.__x)))
{
}

#endif
