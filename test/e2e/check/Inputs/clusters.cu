// Shared memory of a cluster's blocks: what its barrier orders, and what nothing does. MISSING: the barrier that is left out.
#ifndef MISSING
#define MISSING 0
#endif
static __device__ void meet()
{
	asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2) histogram(int *out)
{
	__shared__ int bins[4], turned[64], part[2];
	unsigned rank, at, bin = (blockIdx.x * 8 + threadIdx.x) % 8, thread = threadIdx.x;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	if (thread < 4)
		bins[thread] = 0;
	turned[thread] = thread;
	if (MISSING != 1)
		meet();
	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"((unsigned)__cvta_generic_to_shared(&bins[bin % 4])), "r"(bin / 4));
	asm volatile("red.shared::cluster.add.s32 [%0], 1;" ::"r"(at) : "memory");
	if (thread == 0) { // part is written by others alone
		asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(at) : "r"((unsigned)__cvta_generic_to_shared(&part[rank])));
		asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(rank + 5) : "memory");
	}
	if (MISSING != 2)
		meet();
	if (thread < 4)
		out[4 * blockIdx.x + thread] = bins[thread];
	out[8 + thread] = turned[63 - thread] + (rank ? 0 : part[thread % 2]);
}

int main()
{
	int *out;
	cudaMalloc(&out, 1024);
	histogram<<<2, 64>>>(out);
	return cudaDeviceSynchronize() != cudaSuccess;
}
