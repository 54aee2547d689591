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
template <int N>
HD_PTX void cp_async_bulk_wait_group(n32_t<N>)
{
	asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}
template <int N>
HD_PTX void cp_async_bulk_wait_group_read(n32_t<N>)
{
	asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[1],
				 uint64_t *bar)
{
	asm volatile(
		"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], "
		"[%3];" ::"r"(__hd_shared(to)),
		"l"(map), "r"(at[0]), "r"(__hd_shared(bar))
		: "memory");
}
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[1],
				 uint64_t *bar, const uint16_t &mask)
{
	asm volatile(
		"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
		"[%0], [%1, {%2}], [%3], %4;" ::"r"(__hd_shared(to)),
		"l"(map), "r"(at[0]), "r"(__hd_shared(bar)), "h"(mask)
		: "memory");
}
HD_PTX void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&at)[1],
				 const void *from)
{
	asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(map),
		     "r"(at[0]), "r"(__hd_shared(from))
		     : "memory");
}
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[2],
				 uint64_t *bar)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
		     "%3}], "
		     "[%4];" ::"r"(__hd_shared(to)),
		     "l"(map), "r"(at[0]), "r"(at[1]), "r"(__hd_shared(bar))
		     : "memory");
}
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[2],
				 uint64_t *bar, const uint16_t &mask)
{
	asm volatile(
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
		"[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(__hd_shared(to)),
		"l"(map), "r"(at[0]), "r"(at[1]), "r"(__hd_shared(bar)), "h"(mask)
		: "memory");
}
HD_PTX void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&at)[2],
				 const void *from)
{
	asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
		     "r"(at[0]), "r"(at[1]), "r"(__hd_shared(from))
		     : "memory");
}
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[3],
				 uint64_t *bar)
{
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
		     "%3, %4}], "
		     "[%5];" ::"r"(__hd_shared(to)),
		     "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(__hd_shared(bar))
		     : "memory");
}
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[3],
				 uint64_t *bar, const uint16_t &mask)
{
	asm volatile(
		"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
		"[%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(__hd_shared(to)),
		"l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(__hd_shared(bar)), "h"(mask)
		: "memory");
}
HD_PTX void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&at)[3],
				 const void *from)
{
	asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map),
		     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(__hd_shared(from))
		     : "memory");
}
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[4],
				 uint64_t *bar)
{
	asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
		     "%3, %4, %5}], "
		     "[%6];" ::"r"(__hd_shared(to)),
		     "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(__hd_shared(bar))
		     : "memory");
}
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[4],
				 uint64_t *bar, const uint16_t &mask)
{
	asm volatile(
		"cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
		"[%0], [%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(__hd_shared(to)),
		"l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(__hd_shared(bar)), "h"(mask)
		: "memory");
}
HD_PTX void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&at)[4],
				 const void *from)
{
	asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(
			     map),
		     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(__hd_shared(from))
		     : "memory");
}
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[5],
				 uint64_t *bar)
{
	asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
		     "%3, %4, %5, %6}], "
		     "[%7];" ::"r"(__hd_shared(to)),
		     "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(__hd_shared(bar))
		     : "memory");
}
HD_PTX void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&at)[5],
				 uint64_t *bar, const uint16_t &mask)
{
	asm volatile(
		"cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
		"[%0], [%1, {%2, %3, %4, %5, %6}], [%7], %8;" ::"r"(__hd_shared(to)),
		"l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(__hd_shared(bar)), "h"(mask)
		: "memory");
}
HD_PTX void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&at)[5],
				 const void *from)
{
	asm volatile(
		"cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(
			map),
		"r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(__hd_shared(from))
		: "memory");
}

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
template <class T>
HD_PTX void tensormap_replace_global_address(space_global_t, void *map, T value)
{
	static_assert(sizeof(T) == 8, "an address has 8 bytes");
	asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(__hd_global(map)),
		     "l"(value)
		     : "memory");
}
HD_PTX void tensormap_replace_rank(space_global_t, void *map, uint32_t value)
{
	asm volatile("tensormap.replace.tile.rank.global.b1024.b32 [%0], %1;" ::"l"(__hd_global(map)), "r"(value)
		     : "memory");
}
template <int N>
HD_PTX void tensormap_replace_box_dim(space_global_t, void *map, n32_t<N>, uint32_t value)
{
	asm volatile("tensormap.replace.tile.box_dim.global.b1024.b32 [%0], %1, %2;" ::"l"(__hd_global(map)), "n"(N),
		     "r"(value)
		     : "memory");
}
template <int N>
HD_PTX void tensormap_replace_global_dim(space_global_t, void *map, n32_t<N>, uint32_t value)
{
	asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], %1, %2;" ::"l"(__hd_global(map)), "n"(N),
		     "r"(value)
		     : "memory");
}
template <int N>
HD_PTX void tensormap_replace_element_size(space_global_t, void *map, n32_t<N>, uint32_t value)
{
	asm volatile("tensormap.replace.tile.element_stride.global.b1024.b32 [%0], %1, %2;" ::"l"(__hd_global(map)),
		     "n"(N), "r"(value)
		     : "memory");
}
template <int N>
HD_PTX void tensormap_replace_element_stride(space_global_t, void *map, n32_t<N>, uint32_t value)
{
	asm volatile("tensormap.replace.tile.element_stride.global.b1024.b32 [%0], %1, %2;" ::"l"(__hd_global(map)),
		     "n"(N), "r"(value)
		     : "memory");
}
template <int N>
HD_PTX void tensormap_replace_global_stride(space_global_t, void *map, n32_t<N>, uint64_t value)
{
	asm volatile("tensormap.replace.tile.global_stride.global.b1024.b64 [%0], %1, %2;" ::"l"(__hd_global(map)),
		     "n"(N), "l"(value)
		     : "memory");
}
template <int Value>
HD_PTX void tensormap_replace_elemtype(space_global_t, void *map, n32_t<Value>)
{
	asm volatile("tensormap.replace.tile.elemtype.global.b1024.b32 [%0], %1;" ::"l"(__hd_global(map)), "n"(Value)
		     : "memory");
}
template <int Value>
HD_PTX void tensormap_replace_interleave_layout(space_global_t, void *map, n32_t<Value>)
{
	asm volatile("tensormap.replace.tile.interleave_layout.global.b1024.b32 [%0], %1;" ::"l"(__hd_global(map)),
		     "n"(Value)
		     : "memory");
}
template <int Value>
HD_PTX void tensormap_replace_swizzle_mode(space_global_t, void *map, n32_t<Value>)
{
	asm volatile("tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%0], %1;" ::"l"(__hd_global(map)),
		     "n"(Value)
		     : "memory");
}
template <int Value>
HD_PTX void tensormap_replace_fill_mode(space_global_t, void *map, n32_t<Value>)
{
	asm volatile("tensormap.replace.tile.fill_mode.global.b1024.b32 [%0], %1;" ::"l"(__hd_global(map)), "n"(Value)
		     : "memory");
}
template <class T>
HD_PTX void tensormap_replace_global_address(space_shared_t, void *map, T value)
{
	static_assert(sizeof(T) == 8, "an address has 8 bytes");
	asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(__hd_shared(map)),
		     "l"(value)
		     : "memory");
}
HD_PTX void tensormap_replace_rank(space_shared_t, void *map, uint32_t value)
{
	asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %1;" ::"r"(__hd_shared(map)), "r"(value)
		     : "memory");
}
template <int N>
HD_PTX void tensormap_replace_box_dim(space_shared_t, void *map, n32_t<N>, uint32_t value)
{
	asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], %1, %2;" ::"r"(__hd_shared(map)),
		     "n"(N), "r"(value)
		     : "memory");
}
template <int N>
HD_PTX void tensormap_replace_global_dim(space_shared_t, void *map, n32_t<N>, uint32_t value)
{
	asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], %1, %2;" ::"r"(__hd_shared(map)),
		     "n"(N), "r"(value)
		     : "memory");
}
template <int N>
HD_PTX void tensormap_replace_element_size(space_shared_t, void *map, n32_t<N>, uint32_t value)
{
	asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], %1, %2;" ::"r"(
			     __hd_shared(map)),
		     "n"(N), "r"(value)
		     : "memory");
}
template <int N>
HD_PTX void tensormap_replace_element_stride(space_shared_t, void *map, n32_t<N>, uint32_t value)
{
	asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], %1, %2;" ::"r"(
			     __hd_shared(map)),
		     "n"(N), "r"(value)
		     : "memory");
}
template <int N>
HD_PTX void tensormap_replace_global_stride(space_shared_t, void *map, n32_t<N>, uint64_t value)
{
	asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], %1, %2;" ::"r"(__hd_shared(map)),
		     "n"(N), "l"(value)
		     : "memory");
}
template <int Value>
HD_PTX void tensormap_replace_elemtype(space_shared_t, void *map, n32_t<Value>)
{
	asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], %1;" ::"r"(__hd_shared(map)),
		     "n"(Value)
		     : "memory");
}
template <int Value>
HD_PTX void tensormap_replace_interleave_layout(space_shared_t, void *map, n32_t<Value>)
{
	asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], %1;" ::"r"(__hd_shared(map)),
		     "n"(Value)
		     : "memory");
}
template <int Value>
HD_PTX void tensormap_replace_swizzle_mode(space_shared_t, void *map, n32_t<Value>)
{
	asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], %1;" ::"r"(__hd_shared(map)),
		     "n"(Value)
		     : "memory");
}
template <int Value>
HD_PTX void tensormap_replace_fill_mode(space_shared_t, void *map, n32_t<Value>)
{
	asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], %1;" ::"r"(__hd_shared(map)),
		     "n"(Value)
		     : "memory");
}
HD_PTX void tensormap_cp_fenceproxy(sem_release_t, scope_cta_t, void *to, const void *from, n32_t<128>)
{
	asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned [%0], "
		     "[%1], 128;" ::"l"(__hd_global(to)),
		     "r"(__hd_shared(from))
		     : "memory");
}
HD_PTX void tensormap_cp_fenceproxy(sem_release_t, scope_cluster_t, void *to, const void *from, n32_t<128>)
{
	asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cluster.sync.aligned [%0], "
		     "[%1], 128;" ::"l"(__hd_global(to)),
		     "r"(__hd_shared(from))
		     : "memory");
}
HD_PTX void tensormap_cp_fenceproxy(sem_release_t, scope_gpu_t, void *to, const void *from, n32_t<128>)
{
	asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], "
		     "[%1], 128;" ::"l"(__hd_global(to)),
		     "r"(__hd_shared(from))
		     : "memory");
}
HD_PTX void tensormap_cp_fenceproxy(sem_release_t, scope_sys_t, void *to, const void *from, n32_t<128>)
{
	asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sys.sync.aligned [%0], "
		     "[%1], 128;" ::"l"(__hd_global(to)),
		     "r"(__hd_shared(from))
		     : "memory");
}

} // namespace ptx
} // namespace cuda

#endif
