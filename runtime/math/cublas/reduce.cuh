/*
 * The kernel of level 1's routines whose result is a number: each block reduces its part of the vector, the block that ends
 * last reduces the blocks' results in their order, so that the result does not depend on which that is. A functor has types
 * `state` and `result`, and functions none(), add(state, element), join(state, state), finish(state).
 */
#pragma once

#include "runtime/math/cublas/blas.cuh"

namespace hd_blas {

enum { REDUCE_THREADS = 256, REDUCE_BLOCKS = 128 };

/* At the start of the handle's memory, which is zero between calls; the blocks' states stand behind. */
struct progress {
	unsigned done;
};
constexpr size_t states_at = 256;

/* Lanes of a warp, then the warps of the block: the result is thread 0's. */
template <class F> __device__ typename F::state reduce_block(const F &functor, typename F::state own)
{
	using state = typename F::state;
	__shared__ state warps[REDUCE_THREADS];
	warps[threadIdx.x] = own;
	for (unsigned step = REDUCE_THREADS / 2; step; step /= 2) {
		__syncthreads();
		if (threadIdx.x < step)
			warps[threadIdx.x] = functor.join(warps[threadIdx.x], warps[threadIdx.x + step]);
	}
	__syncthreads();
	return warps[0];
}

template <class F>
__global__ void __launch_bounds__(REDUCE_THREADS)
	reduce_kernel(int64_t n, F functor, progress *progress, typename F::state *states, typename F::result *result)
{
	using state = typename F::state;
	__shared__ bool last;
	state own = functor.none();
	int64_t step = (int64_t)gridDim.x * REDUCE_THREADS;
	for (int64_t i = (int64_t)blockIdx.x * REDUCE_THREADS + threadIdx.x; i < n; i += step)
		own = functor.add(own, i);
	state all = reduce_block(functor, own);
	if (threadIdx.x == 0) {
		states[blockIdx.x] = all;
		__threadfence();
		last = atomicAdd(&progress->done, 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (!last)
		return;
	__threadfence();
	own = threadIdx.x < gridDim.x ? states[threadIdx.x] : functor.none();
	all = reduce_block(functor, own);
	if (threadIdx.x == 0) {
		*result = functor.finish(all);
		progress->done = 0;
	}
}

/* The result goes to where the handle's pointer mode says that it is. */
template <class F, class R> inline cublasStatus_t reduce(cublasHandle_t handle, int64_t n, const F &functor, R *to)
{
	using result = typename F::result;
	char *memory = static_cast<char *>(handle->scratch);
	result *device = reinterpret_cast<result *>(memory + 128);
	bool direct = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE && sizeof(R) == sizeof(result);
	if (direct)
		device = reinterpret_cast<result *>(to);
	reduce_kernel<<<blocks_for(n, REDUCE_THREADS, REDUCE_BLOCKS), REDUCE_THREADS, 0, handle->stream>>>(
		n, functor, reinterpret_cast<progress *>(memory),
		reinterpret_cast<typename F::state *>(memory + states_at), device);
	cublasStatus_t status = launched();
	if (direct || status != CUBLAS_STATUS_SUCCESS)
		return status;
	/* Little endian: an index's first bytes are the index. */
	cudaMemcpyKind kind = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE ? cudaMemcpyDeviceToDevice
										 : cudaMemcpyDeviceToHost;
	if (cudaMemcpyAsync(to, device, sizeof(R), kind, handle->stream) != cudaSuccess ||
	    (kind == cudaMemcpyDeviceToHost && cudaStreamSynchronize(handle->stream) != cudaSuccess))
		return CUBLAS_STATUS_EXECUTION_FAILED;
	return CUBLAS_STATUS_SUCCESS;
}

/* A vector without elements: the result is zero. */
template <class R> inline cublasStatus_t nothing(cublasHandle_t handle, R *to)
{
	if (handle->pointer_mode == CUBLAS_POINTER_MODE_HOST)
		memset(to, 0, sizeof *to); /* it may be less aligned than R */
	else if (cudaMemsetAsync(to, 0, sizeof(R), handle->stream) != cudaSuccess)
		return CUBLAS_STATUS_EXECUTION_FAILED;
	return CUBLAS_STATUS_SUCCESS;
}

/* scale^2 * sum is the sum of squares, so that no square overflows or vanishes. */
template <class R> struct squares {
	R scale, sum;
};

template <class T> struct nrm2_of {
	using R = real_of<T>;
	using state = squares<R>;
	using result = R;
	const T *x;
	int64_t incx;
	__device__ state none() const
	{
		return state{0, 0};
	}
	__device__ state join(state a, state b) const
	{
		if (a.scale < b.scale || isnan(b.scale)) {
			state other = a;
			a = b;
			b = other;
		}
		if (b.scale == 0)
			return a;
		R ratio = isinf(b.scale) ? R(1) : b.scale / a.scale;
		return state{a.scale, a.sum + b.sum * ratio * ratio};
	}
	__device__ state add(state sum, int64_t i) const
	{
		T value = x[i * incx];
		sum = join(sum, state{fabs(real(value)), 1});
		return traits<T>::complex ? join(sum, state{fabs(imag(value)), 1}) : sum;
	}
	__device__ result finish(state all) const
	{
		return all.scale == 0 ? all.scale : all.scale * sqrt(all.sum);
	}
};

} // namespace hd_blas
