/*
 * cuda::ptx: barriers in shared memory (heddle_ptx.h).
 */
#ifndef HEDDLE_PTX_MBARRIER_H
#define HEDDLE_PTX_MBARRIER_H

#include "heddle_ptx_tags.h"

namespace cuda
{
namespace ptx
{

/* ---- mbarrier */
HD_PTX void mbarrier_init(uint64_t *at, const uint32_t &count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(__hd_shared(at)), "r"(count) : "memory");
}
HD_PTX void mbarrier_inval(uint64_t *at)
{
	asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(__hd_shared(at)) : "memory");
}
HD_PTX uint64_t mbarrier_arrive(uint64_t *at)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(out) : "r"(__hd_shared(at)) : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive(uint64_t *at, const uint32_t &count)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(out)
		     : "r"(__hd_shared(at)), "r"(count)
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive_no_complete(uint64_t *at, const uint32_t &count)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
		     : "=l"(out)
		     : "r"(__hd_shared(at)), "r"(count)
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive(sem_release_t, scope_cta_t, space_shared_t, uint64_t *at)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1];"
		     : "=l"(out)
		     : "r"(__hd_shared(at))
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive(sem_release_t, scope_cta_t, space_shared_t, uint64_t *at, const uint32_t &count)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(out)
		     : "r"(__hd_shared(at)), "r"(count)
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive_expect_tx(sem_release_t, scope_cta_t, space_shared_t, uint64_t *at,
					  const uint32_t &bytes)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(out)
		     : "r"(__hd_shared(at)), "r"(bytes)
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive(sem_release_t, scope_cluster_t, space_shared_t, uint64_t *at)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.release.cluster.shared::cta.b64 %0, [%1];"
		     : "=l"(out)
		     : "r"(__hd_shared(at))
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive(sem_release_t, scope_cluster_t, space_shared_t, uint64_t *at, const uint32_t &count)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.release.cluster.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(out)
		     : "r"(__hd_shared(at)), "r"(count)
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive_expect_tx(sem_release_t, scope_cluster_t, space_shared_t, uint64_t *at,
					  const uint32_t &bytes)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(out)
		     : "r"(__hd_shared(at)), "r"(bytes)
		     : "memory");
	return out;
}
HD_PTX void mbarrier_arrive(sem_release_t, scope_cluster_t, space_cluster_t, uint64_t *at)
{
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(__hd_shared(at)) : "memory");
}
HD_PTX void mbarrier_arrive(sem_release_t, scope_cluster_t, space_cluster_t, uint64_t *at, const uint32_t &count)
{
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(__hd_shared(at)),
		     "r"(count)
		     : "memory");
}
HD_PTX void mbarrier_arrive_expect_tx(sem_release_t, scope_cluster_t, space_cluster_t, uint64_t *at,
				      const uint32_t &bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
			     __hd_shared(at)),
		     "r"(bytes)
		     : "memory");
}
HD_PTX uint64_t mbarrier_arrive(sem_relaxed_t, scope_cta_t, space_shared_t, uint64_t *at)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 %0, [%1];"
		     : "=l"(out)
		     : "r"(__hd_shared(at))
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive(sem_relaxed_t, scope_cta_t, space_shared_t, uint64_t *at, const uint32_t &count)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(out)
		     : "r"(__hd_shared(at)), "r"(count)
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive_expect_tx(sem_relaxed_t, scope_cta_t, space_shared_t, uint64_t *at,
					  const uint32_t &bytes)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(out)
		     : "r"(__hd_shared(at)), "r"(bytes)
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive(sem_relaxed_t, scope_cluster_t, space_shared_t, uint64_t *at)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.relaxed.cluster.shared::cta.b64 %0, [%1];"
		     : "=l"(out)
		     : "r"(__hd_shared(at))
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive(sem_relaxed_t, scope_cluster_t, space_shared_t, uint64_t *at, const uint32_t &count)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.relaxed.cluster.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(out)
		     : "r"(__hd_shared(at)), "r"(count)
		     : "memory");
	return out;
}
HD_PTX uint64_t mbarrier_arrive_expect_tx(sem_relaxed_t, scope_cluster_t, space_shared_t, uint64_t *at,
					  const uint32_t &bytes)
{
	uint64_t out;
	asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(out)
		     : "r"(__hd_shared(at)), "r"(bytes)
		     : "memory");
	return out;
}
HD_PTX void mbarrier_arrive(sem_relaxed_t, scope_cluster_t, space_cluster_t, uint64_t *at)
{
	asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(__hd_shared(at)) : "memory");
}
HD_PTX void mbarrier_arrive(sem_relaxed_t, scope_cluster_t, space_cluster_t, uint64_t *at, const uint32_t &count)
{
	asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(__hd_shared(at)),
		     "r"(count)
		     : "memory");
}
HD_PTX void mbarrier_arrive_expect_tx(sem_relaxed_t, scope_cluster_t, space_cluster_t, uint64_t *at,
				      const uint32_t &bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
			     __hd_shared(at)),
		     "r"(bytes)
		     : "memory");
}
HD_PTX void mbarrier_expect_tx(sem_relaxed_t, scope_cta_t, space_shared_t, uint64_t *at, const uint32_t &bytes)
{
	asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(__hd_shared(at)), "r"(bytes)
		     : "memory");
}
HD_PTX void mbarrier_expect_tx(sem_relaxed_t, scope_cluster_t, space_shared_t, uint64_t *at, const uint32_t &bytes)
{
	asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cta.b64 [%0], %1;" ::"r"(__hd_shared(at)), "r"(bytes)
		     : "memory");
}
HD_PTX void mbarrier_expect_tx(sem_relaxed_t, scope_cluster_t, space_cluster_t, uint64_t *at, const uint32_t &bytes)
{
	asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(__hd_shared(at)),
		     "r"(bytes)
		     : "memory");
}
HD_PTX bool mbarrier_test_wait(uint64_t *at, const uint64_t &state)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "l"(state)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_test_wait(sem_acquire_t, scope_cta_t, uint64_t *at, const uint64_t &state)
{
	uint32_t out;
	asm volatile(
		"{ .reg .pred p; mbarrier.test_wait.acquire.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
		: "=r"(out)
		: "r"(__hd_shared(at)), "l"(state)
		: "memory");
	return out != 0;
}
HD_PTX bool mbarrier_test_wait(sem_acquire_t, scope_cluster_t, uint64_t *at, const uint64_t &state)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, "
		     "0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "l"(state)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_test_wait(sem_relaxed_t, scope_cta_t, uint64_t *at, const uint64_t &state)
{
	uint32_t out;
	asm volatile(
		"{ .reg .pred p; mbarrier.test_wait.relaxed.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
		: "=r"(out)
		: "r"(__hd_shared(at)), "l"(state)
		: "memory");
	return out != 0;
}
HD_PTX bool mbarrier_test_wait(sem_relaxed_t, scope_cluster_t, uint64_t *at, const uint64_t &state)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.relaxed.cluster.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, "
		     "0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "l"(state)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_test_wait_parity(uint64_t *at, const uint32_t &parity)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_test_wait_parity(sem_acquire_t, scope_cta_t, uint64_t *at, const uint32_t &parity)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, "
		     "1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_test_wait_parity(sem_acquire_t, scope_cluster_t, uint64_t *at, const uint32_t &parity)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.b32 "
		     "%0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_test_wait_parity(sem_relaxed_t, scope_cta_t, uint64_t *at, const uint32_t &parity)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, "
		     "1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_test_wait_parity(sem_relaxed_t, scope_cluster_t, uint64_t *at, const uint32_t &parity)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], %2; selp.b32 "
		     "%0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait(uint64_t *at, const uint64_t &state)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "l"(state)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait(uint64_t *at, const uint64_t &state, const uint32_t &limit)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2, %3; selp.b32 %0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "l"(state), "r"(limit)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait(sem_acquire_t, scope_cta_t, uint64_t *at, const uint64_t &state)
{
	uint32_t out;
	asm volatile(
		"{ .reg .pred p; mbarrier.try_wait.acquire.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
		: "=r"(out)
		: "r"(__hd_shared(at)), "l"(state)
		: "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait(sem_acquire_t, scope_cta_t, uint64_t *at, const uint64_t &state, const uint32_t &limit)
{
	uint32_t out;
	asm volatile(
		"{ .reg .pred p; mbarrier.try_wait.acquire.cta.shared::cta.b64 p, [%1], %2, %3; selp.b32 %0, 1, 0, p; }"
		: "=r"(out)
		: "r"(__hd_shared(at)), "l"(state), "r"(limit)
		: "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait(sem_acquire_t, scope_cluster_t, uint64_t *at, const uint64_t &state)
{
	uint32_t out;
	asm volatile(
		"{ .reg .pred p; mbarrier.try_wait.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
		: "=r"(out)
		: "r"(__hd_shared(at)), "l"(state)
		: "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait(sem_acquire_t, scope_cluster_t, uint64_t *at, const uint64_t &state,
			      const uint32_t &limit)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.acquire.cluster.shared::cta.b64 p, [%1], %2, %3; selp.b32 %0, "
		     "1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "l"(state), "r"(limit)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait(sem_relaxed_t, scope_cta_t, uint64_t *at, const uint64_t &state)
{
	uint32_t out;
	asm volatile(
		"{ .reg .pred p; mbarrier.try_wait.relaxed.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
		: "=r"(out)
		: "r"(__hd_shared(at)), "l"(state)
		: "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait(sem_relaxed_t, scope_cta_t, uint64_t *at, const uint64_t &state, const uint32_t &limit)
{
	uint32_t out;
	asm volatile(
		"{ .reg .pred p; mbarrier.try_wait.relaxed.cta.shared::cta.b64 p, [%1], %2, %3; selp.b32 %0, 1, 0, p; }"
		: "=r"(out)
		: "r"(__hd_shared(at)), "l"(state), "r"(limit)
		: "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait(sem_relaxed_t, scope_cluster_t, uint64_t *at, const uint64_t &state)
{
	uint32_t out;
	asm volatile(
		"{ .reg .pred p; mbarrier.try_wait.relaxed.cluster.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
		: "=r"(out)
		: "r"(__hd_shared(at)), "l"(state)
		: "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait(sem_relaxed_t, scope_cluster_t, uint64_t *at, const uint64_t &state,
			      const uint32_t &limit)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.relaxed.cluster.shared::cta.b64 p, [%1], %2, %3; selp.b32 %0, "
		     "1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "l"(state), "r"(limit)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait_parity(uint64_t *at, const uint32_t &parity)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait_parity(uint64_t *at, const uint32_t &parity, const uint32_t &limit)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, %3; selp.b32 %0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity), "r"(limit)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait_parity(sem_acquire_t, scope_cta_t, uint64_t *at, const uint32_t &parity)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, "
		     "1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait_parity(sem_acquire_t, scope_cta_t, uint64_t *at, const uint32_t &parity,
				     const uint32_t &limit)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2, %3; selp.b32 "
		     "%0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity), "r"(limit)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait_parity(sem_acquire_t, scope_cluster_t, uint64_t *at, const uint32_t &parity)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.b32 "
		     "%0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait_parity(sem_acquire_t, scope_cluster_t, uint64_t *at, const uint32_t &parity,
				     const uint32_t &limit)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2, %3; "
		     "selp.b32 %0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity), "r"(limit)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait_parity(sem_relaxed_t, scope_cta_t, uint64_t *at, const uint32_t &parity)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, "
		     "1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait_parity(sem_relaxed_t, scope_cta_t, uint64_t *at, const uint32_t &parity,
				     const uint32_t &limit)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2, %3; selp.b32 "
		     "%0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity), "r"(limit)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait_parity(sem_relaxed_t, scope_cluster_t, uint64_t *at, const uint32_t &parity)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], %2; selp.b32 "
		     "%0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity)
		     : "memory");
	return out != 0;
}
HD_PTX bool mbarrier_try_wait_parity(sem_relaxed_t, scope_cluster_t, uint64_t *at, const uint32_t &parity,
				     const uint32_t &limit)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], %2, %3; "
		     "selp.b32 %0, 1, 0, p; }"
		     : "=r"(out)
		     : "r"(__hd_shared(at)), "r"(parity), "r"(limit)
		     : "memory");
	return out != 0;
}

} // namespace ptx
} // namespace cuda

#endif
