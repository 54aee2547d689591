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
template <typename _G, typename _T, typename _Op>
__device__ __forceinline__ _T scan(const _G &group, _T value, _Op op, is_wide<false>)
{
	unsigned int rank = (unsigned int)group.thread_rank();
	for (unsigned int step = 1; step < group.size(); step *= 2) {
		_T before = group.shfl_up(value, step);
		value = rank >= step ? op(before, value) : value;
	}
	return value;
}
template <typename _G, typename _T, typename _Op>
__device__ __forceinline__ _T scan(const _G &group, _T value, _Op op, is_wide<true>)
{
	thread_block_tile<32> warp = tiled_partition<32>(this_thread_block());
	_T own = scan(warp, value, op, is_wide<false>());
	unsigned int before = group.warp_rank();
	_T sum = group.across(warp.shfl(own, present(warp) - 1), op, before);
	return before ? op(sum, own) : own;
}
template <typename _G, typename _T> __device__ __forceinline__ _T one_up(const _G &group, _T value, is_wide<false>)
{
	return group.shfl_up(value, 1);
}
template <typename _G, typename _T> __device__ __forceinline__ _T one_up(const _G &group, _T value, is_wide<true>)
{
	thread_block_tile<32> warp = tiled_partition<32>(this_thread_block());
	_T last = group.from_warp_before(warp.shfl(value, present(warp) - 1));
	_T before = warp.shfl_up(value, 1);
	return warp.thread_rank() ? before : last;
}
template <typename _G> struct width {
	typedef is_wide<false> type;
};
template <unsigned int _Size, typename _Parent> struct width<thread_block_tile<_Size, _Parent>> {
	typedef is_wide<(_Size > 32)> type;
};
} // namespace details

template <typename _G, typename _T, typename _Op>
__device__ __forceinline__ _T inclusive_scan(const _G &group, _T value, _Op op)
{
	return details::scan(group, value, op, typename details::width<_G>::type());
}
template <typename _G, typename _T> __device__ __forceinline__ _T inclusive_scan(const _G &group, _T value)
{
	return inclusive_scan(group, value, plus<_T>());
}
template <typename _G, typename _T, typename _Op>
__device__ __forceinline__ _T exclusive_scan(const _G &group, _T value, _Op op)
{
	_T before = details::one_up(group, inclusive_scan(group, value, op), typename details::width<_G>::type());
	return group.thread_rank() == 0 ? _T() : before;
}
template <typename _G, typename _T> __device__ __forceinline__ _T exclusive_scan(const _G &group, _T value)
{
	return exclusive_scan(group, value, plus<_T>());
}

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#endif
