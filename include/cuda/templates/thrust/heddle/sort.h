/*
 * thrust without a toolkit: sorting, and searching what is sorted. Runs of twice the length are merged by the ranks of
 * their elements, log2(n) times, so that equal elements keep their order.
 */
#ifndef HEDDLE_THRUST_SORT_H
#define HEDDLE_THRUST_SORT_H

#include <algorithm>
#include <vector>

#include "scan.h"

namespace thrust
{

/* The first of count elements that is not less than the key; with UPPER, the first that is greater. */
template <bool UPPER, class In, class T, class Less>
HD_BOTH size_t bound(In in, size_t count, const T &key, Less less)
{
	size_t low = 0;
	while (count) {
		size_t half = count / 2;
		bool right = UPPER ? !less(key, element(in, low + half)) : (bool)less(element(in, low + half), key);
		low = right ? low + half + 1 : low;
		count = right ? count - half - 1 : half;
	}
	return low;
}

/* Two runs of `width` elements each, by the places of the elements: order[i] is where the i-th one stands in keys. */
template <class Keys, class Less>
struct step_merge {
	Keys keys;
	const size_t *from;
	size_t *to;
	size_t width, count;
	Less less;
	HD_BOTH void operator()(size_t i)
	{
		size_t start = i / (2 * width) * (2 * width), middle = start + width;
		size_t end = middle + width;
		if (middle >= count) {
			to[i] = from[i];
			return;
		}
		end = end < count ? end : count;
		permutation_iterator<Keys, const size_t *> sorted(keys, from);
		typename std::decay<element_of<Keys>>::type key = element(keys, from[i]);
		size_t rank = i < middle ? i - start + bound<false>(sorted + middle, end - middle, key, less)
					 : i - middle + bound<true>(sorted + start, width, key, less);
		to[start + rank] = from[i];
	}
};

template <class It>
void reorder(const device_system_tag &on, It first, const size_t *order, size_t count)
{
	typedef typename std::decay<element_of<It>>::type T;
	scratch<T> values(count);
	permutation_iterator<It, const size_t *> chosen(first, order);
	for_index(on, count, step_map<decltype(chosen), T *, same>{chosen, values.data, same()});
	for_index(on, count, step_map<T *, It, same>{values.data, first, same()});
}
template <class Keys, class Values, class Less>
void sort_all(const device_system_tag &on, Keys keys, size_t count, Values values, bool with_values, Less less)
{
	scratch<size_t> a(count), b(count);
	size_t *from = a.data, *to = b.data;
	for_index(on, count, step_map<counting_iterator<ptrdiff_t>, size_t *, same>{counting_iterator<ptrdiff_t>(0),
										    from, same()});
	for (size_t width = 1; width < count; width *= 2) {
		for_index(on, count, step_merge<Keys, Less>{keys, from, to, width, count, less});
		std::swap(from, to);
	}
	reorder(on, keys, from, count);
	if (with_values)
		reorder(on, values, from, count);
}
/* On the host through an order of indices; in kernels, which have no memory to spare, by insertion. */
template <class Keys, class Values, class Less>
HD_BOTH void sort_all(const host_system_tag &, Keys keys, size_t count, Values values, bool with_values, Less less)
{
#ifndef __CUDA_ARCH__
	std::vector<size_t> order(count);
	std::vector<typename std::decay<element_of<Keys>>::type> sorted_keys;
	std::vector<typename std::decay<element_of<Values>>::type> sorted_values;
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
		return less(element(keys, a), element(keys, b)) || (!less(element(keys, b), element(keys, a)) && a < b);
	});
	for (size_t i = 0; i < count; i++) {
		sorted_keys.push_back(element(keys, order[i]));
		if (with_values)
			sorted_values.push_back(element(values, order[i]));
	}
	for (size_t i = 0; i < count; i++) {
		element(keys, i) = sorted_keys[i];
		if (with_values)
			element(values, i) = sorted_values[i];
	}
#else
	for (size_t i = 1; i < count; i++) {
		typename std::decay<element_of<Keys>>::type key = element(keys, i);
		typename std::decay<element_of<Values>>::type value = element(values, i);
		size_t at = i, place = bound<true>(keys, i, key, less);
		for (; at > place; at--) {
			element(keys, at) = element(keys, at - 1);
			if (with_values)
				element(values, at) = element(values, at - 1);
		}
		element(keys, place) = key;
		if (with_values)
			element(values, place) = value;
	}
