/*
 * Cooperative groups: copies by all threads of a group. They are done when memcpy_async returns, as on GPUs without
 * asynchronous copies; wait() and wait_prior() make them visible to the group.
 */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC

#include "../cooperative_groups.h"

namespace cooperative_groups
{

template <typename G>
__device__ __forceinline__ void memcpy_async(const G &group, void *to, const void *from, size_t bytes)
{
	size_t rank = group.thread_rank(), step = group.size();
	bool words = (((unsigned long long)to | (unsigned long long)from | bytes) & 3) == 0;
	if (words)
		for (size_t i = rank; i < bytes / 4; i += step)
			((unsigned int *)to)[i] = ((const unsigned int *)from)[i];
	else
		for (size_t i = rank; i < bytes; i += step)
			((char *)to)[i] = ((const char *)from)[i];
}
/* Counts are of elements: what both have room for is copied. */
template <typename G, typename T>
__device__ __forceinline__ void memcpy_async(const G &group, T *to, size_t to_count, const T *from, size_t from_count)
{
	memcpy_async(group, (void *)to, (const void *)from,
		     (to_count < from_count ? to_count : from_count) * sizeof(T));
}
template <typename G> __device__ __forceinline__ void wait(const G &group)
{
	group.sync();
}
template <unsigned int Stages, typename G> __device__ __forceinline__ void wait_prior(const G &group)
{
	group.sync();
}

} // namespace cooperative_groups

#endif
