/* Each thread's lane by the header's assembly and by our own. */
#include HEADER
#include <cstdio>

__global__ void lanes(unsigned *out)
{
	unsigned own;
	asm("mov.u32 %0, %%laneid;" : "=r"(own));
	out[threadIdx.x] = own * 100 + lane_of_barrier();
}

int main()
{
	unsigned *out;
	if (cudaMallocManaged(&out, 64 * sizeof *out) != cudaSuccess)
		return 2;
	lanes<<<1, 64>>>(out);
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 3;
	for (unsigned i = 0; i < 64; i++)
		if (out[i] != i % 32 * 101) {
			printf("thread %u: %u\n", i, out[i]);
			return 1;
		}
	return 0;
}
