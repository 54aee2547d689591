/*
 * cuda::pipeline, for where no toolkit's libcu++ is at hand (cuda/pipeline). Written from the documented interface. Copies
 * are done when they are submitted; a pipeline of one thread then has nothing to wait for, and that of a group is two
 * barriers for each stage, which say that it is full and that it is free again.
 */
#ifndef HEDDLE_SCOPE_PIPELINE_H
#define HEDDLE_SCOPE_PIPELINE_H

#include "heddle_scope_barrier.h"

namespace cuda
{

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
	bool produces, consumes;

      public:
	template <class Group, unsigned int Stages>
	__device__ pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state, bool producer,
			    bool consumer)
		: stages(state->stages), count(Stages), head(0), tail(0), produces(producer), consumes(consumer)
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
		  produces(other.produces), consumes(other.consumes)
	{
		other.produces = other.consumes = false;
	}
	pipeline(const pipeline &) = delete;
	pipeline &operator=(const pipeline &) = delete;
	__device__ ~pipeline()
	{
		quit();
	}

	__device__ void producer_acquire()
	{
		if (head >= count)
			stages[head % count].empty.wait_parity((head / count - 1) & 1);
	}
	__device__ void producer_commit()
	{
		(void)stages[head % count].full.arrive();
		head++;
	}
	__device__ void consumer_wait()
	{
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
		produces = consumes = false;
		return true;
	}
};

template <> class pipeline<thread_scope_thread>
{
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
	}
	__device__ void consumer_wait()
	{
	}
	__device__ void consumer_release()
	{
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

template <unsigned int Prior> __device__ inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &)
{
}
template <thread_scope Scope, class Completion>
__device__ inline void pipeline_producer_commit(pipeline<thread_scope_thread> &, barrier<Scope, Completion> &)
{
}

template <class Group, class Shape, thread_scope Scope>
__device__ inline void memcpy_async(const Group &group, void *to, const void *from, Shape bytes, pipeline<Scope> &)
{
	__hd_copy_part(to, from, __hd_bytes(bytes), group.thread_rank(), group.size());
}
template <class Group, class T, class Shape, thread_scope Scope>
__device__ inline void memcpy_async(const Group &group, T *to, const T *from, Shape bytes, pipeline<Scope> &)
{
	__hd_copy_part(to, from, __hd_bytes(bytes), group.thread_rank(), group.size());
}
template <class Shape, thread_scope Scope>
__device__ inline void memcpy_async(void *to, const void *from, Shape bytes, pipeline<Scope> &)
{
	__hd_copy_part(to, from, __hd_bytes(bytes), 0, 1);
}
template <class T, class Shape, thread_scope Scope>
__device__ inline void memcpy_async(T *to, const T *from, Shape bytes, pipeline<Scope> &)
{
	__hd_copy_part(to, from, __hd_bytes(bytes), 0, 1);
}

} // namespace cuda

#endif
