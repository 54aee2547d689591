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

} // namespace ptx
} // namespace cuda

#endif
