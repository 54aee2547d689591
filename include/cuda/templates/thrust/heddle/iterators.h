/* thrust without a toolkit: iterators that compute, and function objects. */
#ifndef HEDDLE_THRUST_ITERATORS_H
#define HEDDLE_THRUST_ITERATORS_H

#include "pointer.h"

namespace thrust
{

/* What iterators by position share: Self has `at(i)`, the element `i` behind its place, and a copy moved by `moved(n)`. */
template <class Self, class Value, class Reference, class System>
struct by_position {
	typedef System system;
	typedef Value value_type;
	typedef ptrdiff_t difference_type;
	typedef void pointer;
	typedef Reference reference;
	typedef std::random_access_iterator_tag iterator_category;
	ptrdiff_t place = 0;
	HD_BOTH Self &self() { return static_cast<Self &>(*this); }
	HD_BOTH const Self &self() const { return static_cast<const Self &>(*this); }
	HD_BOTH Reference operator*() const { return self().at(place); }
	HD_BOTH Reference operator[](ptrdiff_t i) const { return self().at(place + i); }
	HD_BOTH Self &operator+=(ptrdiff_t n) { return place += n, self(); }
	HD_BOTH Self &operator-=(ptrdiff_t n) { return place -= n, self(); }
	HD_BOTH Self &operator++() { return *this += 1; }
	HD_BOTH Self &operator--() { return *this -= 1; }
	HD_BOTH Self operator++(int)
	{
		Self old = self();
		place++;
		return old;
	}
	HD_BOTH friend Self operator+(Self it, ptrdiff_t n) { return it += n; }
	HD_BOTH friend Self operator+(ptrdiff_t n, Self it) { return it += n; }
	HD_BOTH friend Self operator-(Self it, ptrdiff_t n) { return it -= n; }
	HD_BOTH friend ptrdiff_t operator-(const Self &a, const Self &b) { return a.place - b.place; }
	HD_BOTH friend bool operator==(const Self &a, const Self &b) { return a.place == b.place; }
	HD_BOTH friend bool operator!=(const Self &a, const Self &b) { return a.place != b.place; }
	HD_BOTH friend bool operator<(const Self &a, const Self &b) { return a.place < b.place; }
};

template <class T>
struct counting_iterator : by_position<counting_iterator<T>, T, T, host_system_tag> {
	HD_BOTH counting_iterator() {}
	HD_BOTH explicit counting_iterator(T first) { this->place = (ptrdiff_t)first; }
	HD_BOTH T at(ptrdiff_t i) const { return (T)i; }
};
template <class T>
HD_BOTH counting_iterator<T> make_counting_iterator(T first)
{
	return counting_iterator<T>(first);
}

template <class T>
struct constant_iterator : by_position<constant_iterator<T>, T, T, host_system_tag> {
	T value;
	HD_BOTH explicit constant_iterator(const T &x = T(), ptrdiff_t place = 0) : value(x) { this->place = place; }
	HD_BOTH T at(ptrdiff_t) const { return value; }
};
template <class T>
HD_BOTH constant_iterator<T> make_constant_iterator(const T &x, ptrdiff_t place = 0)
{
	return constant_iterator<T>(x, place);
}

/* An element of any iterator as a plain reference or value; device memory without a copy by the host. */
template <class It>
HD_BOTH auto element(It it, size_t i) -> decltype(it[(ptrdiff_t)i])
{
	return it[(ptrdiff_t)i];
}
template <class T>
HD_BOTH T &element(device_ptr<T> p, size_t i)
{
	return p.get()[i];
}
template <class It>
using element_of = decltype(element(std::declval<It>(), 0));

template <class F, class It>
using transformed = typename std::decay<decltype(std::declval<F>()(std::declval<element_of<It>>()))>::type;
template <class F, class It, class T = transformed<F, It>>
struct transform_iterator : by_position<transform_iterator<F, It, T>, T, T, typename system_of<It>::type> {
	It base;
	F f;
	HD_BOTH transform_iterator(It it, F function) : base(it), f(function) {}
	HD_BOTH T at(ptrdiff_t i) const { return f(element(base, (size_t)i)); }
};
template <class F, class It>
HD_BOTH transform_iterator<F, It> make_transform_iterator(It it, F f)
{
	return transform_iterator<F, It>(it, f);
}

template <class Data, class Map>
struct permutation_iterator : by_position<permutation_iterator<Data, Map>, value_of<Data>, element_of<Data>,
					  joint_system<Data, Map>> {
	Data data;
	Map map;
	HD_BOTH permutation_iterator(Data d, Map m) : data(d), map(m) {}
	HD_BOTH element_of<Data> at(ptrdiff_t i) const { return element(data, (size_t)element(map, (size_t)i)); }
};
template <class Data, class Map>
HD_BOTH permutation_iterator<Data, Map> make_permutation_iterator(Data d, Map m)
{
	return permutation_iterator<Data, Map>(d, m);
}

template <class A, class B>
struct pair {
	typedef A first_type;
	typedef B second_type;
	A first;
	B second;
	HD_BOTH pair() : first(), second() {}
	HD_BOTH pair(const A &a, const B &b) : first(a), second(b) {}
	HD_BOTH friend bool operator==(const pair &a, const pair &b)
	{
		return a.first == b.first && a.second == b.second;
	}
	HD_BOTH friend bool operator<(const pair &a, const pair &b)
	{
		return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
	}
};
template <class A, class B>
HD_BOTH pair<A, B> make_pair(A a, B b)
{
	return pair<A, B>(a, b);
}

template <class A, class R>
struct unary_function {
	typedef A argument_type;
	typedef R result_type;
};
template <class A, class B, class R>
struct binary_function {
	typedef A first_argument_type;
	typedef B second_argument_type;
	typedef R result_type;
};

#define HD_FUNCTION(name, result, expression)                                                 \
	template <class T = void>                                                             \
	struct name {                                                                         \
		typedef T first_argument_type, second_argument_type;                          \
		typedef result result_type;                                                   \
		HD_BOTH result operator()(const T &a, const T &b) const { return expression; } \
	};                                                                                    \
	template <>                                                                           \
	struct name<void> {                                                                   \
		template <class T>                                                            \
		HD_BOTH auto operator()(const T &a, const T &b) const -> decltype(expression) \
		{                                                                             \
			return expression;                                                    \
		}                                                                             \
	}
HD_FUNCTION(plus, T, a + b);
HD_FUNCTION(minus, T, a - b);
HD_FUNCTION(multiplies, T, a *b);
HD_FUNCTION(divides, T, a / b);
HD_FUNCTION(modulus, T, a % b);
HD_FUNCTION(bit_and, T, a &b);
HD_FUNCTION(bit_or, T, a | b);
HD_FUNCTION(bit_xor, T, a ^ b);
HD_FUNCTION(maximum, T, (a < b ? b : a));
HD_FUNCTION(minimum, T, (b < a ? b : a));
HD_FUNCTION(equal_to, bool, a == b);
HD_FUNCTION(not_equal_to, bool, a != b);
HD_FUNCTION(greater, bool, a > b);
HD_FUNCTION(less, bool, a < b);
HD_FUNCTION(greater_equal, bool, a >= b);
HD_FUNCTION(less_equal, bool, a <= b);
HD_FUNCTION(logical_and, bool, a &&b);
HD_FUNCTION(logical_or, bool, a || b);
#undef HD_FUNCTION
#define HD_FUNCTION(name, expression)                                              \
	template <class T = void>                                                  \
	struct name {                                                              \
		typedef T argument_type;                                           \
		HD_BOTH auto operator()(const T &a) const -> decltype(expression) \
		{                                                                  \
			return expression;                                         \
		}                                                                  \
	}
HD_FUNCTION(negate, -a);
HD_FUNCTION(logical_not, !a);
HD_FUNCTION(identity, T(a));
HD_FUNCTION(square, a *a);
#undef HD_FUNCTION

} // namespace thrust

#endif