#endif
}

template <class D, class It, class Less>
HD_BOTH void stable_sort(HD_POLICY, It first, It last, Less less)
{
	sort_all(on.self(), first, (size_t)(last - first), first, false, less);
}
template <class D, class It>
HD_BOTH void stable_sort(HD_POLICY, It first, It last)
{
	stable_sort(on, first, last, thrust::less<value_of<It>>());
}
template <class D, class Keys, class Values, class Less>
HD_BOTH void stable_sort_by_key(HD_POLICY, Keys first, Keys last, Values values, Less less)
{
	sort_all(on.self(), first, (size_t)(last - first), values, true, less);
}
template <class D, class Keys, class Values>
HD_BOTH void stable_sort_by_key(HD_POLICY, Keys first, Keys last, Values values)
{
	stable_sort_by_key(on, first, last, values, thrust::less<value_of<Keys>>());
}
template <class D, class It, class... Less>
HD_BOTH void sort(HD_POLICY, It first, It last, Less... less)
{
	stable_sort(on, first, last, less...);
}
template <class D, class Keys, class Values, class... Less>
HD_BOTH void sort_by_key(HD_POLICY, Keys first, Keys last, Values values, Less... less)
{
	stable_sort_by_key(on, first, last, values, less...);
}

template <class In, class Less>
struct descends {
	In in;
	Less less;
	HD_BOTH bool operator()(size_t i) const { return less(element(in, i + 1), element(in, i)); }
};
template <class D, class In, class Less>
HD_BOTH bool is_sorted(HD_POLICY, In first, In last, Less less)
{
	counting_iterator<size_t> zero(0);
	return last - first < 2 || none_of(on, zero, zero + (last - first - 1), descends<In, Less>{first, less});
}
template <class D, class In>
HD_BOTH bool is_sorted(HD_POLICY, In first, In last)
{
	return is_sorted(on, first, last, thrust::less<value_of<In>>());
}

/* Vectorised: the place of each value; with one value, its place. */
template <bool UPPER, class In, class Less>
struct locate {
	In in;
	size_t count;
	Less less;
	template <class T>
	HD_BOTH ptrdiff_t operator()(const T &key) const
	{
		return (ptrdiff_t)bound<UPPER>(in, count, key, less);
	}
};
#define HD_BOUND(name, upper)                                                                            \
	template <class D, class In, class Values, class Out>                                            \
	HD_BOTH Out name(HD_POLICY, In first, In last, Values from, Values to, Out out)                  \
	{                                                                                                \
		typedef thrust::less<value_of<In>> Less;                                                 \
		return transform(on, from, to, out,                                                      \
				 locate<upper, In, Less>{first, (size_t)(last - first), Less()});        \
	}                                                                                                \
	template <class D, class In, class T>                                                            \
	HD_BOTH In name(HD_POLICY, In first, In last, T value)                                           \
	{                                                                                                \
		typedef thrust::less<value_of<In>> Less;                                                 \
		size_t place = 0;                                                                        \
		typedef locate<upper, In, Less> Locate;                                                  \
		constant_iterator<T> key(value);                                                         \
		return first + transform_reduce(on, key, key + 1,                                        \
						Locate{first, (size_t)(last - first), Less()}, place,    \
						maximum<size_t>());                                      \
	}                                                                                                \
	HD_THRUST_PLAIN(name)
HD_BOUND(lower_bound, false)
HD_BOUND(upper_bound, true)
#undef HD_BOUND

HD_THRUST_PLAIN(stable_sort)
HD_THRUST_PLAIN(stable_sort_by_key)
HD_THRUST_PLAIN(sort)
HD_THRUST_PLAIN(sort_by_key)
HD_THRUST_PLAIN(is_sorted)

/* ------------------------------------------------------------------ runs of equal elements */

/* Whether an element is the first of its run, or with LAST the last. */
template <class In, class Equal, bool LAST>
struct run_edge {
	In in;
	size_t count;
	Equal equal;
	HD_BOTH bool operator()(size_t i) const
	{
		size_t other = LAST ? i + 1 : i - 1;
		return i == (LAST ? count - 1 : 0) || !equal(element(in, i), element(in, other));
	}
};
template <class D, class In, class Out, class Equal>
HD_BOTH Out unique_copy(HD_POLICY, In first, In last, Out out, Equal equal)
{
	size_t count = (size_t)(last - first);
	return out + keep_all(on.self(), first, count, out, run_edge<In, Equal, false>{first, count, equal});
}
template <class D, class In, class Out>
HD_BOTH Out unique_copy(HD_POLICY, In first, In last, Out out)
{
	return unique_copy(on, first, last, out, equal_to<value_of<In>>());
}

