/* __shared__ objects whose class has a constructor or destructor: neither runs, as with nvcc. */
#include "shared-objects.h"
#include <cstdio>

struct counter {
	int n;
	__device__ counter() : n(100) {}
	__device__ ~counter()
	{
		n = -1;
	}
	__device__ void add(int by)
	{
		atomicAdd(&n, by);
	}
};
struct defaults {
	int a = 3, b = 4;
};
template <class T, int N> struct holder {
	T items[N];
	__device__ holder() : items()
	{
	}
};
__shared__ counter everywhere;

template <class T> __global__ void kernel(int *out)
{
	constexpr int n = 4;
	__shared__ T one, many[n]; /* two; in a row */
	__shared__ static defaults set;
	__shared__ alignas(16) holder<int, n> held;
	__shared__
		holder<holder<float, 2>, n> deep [2]
			[1];
	unsigned t = threadIdx.x;
	if (t == 0) {
		one.n = 0;
		everywhere.n = 0;
		set.a = 5;
	}
	if (t < n) {
		many[t].n = 0;
		held.items[t] = t;
		deep[1][0].items[t].items[1] = t * 0.5f;
	}
	__syncthreads();
	auto add = [&](int by) {
		one.add(by);
		many[t % n].add(1);
	};
	add(2);
	everywhere.add(1);
	__syncthreads();
	if (t < n)
		out[t] = one.n * 1000 + many[t].n * 100 + held.items[t] * 10 + everywhere.n + set.a +
			 (int)(2 * deep[1][0].items[t].items[1]);
}

int main()
{
	int *d, h[4], failures = 0;
	cudaMalloc(&d, sizeof h);
	kernel<counter><<<1, 32>>>(d);
	cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
	for (int t = 0; t < 4; t++)
		failures += h[t] != 64 * 1000 + 8 * 100 + t * 10 + 32 + 5 + t;
	failures += in_header() != 77;
	printf(failures ? "FAILED\n" : "shared objects: PASSED\n");
	return failures;
}
