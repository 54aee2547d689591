/*
 * cuda::ptx: PTX instructions as functions, for where no toolkit's libcu++ is at hand (cuda/ptx). Written from the
 * documented interface. What the compiler does not know is an error where it is called. Here are fences, clusters,
 * st.async and special registers.
 */
#ifndef HEDDLE_PTX_H
#define HEDDLE_PTX_H

#include "heddle_ptx_bulk.h"
#include "heddle_ptx_mbarrier.h"
#include "heddle_ptx_tags.h"

namespace cuda
{
namespace ptx
{

/* ---- fences */
HD_PTX void fence(sem_sc_t, scope_cta_t)
{
	asm volatile("fence.sc.cta;" ::: "memory");
}
HD_PTX void fence(sem_sc_t, scope_cluster_t)
{
	asm volatile("fence.sc.cluster;" ::: "memory");
}
HD_PTX void fence(sem_sc_t, scope_gpu_t)
{
	asm volatile("fence.sc.gpu;" ::: "memory");
}
HD_PTX void fence(sem_sc_t, scope_sys_t)
{
	asm volatile("fence.sc.sys;" ::: "memory");
}
HD_PTX void fence(sem_acq_rel_t, scope_cta_t)
{
	asm volatile("fence.acq_rel.cta;" ::: "memory");
}
HD_PTX void fence(sem_acq_rel_t, scope_cluster_t)
{
	asm volatile("fence.acq_rel.cluster;" ::: "memory");
}
HD_PTX void fence(sem_acq_rel_t, scope_gpu_t)
{
	asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
HD_PTX void fence(sem_acq_rel_t, scope_sys_t)
{
	asm volatile("fence.acq_rel.sys;" ::: "memory");
}
HD_PTX void fence_mbarrier_init(sem_release_t, scope_cluster_t)
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
HD_PTX void fence_proxy_alias()
{
	asm volatile("fence.proxy.alias;" ::: "memory");
}
HD_PTX void fence_proxy_async()
{
	asm volatile("fence.proxy.async;" ::: "memory");
}
HD_PTX void fence_proxy_async(space_global_t)
{
	asm volatile("fence.proxy.async.global;" ::: "memory");
}
HD_PTX void fence_proxy_async(space_shared_t)
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
HD_PTX void fence_proxy_async(space_cluster_t)
{
	asm volatile("fence.proxy.async.shared::cluster;" ::: "memory");
}
#define HD_FENCE_MAP(scope, text) \
HD_PTX void fence_proxy_tensormap_generic(sem_release_t, scope) \
{ \
asm volatile("fence.proxy.tensormap::generic.release." text ";" ::: "memory"); \
} \
template <int _Bytes> \
HD_PTX void fence_proxy_tensormap_generic(sem_acquire_t, scope, const void *at, n32_t<_Bytes>) \
{ \
asm volatile("fence.proxy.tensormap::generic.acquire." text " [%0], %1;" ::"l"(at), "n"(_Bytes) : "memory"); \
}
HD_FENCE_MAP(scope_cta_t, "cta")
HD_FENCE_MAP(scope_cluster_t, "cluster")
HD_FENCE_MAP(scope_gpu_t, "gpu")
HD_FENCE_MAP(scope_sys_t, "sys")
#undef HD_FENCE_MAP

/* ---- clusters */
HD_PTX void barrier_cluster_arrive()
{
	asm volatile("barrier.cluster.arrive;" ::: "memory");
}
HD_PTX void barrier_cluster_arrive(sem_release_t)
{
	asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
HD_PTX void barrier_cluster_arrive(sem_relaxed_t)
{
	asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
HD_PTX void barrier_cluster_wait()
{
	asm volatile("barrier.cluster.wait;" ::: "memory");
}
HD_PTX void barrier_cluster_wait(sem_acquire_t)
{
	asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
/* Generic pointers on both sides. */
template <class _T>
HD_PTX _T *mapa(space_cluster_t, const _T *at, const uint32_t &rank)
{
	uint64_t out;
	asm("mapa.u64 %0, %1, %2;" : "=l"(out) : "l"(at), "r"(rank));
	return (_T *)out;
}
HD_PTX uint32_t getctarank(space_cluster_t, const void *at)
{
	uint32_t out;
	asm("getctarank.u64 %0, %1;" : "=r"(out) : "l"(at));
	return out;
}
HD_PTX bool elect_sync(const uint32_t &mask)
{
	uint32_t out;
	asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.b32 %0, 1, 0, p; }" : "=r"(out) : "r"(mask) : "memory");
	return out != 0;
}

/* ---- st.async and red.async: `at` and the barrier are in one block, perhaps another one */
template <class _T, size_t _Size = sizeof(_T)>
struct __hd_word;
template <class _T>
struct __hd_word<_T, 4> {
	typedef uint32_t type;
};
template <class _T>
struct __hd_word<_T, 8> {
	typedef uint64_t type;
};
template <class _T>
HD_PTX typename __hd_word<_T>::type __hd_bits(const _T &value)
{
	typename __hd_word<_T>::type bits;
	__builtin_memcpy(&bits, &value, sizeof bits);
	return bits;
}
HD_PTX void __hd_st_async(uint32_t at, uint32_t bar, uint32_t a)
{
	asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(at), "r"(a),
		     "r"(bar)
		     : "memory");
}
HD_PTX void __hd_st_async(uint32_t at, uint32_t bar, uint64_t a)
{
	asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(at), "l"(a),
		     "r"(bar)
		     : "memory");
}
HD_PTX void __hd_st_async(uint32_t at, uint32_t bar, uint32_t a, uint32_t b)
{
	asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(
			     at),
		     "r"(a), "r"(b), "r"(bar)
		     : "memory");
}
HD_PTX void __hd_st_async(uint32_t at, uint32_t bar, uint64_t a, uint64_t b)
{
	asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(
			     at),
		     "l"(a), "l"(b), "r"(bar)
		     : "memory");
}
template <class _T>
HD_PTX void st_async(_T *at, const _T &value, uint64_t *bar)
{
	__hd_st_async(__hd_shared(at), __hd_shared(bar), __hd_bits(value));
}
template <class _T>
HD_PTX void st_async(_T *at, const _T (&value)[2], uint64_t *bar)
{
	__hd_st_async(__hd_shared(at), __hd_shared(bar), __hd_bits(value[0]), __hd_bits(value[1]));
}
template <class _T>
HD_PTX void st_async(_T *at, const _T (&value)[4], uint64_t *bar)
{
	static_assert(sizeof(_T) == 4, "four elements have 4 bytes each");
	asm volatile(
		"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
			__hd_shared(at)),
		"r"(__hd_bits(value[0])), "r"(__hd_bits(value[1])), "r"(__hd_bits(value[2])), "r"(__hd_bits(value[3])),
		"r"(__hd_shared(bar))
		: "memory");
}
#define HD_RED(tag, T, text, constraint) \
HD_PTX void red_async(tag, T *at, const T &value, uint64_t *bar) \
{ \
asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." text " [%0], %1, [%2];" ::"r"(__hd_shared(at)), constraint(value), "r"(__hd_shared(bar)) : "memory"); \
}
HD_RED(op_inc_t, uint32_t, "inc.u32", "r")
HD_RED(op_dec_t, uint32_t, "dec.u32", "r")
HD_RED(op_min_t, uint32_t, "min.u32", "r")
HD_RED(op_min_t, int32_t, "min.s32", "r")
HD_RED(op_max_t, uint32_t, "max.u32", "r")
HD_RED(op_max_t, int32_t, "max.s32", "r")
HD_RED(op_add_t, uint32_t, "add.u32", "r")
HD_RED(op_add_t, int32_t, "add.s32", "r")
HD_RED(op_add_t, uint64_t, "add.u64", "l")
#undef HD_RED
#define HD_RED_BITS(tag, text) \
template <class _T> \
HD_PTX void red_async(tag, _T *at, const _T &value, uint64_t *bar) \
{ \
static_assert(sizeof(_T) == 4, "the operation is on 4 bytes"); \
asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." text ".b32 [%0], %1, [%2];" ::"r"(__hd_shared(at)), "r"(__hd_bits(value)), "r"(__hd_shared(bar)) : "memory"); \
}
HD_RED_BITS(op_and_op_t, "and")
HD_RED_BITS(op_or_op_t, "or")
HD_RED_BITS(op_xor_op_t, "xor")
#undef HD_RED_BITS

/* ---- special registers */
#define HD_PTX_SREG(name, text)                             \
	HD_PTX uint32_t get_sreg_##name()                   \
	{                                                   \
		uint32_t out;                               \
		asm volatile("mov.u32 %0, %%" text ";" : "=r"(out)); \
		return out;                                 \
	}
HD_PTX_SREG(tid_x, "tid.x")
HD_PTX_SREG(tid_y, "tid.y")
HD_PTX_SREG(tid_z, "tid.z")
HD_PTX_SREG(ntid_x, "ntid.x")
HD_PTX_SREG(ntid_y, "ntid.y")
HD_PTX_SREG(ntid_z, "ntid.z")
HD_PTX_SREG(ctaid_x, "ctaid.x")
HD_PTX_SREG(ctaid_y, "ctaid.y")
HD_PTX_SREG(ctaid_z, "ctaid.z")
HD_PTX_SREG(nctaid_x, "nctaid.x")
HD_PTX_SREG(nctaid_y, "nctaid.y")
HD_PTX_SREG(nctaid_z, "nctaid.z")
HD_PTX_SREG(clusterid_x, "clusterid.x")
HD_PTX_SREG(clusterid_y, "clusterid.y")
HD_PTX_SREG(clusterid_z, "clusterid.z")
HD_PTX_SREG(nclusterid_x, "nclusterid.x")
HD_PTX_SREG(nclusterid_y, "nclusterid.y")
HD_PTX_SREG(nclusterid_z, "nclusterid.z")
HD_PTX_SREG(cluster_ctaid_x, "cluster_ctaid.x")
HD_PTX_SREG(cluster_ctaid_y, "cluster_ctaid.y")
HD_PTX_SREG(cluster_ctaid_z, "cluster_ctaid.z")
HD_PTX_SREG(cluster_nctaid_x, "cluster_nctaid.x")
HD_PTX_SREG(cluster_nctaid_y, "cluster_nctaid.y")
HD_PTX_SREG(cluster_nctaid_z, "cluster_nctaid.z")
HD_PTX_SREG(laneid, "laneid")
HD_PTX_SREG(warpid, "warpid")
HD_PTX_SREG(nwarpid, "nwarpid")
HD_PTX_SREG(smid, "smid")
HD_PTX_SREG(nsmid, "nsmid")
HD_PTX_SREG(cluster_ctarank, "cluster_ctarank")
HD_PTX_SREG(cluster_nctarank, "cluster_nctarank")
HD_PTX_SREG(lanemask_eq, "lanemask_eq")
HD_PTX_SREG(lanemask_le, "lanemask_le")
HD_PTX_SREG(lanemask_lt, "lanemask_lt")
HD_PTX_SREG(lanemask_ge, "lanemask_ge")
HD_PTX_SREG(lanemask_gt, "lanemask_gt")
HD_PTX_SREG(clock, "clock")
HD_PTX_SREG(clock_hi, "clock_hi")
HD_PTX_SREG(dynamic_smem_size, "dynamic_smem_size")
HD_PTX_SREG(total_smem_size, "total_smem_size")
#undef HD_PTX_SREG
HD_PTX uint64_t get_sreg_clock64()
{
	uint64_t out;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(out));
	return out;
}
HD_PTX uint64_t get_sreg_globaltimer()
{
	uint64_t out;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(out));
	return out;
}
HD_PTX bool get_sreg_is_explicit_cluster()
{
	uint32_t out;
	asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.b32 %0, 1, 0, p; }" : "=r"(out));
	return out != 0;
}

} // namespace ptx
} // namespace cuda

#undef HD_PTX
#endif
