/*
 * Copies from global to shared memory that a thread can wait for later. They are done at once, as on GPUs without
 * asynchronous copies, so that there is nothing to wait for.
 */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

/* 4, 8 or 16 bytes, both ends aligned to as many; the last `zfill` of them are not copied but set to zero. */
__device__ static inline void __pipeline_memcpy_async(void *dst_shared, const void *src_global, size_t size_and_align,
						      size_t zfill = 0)
{
	size_t copied = size_and_align - zfill;
	if (zfill == 0 && size_and_align == 16)
		*(uint4 *)dst_shared = *(const uint4 *)src_global;
	else if (zfill == 0 && size_and_align == 8)
		*(uint2 *)dst_shared = *(const uint2 *)src_global;
	else if (zfill == 0 && size_and_align == 4)
		*(unsigned int *)dst_shared = *(const unsigned int *)src_global;
	else
		for (size_t i = 0; i < size_and_align; i++)
			((char *)dst_shared)[i] = i < copied ? ((const char *)src_global)[i] : (char)0;
}
__device__ static inline void __pipeline_commit()
{
}
__device__ static inline void __pipeline_wait_prior(size_t)
{
}

#endif
