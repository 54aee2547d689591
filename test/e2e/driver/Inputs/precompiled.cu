#include <cassert>
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <vector>

#include "precompiled.h"

template <typename T> struct Scaled {
	T x;
	__device__ T get() const { return x * SCALE; }
};
#define FENCE(scope) asm volatile("fence.acq_rel." #scope ";" ::: "memory")
__device__ int counter;
__constant__ float table[4];
__global__ void k(int *p, float4 q)
{
	int unused = 3;
	Scaled<float> s{q.x};
	*p = max(threadIdx.x, 1u) + s.get() / table[1];
	assert(*p);
	printf("%d\n", *p);
	cooperative_groups::this_thread_block().sync();
	asm volatile("membar.cta;");
	FENCE(gpu);
	atomicAdd(&counter, 1);
	p[1] = sinf(q.y) + __expf(q.z) + __half2float(__float2half(q.w));
}
int main()
{
	k<<<dim3(1), 32>>>(nullptr, float4{});
	std::vector<int> v(3);
	cudaDeviceSynchronize();
	return twice(v.size());
}
