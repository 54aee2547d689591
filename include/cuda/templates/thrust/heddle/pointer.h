/* thrust without a toolkit: pointers to device memory, which the host may dereference, and vectors. */
#ifndef HEDDLE_THRUST_POINTER_H
#define HEDDLE_THRUST_POINTER_H

#include "base.h"

#include <initializer_list>
#include <vector>

namespace thrust
{

template <class T>
class device_ptr;

/* An element of device memory: on the host each access is a copy. */
template <class T>
class device_reference
{
	T *at;

      public:
	typedef typename std::remove_const<T>::type value_type;
	HD_BOTH explicit device_reference(T *p) : at(p) {}
	device_reference(const device_reference &) = default;
	HD_BOTH operator value_type() const
	{
#ifdef __CUDA_ARCH__
		return *at;
#else
		return fetch(at);
#endif
	}
	HD_BOTH const device_reference &operator=(const value_type &value) const
	{
#ifdef __CUDA_ARCH__
		*const_cast<value_type *>(at) = value;
#else
		check(cudaMemcpy((void *)at, &value, sizeof value, cudaMemcpyHostToDevice));
#endif
		return *this;
	}
	HD_BOTH const device_reference &operator=(const device_reference &other) const
	{
		return *this = (value_type)other;
	}
	HD_BOTH device_ptr<T> operator&() const { return device_ptr<T>(at); }
#define HD_ASSIGN(op)                                                           \
	HD_BOTH const device_reference &operator op##=(const value_type & x) const \
	{                                                                       \
		return *this = (value_type)(*this)op x;                         \
	}
	HD_ASSIGN(+) HD_ASSIGN(-) HD_ASSIGN(*) HD_ASSIGN(/)
#undef HD_ASSIGN
	HD_BOTH const device_reference &operator++() const { return *this += 1; }
	HD_BOTH const device_reference &operator--() const { return *this -= 1; }
};

template <class T>
class device_ptr
{
	T *at;

      public:
	typedef device_system_tag system;
	typedef typename std::remove_const<T>::type value_type;
	typedef ptrdiff_t difference_type;
	typedef device_ptr pointer;
	typedef device_reference<T> reference;
	typedef std::random_access_iterator_tag iterator_category;

	HD_BOTH device_ptr() : at(nullptr) {}
	HD_BOTH device_ptr(std::nullptr_t) : at(nullptr) {}
	HD_BOTH explicit device_ptr(T *p) : at(p) {}
	template <class U, class = typename std::enable_if<std::is_convertible<U *, T *>::value>::type>
	HD_BOTH device_ptr(const device_ptr<U> &other) : at(other.get())
	{
	}
	HD_BOTH T *get() const { return at; }
	HD_BOTH reference operator*() const { return reference(at); }
	HD_BOTH reference operator[](ptrdiff_t i) const { return reference(at + i); }
	HD_BOTH explicit operator bool() const { return at; }
	HD_BOTH device_ptr &operator+=(ptrdiff_t n) { return at += n, *this; }
	HD_BOTH device_ptr &operator-=(ptrdiff_t n) { return at -= n, *this; }
	HD_BOTH device_ptr &operator++() { return *this += 1; }
	HD_BOTH device_ptr &operator--() { return *this -= 1; }
	HD_BOTH device_ptr operator++(int) { return device_ptr(at++); }
	HD_BOTH device_ptr operator--(int) { return device_ptr(at--); }
	HD_BOTH friend device_ptr operator+(device_ptr p, ptrdiff_t n) { return p += n; }
	HD_BOTH friend device_ptr operator+(ptrdiff_t n, device_ptr p) { return p += n; }
	HD_BOTH friend device_ptr operator-(device_ptr p, ptrdiff_t n) { return p -= n; }
	HD_BOTH friend ptrdiff_t operator-(device_ptr a, device_ptr b) { return a.at - b.at; }
	HD_BOTH friend bool operator==(device_ptr a, device_ptr b) { return a.at == b.at; }
	HD_BOTH friend bool operator!=(device_ptr a, device_ptr b) { return a.at != b.at; }
	HD_BOTH friend bool operator<(device_ptr a, device_ptr b) { return a.at < b.at; }
};

template <class T>
HD_BOTH T *raw_pointer_cast(device_ptr<T> p)
{
	return p.get();
}
template <class T>
HD_BOTH T *raw_pointer_cast(T *p)
{
	return p;
}
template <class T>
HD_BOTH T &raw_reference_cast(device_reference<T> r)
{
	return *(&r).get();
}
template <class T>
HD_BOTH device_ptr<T> device_pointer_cast(T *p)
{
	return device_ptr<T>(p);
}
template <class T>
HD_BOTH device_ptr<T> device_pointer_cast(device_ptr<T> p)
{
	return p;
}
template <class T>
device_ptr<T> device_malloc(size_t count)
{
	T *p;
	check(cudaMalloc((void **)&p, count * sizeof(T)));
	return device_ptr<T>(p);
}
template <class T>
void device_free(device_ptr<T> p)
{
	check(cudaFree((void *)p.get()));
}
template <class T>
struct device_allocator : std::allocator<T> {
};

template <class T, class = std::allocator<T>>
using host_vector = std::vector<T>;

template <class T, class Allocator = device_allocator<T>>
class device_vector
{
	T *first = nullptr;
	size_t length = 0, room = 0;