template <class T>
struct segment {
	bool starts;
	T value;
};
template <class Edge, class Values>
struct as_segment {
	typedef typename std::decay<element_of<Values>>::type T;
	Edge edge;
	Values values;
	HD_BOTH segment<T> operator()(ptrdiff_t i) const
	{
		return segment<T>{edge((size_t)i), element(values, (size_t)i)};
	}
};
template <class T, class Op>
struct join_segments {
	Op op;
	HD_BOTH segment<T> operator()(const segment<T> &a, const segment<T> &b) const
	{
		return segment<T>{a.starts || b.starts, b.starts ? b.value : op(a.value, b.value)};
	}
};
template <class T>
struct segment_value {
	HD_BOTH T operator()(const segment<T> &s) const { return s.value; }
};
template <class Keys, class Values, class OutKeys, class OutValues, class Equal, class Op>
pair<OutKeys, OutValues> reduce_runs(const device_system_tag &on, Keys keys, size_t count, Values values,
				     OutKeys out_keys, OutValues out_values, Equal equal, Op op)
{
	typedef typename std::decay<element_of<Values>>::type T;
	typedef run_edge<Keys, Equal, false> First;
	typedef run_edge<Keys, Equal, true> Last;
	scratch<segment<T>> sums(count);
	scan_all<segment<T>>(on,
			     make_transform_iterator(counting_iterator<ptrdiff_t>(0),
						     as_segment<First, Values>{First{keys, count, equal}, values}),
			     count, sums.data, join_segments<T, Op>{op});
	auto results = make_transform_iterator((const segment<T> *)sums.data, segment_value<T>());
	size_t total = keep_all(on, results, count, out_values, Last{keys, count, equal});
	keep_all(on, keys, count, out_keys, First{keys, count, equal});
	return pair<OutKeys, OutValues>(out_keys + total, out_values + total);
}
template <class Keys, class Values, class OutKeys, class OutValues, class Equal, class Op>
HD_BOTH pair<OutKeys, OutValues> reduce_runs(const host_system_tag &, Keys keys, size_t count, Values values,
					     OutKeys out_keys, OutValues out_values, Equal equal, Op op)
{
	size_t total = 0;
	for (size_t i = 0; i < count; i++) {
		if (i && equal(element(keys, i - 1), element(keys, i))) {
			element(out_values, total - 1) = op(element(out_values, total - 1), element(values, i));
		} else {
			element(out_keys, total) = element(keys, i);
			element(out_values, total++) = element(values, i);
		}
	}
	return pair<OutKeys, OutValues>(out_keys + total, out_values + total);
}
template <class D, class Keys, class Values, class OutKeys, class OutValues, class Equal, class Op>
HD_BOTH pair<OutKeys, OutValues> reduce_by_key(HD_POLICY, Keys first, Keys last, Values values, OutKeys out_keys,
					       OutValues out_values, Equal equal, Op op)
{
	return reduce_runs(on.self(), first, (size_t)(last - first), values, out_keys, out_values, equal, op);
}
template <class D, class Keys, class Values, class OutKeys, class OutValues, class Equal>
HD_BOTH pair<OutKeys, OutValues> reduce_by_key(HD_POLICY, Keys first, Keys last, Values values, OutKeys out_keys,
					       OutValues out_values, Equal equal)
{
	return reduce_by_key(on, first, last, values, out_keys, out_values, equal, plus<value_of<Values>>());
}
template <class D, class Keys, class Values, class OutKeys, class OutValues>
HD_BOTH pair<OutKeys, OutValues> reduce_by_key(HD_POLICY, Keys first, Keys last, Values values, OutKeys out_keys,
					       OutValues out_values)
{
	return reduce_by_key(on, first, last, values, out_keys, out_values, equal_to<value_of<Keys>>());
}
template <class D, class It, class... Equal>
HD_BOTH It unique(HD_POLICY, It first, It last, Equal... equal)
{
	return unique_copy(on, first, last, first, equal...);
}

HD_THRUST_PLAIN(unique_copy)
HD_THRUST_PLAIN(unique)
HD_THRUST_PLAIN(reduce_by_key)

} // namespace thrust

#endif
