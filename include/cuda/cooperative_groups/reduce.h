/*
 * Cooperative groups: reductions over the threads of a tile or a coalesced group, and the operators for them. Each
 * thread gets the result. Tiles exchange values in a butterfly, coalesced groups go through their threads in order.
 */
#ifndef _COOPERATIVE_GROUPS_REDUCE_H
#define _COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

#define HD_OPERATOR(name, expression)                                       \
	template <typename T = void> struct name {                          \
		__device__ __forceinline__ T operator()(T a, T b) const     \
		{                                                           \
			return expression;                                  \
		}                                                           \
	};
HD_OPERATOR(plus, a + b)
HD_OPERATOR(less, b < a ? b : a)
HD_OPERATOR(greater, a < b ? b : a)
HD_OPERATOR(bit_and, a &b)
HD_OPERATOR(bit_or, a | b)
HD_OPERATOR(bit_xor, a ^ b)
#undef HD_OPERATOR

namespace details
{
/* All threads of a tile are there, unless the block ends in it. */
template <unsigned int Size, typename Parent>
__device__ __forceinline__ bool is_whole(const thread_block_tile<Size, Parent> &group)
{
	return (group.meta_group_rank() + 1) * Size <= threads_of_block();
}
template <unsigned int Size, typename Parent>
__device__ __forceinline__ unsigned int present(const thread_block_tile<Size, Parent> &group)
{
	return is_whole(group) ? Size : threads_of_block() - group.meta_group_rank() * Size;
}
__device__ __forceinline__ unsigned int present(const coalesced_group &group)
{
	return group.size();
}
template <typename G, typename T, typename Op>
__device__ __forceinline__ T in_order(const G &group, T value, Op op)
{
	T out = group.shfl(value, 0);
	for (unsigned int i = 1; i < present(group); i++)
		out = op(out, group.shfl(value, i));
	return out;
}
} // namespace details

template <unsigned int Size, typename Parent, typename T, typename Op>
__device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent> &group, T value, Op op)
{
	if (!details::is_whole(group))
		return details::in_order(group, value, op);
	for (unsigned int step = Size / 2; step; step /= 2)
		value = op(value, group.shfl_xor(value, step));
	return value;
}
template <typename T, typename Op>
__device__ __forceinline__ T reduce(const coalesced_group &group, T value, Op op)
{
	return details::in_order(group, value, op);
}

} // namespace cooperative_groups

#endif
