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
/* With an order and a scope: `text` says both. Here, and at a barrier of another block, which gives no token. */
#define HD_ARRIVALS(sem, scope, text) \
HD_PTX uint64_t mbarrier_arrive(sem, scope, space_shared_t, uint64_t *at) \
{ \
uint64_t out; \
asm volatile("mbarrier.arrive." text ".shared::cta.b64 %0, [%1];" : "=l"(out) : "r"(__hd_shared(at)) : "memory"); \
return out; \
} \
HD_PTX uint64_t mbarrier_arrive(sem, scope, space_shared_t, uint64_t *at, const uint32_t &count) \
{ \
uint64_t out; \
asm volatile("mbarrier.arrive." text ".shared::cta.b64 %0, [%1], %2;" : "=l"(out) : "r"(__hd_shared(at)), "r"(count) : "memory"); \
return out; \
} \
HD_PTX uint64_t mbarrier_arrive_expect_tx(sem, scope, space_shared_t, uint64_t *at, const uint32_t &bytes) \
{ \
uint64_t out; \
asm volatile("mbarrier.arrive.expect_tx." text ".shared::cta.b64 %0, [%1], %2;" : "=l"(out) : "r"(__hd_shared(at)), "r"(bytes) : "memory"); \
return out; \
}
HD_ARRIVALS(sem_release_t, scope_cta_t, "release.cta")
HD_ARRIVALS(sem_release_t, scope_cluster_t, "release.cluster")
HD_ARRIVALS(sem_relaxed_t, scope_cta_t, "relaxed.cta")
HD_ARRIVALS(sem_relaxed_t, scope_cluster_t, "relaxed.cluster")
#undef HD_ARRIVALS
#define HD_ARRIVALS_ELSEWHERE(sem, text) \
HD_PTX void mbarrier_arrive(sem, scope_cluster_t, space_cluster_t, uint64_t *at) \
{ \
asm volatile("mbarrier.arrive." text ".cluster.shared::cluster.b64 _, [%0];" ::"r"(__hd_shared(at)) : "memory"); \
} \
HD_PTX void mbarrier_arrive(sem, scope_cluster_t, space_cluster_t, uint64_t *at, const uint32_t &count) \
{ \
asm volatile("mbarrier.arrive." text ".cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(__hd_shared(at)), "r"(count) : "memory"); \
} \
HD_PTX void mbarrier_arrive_expect_tx(sem, scope_cluster_t, space_cluster_t, uint64_t *at, const uint32_t &bytes) \
{ \
asm volatile("mbarrier.arrive.expect_tx." text ".cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(__hd_shared(at)), "r"(bytes) : "memory"); \
}
HD_ARRIVALS_ELSEWHERE(sem_release_t, "release")
HD_ARRIVALS_ELSEWHERE(sem_relaxed_t, "relaxed")
#undef HD_ARRIVALS_ELSEWHERE
#define HD_EXPECT(scope, space, text) \
HD_PTX void mbarrier_expect_tx(sem_relaxed_t, scope, space, uint64_t *at, const uint32_t &bytes) \
{ \
asm volatile("mbarrier.expect_tx.relaxed." text ".b64 [%0], %1;" ::"r"(__hd_shared(at)), "r"(bytes) : "memory"); \
}
HD_EXPECT(scope_cta_t, space_shared_t, "cta.shared::cta")
HD_EXPECT(scope_cluster_t, space_shared_t, "cluster.shared::cta")
HD_EXPECT(scope_cluster_t, space_cluster_t, "cluster.shared::cluster")
#undef HD_EXPECT

/* Whether a phase is over, by its token or its parity. The rest are the tags in front, each with its comma. */
#define HD_ASK(name, text, T, constraint, ...) \
HD_PTX bool name(__VA_ARGS__ uint64_t *at, const T &phase) \
{ \
uint32_t out; \
asm volatile("{ .reg .pred p; mbarrier." text ".b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(out) : "r"(__hd_shared(at)), constraint(phase) : "memory"); \
return out != 0; \
}
#define HD_TRY(name, text, T, constraint, ...) \
HD_ASK(name, text, T, constraint, __VA_ARGS__) \
HD_PTX bool name(__VA_ARGS__ uint64_t *at, const T &phase, const uint32_t &limit) \
{ \
uint32_t out; \
asm volatile("{ .reg .pred p; mbarrier." text ".b64 p, [%1], %2, %3; selp.b32 %0, 1, 0, p; }" : "=r"(out) : "r"(__hd_shared(at)), constraint(phase), "r"(limit) : "memory"); \
return out != 0; \
}
#define HD_WAITS(sem, scope, text) \
HD_ASK(mbarrier_test_wait, "test_wait." text ".shared::cta", uint64_t, "l", sem, scope, ) \
HD_ASK(mbarrier_test_wait_parity, "test_wait.parity." text ".shared::cta", uint32_t, "r", sem, scope, ) \
HD_TRY(mbarrier_try_wait, "try_wait." text ".shared::cta", uint64_t, "l", sem, scope, ) \
HD_TRY(mbarrier_try_wait_parity, "try_wait.parity." text ".shared::cta", uint32_t, "r", sem, scope, )
HD_ASK(mbarrier_test_wait, "test_wait.shared", uint64_t, "l", )
HD_ASK(mbarrier_test_wait_parity, "test_wait.parity.shared", uint32_t, "r", )
HD_TRY(mbarrier_try_wait, "try_wait.shared::cta", uint64_t, "l", )
HD_TRY(mbarrier_try_wait_parity, "try_wait.parity.shared::cta", uint32_t, "r", )
HD_WAITS(sem_acquire_t, scope_cta_t, "acquire.cta")
HD_WAITS(sem_acquire_t, scope_cluster_t, "acquire.cluster")
HD_WAITS(sem_relaxed_t, scope_cta_t, "relaxed.cta")
HD_WAITS(sem_relaxed_t, scope_cluster_t, "relaxed.cluster")
#undef HD_WAITS
#undef HD_TRY
#undef HD_ASK

} // namespace ptx
} // namespace cuda

#endif
