// Code for sm_90a alone: the feature macro is defined, and no GPU but one of capability 9.0 runs it.
#include <cstdio>

__global__ void k(int *p)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	p[0] = __CUDA_ARCH__;
#endif
}

// Each place that a function with labels is inlined at has labels of its own, here eight; names of
// predicates and sinks as published code has them, and qualifiers in both orders.
__device__ __forceinline__ void wait(unsigned long long *bar, int parity)
{
	asm volatile("{\n.reg .pred %%px;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %%px, [%0], %1;\n@%%px bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"((unsigned)__cvta_generic_to_shared(bar)), "r"(parity) : "memory");
}
__device__ __forceinline__ void arrive(unsigned long long *bar)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(bar)) : "memory");
}
__global__ void loops(int *p)
{
	__shared__ alignas(16) unsigned rows[2][128];
	__shared__ unsigned long long filled, read;
	__shared__ int value;
	int sum = 0;
	unsigned first;
	if (!threadIdx.x)
		asm volatile("mbarrier.init.shared.b64 [%0], 32;\nmbarrier.init.shared.b64 [%1], 32;" ::"r"((unsigned)__cvta_generic_to_shared(&filled)), "r"((unsigned)__cvta_generic_to_shared(&read)) : "memory");
	__syncwarp();
#pragma unroll 4
	for (int i = 0; i < 8; i++) {
		if (threadIdx.x == i)
			value = i + 1;
		arrive(&filled);
		wait(&filled, i & 1);
		sum += value;
		arrive(&read);
		wait(&read, i & 1);
	}
	unsigned at = (unsigned)__cvta_generic_to_shared(&rows[0][threadIdx.x * 4]);
	asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(sum), "r"(sum + 1), "r"(sum + 2), "r"(threadIdx.x) : "memory");
	asm volatile("stmatrix.sync.aligned.x4.m8n8.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at + 512), "r"(sum), "r"(sum + 1), "r"(sum + 2), "r"(threadIdx.x) : "memory");
	asm volatile("{ .reg .pred %%px; elect.sync _|%%px, -1; selp.u32 %0, 1, 0, %%px; }" : "=r"(first));
	__syncwarp();
	bool same = true;
	for (int i = 0; i < 4; i++)
		same &= rows[0][4 * threadIdx.x + i] == rows[1][4 * threadIdx.x + i];
	if (same && first == !threadIdx.x)
		atomicAdd(p + 1, sum);
}

int main()
{
	int *p;
	cudaMallocManaged(&p, 2 * sizeof *p);
	k<<<1, 1>>>(p);
	cudaError_t error = cudaGetLastError();
	if (!error)
		loops<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	printf("%d %s %d\n", *p, cudaGetErrorName(error), p[1]);
}
