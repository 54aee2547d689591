/*
 * cuda::ptx: bulk and tensor copies (heddle_ptx.h).
 */
#ifndef HEDDLE_PTX_BULK_H
#define HEDDLE_PTX_BULK_H

#include "heddle_ptx_tags.h"

namespace cuda
{
namespace ptx
{

/* ---- bulk copies */
HD_PTX void cp_async_bulk(space_cluster_t, space_global_t, void *to, const void *from, const uint32_t &bytes,
			  uint64_t *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
			     __hd_shared(to)),
		     "l"(__hd_global(from)), "r"(bytes), "r"(__hd_shared(bar))
		     : "memory");
}
HD_PTX void cp_async_bulk(space_cluster_t, space_global_t, void *to, const void *from, const uint32_t &bytes,
			  uint64_t *bar, const uint16_t &mask)
{
	asm volatile(
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
		"[%3], %4;" ::"r"(__hd_shared(to)),
		"l"(__hd_global(from)), "r"(bytes), "r"(__hd_shared(bar)), "h"(mask)
		: "memory");
}
HD_PTX void cp_async_bulk(space_cluster_t, space_shared_t, void *to, const void *from, const uint32_t &bytes,
			  uint64_t *bar)
{
	asm volatile(
		"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
			__hd_shared(to)),
		"r"(__hd_shared(from)), "r"(bytes), "r"(__hd_shared(bar))
		: "memory");
}
HD_PTX void cp_async_bulk(space_global_t, space_shared_t, void *to, const void *from, const uint32_t &bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__hd_global(to)),
		     "r"(__hd_shared(from)), "r"(bytes)
		     : "memory");
}
HD_PTX void cp_async_bulk_commit_group()
{
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int _N>
HD_PTX void cp_async_bulk_wait_group(n32_t<_N>)
{
	asm volatile("cp.async.bulk.wait_group %0;" ::"n"(_N) : "memory");
}
template <int _N>
HD_PTX void cp_async_bulk_wait_group_read(n32_t<_N>)
{
	asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(_N) : "memory");
}
/* `load`, `store`: the coordinates as operands; behind them the barrier `n`, the mask `n1`, and where a store is from, `last`. */
#define HD_BOX(dimensions, load, store, n, n1, last, ...) \
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[dimensions], uint64_t *bar) \
{ \
asm volatile("cp.async.bulk.tensor." #dimensions "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" load "}], [%" #n "];" ::"r"(__hd_shared(to)), "l"(map), __VA_ARGS__, "r"(__hd_shared(bar)) : "memory"); \
} \
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[dimensions], uint64_t *bar, const uint16_t &mask) \
{ \
asm volatile("cp.async.bulk.tensor." #dimensions "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {" load "}], [%" #n "], %" #n1 ";" ::"r"(__hd_shared(to)), "l"(map), __VA_ARGS__, "r"(__hd_shared(bar)), "h"(mask) : "memory"); \
} \
HD_PTX void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&at)[dimensions], const void *from) \
{ \
asm volatile("cp.async.bulk.tensor." #dimensions "d.global.shared::cta.tile.bulk_group [%0, {" store "}], [%" #last "];" ::"l"(map), __VA_ARGS__, "r"(__hd_shared(from)) : "memory"); \
}
HD_BOX(1, "%2", "%1", 3, 4, 2, "r"(at[0]))
HD_BOX(2, "%2, %3", "%1, %2", 4, 5, 3, "r"(at[0]), "r"(at[1]))
HD_BOX(3, "%2, %3, %4", "%1, %2, %3", 5, 6, 4, "r"(at[0]), "r"(at[1]), "r"(at[2]))
HD_BOX(4, "%2, %3, %4, %5", "%1, %2, %3, %4", 6, 7, 5, "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
HD_BOX(5, "%2, %3, %4, %5, %6", "%1, %2, %3, %4, %5", 7, 8, 6, "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#undef HD_BOX

/* ---- reductions in bulk */
#define HD_REDUCE(tag, T, name)                                                                                       \
	HD_PTX void cp_reduce_async_bulk(space_global_t, space_shared_t, tag, T *to, const T *from,                   \
					 const uint32_t &bytes)                                                       \
	{                                                                                                             \
		asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." name " [%0], [%1], %2;" ::"l"(     \
				     __hd_global(to)),                                                                \
			     "r"(__hd_shared(from)), "r"(bytes)                                                       \
			     : "memory");                                                                             \
	}
#define HD_REDUCE_NEAR(tag, T, name)                                                                                  \
	HD_PTX void cp_reduce_async_bulk(space_cluster_t, space_shared_t, tag, T *to, const T *from,                  \
					 const uint32_t &bytes, uint64_t *bar)                                        \
	{                                                                                                             \
		asm volatile(                                                                                         \
			"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." name         \
			" [%0], [%1], %2, [%3];" ::"r"(__hd_shared(to)),                                              \
			"r"(__hd_shared(from)), "r"(bytes), "r"(__hd_shared(bar))                                     \
			: "memory");                                                                                  \
	}
#define HD_REDUCE_BOTH(tag, T, name) HD_REDUCE(tag, T, name) HD_REDUCE_NEAR(tag, T, name)
HD_REDUCE_BOTH(op_and_op_t, uint32_t, "and.b32")
HD_REDUCE(op_and_op_t, uint64_t, "and.b64")
HD_REDUCE_BOTH(op_or_op_t, uint32_t, "or.b32")
HD_REDUCE(op_or_op_t, uint64_t, "or.b64")
HD_REDUCE_BOTH(op_xor_op_t, uint32_t, "xor.b32")
HD_REDUCE(op_xor_op_t, uint64_t, "xor.b64")
HD_REDUCE_BOTH(op_add_t, uint32_t, "add.u32")
HD_REDUCE_BOTH(op_add_t, int32_t, "add.s32")
HD_REDUCE_BOTH(op_add_t, uint64_t, "add.u64")
HD_REDUCE(op_add_t, float, "add.f32")
HD_REDUCE(op_add_t, double, "add.f64")
HD_REDUCE_BOTH(op_min_t, uint32_t, "min.u32")
HD_REDUCE_BOTH(op_min_t, int32_t, "min.s32")
HD_REDUCE(op_min_t, uint64_t, "min.u64")
HD_REDUCE(op_min_t, int64_t, "min.s64")
HD_REDUCE_BOTH(op_max_t, uint32_t, "max.u32")
HD_REDUCE_BOTH(op_max_t, int32_t, "max.s32")
HD_REDUCE(op_max_t, uint64_t, "max.u64")
HD_REDUCE(op_max_t, int64_t, "max.s64")
HD_REDUCE_BOTH(op_inc_t, uint32_t, "inc.u32")
HD_REDUCE_BOTH(op_dec_t, uint32_t, "dec.u32")
#undef HD_REDUCE_BOTH
#undef HD_REDUCE_NEAR
#undef HD_REDUCE

#define HD_REDUCE_BOX(tag, name, dimensions, coordinates, last, ...)                                                  \
	HD_PTX void cp_reduce_async_bulk_tensor(space_global_t, space_shared_t, tag, const void *map,                 \
						const int32_t (&at)[dimensions], const void *from)                    \
	{                                                                                                             \
		asm volatile("cp.reduce.async.bulk.tensor." #dimensions "d.global.shared::cta." name                  \
			     ".tile.bulk_group [%0, {" coordinates "}], [%" #last "];" ::"l"(map),                    \
			     __VA_ARGS__, "r"(__hd_shared(from))                                                      \
			     : "memory");                                                                             \
	}
#define HD_REDUCE_BOXES(tag, name)                                                                                    \
	HD_REDUCE_BOX(tag, name, 1, "%1", 2, "r"(at[0]))                                                              \
	HD_REDUCE_BOX(tag, name, 2, "%1, %2", 3, "r"(at[0]), "r"(at[1]))                                              \
	HD_REDUCE_BOX(tag, name, 3, "%1, %2, %3", 4, "r"(at[0]), "r"(at[1]), "r"(at[2]))                              \
	HD_REDUCE_BOX(tag, name, 4, "%1, %2, %3, %4", 5, "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))              \
	HD_REDUCE_BOX(tag, name, 5, "%1, %2, %3, %4, %5", 6, "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
HD_REDUCE_BOXES(op_add_t, "add")
HD_REDUCE_BOXES(op_min_t, "min")
HD_REDUCE_BOXES(op_max_t, "max")
HD_REDUCE_BOXES(op_inc_t, "inc")
HD_REDUCE_BOXES(op_dec_t, "dec")
HD_REDUCE_BOXES(op_and_op_t, "and")
HD_REDUCE_BOXES(op_or_op_t, "or")
HD_REDUCE_BOXES(op_xor_op_t, "xor")
#undef HD_REDUCE_BOXES
#undef HD_REDUCE_BOX

/* ---- changes of tensor maps */
/* A field of a map at `place`; of those of a dimension N, and of those whose value is N. */
#define HD_MAP_ORDINAL(space, text, place, name, field, T, bits, constraint) \
template <int _N> \
HD_PTX void tensormap_replace_##name(space, void *map, n32_t<_N>, T value) \
{ \
asm volatile("tensormap.replace.tile." field "." text ".b1024." bits " [%0], %1, %2;" ::place(map), "n"(_N), constraint(value) : "memory"); \
}
#define HD_MAP_CONSTANT(space, text, place, name) \
template <int _Value> \
HD_PTX void tensormap_replace_##name(space, void *map, n32_t<_Value>) \
{ \
asm volatile("tensormap.replace.tile." #name "." text ".b1024.b32 [%0], %1;" ::place(map), "n"(_Value) : "memory"); \
}
#define HD_MAP(space, text, place) \
template <class _T> \
HD_PTX void tensormap_replace_global_address(space, void *map, _T value) \
{ \
static_assert(sizeof(_T) == 8, "an address has 8 bytes"); \
asm volatile("tensormap.replace.tile.global_address." text ".b1024.b64 [%0], %1;" ::place(map), "l"(value) : "memory"); \
} \
HD_PTX void tensormap_replace_rank(space, void *map, uint32_t value) \
{ \
asm volatile("tensormap.replace.tile.rank." text ".b1024.b32 [%0], %1;" ::place(map), "r"(value) : "memory"); \
} \
HD_MAP_ORDINAL(space, text, place, box_dim, "box_dim", uint32_t, "b32", "r") \
HD_MAP_ORDINAL(space, text, place, global_dim, "global_dim", uint32_t, "b32", "r") \
HD_MAP_ORDINAL(space, text, place, element_size, "element_stride", uint32_t, "b32", "r") \
HD_MAP_ORDINAL(space, text, place, element_stride, "element_stride", uint32_t, "b32", "r") \
HD_MAP_ORDINAL(space, text, place, global_stride, "global_stride", uint64_t, "b64", "l") \
HD_MAP_CONSTANT(space, text, place, elemtype) \
HD_MAP_CONSTANT(space, text, place, interleave_layout) \
HD_MAP_CONSTANT(space, text, place, swizzle_mode) \
HD_MAP_CONSTANT(space, text, place, fill_mode)
#define HD_MAP_FAR(map) "l"(__hd_global(map))
#define HD_MAP_NEAR(map) "r"(__hd_shared(map))
HD_MAP(space_global_t, "global", HD_MAP_FAR)
HD_MAP(space_shared_t, "shared::cta", HD_MAP_NEAR)
#undef HD_MAP_NEAR
#undef HD_MAP_FAR
#undef HD_MAP
#undef HD_MAP_CONSTANT
#undef HD_MAP_ORDINAL
#define HD_FENCEPROXY(scope, text) \
HD_PTX void tensormap_cp_fenceproxy(sem_release_t, scope, void *to, const void *from, n32_t<128>) \
{ \
asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release." text ".sync.aligned [%0], [%1], 128;" ::"l"(__hd_global(to)), "r"(__hd_shared(from)) : "memory"); \
}
HD_FENCEPROXY(scope_cta_t, "cta")
HD_FENCEPROXY(scope_cluster_t, "cluster")
HD_FENCEPROXY(scope_gpu_t, "gpu")
HD_FENCEPROXY(scope_sys_t, "sys")
#undef HD_FENCEPROXY

} // namespace ptx
} // namespace cuda

#endif
