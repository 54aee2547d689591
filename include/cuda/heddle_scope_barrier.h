/*
 * cuda::barrier, cuda::latch and cuda::counting_semaphore, for where no toolkit's libcu++ is at hand (cuda/barrier).
 * Written from the documented interface. A block's barrier is that of heddle_mbarrier.h; the others are ordinary atomic
 * operations, and those who wait spin.
 */
#ifndef HEDDLE_SCOPE_BARRIER_H
#define HEDDLE_SCOPE_BARRIER_H

#include "heddle_mbarrier.h"
#include "heddle_scope_atomic.h"
#include "heddle_scope_copy.h"

#define HD_BOTH __host__ __device__ inline

namespace cuda
{

struct __hd_no_completion {
	HD_BOTH void operator()()
	{
	}
};

/*
 * A phase ends with the last arrival that it expects: that thread runs the completion, prepares the next phase and
 * makes it known. Nothing is initialized by itself, so that a barrier can be a __shared__ variable: init() does it.
 */
template <thread_scope _Scope, class _Completion = __hd_no_completion>
class barrier : _Completion
{
	typedef atomic<unsigned int, _Scope> word;
	word expected; /* arrivals of the phases to come */
	word pending;  /* arrivals that this phase still waits for */
	word phase;

      public:
	typedef unsigned int arrival_token; /* the phase of the arrival */

	barrier() = default;
	HD_BOTH barrier(ptrdiff_t count, _Completion completion = _Completion())
	    : _Completion(completion), expected((unsigned int)count), pending((unsigned int)count), phase(0)
	{
	}
	barrier(const barrier &) = delete;
	barrier &operator=(const barrier &) = delete;

	friend HD_BOTH void init(barrier *it, ptrdiff_t count, _Completion completion = _Completion())
	{
		static_cast<_Completion &>(*it) = completion;
		it->expected.store((unsigned int)count, memory_order_relaxed);
		it->pending.store((unsigned int)count, memory_order_relaxed);
		it->phase.store(0, memory_order_release);
	}
	static constexpr ptrdiff_t max()
	{
		return (1 << 20) - 1;
	}
	HD_BOTH arrival_token arrive(ptrdiff_t count = 1)
	{
		/* Stays while this arrival is still to come. */
		arrival_token token = phase.load(memory_order_relaxed);
		if (pending.fetch_sub((unsigned int)count, memory_order_acq_rel) == (unsigned int)count) {
			static_cast<_Completion &>(*this)();
			pending.store(expected.load(memory_order_relaxed), memory_order_relaxed);
			phase.store(token + 1, memory_order_release);
		}
		return token;
	}
	HD_BOTH bool try_wait(arrival_token token) const
	{
		return phase.load(memory_order_acquire) != token;
	}
	HD_BOTH void wait(arrival_token token) const
	{
		while (!try_wait(token))
			;
	}
	/* Whether the phase of this parity is over: the present one, or the one before. */
	HD_BOTH bool try_wait_parity(bool parity) const
	{
		return (phase.load(memory_order_acquire) & 1) != (unsigned int)parity;
	}
	HD_BOTH void wait_parity(bool parity) const
	{
		while (!try_wait_parity(parity))
			;
	}
	HD_BOTH void arrive_and_wait()
	{
		wait(arrive());
	}
	HD_BOTH void arrive_and_drop()
	{
		expected.fetch_sub(1, memory_order_relaxed);
		(void)arrive();
	}
};

template <>
class barrier<thread_scope_block, __hd_no_completion>
{
	__hd_mbarrier at;

	friend __device__ inline unsigned long long *__hd_native_handle(barrier &it)
	{
		return &it.at.state;
	}

      public:
	typedef unsigned long long arrival_token;

	barrier() = default;
	HD_BOTH barrier(ptrdiff_t count, __hd_no_completion = __hd_no_completion())
	{
		at.init((unsigned int)count);
	}
	barrier(const barrier &) = delete;
	barrier &operator=(const barrier &) = delete;

	friend HD_BOTH void init(barrier *it, ptrdiff_t count, __hd_no_completion = __hd_no_completion())
	{
		it->at.init((unsigned int)count);
	}
	static constexpr ptrdiff_t max()
	{
		return (1 << 20) - 1;
	}
	HD_BOTH arrival_token arrive(ptrdiff_t count = 1)
	{
		return at.arrive((unsigned int)count);
	}
	HD_BOTH bool try_wait(arrival_token token) const
	{
		return at.is_over(token, false);
	}
	HD_BOTH void wait(arrival_token token) const
	{
		while (!at.is_over(token, false))
			;
	}
	HD_BOTH bool try_wait_parity(bool parity) const
	{
		return at.is_parity_over(parity, false);
	}
	HD_BOTH void wait_parity(bool parity) const
	{
		while (!at.is_parity_over(parity, false))
			;
	}
	HD_BOTH void arrive_and_wait()
	{
		wait(arrive());
	}
	HD_BOTH void arrive_and_drop()
	{
		(void)at.drop();
	}
	/* For memcpy_async. */
	__device__ void __hd_cover_copies()
	{
		at.cover_copies();
	}
};

namespace device
{
__device__ inline unsigned long long *barrier_native_handle(barrier<thread_scope_block> &it)
{
	return __hd_native_handle(it);
}
/* From sm_90 on. Arrivals at a barrier in the own block's shared memory that expects bytes with them; and bytes alone.
 */
__device__ inline barrier<thread_scope_block>::arrival_token barrier_arrive_tx(barrier<thread_scope_block> &it,
									       ptrdiff_t count, ptrdiff_t bytes)
{
	unsigned long long token;
	unsigned int place = (unsigned int)__cvta_generic_to_shared(barrier_native_handle(it));
	if (count > 1)
		asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], %2;"
			     : "=l"(token)
			     : "r"(place), "r"((unsigned int)count - 1)
			     : "memory");
	asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(token)
		     : "r"(place), "r"((unsigned int)bytes)
		     : "memory");
	return token;
}
__device__ inline void barrier_expect_tx(barrier<thread_scope_block> &it, ptrdiff_t bytes)
{
	asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
			     (unsigned int)__cvta_generic_to_shared(barrier_native_handle(it))),
		     "r"((unsigned int)bytes)
		     : "memory");
}
} // namespace device

