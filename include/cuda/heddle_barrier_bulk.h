/*
 * cuda::device::experimental: bulk and tensor copies that end at a cuda::barrier, from sm_90 on. cuda/barrier has them.
 */
#ifndef HEDDLE_BARRIER_BULK_H
#define HEDDLE_BARRIER_BULK_H

#include "heddle_ptx_bulk.h"

#define HD_COPY __device__ static inline
#define HD_BAR barrier<thread_scope_block>

namespace cuda
{
namespace device
{
namespace experimental
{

HD_COPY void cp_async_bulk_global_to_shared(void *to, const void *from, uint32_t bytes, HD_BAR &bar)
{
	ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes,
			   (uint64_t *)barrier_native_handle(bar));
}
HD_COPY void cp_async_bulk_shared_to_global(void *to, const void *from, uint32_t bytes)
{
	ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, bytes);
}

template <int _Dimensions>
HD_COPY void __hd_box_to_shared(void *to, const void *map, const int32_t (&at)[_Dimensions], HD_BAR &bar)
{
	ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, at,
				  (uint64_t *)barrier_native_handle(bar));
}
HD_COPY void cp_async_bulk_tensor_1d_global_to_shared(void *to, const void *map, int c0, HD_BAR &bar)
{
	__hd_box_to_shared(to, map, {c0}, bar);
}
HD_COPY void cp_async_bulk_tensor_1d_shared_to_global(const void *map, int c0, const void *from)
{
	const int32_t at[] = {c0};
	ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
}
HD_COPY void cp_async_bulk_tensor_2d_global_to_shared(void *to, const void *map, int c0, int c1, HD_BAR &bar)
{
	__hd_box_to_shared(to, map, {c0, c1}, bar);
}
HD_COPY void cp_async_bulk_tensor_2d_shared_to_global(const void *map, int c0, int c1, const void *from)
{
	const int32_t at[] = {c0, c1};
	ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
}
HD_COPY void cp_async_bulk_tensor_3d_global_to_shared(void *to, const void *map, int c0, int c1, int c2, HD_BAR &bar)
{
	__hd_box_to_shared(to, map, {c0, c1, c2}, bar);
}
HD_COPY void cp_async_bulk_tensor_3d_shared_to_global(const void *map, int c0, int c1, int c2, const void *from)
{
	const int32_t at[] = {c0, c1, c2};
	ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
}
HD_COPY void cp_async_bulk_tensor_4d_global_to_shared(void *to, const void *map, int c0, int c1, int c2, int c3,
						    HD_BAR &bar)
{
	__hd_box_to_shared(to, map, {c0, c1, c2, c3}, bar);
}
HD_COPY void cp_async_bulk_tensor_4d_shared_to_global(const void *map, int c0, int c1, int c2, int c3, const void *from)
{
	const int32_t at[] = {c0, c1, c2, c3};
	ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
}
HD_COPY void cp_async_bulk_tensor_5d_global_to_shared(void *to, const void *map, int c0, int c1, int c2, int c3, int c4,
						    HD_BAR &bar)
{
	__hd_box_to_shared(to, map, {c0, c1, c2, c3, c4}, bar);
}
HD_COPY void cp_async_bulk_tensor_5d_shared_to_global(const void *map, int c0, int c1, int c2, int c3, int c4,
						    const void *from)
{
	const int32_t at[] = {c0, c1, c2, c3, c4};
	ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
}

HD_COPY void fence_proxy_async_shared_cta()
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
HD_COPY void cp_async_bulk_commit_group()
{
	ptx::cp_async_bulk_commit_group();
}
template <int _Groups>
HD_COPY void cp_async_bulk_wait_group_read()
{
	ptx::cp_async_bulk_wait_group_read(ptx::n32_t<_Groups>());
}

} // namespace experimental
} // namespace device
} // namespace cuda

#undef HD_BAR
#undef HD_COPY
#endif
