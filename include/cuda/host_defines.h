/*
 * The function and variable attributes of CUDA C++. Under a plain C or C++ compiler they vanish, so that host files
 * which only call the runtime API can include cuda_runtime.h too.
 */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#define __no_return__ __attribute__((noreturn))
#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif
#define __CUDA_ALIGN__(n) __align__(n)
#define __builtin_align__(n) __align__(n)
#define __inline_hint__

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
/*
 * Clang knows managed variables for other GPUs only. Here the device half marks one by its section; the runtime places
 * it where the host half has the variable of that name.
 */
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device, section("heddle_managed")))
#else
#define __managed__ __attribute__((device))
#endif
/* The address of such a parameter is one of constant memory. The host half has no use for it. */
#ifdef __CUDA_ARCH__
#define __grid_constant__ __attribute__((annotate("heddle.grid_constant")))
#else
#define __grid_constant__
#endif
/* The most blocks of a cluster are for sm_90; for older architectures, and in the host half, clang would ignore them
 * together with the other bounds. Functions take them away, since a macro would count commas of template arguments. */
#if defined(__cplusplus) && __cplusplus >= 201103L && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 900)
constexpr int __hd_bound_threads(int threads, int = 0, int = 0)
{
	return threads;
}
constexpr int __hd_bound_blocks(int, int blocks = 0, int = 0)
{
	return blocks;
}
#define __launch_bounds__(...) \
	__attribute__((launch_bounds(__hd_bound_threads(__VA_ARGS__), __hd_bound_blocks(__VA_ARGS__))))
#else
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#endif
/* Blocks of a cluster: the pass reads it in the IR. */
#define __hd_cluster_dims(x, y, z, ...)                                                      \
	__attribute__((annotate("heddle.cluster_dim_x", x), annotate("heddle.cluster_dim_y", y), \
		       annotate("heddle.cluster_dim_z", z)))
#define __cluster_dims__(...) __hd_cluster_dims(__VA_ARGS__, 1, 1, 1)
/* Most registers of a thread: the pass reads it in the IR. */
#ifdef __CUDA_ARCH__
#define __maxnreg__(...) __attribute__((annotate("heddle.maxnreg", __VA_ARGS__)))
#else
#define __maxnreg__(...)
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
/* clang keeps __noinline__ as a keyword in CUDA mode, valid as `__noinline__` and as `__attribute__((__noinline__))`.
 */
#define __device_builtin__ __attribute__((device_builtin))
#define __device_builtin_texture_type__ __attribute__((device_builtin_texture_type))
#define __device_builtin_surface_type__ __attribute__((device_builtin_surface_type))
#define __cudart_builtin__
#define CUDARTAPI
/* A parameter whose argument may be undefined, as that of a shuffle: it is frozen at the call. */
#define HD_MAYBE_UNDEF __attribute__((maybe_undef))
#else
#define __host__
#define __device__
#define __global__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define CUDARTAPI
#define HD_MAYBE_UNDEF
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#endif

#define CUDART_CB

/* Around declarations that NVIDIA's headers deprecate. */
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END

#endif