	/* Element for element from any iterator, by way of the host where it is not contiguous memory of T. */
	template <class It>
	void take(It from, It to)
	{
		std::vector<T> values(from, to);
		std::vector<char> bytes; /* vector<bool> is no array */
		resize_only(values.size());
		for (size_t i = 0; i < values.size(); i++) {
			T value = values[i];
			bytes.insert(bytes.end(), (const char *)&value, (const char *)(&value + 1));
		}
		if (!bytes.empty())
			check(cudaMemcpy(first, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
	}
	template <class U>
	void take(device_ptr<U> from, device_ptr<U> to)
	{
		resize_only((size_t)(to - from));
		const U *source = from.get();
		T *target = first;
		for_index(device_system_tag(), length, [=] HD_BOTH(size_t i) { target[i] = (T)source[i]; });
	}
	void resize_only(size_t count)
	{
		if (count > room)
			reserve(count);
		length = count;
	}

      public:
	typedef T value_type;
	typedef size_t size_type;
	typedef ptrdiff_t difference_type;
	typedef device_ptr<T> iterator, pointer;
	typedef device_ptr<const T> const_iterator, const_pointer;
	typedef device_reference<T> reference;
	typedef device_reference<const T> const_reference;

	device_vector() {}
	explicit device_vector(size_t count) { resize(count); }
	device_vector(size_t count, const T &value) { resize(count, value); }
	template <class It, class = typename std::iterator_traits<It>::iterator_category>
	device_vector(It from, It to)
	{
		take(from, to);
	}
	device_vector(std::initializer_list<T> values) { take(values.begin(), values.end()); }
	template <class U>
	device_vector(const std::vector<U> &values)
	{
		take(values.begin(), values.end());
	}
	device_vector(const device_vector &other) { take(other.begin(), other.end()); }
	template <class U>
	device_vector(const device_vector<U> &other)
	{
		take(other.begin(), other.end());
	}
	device_vector(device_vector &&other) noexcept { swap(other); }
	~device_vector() { cudaFree(first); }
	device_vector &operator=(const device_vector &other)
	{
		if (this != &other)
			take(other.begin(), other.end());
		return *this;
	}
	device_vector &operator=(device_vector &&other) noexcept
	{
		swap(other);
		return *this;
	}
	template <class U>
	device_vector &operator=(const std::vector<U> &values)
	{
		take(values.begin(), values.end());
		return *this;
	}
	operator std::vector<T>() const
	{
		std::vector<T> values;
		std::vector<char> bytes(length * sizeof(T));
		if (length)
			check(cudaMemcpy(bytes.data(), first, bytes.size(), cudaMemcpyDeviceToHost));
		for (size_t i = 0; i < length; i++)
			values.push_back(((const T *)bytes.data())[i]);
		return values;
	}

	void swap(device_vector &other)
	{
		std::swap(first, other.first);
		std::swap(length, other.length);
		std::swap(room, other.room);
	}
	void reserve(size_t count)
	{
		T *fresh;
		if (count <= room)
			return;
		check(cudaMalloc((void **)&fresh, count * sizeof(T)));
		if (length)
			check(cudaMemcpy((void *)fresh, first, length * sizeof(T), cudaMemcpyDeviceToDevice));
		cudaFree(first);
		first = fresh;
		room = count;
	}
	void resize(size_t count, const T &value = T())
	{
		size_t before = length;
		if (count > room)
			reserve(before && count < 2 * before ? 2 * before : count);
		length = count;
		T *target = first + before, copy = value;
		if (count > before)
			for_index(device_system_tag(), count - before,
				  [=] HD_BOTH(size_t i) { new (&target[i]) T(copy); });
	}
	void assign(size_t count, const T &value)
	{
		length = 0;
		resize(count, value);
	}
	template <class It, class = typename std::iterator_traits<It>::iterator_category>
	void assign(It from, It to)
	{
		take(from, to);
	}
	void push_back(const T &value) { resize(length + 1, value); }
	void pop_back() { length--; }
	void clear() { length = 0; }
	void shrink_to_fit() {}
	iterator erase(iterator from, iterator to)
	{
		device_vector rest(to, end());
		size_t kept = (size_t)(from - begin());
		if (rest.length)
			check(cudaMemcpy((void *)from.get(), rest.first, rest.length * sizeof(T),
					 cudaMemcpyDeviceToDevice));
		length = kept + rest.length;
		return from;
	}
	iterator erase(iterator at) { return erase(at, at + 1); }

	size_t size() const { return length; }
	size_t capacity() const { return room; }
	bool empty() const { return length == 0; }
	iterator begin() { return iterator(first); }
	iterator end() { return iterator(first + length); }
	const_iterator begin() const { return const_iterator(first); }
	const_iterator end() const { return const_iterator(first + length); }
	const_iterator cbegin() const { return begin(); }
	const_iterator cend() const { return end(); }
	pointer data() { return begin(); }
	const_pointer data() const { return begin(); }
	reference operator[](size_t i) { return reference(first + i); }
	const_reference operator[](size_t i) const { return const_reference(first + i); }
	reference front() { return (*this)[0]; }
	reference back() { return (*this)[length - 1]; }
	const_reference front() const { return (*this)[0]; }
	const_reference back() const { return (*this)[length - 1]; }
	friend bool operator==(const device_vector &a, const device_vector &b)
	{
		return (std::vector<T>)a == (std::vector<T>)b;
	}
	friend bool operator!=(const device_vector &a, const device_vector &b) { return !(a == b); }
};

} // namespace thrust

#endif
