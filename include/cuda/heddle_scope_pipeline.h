/*
 * cuda::pipeline. Written from the documented interface.
 *
 * A stage of one thread's pipeline is a group of its copies. The pipeline of a group has two barriers for each stage
 * (heddle_mbarrier.h), which say that it is full and that it is free again. A producer's commit arrives at the first
 * when its copies for the stage are done, and nobody waits for that; before sm_80, where copies are loads and stores,
 * at once.
 */
#ifndef HEDDLE_SCOPE_PIPELINE_H
#define HEDDLE_SCOPE_PIPELINE_H

/* <cuda/pipeline> says whether a toolkit's barriers are there. */
#include "heddle_mbarrier.h"
#ifdef HD_SCOPE_OF_LIBCUXX
#include "heddle_scope_copy.h"
#if defined(_CCCL_BEGIN_NAMESPACE_CUDA)
_CCCL_BEGIN_NAMESPACE_CUDA
#else
_LIBCUDACXX_BEGIN_NAMESPACE_CUDA
#endif
#else
#include "heddle_scope_barrier.h"

namespace cuda
{
#endif

enum class pipeline_role { producer, consumer };

struct __hd_stage {
	__hd_mbarrier full, empty;
};

template <thread_scope _Scope, unsigned int _Stages>
class pipeline_shared_state
{
	template <thread_scope _S>
	friend class pipeline;
	__hd_stage stages[_Stages];
	atomic<unsigned int, _Scope> producers;

      public:
	pipeline_shared_state() = default;
	pipeline_shared_state(const pipeline_shared_state &) = delete;
	pipeline_shared_state &operator=(const pipeline_shared_state &) = delete;
};

template <thread_scope _Scope>
class pipeline
{
	__hd_stage *stages;
	unsigned int count, head, tail; /* stages; how many were committed, and released, by this thread */

      public:
	template <class _Group, unsigned int _Stages>
	__device__ pipeline(const _Group &group, pipeline_shared_state<_Scope, _Stages> *state, bool producer,
			    bool consumer)
	    : stages(state->stages), count(_Stages), head(0), tail(0)
	{
		bool first = group.thread_rank() == 0;
		if (first)
			state->producers.store(0, memory_order_relaxed);
		group.sync();
		if (producer)
			state->producers.fetch_add(1, memory_order_relaxed);
		group.sync();
		unsigned int producers = state->producers.load(memory_order_relaxed), all = (unsigned int)group.size();
		for (unsigned int i = 0; first && i < _Stages; i++) {
			stages[i].full.init(producers);
			stages[i].empty.init(producer && consumer ? all : all - producers);
		}
		group.sync();
	}
	__device__ pipeline(pipeline &&other)
	    : stages(other.stages), count(other.count), head(other.head), tail(other.tail)
	{
	}
	pipeline(const pipeline &) = delete;
	pipeline &operator=(const pipeline &) = delete;

	__device__ void producer_acquire()
	{
		if (head < count)
			return;
		while (!stages[head % count].empty.is_parity_over(head / count - 1 & 1, false))
			;
	}
	__device__ void producer_commit()
	{
		stages[head % count].full.arrive_with_copies();
		head++;
	}
	__device__ void consumer_wait()
	{
		while (!stages[tail % count].full.is_parity_over(tail / count & 1, false))
			;
	}
	__device__ void consumer_release()
	{
		(void)stages[tail % count].empty.arrive(1);
		tail++;
	}
	/* Stages stay as they are: others may not have waited yet for the last of this thread's. */
	__device__ bool quit()
	{
		return true;
	}
};

template <>
class pipeline<thread_scope_thread>
{
	size_t head = 0, tail = 0; /* stages committed, and released */

	template <unsigned int _Prior>
	friend __device__ void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &);

      public:
	pipeline() = default;
	pipeline(const pipeline &) = delete;
	pipeline &operator=(const pipeline &) = delete;
	pipeline(pipeline &&) = default;
	__device__ void producer_acquire()
	{
	}
	__device__ void producer_commit()
	{
		__hd_copies_commit();
		head++;
	}
	__device__ void consumer_wait()
	{
		if (head > tail)
			__hd_copies_wait_prior(head - tail - 1);
	}
	__device__ void consumer_release()
	{
		tail += tail < head;
	}
	__device__ bool quit()
	{
		return true;
	}
};

