/*
 * Cooperative groups: running sums (or of another operator) over the threads of a tile or a coalesced group, in the order
 * of their ranks. The first thread's exclusive result is T(). In tiles of several warps each adds the warps' before its own.
 */
#ifndef _COOPERATIVE_GROUPS_SCAN_H
#define _COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups
{
namespace __v1
{

namespace details
{
template <typename G, typename T, typename Op>
__device__ __forceinline__ T scan(const G &group, T value, Op op, is_wide<false>)
{
	unsigned int rank = (unsigned int)group.thread_rank();
	for (unsigned int step = 1; step < group.size(); step *= 2) {
		T before = group.shfl_up(value, step);
		value = rank >= step ? op(before, value) : value;
	}
	return value;
}
template <typename G, typename T, typename Op>
__device__ __forceinline__ T scan(const G &group, T value, Op op, is_wide<true>)
{
	thread_block_tile<32> warp = tiled_partition<32>(this_thread_block());
	T own = scan(warp, value, op, is_wide<false>());
	unsigned int before = group.warp_rank();
	T sum = group.across(warp.shfl(own, present(warp) - 1), op, before);
	return before ? op(sum, own) : own;
}
template <typename G, typename T> __device__ __forceinline__ T one_up(const G &group, T value, is_wide<false>)
{
	return group.shfl_up(value, 1);
}
template <typename G, typename T> __device__ __forceinline__ T one_up(const G &group, T value, is_wide<true>)
{
	thread_block_tile<32> warp = tiled_partition<32>(this_thread_block());
	T last = group.from_warp_before(warp.shfl(value, present(warp) - 1));
	T before = warp.shfl_up(value, 1);
	return warp.thread_rank() ? before : last;
}
template <typename G> struct width {
	typedef is_wide<false> type;
};
template <unsigned int Size, typename Parent> struct width<thread_block_tile<Size, Parent>> {
	typedef is_wide<(Size > 32)> type;
};
} // namespace details

template <typename G, typename T, typename Op>
__device__ __forceinline__ T inclusive_scan(const G &group, T value, Op op)
{
	return details::scan(group, value, op, typename details::width<G>::type());
}
template <typename G, typename T> __device__ __forceinline__ T inclusive_scan(const G &group, T value)
{
	return inclusive_scan(group, value, plus<T>());
}
template <typename G, typename T, typename Op>
__device__ __forceinline__ T exclusive_scan(const G &group, T value, Op op)
{
	T before = details::one_up(group, inclusive_scan(group, value, op), typename details::width<G>::type());
	return group.thread_rank() == 0 ? T() : before;
}
template <typename G, typename T> __device__ __forceinline__ T exclusive_scan(const G &group, T value)
{
	return exclusive_scan(group, value, plus<T>());
}

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#endif
