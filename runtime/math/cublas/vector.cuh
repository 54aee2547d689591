/*
 * The kernel of level 1's routines that change vectors: it strides over the vector with its grid. What it does to an element
 * is a functor, whose begin() is called once by each thread.
 */
#pragma once

#include "runtime/math/cublas/blas.cuh"

namespace hd_blas {

enum { VECTOR_THREADS = 256 };

template <class F> __global__ void __launch_bounds__(VECTOR_THREADS) vector_kernel(int64_t n, F change)
{
	int64_t step = (int64_t)gridDim.x * VECTOR_THREADS;
	change.begin();
	for (int64_t i = (int64_t)blockIdx.x * VECTOR_THREADS + threadIdx.x; i < n; i += step)
		change(i);
}

template <class F> inline cublasStatus_t change(cublasHandle_t handle, int64_t n, const F &functor)
{
	vector_kernel<<<blocks_for(n, VECTOR_THREADS), VECTOR_THREADS, 0, handle->stream>>>(n, functor);
	return launched();
}

template <class T> struct strided {
	T *data;
	int64_t increment;

	strided(T *x, int64_t n, int64_t increment) : data(first_element(x, n, increment)), increment(increment)
	{
	}
	__device__ T &operator[](int64_t i) const
	{
		return data[i * increment];
	}
};

} // namespace hd_blas
