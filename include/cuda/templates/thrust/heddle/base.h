/*
 * thrust without a toolkit: where algorithms run, and how. A policy derives from execution_policy; those of the device
 * launch kernels, the others run a loop where they are called, which may be in a kernel.
 */
#ifndef HEDDLE_THRUST_BASE_H
#define HEDDLE_THRUST_BASE_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <new>
#include <stdexcept>
#include <type_traits>

#include <cuda_runtime.h>

#define HD_BOTH __host__ __device__
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 2
#define THRUST_VERSION 200200

namespace thrust
{

template <class Policy>
struct execution_policy {
	HD_BOTH const Policy &self() const { return static_cast<const Policy &>(*this); }
};

/* Tags of systems: where an iterator's elements are. */
struct host_system_tag : execution_policy<host_system_tag> {
};
struct device_system_tag : execution_policy<device_system_tag> {
	cudaStream_t stream = 0;
	HD_BOTH constexpr device_system_tag() {}
	HD_BOTH constexpr explicit device_system_tag(cudaStream_t s) : stream(s) {}
	/* thrust::cuda::par.on(stream), par(allocator) */
	device_system_tag on(cudaStream_t s) const { return device_system_tag(s); }
	template <class Allocator>
	device_system_tag operator()(Allocator &) const
	{
		return *this;
	}
};

static constexpr host_system_tag host{}, seq{};
static constexpr device_system_tag device{};
namespace cuda
{
static constexpr device_system_tag par{}, par_nosync{};
}

/* The system of an argument: an iterator's own, the host's for everything else. */
template <class T, class = void>
struct system_of {
	typedef host_system_tag type;
};
template <class T>
struct system_of<T, typename std::enable_if<std::is_same<typename T::system, device_system_tag>::value>::type> {
	typedef device_system_tag type;
};
template <class T>
using is_on_device = std::is_same<typename system_of<T>::type, device_system_tag>;
template <class... Ts>
struct any_on_device : std::false_type {
};
template <class T, class... Ts>
struct any_on_device<T, Ts...>
	: std::integral_constant<bool, is_on_device<T>::value || any_on_device<Ts...>::value> {
};
template <class... Ts>
using joint_system =
	typename std::conditional<any_on_device<Ts...>::value, device_system_tag, host_system_tag>::type;

template <class T>
using value_of = typename std::iterator_traits<T>::value_type;

/* Algorithms called without a policy: by the system of their arguments. */
template <class T>
struct is_policy : std::is_base_of<execution_policy<T>, T> {
};
template <class T>
struct is_policy<execution_policy<T>> : std::true_type {
};
template <class T>
using not_a_policy = typename std::enable_if<!is_policy<T>::value>::type;
#define HD_THRUST_PLAIN(name)                                                           \
	template <class First, class... Rest, class = not_a_policy<First>>              \
	HD_BOTH auto name(First first, Rest... rest)                                    \
		-> decltype(name(joint_system<First, Rest...>{}, first, rest...))       \
	{                                                                               \
		return name(joint_system<First, Rest...>{}, first, rest...);            \
	}

/* ------------------------------------------------------------------ the device */

inline void check(cudaError_t error)
{
	if (error != cudaSuccess)
		throw std::runtime_error(cudaGetErrorString(error));
}

/* `count` elements of device memory, which are no objects yet. */
template <class T>
struct scratch {
	T *data = nullptr;
	explicit scratch(size_t count) { check(cudaMalloc((void **)&data, (count ? count : 1) * sizeof(T))); }
	~scratch() { cudaFree(data); }
	scratch(const scratch &) = delete;
	scratch &operator=(const scratch &) = delete;
};

template <class T>
T fetch(const T *from)
{
	alignas(T) char bytes[sizeof(T)];
	check(cudaMemcpy(bytes, from, sizeof(T), cudaMemcpyDeviceToHost));
	return *reinterpret_cast<T *>(bytes);
}

enum { HD_THREADS = 256, HD_BLOCKS = 1024 };

template <class F>
__global__ void kernel_for(size_t count, F f)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
		f(i);
}

/* f(i) for each i below count, in no order on the device. */
template <class F>
void for_index(const device_system_tag &on, size_t count, F f)
{
	size_t blocks = (count + HD_THREADS - 1) / HD_THREADS;
	if (!count)
		return;
	kernel_for<<<(unsigned)(blocks < HD_BLOCKS ? blocks : HD_BLOCKS), HD_THREADS, 0, on.stream>>>(count, f);
	check(cudaGetLastError());
	check(cudaStreamSynchronize(on.stream));
}
template <class F>
HD_BOTH void for_index(const host_system_tag &, size_t count, F f)
{
	for (size_t i = 0; i < count; i++)
		f(i);
}

} // namespace thrust

#endif
