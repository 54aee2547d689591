/*
 * Cooperative groups: copies by all threads of a group. Asynchronous from sm_80 on where they go from global to
 * shared memory; wait() and wait_prior() wait for the thread's own and make all of them visible to the group.
 */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC

#include "../cooperative_groups.h"
#include "../heddle_scope_copy.h"

namespace cooperative_groups
{
namespace __v1
{

/* A group of copies for each call. */
template <typename _G>
__device__ __forceinline__ void memcpy_async(const _G &group, void *to, const void *from, size_t bytes)
{
	cuda::__hd_copy_part_later(to, from, bytes, group.thread_rank(), group.size());
	__hd_copies_commit();
}
/* Counts are of elements: what both have room for is copied. */
template <typename _G, typename _T>
__device__ __forceinline__ void memcpy_async(const _G &group, _T *to, size_t to_count, const _T *from,
					     size_t from_count)
{
	memcpy_async(group, (void *)to, (const void *)from,
		     (to_count < from_count ? to_count : from_count) * sizeof(_T));
}
template <typename _G> __device__ __forceinline__ void wait(const _G &group)
{
	__hd_copies_wait_prior(0);
	group.sync();
}
template <unsigned int _Stages, typename _G> __device__ __forceinline__ void wait_prior(const _G &group)
{
	__hd_copies_wait_prior(_Stages);
	group.sync();
}

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#endif
