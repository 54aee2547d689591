/*
 * thrust without a toolkit: prefix sums, and what is made of them. On the device 256 elements a block, then the blocks'
 * sums in the same way, then each block takes what stands before it: order is kept, and results may replace the input.
 */
#ifndef HEDDLE_THRUST_SCAN_H
#define HEDDLE_THRUST_SCAN_H

#include "reduce.h"

namespace thrust
{

template <class T, class In, class Op>
__global__ void kernel_scan(In in, size_t count, T *out, T *sums, Op op)
{
	alignas(T) __shared__ char bytes[2][HD_THREADS * sizeof(T)];
	size_t base = (size_t)blockIdx.x * HD_THREADS, left = count - base;
	unsigned thread = threadIdx.x, used = left < HD_THREADS ? (unsigned)left : HD_THREADS, side = 0;
	if (thread < used)
		((T *)bytes[0])[thread] = (T)element(in, base + thread);
	for (unsigned step = 1; step < used; step *= 2, side ^= 1) {
		__syncthreads();
		T *from = (T *)bytes[side], *to = (T *)bytes[side ^ 1];
		if (thread < used)
			to[thread] = thread < step ? from[thread] : op(from[thread - step], from[thread]);
	}
	if (thread < used)
		out[base + thread] = ((T *)bytes[side])[thread];
	if (thread == used - 1)
		sums[blockIdx.x] = ((T *)bytes[side])[thread];
}
template <class T, class Op>
struct step_carry {
	T *out;
	const T *sums;
	Op op;
	HD_BOTH void operator()(size_t i)
	{
		if (i >= HD_THREADS)
			out[i] = op(sums[i / HD_THREADS - 1], out[i]);
	}
};

/* out[i] = in[0] op ... op in[i], with `out` apart from the input. */
template <class T, class In, class Op>
void scan_all(const device_system_tag &on, In in, size_t count, T *out, Op op)
{
	size_t blocks = (count + HD_THREADS - 1) / HD_THREADS;
	if (!count)
		return;
	scratch<T> sums(blocks), totals(blocks);
	kernel_scan<T><<<(unsigned)blocks, HD_THREADS, 0, on.stream>>>(in, count, out, sums.data, op);
	if (blocks > 1) {
		scan_all<T>(on, (const T *)sums.data, blocks, totals.data, op);
		for_index(on, count, step_carry<T, Op>{out, totals.data, op});
	}
	check(cudaStreamSynchronize(on.stream));
}

template <class T, class Out, class Op, bool SHIFT>
struct step_scanned {
	const T *sums;
	Out out;
	T init;
	Op op;
	HD_BOTH void operator()(size_t i)
	{
		if (SHIFT)
			element(out, i) = i ? op(init, sums[i - 1]) : init;
		else
			element(out, i) = sums[i];
	}
};
template <bool SHIFT, class T, class In, class Out, class Op>
void scan_to(const device_system_tag &on, In in, size_t count, Out out, T init, Op op)
{
	scratch<T> sums(count);
	scan_all<T>(on, in, count, sums.data, op);
	for_index(on, count, step_scanned<T, Out, Op, SHIFT>{sums.data, out, init, op});
}
template <bool SHIFT, class T, class In, class Out, class Op>
HD_BOTH void scan_to(const host_system_tag &, In in, size_t count, Out out, T init, Op op)
{
	T sum = init;
	for (size_t i = 0; i < count; i++) {
		T next = element(in, i);
		T with = i || SHIFT ? op(sum, next) : next;
		element(out, i) = SHIFT ? sum : with;
		sum = with;
	}
}

template <class D, class In, class Out, class Op>
HD_BOTH Out inclusive_scan(HD_POLICY, In first, In last, Out out, Op op)
{
	scan_to<false>(on.self(), first, (size_t)(last - first), out, value_of<In>(), op);
	return out + (last - first);
}
template <class D, class In, class Out>
HD_BOTH Out inclusive_scan(HD_POLICY, In first, In last, Out out)
{
	return inclusive_scan(on, first, last, out, plus<value_of<In>>());
}
template <class D, class In, class Out, class T, class Op>
HD_BOTH Out exclusive_scan(HD_POLICY, In first, In last, Out out, T init, Op op)
{
	scan_to<true>(on.self(), first, (size_t)(last - first), out, init, op);
	return out + (last - first);
}
template <class D, class In, class Out, class T>
HD_BOTH Out exclusive_scan(HD_POLICY, In first, In last, Out out, T init)
{
	return exclusive_scan(on, first, last, out, init, plus<T>());
}
template <class D, class In, class Out>
HD_BOTH Out exclusive_scan(HD_POLICY, In first, In last, Out out)
{
	return exclusive_scan(on, first, last, out, value_of<In>());
}
template <class D, class In, class Out, class F, class Op>
HD_BOTH Out transform_inclusive_scan(HD_POLICY, In first, In last, Out out, F f, Op op)
{
	transform_iterator<F, In> mapped(first, f);
	return inclusive_scan(on, mapped, mapped + (last - first), out, op);
}
template <class D, class In, class Out, class F, class T, class Op>
HD_BOTH Out transform_exclusive_scan(HD_POLICY, In first, In last, Out out, F f, T init, Op op)
{
	transform_iterator<F, In> mapped(first, f);
	return exclusive_scan(on, mapped, mapped + (last - first), out, init, op);
}

/* ------------------------------------------------------------------ what is kept moves together */

template <class In, class Keep, class Out>
struct step_keep {
	In in;
	Keep keep;
	const ptrdiff_t *places;
	Out out;
	HD_BOTH void operator()(size_t i)
	{
		if (keep(i))
			element(out, (size_t)places[i] - 1) = element(in, i);
	}
};
template <class Keep>
struct kept {
	Keep keep;
	HD_BOTH ptrdiff_t operator()(ptrdiff_t i) const { return keep((size_t)i) ? 1 : 0; }
};
/* Elements whose index `keep` takes, in order; how many. The output may be the input. */
template <class In, class Out, class Keep>
size_t keep_all(const device_system_tag &on, In in, size_t count, Out out, Keep keep)
{
	typedef typename std::decay<element_of<In>>::type T;
	if (!count)
		return 0;
	scratch<ptrdiff_t> places(count);
	scratch<T> values(count);
	scan_all<ptrdiff_t>(on, make_transform_iterator(counting_iterator<ptrdiff_t>(0), kept<Keep>{keep}), count,
			    places.data, plus<ptrdiff_t>());
	size_t total = (size_t)fetch(places.data + count - 1);
	for_index(on, count, step_keep<In, Keep, T *>{in, keep, places.data, values.data});
	for_index(on, total, step_map<T *, Out, same>{values.data, out, same()});
	return total;
}
template <class In, class Out, class Keep>
HD_BOTH size_t keep_all(const host_system_tag &, In in, size_t count, Out out, Keep keep)
{
	size_t total = 0;
	typename std::decay<element_of<In>>::type before{};
	(void)before;
	for (size_t i = 0; i < count; i++)
		if (keep(i))
			element(out, total++) = element(in, i);
	return total;
}

template <class S, class P, bool WANTED>
struct by_stencil {
	S stencil;
	P p;
	HD_BOTH bool operator()(size_t i) const { return (bool)p(element(stencil, i)) == WANTED; }
};
template <class D, class In, class S, class Out, class P>
HD_BOTH Out copy_if(HD_POLICY, In first, In last, S stencil, Out out, P p)
{
	return out + keep_all(on.self(), first, (size_t)(last - first), out, by_stencil<S, P, true>{stencil, p});
}
template <class D, class In, class Out, class P>
HD_BOTH Out copy_if(HD_POLICY, In first, In last, Out out, P p)
{
	return copy_if(on, first, last, first, out, p);
}
template <class D, class In, class Out, class P>
HD_BOTH Out remove_copy_if(HD_POLICY, In first, In last, Out out, P p)
{
	return out + keep_all(on.self(), first, (size_t)(last - first), out, by_stencil<In, P, false>{first, p});
}
template <class D, class It, class P>
HD_BOTH It remove_if(HD_POLICY, It first, It last, P p)
{
	return remove_copy_if(on, first, last, first, p);
}
template <class D, class It, class T>
HD_BOTH It remove(HD_POLICY, It first, It last, T value)
{
	return remove_if(on, first, last, equals<value_of<It>>{(value_of<It>)value});
}

HD_THRUST_PLAIN(inclusive_scan)
HD_THRUST_PLAIN(exclusive_scan)
HD_THRUST_PLAIN(transform_inclusive_scan)
HD_THRUST_PLAIN(transform_exclusive_scan)
HD_THRUST_PLAIN(copy_if)
HD_THRUST_PLAIN(remove_copy_if)
HD_THRUST_PLAIN(remove_if)
HD_THRUST_PLAIN(remove)

} // namespace thrust

#endif
