/*
 * Copies from global to shared memory that a thread can wait for later: asynchronous from sm_80 on, done at once before
 * (heddle_async_copy.h).
 */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "heddle_async_copy.h"

/* 4, 8 or 16 bytes, both ends aligned to as many; the last `zfill` of them are not copied but set to zero. */
__device__ static __forceinline__ HEDDLE_NO_PLACE void __pipeline_memcpy_async(void *dst_shared, const void *src_global,
							       size_t size_and_align, size_t zfill = 0)
{
	__hd_copy_later(dst_shared, src_global, size_and_align, size_and_align - zfill);
}
__device__ static __forceinline__ HEDDLE_NO_PLACE void __pipeline_commit()
{
	__hd_copies_commit();
}
/* Until at most so many of the thread's groups are left. */
__device__ static __forceinline__ HEDDLE_NO_PLACE void __pipeline_wait_prior(size_t groups)
{
	__hd_copies_wait_prior(groups);
}

#endif
