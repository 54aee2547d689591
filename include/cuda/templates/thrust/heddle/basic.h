/* thrust without a toolkit: algorithms whose steps do not depend on each other. */
#ifndef HEDDLE_THRUST_BASIC_H
#define HEDDLE_THRUST_BASIC_H

#include "iterators.h"

namespace thrust
{

/* The steps as function objects, so that they run where they are called. */
template <class F, class It>
struct step_call {
	F f;
	It it;
	HD_BOTH void operator()(size_t i) { f(element(it, i)); }
};
template <class In, class Out, class F>
struct step_map {
	In in;
	Out out;
	F f;
	HD_BOTH void operator()(size_t i) { element(out, i) = f(element(in, i)); }
};
template <class A, class B, class Out, class F>
struct step_map2 {
	A a;
	B b;
	Out out;
	F f;
	HD_BOTH void operator()(size_t i) { element(out, i) = f(element(a, i), element(b, i)); }
};
template <class A, class S, class Out, class F, class P>
struct step_map_if {
	A a;
	S stencil;
	Out out;
	F f;
	P p;
	HD_BOTH void operator()(size_t i)
	{
		if (p(element(stencil, i)))
			element(out, i) = f(element(a, i));
	}
};
struct same {
	template <class T>
	HD_BOTH const T &operator()(const T &x) const
	{
		return x;
	}
};
template <class T>
struct always {
	T value;
	template <class U>
	HD_BOTH const T &operator()(const U &) const
	{
		return value;
	}
};
template <class T>
struct ramp {
	T first, step;
	HD_BOTH T operator()(ptrdiff_t i) const { return (T)(first + step * (T)i); }
};
template <class F>
struct nullary {
	F f;
	HD_BOTH auto operator()(ptrdiff_t) -> decltype(f()) { return f(); }
};
template <class T, class P>
struct replacing {
	P p;
	T value;
	HD_BOTH T operator()(const T &x) const { return p(x) ? value : x; }
};
template <class T>
struct equals {
	T value;
	HD_BOTH bool operator()(const T &x) const { return x == value; }
};

#define HD_POLICY const execution_policy<D> &on

template <class D, class It, class F>
HD_BOTH It for_each_n(HD_POLICY, It first, size_t count, F f)
{
	for_index(on.self(), count, step_call<F, It>{f, first});
	return first + count;
}
template <class D, class It, class F>
HD_BOTH It for_each(HD_POLICY, It first, It last, F f)
{
	return for_each_n(on, first, (size_t)(last - first), f);
}

template <class D, class In, class Out, class F>
HD_BOTH Out transform(HD_POLICY, In first, In last, Out out, F f)
{
	for_index(on.self(), (size_t)(last - first), step_map<In, Out, F>{first, out, f});
	return out + (last - first);
}
template <class D, class A, class B, class Out, class F>
HD_BOTH Out transform(HD_POLICY, A first, A last, B second, Out out, F f)
{
	for_index(on.self(), (size_t)(last - first), step_map2<A, B, Out, F>{first, second, out, f});
	return out + (last - first);
}
template <class D, class In, class Out, class F, class P>
HD_BOTH Out transform_if(HD_POLICY, In first, In last, Out out, F f, P p)
{
	for_index(on.self(), (size_t)(last - first), step_map_if<In, In, Out, F, P>{first, first, out, f, p});
	return out + (last - first);
}
template <class D, class Out, class F>
HD_BOTH void tabulate(HD_POLICY, Out first, Out last, F f)
{
	transform(on, counting_iterator<ptrdiff_t>(0), counting_iterator<ptrdiff_t>(last - first), first, f);
}
template <class D, class Out, class F>
HD_BOTH void generate(HD_POLICY, Out first, Out last, F f)
{
	tabulate(on, first, last, nullary<F>{f});
}
template <class D, class It, class T>
HD_BOTH void fill(HD_POLICY, It first, It last, T value)
{
	tabulate(on, first, last, always<value_of<It>>{(value_of<It>)value});
}
template <class D, class It, class N, class T>
HD_BOTH It fill_n(HD_POLICY, It first, N count, T value)
{
	fill(on, first, first + count, value);
	return first + count;
}
template <class D, class It, class T>
HD_BOTH void sequence(HD_POLICY, It first, It last, T start, T step)
{
	tabulate(on, first, last, ramp<value_of<It>>{(value_of<It>)start, (value_of<It>)step});
}
template <class D, class It, class T>
HD_BOTH void sequence(HD_POLICY, It first, It last, T start)
{
	sequence(on, first, last, start, (T)1);
}
template <class D, class It>
HD_BOTH void sequence(HD_POLICY, It first, It last)
{
	sequence(on, first, last, value_of<It>(0));
}
template <class D, class Map, class In, class Out>
HD_BOTH Out gather(HD_POLICY, Map first, Map last, In in, Out out)
{
	permutation_iterator<In, Map> from(in, first);
	return transform(on, from, from + (last - first), out, same());
}
template <class D, class In, class Map, class Out>
HD_BOTH void scatter(HD_POLICY, In first, In last, Map map, Out out)
{
	transform(on, first, last, permutation_iterator<Out, Map>(out, map), same());
}
template <class D, class It, class P, class T>
HD_BOTH void replace_if(HD_POLICY, It first, It last, P p, T value)
{
	typedef value_of<It> V;
	transform(on, first, last, first, replacing<V, P>{p, (V)value});
}
template <class D, class It, class T>
HD_BOTH void replace(HD_POLICY, It first, It last, T from, T to)
{
	replace_if(on, first, last, equals<value_of<It>>{(value_of<It>)from}, to);
}

/* A copy between systems goes through a vector; one within a system is a transformation. */
template <class System>
struct copying;
template <>
struct copying<device_system_tag> {
	template <class In, class Out>
	static typename std::enable_if<is_on_device<In>::value && is_on_device<Out>::value, Out>::type
	run(In first, In last, Out out)
	{
		return transform(device_system_tag(), first, last, out, same());
	}
	template <class In, class T>
	static typename std::enable_if<!is_on_device<In>::value, device_ptr<T>>::type run(In first, In last,
											     device_ptr<T> out)
	{
		device_vector<T> staged(first, last);
		return run(staged.begin(), staged.end(), out);
	}
	template <class In, class Out>
	static typename std::enable_if<is_on_device<In>::value && !is_on_device<Out>::value, Out>::type
	run(In first, In last, Out out)
	{
		device_vector<value_of<In>> staged((size_t)(last - first));
		run(first, last, staged.begin());
		std::vector<value_of<In>> here = staged;
		for (const value_of<In> &value : here)
			*out++ = value;
		return out;
	}
};
template <>
struct copying<host_system_tag> {
	template <class In, class Out>
	HD_BOTH static Out run(In first, In last, Out out)
	{
		for (; first != last; ++first, ++out)
			*out = *first;
		return out;
	}
};
template <class D, class In, class Out>
HD_BOTH Out copy(HD_POLICY, In first, In last, Out out)
{
	return transform(on, first, last, out, same());
}
template <class In, class Out, class = not_a_policy<In>>
HD_BOTH Out copy(In first, In last, Out out)
{
	return copying<joint_system<In, Out>>::run(first, last, out);
}
template <class In, class N, class Out, class = not_a_policy<In>>
HD_BOTH Out copy_n(In first, N count, Out out)
{
	return thrust::copy(first, first + count, out);
}
template <class D, class In, class N, class Out>
HD_BOTH Out copy_n(HD_POLICY, In first, N count, Out out)
{
	return thrust::copy(on, first, first + count, out);
}

HD_THRUST_PLAIN(for_each_n)
HD_THRUST_PLAIN(for_each)
HD_THRUST_PLAIN(transform)
HD_THRUST_PLAIN(transform_if)
HD_THRUST_PLAIN(tabulate)
HD_THRUST_PLAIN(generate)
HD_THRUST_PLAIN(fill)
HD_THRUST_PLAIN(fill_n)
HD_THRUST_PLAIN(sequence)
HD_THRUST_PLAIN(gather)
HD_THRUST_PLAIN(scatter)
HD_THRUST_PLAIN(replace_if)
HD_THRUST_PLAIN(replace)

} // namespace thrust

#endif
