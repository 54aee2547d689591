// Waits with a long limit of their own that end early, many times: nothing of them is left that keeps others waiting.
#include <cstdio>

enum { PHASES = 1200, THREADS = 256 };

__global__ void phases(long long *cycles, int *turns)
{
	__shared__ alignas(8) unsigned long long barrier;
	unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), done;
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(THREADS));
	__syncthreads();
	long long began = clock64();
	int sum = 0;
	for (int phase = 0; phase < PHASES; phase++) {
		for (int i = 0; threadIdx.x < 32 && i < 64; i++)
			sum = sum * 3 + phase; /* the first warp comes later than the others */
		asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
		do /* ten milliseconds */
			asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.shared.b64 over, [%1], %2, 0x989680;"
				     " selp.u32 %0, 1, 0, over; }"
				     : "=r"(done)
				     : "r"(at), "r"(phase & 1)
				     : "memory");
		while (!done);
	}
	if (threadIdx.x == 0)
		*cycles = clock64() - began;
	turns[threadIdx.x] = sum;
}

int main()
{
	long long *cycles, taken = 0;
	int *turns;
	cudaMalloc(&cycles, sizeof *cycles);
	cudaMalloc(&turns, THREADS * sizeof *turns);
	phases<<<1, THREADS>>>(cycles, turns);
	cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost);
	printf("limits: %s, %s\n", cudaGetErrorString(cudaGetLastError()),
	       taken > 100 * PHASES && taken < 1000 * PHASES ? "a few hundred cycles a phase" : "too long or too short");
	return 0;
}
