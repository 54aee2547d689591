/*
 * cuda::pipeline. Written from the documented interface.
 *
 * A stage of one thread's pipeline is a group of its copies. The pipeline of a group has two barriers for each stage,
 * which say that it is full and that it is free again; they know nothing of copies, so a thread arrives at the first
 * when its own copies for the stage are done. One that consumes, too, waits for that where it consumes the stage; one
 * that only produces at its commit, since those who consume may wait for it alone.
 */
#ifndef HEDDLE_SCOPE_PIPELINE_H
#define HEDDLE_SCOPE_PIPELINE_H

/* <cuda/pipeline> says whether a toolkit's barriers are there. */
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

enum class pipeline_role {
	producer,
	consumer
};

template <thread_scope Scope> struct __hd_stage {
	barrier<Scope> full, empty;
};

template <thread_scope Scope, unsigned int Stages> class pipeline_shared_state
{
	template <thread_scope S> friend class pipeline;
	__hd_stage<Scope> stages[Stages];
	atomic<unsigned int, Scope> producers;

      public:
	pipeline_shared_state() = default;
	pipeline_shared_state(const pipeline_shared_state &) = delete;
	pipeline_shared_state &operator=(const pipeline_shared_state &) = delete;
};

template <thread_scope Scope> class pipeline
{
	__hd_stage<Scope> *stages;
	unsigned int count, head, tail; /* stages; how many were committed, and released, by this thread */
	unsigned int arrived;		/* of those committed, how many it has arrived for */
	bool produces, consumes;

	/* Looks once. libcu++'s barrier has only a look for a time. */
	static __device__ bool has_passed(barrier<Scope> &at, bool parity)
	{
#ifdef HD_SCOPE_OF_LIBCUXX
		return at.try_wait_parity_for(parity, ::cuda::std::chrono::nanoseconds(0));
#else
		return at.try_wait_parity(parity);
#endif
	}

	/* For the first `stages_done` that were committed. */
	__device__ void arrive_until(unsigned int stages_done)
	{
		if (arrived >= stages_done)
			return;
		__hd_copies_wait_prior(head - stages_done);
		for (; arrived < stages_done; arrived++)
			(void)stages[arrived % count].full.arrive();
	}

      public:
	template <class Group, unsigned int Stages>
	__device__ pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state, bool producer,
			    bool consumer)
		: stages(state->stages), count(Stages), head(0), tail(0), arrived(0), produces(producer), consumes(consumer)
	{
		bool first = group.thread_rank() == 0;
		if (first)
			state->producers.store(0, memory_order_relaxed);
		group.sync();
		if (producer)
			state->producers.fetch_add(1, memory_order_relaxed);
		group.sync();
		unsigned int producers = state->producers.load(memory_order_relaxed), all = (unsigned int)group.size();
		for (unsigned int i = 0; first && i < Stages; i++) {
			init(&stages[i].full, producers);
			init(&stages[i].empty, producer && consumer ? all : all - producers);
		}
		group.sync();
	}
	__device__ pipeline(pipeline &&other)
		: stages(other.stages), count(other.count), head(other.head), tail(other.tail),
		  arrived(other.arrived), produces(other.produces), consumes(other.consumes)
	{
		other.arrived = other.head;
		other.produces = other.consumes = false;
	}
	pipeline(const pipeline &) = delete;
	pipeline &operator=(const pipeline &) = delete;
	__device__ ~pipeline()
	{
		quit();
	}

	/* Others may wait for stages that were committed before they free this one. */
	__device__ void producer_acquire()
	{
		if (head < count)
			return;
		bool parity = (head / count - 1) & 1;
		for (unsigned int tries = 0; !has_passed(stages[head % count].empty, parity); tries++)
			if (tries == 64)
				arrive_until(head);
	}
	__device__ void producer_commit()
	{
		__hd_copies_commit();
		head++;
		if (!consumes)
			arrive_until(head);
	}
	__device__ void consumer_wait()
	{
		if (produces)
			arrive_until(tail + 1);
		stages[tail % count].full.wait_parity((tail / count) & 1);
	}
	__device__ void consumer_release()
	{
		(void)stages[tail % count].empty.arrive();
		tail++;
	}
	/* Stages stay as they are: others may not have waited yet for the last of this thread's. */
	__device__ bool quit()
	{
		arrive_until(head);
		produces = consumes = false;
		return true;
	}
};

template <> class pipeline<thread_scope_thread>
{
	size_t head = 0, tail = 0; /* stages committed, and released */

	template <unsigned int Prior> friend __device__ void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &);

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
template <class Group, thread_scope Scope, unsigned int Stages>
__device__ inline pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state)
{
	return pipeline<Scope>(group, state, true, true);
}
template <class Group, thread_scope Scope, unsigned int Stages>
__device__ inline pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state,
						size_t producers)
{
	bool producer = group.thread_rank() < producers;
	return pipeline<Scope>(group, state, producer, !producer);
}
template <class Group, thread_scope Scope, unsigned int Stages>
__device__ inline pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state,
						pipeline_role role)
{
	return pipeline<Scope>(group, state, role == pipeline_role::producer, role == pipeline_role::consumer);
}

template <unsigned int Prior> __device__ inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &pipe)
{
	__hd_copies_wait_prior(Prior);
	pipe.tail = pipe.head > Prior ? pipe.head - Prior : 0;
}
/* The thread arrives at the barrier itself, and then its copies are done. */
template <thread_scope Scope, class Completion>
__device__ inline void pipeline_producer_commit(pipeline<thread_scope_thread> &pipe, barrier<Scope, Completion> &)
{
	pipe.producer_commit();
	__hd_copies_wait_prior(0);
}

template <class Group, class Shape, thread_scope Scope>
__device__ inline void memcpy_async(const Group &group, void *to, const void *from, Shape bytes, pipeline<Scope> &)
{
	__hd_copy_part_later(to, from, __hd_bytes(bytes), group.thread_rank(), group.size());
}
template <class Group, class T, class Shape, thread_scope Scope>
__device__ inline void memcpy_async(const Group &group, T *to, const T *from, Shape bytes, pipeline<Scope> &)
{
	__hd_copy_part_later(to, from, __hd_bytes(bytes), group.thread_rank(), group.size());
}
template <class Shape, thread_scope Scope>
__device__ inline void memcpy_async(void *to, const void *from, Shape bytes, pipeline<Scope> &)
{
	__hd_copy_part_later(to, from, __hd_bytes(bytes), 0, 1);
}
template <class T, class Shape, thread_scope Scope>
__device__ inline void memcpy_async(T *to, const T *from, Shape bytes, pipeline<Scope> &)
{
	__hd_copy_part_later(to, from, __hd_bytes(bytes), 0, 1);
}

#if defined(HD_SCOPE_OF_LIBCUXX) && defined(_CCCL_END_NAMESPACE_CUDA)
_CCCL_END_NAMESPACE_CUDA
#elif defined(HD_SCOPE_OF_LIBCUXX)
_LIBCUDACXX_END_NAMESPACE_CUDA
#else
} // namespace cuda
#endif

#endif
