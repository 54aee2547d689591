/* thrust without a toolkit: reductions. On the device in order, 256 elements a block, until one value is left. */
#ifndef HEDDLE_THRUST_REDUCE_H
#define HEDDLE_THRUST_REDUCE_H

#include "basic.h"

namespace thrust
{

/* Neighbours are joined, so that operations that do not commute are right. */
template <class T, class In, class Op>
__global__ void kernel_reduce(In in, size_t count, T *out, Op op)
{
	alignas(T) __shared__ char bytes[HD_THREADS * sizeof(T)];
	T *shared = (T *)bytes;
	size_t base = (size_t)blockIdx.x * HD_THREADS, left = count - base;
	unsigned thread = threadIdx.x, used = left < HD_THREADS ? (unsigned)left : HD_THREADS;
	if (thread < used)
		shared[thread] = (T)element(in, base + thread);
	for (unsigned step = 1; step < used; step *= 2) {
		__syncthreads();
		if (thread % (2 * step) == 0 && thread + step < used)
			shared[thread] = op(shared[thread], shared[thread + step]);
	}
	if (thread == 0)
		out[blockIdx.x] = shared[0];
}

/* The operation may be for the device only. */
template <class T, class Op>
struct step_begin {
	T *at, init;
	Op op;
	HD_BOTH void operator()(size_t) { *at = op(init, *at); }
};

template <class T, class In, class Op>
T reduce_all(const device_system_tag &on, In in, size_t count, T init, Op op)
{
	size_t blocks = (count + HD_THREADS - 1) / HD_THREADS;
	if (!count)
		return init;
	scratch<T> a(blocks), b((blocks + HD_THREADS - 1) / HD_THREADS);
	T *from = a.data, *to = b.data;
	kernel_reduce<T><<<(unsigned)blocks, HD_THREADS, 0, on.stream>>>(in, count, from, op);
	while (blocks > 1) {
		size_t fewer = (blocks + HD_THREADS - 1) / HD_THREADS;
		kernel_reduce<T><<<(unsigned)fewer, HD_THREADS, 0, on.stream>>>((const T *)from, blocks, to, op);
		std::swap(from, to);
		blocks = fewer;
	}
	for_index(on, 1, step_begin<T, Op>{from, init, op});
	return fetch(from);
}
template <class T, class In, class Op>
HD_BOTH T reduce_all(const host_system_tag &, In in, size_t count, T init, Op op)
{
	for (size_t i = 0; i < count; i++)
		init = op(init, (T)element(in, i));
	return init;
}

template <class D, class In, class T, class Op>
HD_BOTH T reduce(HD_POLICY, In first, In last, T init, Op op)
{
	return reduce_all(on.self(), first, (size_t)(last - first), init, op);
}
template <class D, class In, class T>
HD_BOTH T reduce(HD_POLICY, In first, In last, T init)
{
	return reduce(on, first, last, init, plus<T>());
}
template <class D, class In>
HD_BOTH value_of<In> reduce(HD_POLICY, In first, In last)
{
	return reduce(on, first, last, value_of<In>());
}
template <class D, class In, class F, class T, class Op>
HD_BOTH T transform_reduce(HD_POLICY, In first, In last, F f, T init, Op op)
{
	transform_iterator<F, In> mapped(first, f);
	return reduce(on, mapped, mapped + (last - first), init, op);
}

template <class A, class B, class F>
struct paired : by_position<paired<A, B, F>,
			    typename std::decay<decltype(std::declval<F>()(std::declval<element_of<A>>(),
									   std::declval<element_of<B>>()))>::type,
			    typename std::decay<decltype(std::declval<F>()(std::declval<element_of<A>>(),
									   std::declval<element_of<B>>()))>::type,
			    joint_system<A, B>> {
	A a;
	B b;
	F f;
	HD_BOTH paired(A x, B y, F function) : a(x), b(y), f(function) {}
	HD_BOTH typename paired::value_type at(ptrdiff_t i) const
	{
		return f(element(a, (size_t)i), element(b, (size_t)i));
	}
};
template <class D, class A, class B, class T, class Op1, class Op2>
HD_BOTH T inner_product(HD_POLICY, A first, A last, B second, T init, Op1 op1, Op2 op2)
{
	paired<A, B, Op2> products(first, second, op2);
	return reduce(on, products, products + (last - first), init, op1);
}
template <class D, class A, class B, class T>
HD_BOTH T inner_product(HD_POLICY, A first, A last, B second, T init)
{
	return inner_product(on, first, last, second, init, plus<T>(), multiplies<T>());
}

template <class P>
struct as_count {
	P p;
	template <class T>
	HD_BOTH ptrdiff_t operator()(const T &x) const
	{
		return p(x) ? 1 : 0;
	}
};
template <class D, class In, class P>
HD_BOTH ptrdiff_t count_if(HD_POLICY, In first, In last, P p)
{
	return transform_reduce(on, first, last, as_count<P>{p}, (ptrdiff_t)0, plus<ptrdiff_t>());
}
template <class D, class In, class T>
HD_BOTH ptrdiff_t count(HD_POLICY, In first, In last, T value)
{
	return count_if(on, first, last, equals<value_of<In>>{(value_of<In>)value});
}
template <class D, class In, class P>
HD_BOTH bool all_of(HD_POLICY, In first, In last, P p)
{
	return count_if(on, first, last, p) == last - first;
}
template <class D, class In, class P>
HD_BOTH bool any_of(HD_POLICY, In first, In last, P p)
{
	return count_if(on, first, last, p) != 0;
}
template <class D, class In, class P>
HD_BOTH bool none_of(HD_POLICY, In first, In last, P p)
{
	return count_if(on, first, last, p) == 0;
}
template <class D, class A, class B>
HD_BOTH bool equal(HD_POLICY, A first, A last, B second)
{
	return inner_product(on, first, last, second, true, logical_and<bool>(), equal_to<>());
}

/* The place of the best element: the first of equal ones. */
template <class In, class Less, bool MAX>
struct better {
	In in;
	Less less;
	HD_BOTH size_t operator()(size_t a, size_t b) const
	{
		bool later = MAX ? less(element(in, a), element(in, b)) : less(element(in, b), element(in, a));
		return later ? b : a;
	}
};
template <class D, class In, class Less>
HD_BOTH In max_element(HD_POLICY, In first, In last, Less less)
{
	counting_iterator<size_t> zero(0);
	return first + reduce(on, zero, zero + (last - first), (size_t)0, better<In, Less, true>{first, less});
}
template <class D, class In, class Less>
HD_BOTH In min_element(HD_POLICY, In first, In last, Less less)
{
	counting_iterator<size_t> zero(0);
	return first + reduce(on, zero, zero + (last - first), (size_t)0, better<In, Less, false>{first, less});
}
template <class D, class In>
HD_BOTH In max_element(HD_POLICY, In first, In last)
{
	return max_element(on, first, last, thrust::less<value_of<In>>());
}
template <class D, class In>
HD_BOTH In min_element(HD_POLICY, In first, In last)
{
	return min_element(on, first, last, thrust::less<value_of<In>>());
}
template <class D, class In>
HD_BOTH pair<In, In> minmax_element(HD_POLICY, In first, In last)
{
	return pair<In, In>(min_element(on, first, last), max_element(on, first, last));
}

template <class In, class P>
struct place_if {
	In in;
	P p;
	size_t none;
	HD_BOTH size_t operator()(size_t i) const { return p(element(in, i)) ? i : none; }
};
template <class D, class In, class P>
HD_BOTH In find_if(HD_POLICY, In first, In last, P p)
{
	size_t count = (size_t)(last - first);
	counting_iterator<size_t> zero(0);
	return first + transform_reduce(on, zero, zero + count, place_if<In, P>{first, p, count}, count,
					minimum<size_t>());
}
template <class D, class In, class T>
HD_BOTH In find(HD_POLICY, In first, In last, T value)
{
	return find_if(on, first, last, equals<value_of<In>>{(value_of<In>)value});
}

HD_THRUST_PLAIN(reduce)
HD_THRUST_PLAIN(transform_reduce)
HD_THRUST_PLAIN(inner_product)
HD_THRUST_PLAIN(count_if)
HD_THRUST_PLAIN(count)
HD_THRUST_PLAIN(all_of)
HD_THRUST_PLAIN(any_of)
HD_THRUST_PLAIN(none_of)
HD_THRUST_PLAIN(equal)
HD_THRUST_PLAIN(max_element)
HD_THRUST_PLAIN(min_element)
HD_THRUST_PLAIN(minmax_element)
HD_THRUST_PLAIN(find_if)
HD_THRUST_PLAIN(find)

} // namespace thrust

#endif
