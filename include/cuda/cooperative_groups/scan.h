/*
 * Cooperative groups: running sums (or of another operator) over the threads of a tile or a coalesced group, in the order
 * of their ranks. The first thread's exclusive result is T().
 */
#ifndef _COOPERATIVE_GROUPS_SCAN_H
#define _COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups
{

template <typename G, typename T, typename Op>
__device__ __forceinline__ T inclusive_scan(const G &group, T value, Op op)
{
	unsigned int rank = (unsigned int)group.thread_rank();
	for (unsigned int step = 1; step < group.size(); step *= 2) {
		T before = group.shfl_up(value, step);
		value = rank >= step ? op(before, value) : value;
	}
	return value;
}
template <typename G, typename T> __device__ __forceinline__ T inclusive_scan(const G &group, T value)
{
	return inclusive_scan(group, value, plus<T>());
}
template <typename G, typename T, typename Op>
__device__ __forceinline__ T exclusive_scan(const G &group, T value, Op op)
{
	T before = group.shfl_up(inclusive_scan(group, value, op), 1);
	return group.thread_rank() == 0 ? T() : before;
}
template <typename G, typename T> __device__ __forceinline__ T exclusive_scan(const G &group, T value)
{
	return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#endif
