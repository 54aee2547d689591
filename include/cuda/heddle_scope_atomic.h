/*
 * cuda::atomic, cuda::atomic_ref and fences, for where no toolkit's libcu++ is at hand (cuda/atomic). Written from the
 * documented interface. A sequentially consistent operation is a fence and an operation that acquires and releases, as
 * PTX has it; a scope decides how far that fence reaches.
 */
#ifndef HEDDLE_SCOPE_ATOMIC_H
#define HEDDLE_SCOPE_ATOMIC_H

#include <atomic>
#include <stddef.h>
#include <type_traits>

#include "host_defines.h"

#define HD_BOTH __host__ __device__ inline

namespace cuda
{

enum thread_scope {
	thread_scope_system,
	thread_scope_device,
	thread_scope_block,
	thread_scope_thread
};

using memory_order = ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

HD_BOTH void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system)
{
	if (order == memory_order_relaxed || scope == thread_scope_thread)
		return;
#ifdef __CUDA_ARCH__
	if (scope == thread_scope_block)
		__threadfence_block();
	else if (scope == thread_scope_device)
		__threadfence();
	else
		__threadfence_system();
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
HD_BOTH void atomic_signal_fence(memory_order)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The order that an operation itself has, behind the fence of a sequentially consistent one. */
template <thread_scope _Scope> HD_BOTH int __hd_order(memory_order order)
{
	if (order != memory_order_seq_cst)
		return (int)order;
	atomic_thread_fence(order, _Scope);
	return __ATOMIC_ACQ_REL;
}
/* Of a compare-and-exchange that fails, and of a load. */
HD_BOTH int __hd_load_order(int order)
{
	return order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE : order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED : order;
}

/* What is added to a T: elements to a pointer, as a number of bytes. */
template <class _T> struct __hd_addend {
	typedef _T type;
	HD_BOTH static _T of(_T value)
	{
		return value;
	}
};
template <class _T> struct __hd_addend<_T *> {
	typedef ptrdiff_t type;
	HD_BOTH static ptrdiff_t of(ptrdiff_t count)
	{
		return count * (ptrdiff_t)sizeof(_T);
	}
};

/* The operations on what Self::address() gives; those that a type does not have are errors where they are called. */
template <class _T, thread_scope _Scope, class _Self> class __hd_atomic
{
	static_assert(sizeof(_T) == 1 || sizeof(_T) == 2 || sizeof(_T) == 4 || sizeof(_T) == 8,
		      "atomic operations are on 1, 2, 4 or 8 bytes");
	static_assert(::std::is_trivially_copyable<_T>::value, "an atomic type is copied as its bytes");

	HD_BOTH _T *at() const
	{
		return static_cast<const _Self *>(this)->address();
	}
	/* For what no instruction does: exchanges until nobody came between. */
	template <class _Update> HD_BOTH _T update(memory_order order, _Update next) const
	{
		_T seen = load(memory_order_relaxed);
		while (!compare_exchange_weak(seen, next(seen), order, memory_order_relaxed))
			;
		return seen;
	}

      public:
	typedef _T value_type;
	typedef typename __hd_addend<_T>::type difference_type;
	static constexpr bool is_always_lock_free = true;

	HD_BOTH bool is_lock_free() const
	{
		return true;
	}
	HD_BOTH _T load(memory_order order = memory_order_seq_cst) const
	{
		_T value;
		__atomic_load(at(), &value, __hd_load_order(__hd_order<_Scope>(order)));
		return value;
	}
	HD_BOTH void store(_T value, memory_order order = memory_order_seq_cst) const
	{
		int own = __hd_order<_Scope>(order);
		__atomic_store(at(), &value, own == __ATOMIC_RELAXED ? __ATOMIC_RELAXED : __ATOMIC_RELEASE);
	}
	HD_BOTH _T exchange(_T value, memory_order order = memory_order_seq_cst) const
	{
		_T before;
		__atomic_exchange(at(), &value, &before, __hd_order<_Scope>(order));
		return before;
	}
	HD_BOTH bool compare_exchange_strong(_T &expected, _T value, memory_order order, memory_order failure) const
	{
		return __atomic_compare_exchange(at(), &expected, &value, false, __hd_order<_Scope>(order),
						 __hd_load_order(__hd_order<_Scope>(failure)));
	}
	HD_BOTH bool compare_exchange_strong(_T &expected, _T value, memory_order order = memory_order_seq_cst) const
	{
		int own = __hd_order<_Scope>(order);
		return __atomic_compare_exchange(at(), &expected, &value, false, own, __hd_load_order(own));
	}
	HD_BOTH bool compare_exchange_weak(_T &expected, _T value, memory_order order, memory_order failure) const
	{
		return compare_exchange_strong(expected, value, order, failure);
	}
	HD_BOTH bool compare_exchange_weak(_T &expected, _T value, memory_order order = memory_order_seq_cst) const
	{
		return compare_exchange_strong(expected, value, order);
	}

#define HD_FETCH(name)                                                                                \
	HD_BOTH _T fetch_##name(difference_type value, memory_order order = memory_order_seq_cst) const \
	{                                                                                             \
		return __atomic_fetch_##name(at(), __hd_addend<_T>::of(value), __hd_order<_Scope>(order)); \
	}
	HD_FETCH(add)
	HD_FETCH(sub)
	HD_FETCH(and)
	HD_FETCH(or)
	HD_FETCH(xor)
#undef HD_FETCH
	HD_BOTH _T fetch_min(_T value, memory_order order = memory_order_seq_cst) const
	{
		return update(order, [value](_T seen) { return value < seen ? value : seen; });
	}
	HD_BOTH _T fetch_max(_T value, memory_order order = memory_order_seq_cst) const
	{
		return update(order, [value](_T seen) { return seen < value ? value : seen; });
	}

	HD_BOTH void wait(_T old, memory_order order = memory_order_seq_cst) const
	{
		while (load(order) == old)
			;
	}
	HD_BOTH void notify_one() const
	{
	}
	HD_BOTH void notify_all() const
	{
	}

	HD_BOTH operator _T() const
	{
		return load();
	}
	HD_BOTH _T operator++() const
	{
		return fetch_add(1) + 1;
	}
	HD_BOTH _T operator++(int) const
	{
		return fetch_add(1);
	}
	HD_BOTH _T operator--() const
	{
		return fetch_sub(1) - 1;
	}
	HD_BOTH _T operator--(int) const
	{
		return fetch_sub(1);
	}
#define HD_ASSIGN(op, name)                                 \
	HD_BOTH _T operator op##=(difference_type value) const \
	{                                                   \
		return fetch_##name(value) op value;        \
	}
	HD_ASSIGN(+, add)
	HD_ASSIGN(-, sub)
	HD_ASSIGN(&, and)
	HD_ASSIGN(|, or)
	HD_ASSIGN(^, xor)
#undef HD_ASSIGN
};

template <class _T, thread_scope _Scope = thread_scope_system>
class atomic : public __hd_atomic<_T, _Scope, atomic<_T, _Scope>>
{
	alignas(sizeof(_T)) mutable _T value;

      public:
	atomic() = default;
	__host__ __device__ constexpr atomic(_T first) : value(first)
	{
	}
	atomic(const atomic &) = delete;
	atomic &operator=(const atomic &) = delete;
	HD_BOTH _T operator=(_T next)
	{
		this->store(next);
		return next;
	}
	HD_BOTH _T *address() const
	{
		return &value;
	}
};

template <class _T, thread_scope _Scope = thread_scope_system>
class atomic_ref : public __hd_atomic<_T, _Scope, atomic_ref<_T, _Scope>>
{
	_T *object;

      public:
	static constexpr size_t required_alignment = sizeof(_T);
	HD_BOTH explicit atomic_ref(_T &value) : object(&value)
	{
	}
	HD_BOTH atomic_ref(const atomic_ref &other) : object(other.object)
	{
	}
	atomic_ref &operator=(const atomic_ref &) = delete;
	HD_BOTH _T operator=(_T next) const
	{
		this->store(next);
		return next;
	}
	HD_BOTH _T *address() const
	{
		return object;
	}
};

template <thread_scope _Scope = thread_scope_system> class atomic_flag
{
	atomic<unsigned int, _Scope> is_set;

      public:
	atomic_flag() = default;
	__host__ __device__ constexpr atomic_flag(bool set) : is_set(set)
	{
	}
	HD_BOTH bool test(memory_order order = memory_order_seq_cst) const
	{
		return is_set.load(order);
	}
	HD_BOTH bool test_and_set(memory_order order = memory_order_seq_cst)
	{
		return is_set.exchange(1, order);
	}
	HD_BOTH void clear(memory_order order = memory_order_seq_cst)
	{
		is_set.store(0, order);
	}
};

} // namespace cuda

#undef HD_BOTH
#endif