template <thread_scope _Scope>
class latch
{
	atomic<ptrdiff_t, _Scope> count;

      public:
	latch() = default;
	__host__ __device__ constexpr explicit latch(ptrdiff_t expected) : count(expected)
	{
	}
	friend HD_BOTH void init(latch *it, ptrdiff_t expected)
	{
		it->count.store(expected, memory_order_release);
	}
	HD_BOTH void count_down(ptrdiff_t by = 1)
	{
		count.fetch_sub(by, memory_order_release);
	}
	HD_BOTH bool try_wait() const
	{
		return count.load(memory_order_acquire) == 0;
	}
	HD_BOTH void wait() const
	{
		while (!try_wait())
			;
	}
	HD_BOTH void arrive_and_wait(ptrdiff_t by = 1)
	{
		count_down(by);
		wait();
	}
};

template <thread_scope _Scope, ptrdiff_t _Most = 0x7fffffff>
class counting_semaphore
{
	atomic<int, _Scope> count;

      public:
	counting_semaphore() = default;
	__host__ __device__ constexpr explicit counting_semaphore(ptrdiff_t first) : count((int)first)
	{
	}
	static constexpr ptrdiff_t max()
	{
		return _Most;
	}
	HD_BOTH void release(ptrdiff_t by = 1)
	{
		count.fetch_add((int)by, memory_order_release);
	}
	HD_BOTH bool try_acquire()
	{
		int seen = count.load(memory_order_relaxed);
		while (seen > 0)
			if (count.compare_exchange_weak(seen, seen - 1, memory_order_acquire, memory_order_relaxed))
				return true;
		return false;
	}
	HD_BOTH void acquire()
	{
		while (!try_acquire())
			;
	}
};
template <thread_scope _Scope>
using binary_semaphore = counting_semaphore<_Scope, 1>;

/* Part of a copy, before its thread arrives. With a block's barrier the phase ends when it is done; else, and on the
 * host, it is done when this returns. */
template <thread_scope _Scope, class _Completion>
HD_BOTH async_contract_fulfillment __hd_copy_for(void *to, const void *from, size_t bytes, size_t rank, size_t step,
						 barrier<_Scope, _Completion> &)
{
	__hd_copy_part(to, from, bytes, rank, step);
	return async_contract_fulfillment::none;
}
HD_BOTH async_contract_fulfillment __hd_copy_for(void *to, const void *from, size_t bytes, size_t rank, size_t step,
						 barrier<thread_scope_block> &it)
{
#if HEDDLE_HAS_MBARRIER
	bool later = __hd_copy_part_later(to, from, bytes, rank, step);
	it.__hd_cover_copies();
	return later ? async_contract_fulfillment::async : async_contract_fulfillment::none;
#else
	(void)it;
	__hd_copy_part(to, from, bytes, rank, step);
	return async_contract_fulfillment::none;
#endif
}

template <class _Group, class _Shape, thread_scope _Scope, class _Completion>
HD_BOTH async_contract_fulfillment memcpy_async(const _Group &group, void *to, const void *from, _Shape bytes,
						barrier<_Scope, _Completion> &it)
{
	return __hd_copy_for(to, from, __hd_bytes(bytes), group.thread_rank(), group.size(), it);
}
template <class _Group, class _T, class _Shape, thread_scope _Scope, class _Completion>
HD_BOTH async_contract_fulfillment memcpy_async(const _Group &group, _T *to, const _T *from, _Shape bytes,
						barrier<_Scope, _Completion> &it)
{
	return __hd_copy_for(to, from, __hd_bytes(bytes), group.thread_rank(), group.size(), it);
}
template <class _Shape, thread_scope _Scope, class _Completion>
HD_BOTH async_contract_fulfillment memcpy_async(void *to, const void *from, _Shape bytes,
						barrier<_Scope, _Completion> &it)
{
	return __hd_copy_for(to, from, __hd_bytes(bytes), 0, 1, it);
}
template <class _T, class _Shape, thread_scope _Scope, class _Completion>
HD_BOTH async_contract_fulfillment memcpy_async(_T *to, const _T *from, _Shape bytes, barrier<_Scope, _Completion> &it)
{
	return __hd_copy_for(to, from, __hd_bytes(bytes), 0, 1, it);
}

} // namespace cuda

#undef HD_BOTH
#endif
