/*
 * A barrier of eight bytes: in shared memory from sm_80 on that of the machine (mbarrier), anywhere else a word on
 * which threads swap and spin. cuda::barrier of a block and the pipelines of groups stand on it.
 *
 * The word of the second kind: bits 0-19 pending arrivals, 20-39 those that the next phases expect, 40-63 the phase.
 */
#ifndef HEDDLE_MBARRIER_INCLUDED
#define HEDDLE_MBARRIER_INCLUDED

#include "heddle_async_copy.h"
#include "host_defines.h"

#define HD_BOTH __host__ __device__ inline HEDDLE_NO_PLACE

/* Whether the code may use the machine's. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HEDDLE_HAS_MBARRIER 1
#else
#define HEDDLE_HAS_MBARRIER 0
#endif

struct __hd_mbarrier {
	typedef unsigned long long word;
	alignas(8) word state;

	enum { MOST = (1 << 20) - 1, EXPECTED = 20, PHASE = 40 };

	HD_BOTH bool in_shared() const
	{
#if HEDDLE_HAS_MBARRIER
		return __nvvm_isspacep_shared(&state);
#else
		return false;
#endif
	}
	/* In the shared memory of another block of the cluster. */
	HD_BOTH bool in_other_block() const
	{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
		unsigned int is;
		asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(&state));
		return is && !in_shared();
#else
		return false;
#endif
	}
	/* Only arrivals go there: the machine's barrier is not the word that is read and swapped here. */
	HD_BOTH void refuse_other_block() const
	{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
		if (in_other_block())
			__trap();
#endif
	}
	__device__ unsigned int place() const
	{
		return (unsigned int)__cvta_generic_to_shared(&state);
	}

	HD_BOTH void init(unsigned int count)
	{
#if HEDDLE_HAS_MBARRIER
		if (in_shared()) {
			asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place()), "r"(count) : "memory");
			return;
		}
		refuse_other_block();
#endif
		__atomic_store_n(&state, (word)count << EXPECTED | count, __ATOMIC_RELEASE);
	}

	/* Arrivals, of which `dropped` do not come again. Returns the token of the phase. */
	HD_BOTH word swap(unsigned int count, unsigned int dropped)
	{
		word seen = __atomic_load_n(&state, __ATOMIC_RELAXED), next;
		do {
			word pending = (seen & MOST) - count, expected = (seen >> EXPECTED & MOST) - dropped;
			word phase = (seen >> PHASE) + !pending;
			next = phase << PHASE | expected << EXPECTED | (pending ? pending : expected);
		} while (!__atomic_compare_exchange_n(&state, &seen, next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
		return seen;
	}
	HD_BOTH word arrive(unsigned int count)
	{
#if HEDDLE_HAS_MBARRIER
		word token = 0;
		if (in_shared()) {
			/* sm_80 has no counts on arrivals that may end the phase. */
			if (count > 1)
				asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
					     : "=l"(token)
					     : "r"(place()), "r"(count - 1)
					     : "memory");
			asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(place()) : "memory");
			return token;
		}
#if __CUDA_ARCH__ >= 900
		if (in_other_block()) {
			asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(place()),
				     "r"(count)
				     : "memory");
			return token;
		}
#endif
#endif
		return swap(count, 0);
	}
	HD_BOTH word drop()
	{
#if HEDDLE_HAS_MBARRIER
		word token;
		if (in_shared()) {
			asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
				     : "=l"(token)
				     : "r"(place())
				     : "memory");
			return token;
		}
		refuse_other_block();
#endif
		return swap(1, 1);
	}

#define HD_ASK(how, phase)                                                                                            \
	asm volatile("{ .reg .pred p; mbarrier." how ".shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"               \
		     : "=r"(is)                                                                                       \
		     : "r"(place()), phase                                                                            \
		     : "memory")
	/* Whether the token's phase is over, perhaps after some time; at once under `now`. */
	HD_BOTH bool is_over(word token, bool now) const
	{
		(void)now;
#if HEDDLE_HAS_MBARRIER
		unsigned int is;
		if (in_shared()) {
#if __CUDA_ARCH__ >= 900
			if (!now)
				HD_ASK("try_wait", "l"(token));
			else
#endif
				HD_ASK("test_wait", "l"(token));
			return is;
		}
		refuse_other_block();
#endif
		return (__atomic_load_n(&state, __ATOMIC_ACQUIRE) ^ token) >> PHASE;
	}
	/* The same of the phase of a parity: the present one, or the one before. */
	HD_BOTH bool is_parity_over(unsigned int parity, bool now) const
	{
		(void)now;
#if HEDDLE_HAS_MBARRIER
		unsigned int is;
		if (in_shared()) {
#if __CUDA_ARCH__ >= 900
			if (!now)
				HD_ASK("try_wait.parity", "r"(parity));
			else
#endif
				HD_ASK("test_wait.parity", "r"(parity));
			return is;
		}
		refuse_other_block();
#endif
		return (__atomic_load_n(&state, __ATOMIC_ACQUIRE) >> PHASE & 1) != (parity & 1);
	}
#undef HD_ASK

	/* Behind copies of this thread that are under way: the phase does not end before they are done. */
	__device__ void cover_copies()
	{
#if HEDDLE_HAS_MBARRIER
		if (in_shared()) {
			asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(place()) : "memory");
			return;
		}
#endif
		__hd_copies_commit();
		__hd_copies_wait_prior(0);
	}
	/* The thread's arrival comes when they are. */
	__device__ void arrive_with_copies()
	{
#if HEDDLE_HAS_MBARRIER
		if (in_shared()) {
			asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(place()) : "memory");
			return;
		}
#endif
		__hd_copies_commit();
		__hd_copies_wait_prior(0);
		(void)arrive(1);
	}
};

#undef HD_BOTH
#endif
