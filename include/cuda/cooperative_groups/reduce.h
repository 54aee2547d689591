/*
 * Cooperative groups: reductions over the threads of a tile or a coalesced group, and the operators for them. Each
 * thread gets the result. Tiles exchange values in a butterfly, coalesced groups go through their threads in order, and
 * tiles of several warps through the warps' results.
 */
#ifndef _COOPERATIVE_GROUPS_REDUCE_H
#define _COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{
namespace __v1
{

#define HD_OPERATOR(name, expression)                                       \
	template <typename _T = void> struct name {                         \
		__device__ __forceinline__ _T operator()(_T a, _T b) const  \
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
template <unsigned int _Size, typename _Parent>
__device__ __forceinline__ bool is_whole(const thread_block_tile<_Size, _Parent> &group)
{
	return (group.meta_group_rank() + 1) * _Size <= threads_of_block();
}
template <unsigned int _Size, typename _Parent>
__device__ __forceinline__ unsigned int present(const thread_block_tile<_Size, _Parent> &group)
{
	return is_whole(group) ? _Size : threads_of_block() - group.meta_group_rank() * _Size;
}
__device__ __forceinline__ unsigned int present(const coalesced_group &group)
{
	return group.size();
}
template <typename _G, typename _T, typename _Op>
__device__ __forceinline__ _T in_order(const _G &group, _T value, _Op op)
{
	_T out = group.shfl(value, 0);
	for (unsigned int i = 1; i < present(group); i++)
		out = op(out, group.shfl(value, i));
	return out;
}
} // namespace details

namespace details
{
template <unsigned int _Size, typename _Parent, typename _T, typename _Op>
__device__ __forceinline__ _T tile_reduce(const thread_block_tile<_Size, _Parent> &group, _T value, _Op op,
					  is_wide<false>)
{
	if (!is_whole(group))
		return in_order(group, value, op);
	for (unsigned int step = _Size / 2; step; step /= 2)
		value = op(value, group.shfl_xor(value, step));
	return value;
}
template <unsigned int _Size, typename _Parent, typename _T, typename _Op>
__device__ __forceinline__ _T tile_reduce(const thread_block_tile<_Size, _Parent> &group, _T value, _Op op,
					  is_wide<true>)
{
	thread_block_tile<32> warp = tiled_partition<32>(this_thread_block());
	return group.across(tile_reduce(warp, value, op, is_wide<false>()), op, group.warps());
}
} // namespace details

template <unsigned int _Size, typename _Parent, typename _T, typename _Op>
__device__ __forceinline__ _T reduce(const thread_block_tile<_Size, _Parent> &group, _T value, _Op op)
{
	return details::tile_reduce(group, value, op, details::is_wide<(_Size > 32)>());
}
template <typename _T, typename _Op>
__device__ __forceinline__ _T reduce(const coalesced_group &group, _T value, _Op op)
{
	return details::in_order(group, value, op);
}

/* One thread stores the result, or adds it to what is there: an atomic object or reference of libcu++. */
template <typename _G, typename _T, typename _Op>
__device__ __forceinline__ void reduce_store_async(const _G &group, _T *to, _T value, _Op op)
{
	_T result = reduce(group, value, op);
	if (group.thread_rank() == 0)
		*to = result;
}
template <typename _G, typename _Target, typename _T, typename _Op>
__device__ __forceinline__ void reduce_update_async(const _G &group, _Target &to, _T value, _Op op)
{
	_T result = reduce(group, value, op);
	if (group.thread_rank() == 0) {
		typename _Target::value_type seen = to.load();
		while (!to.compare_exchange_weak(seen, op(seen, result)))
			;
	}
}

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#endif