__device__ inline pipeline<thread_scope_thread> make_pipeline()
{
	return pipeline<thread_scope_thread>();
}
template <class _Group, thread_scope _Scope, unsigned int _Stages>
__device__ inline pipeline<_Scope> make_pipeline(const _Group &group, pipeline_shared_state<_Scope, _Stages> *state)
{
	return pipeline<_Scope>(group, state, true, true);
}
template <class _Group, thread_scope _Scope, unsigned int _Stages>
__device__ inline pipeline<_Scope> make_pipeline(const _Group &group, pipeline_shared_state<_Scope, _Stages> *state,
						 size_t producers)
{
	bool producer = group.thread_rank() < producers;
	return pipeline<_Scope>(group, state, producer, !producer);
}
template <class _Group, thread_scope _Scope, unsigned int _Stages>
__device__ inline pipeline<_Scope> make_pipeline(const _Group &group, pipeline_shared_state<_Scope, _Stages> *state,
						 pipeline_role role)
{
	return pipeline<_Scope>(group, state, role == pipeline_role::producer, role == pipeline_role::consumer);
}

template <unsigned int _Prior>
__device__ inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &pipe)
{
	__hd_copies_wait_prior(_Prior);
	pipe.tail = pipe.head > _Prior ? pipe.head - _Prior : 0;
}
/* The phase of the barrier, at which the thread arrives itself, does not end before its copies are done. */
template <thread_scope _Scope, class _Completion>
__device__ inline void pipeline_producer_commit(pipeline<thread_scope_thread> &pipe, barrier<_Scope, _Completion> &)
{
	pipe.producer_commit();
	__hd_copies_wait_prior(0);
}
#ifndef HD_SCOPE_OF_LIBCUXX
__device__ inline void pipeline_producer_commit(pipeline<thread_scope_thread> &pipe, barrier<thread_scope_block> &it)
{
	pipe.producer_commit();
	it.__hd_cover_copies();
}
#endif

__device__ inline async_contract_fulfillment __hd_fulfillment(bool later)
{
	return later ? async_contract_fulfillment::async : async_contract_fulfillment::none;
}
template <class _Group, class _Shape, thread_scope _Scope>
__device__ inline async_contract_fulfillment memcpy_async(const _Group &group, void *to, const void *from, _Shape bytes,
							  pipeline<_Scope> &)
{
	return __hd_fulfillment(__hd_copy_part_later(to, from, __hd_bytes(bytes), group.thread_rank(), group.size()));
}
template <class _Group, class _T, class _Shape, thread_scope _Scope>
__device__ inline async_contract_fulfillment memcpy_async(const _Group &group, _T *to, const _T *from, _Shape bytes,
							  pipeline<_Scope> &)
{
	return __hd_fulfillment(__hd_copy_part_later(to, from, __hd_bytes(bytes), group.thread_rank(), group.size()));
}
template <class _Shape, thread_scope _Scope>
__device__ inline async_contract_fulfillment memcpy_async(void *to, const void *from, _Shape bytes, pipeline<_Scope> &)
{
	return __hd_fulfillment(__hd_copy_part_later(to, from, __hd_bytes(bytes), 0, 1));
}
template <class _T, class _Shape, thread_scope _Scope>
__device__ inline async_contract_fulfillment memcpy_async(_T *to, const _T *from, _Shape bytes, pipeline<_Scope> &)
{
	return __hd_fulfillment(__hd_copy_part_later(to, from, __hd_bytes(bytes), 0, 1));
}

#if defined(HD_SCOPE_OF_LIBCUXX) && defined(_CCCL_END_NAMESPACE_CUDA)
_CCCL_END_NAMESPACE_CUDA
#elif defined(HD_SCOPE_OF_LIBCUXX)
_LIBCUDACXX_END_NAMESPACE_CUDA
#else
} // namespace cuda
#endif

#endif
