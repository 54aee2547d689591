// Lanes wait for a flag with values at hand, while lane 0 has run past the place where they would meet: a preemption
// point there has to save what they hold. The flag is waited for in the kernel, and in a function of its own.
#include <cstdio>
#include <cstring>

enum { LANES = 32, TURNS = 20 };

struct state {
	int flag, in[LANES], out[LANES], sums[LANES];
};

__device__ __noinline__ int wait(int *flag, int value)
{
	int kept = value * 3;
	while (!atomicAdd(flag, 0))
		;
	return kept;
}

__global__ void ahead(state *s, int turns, bool call)
{
	int t = threadIdx.x, sum = 0;
	if (t) {
		int kept = s->in[t];
		if (call) {
			kept = wait(&s->flag, kept);
		} else {
			kept *= 3;
			while (!atomicAdd(&s->flag, 0))
				;
		}
		s->out[t] = kept;
	}
#pragma unroll 1
	for (int i = 0; i < turns; i++)
		sum += *(volatile int *)&s->in[i] * t;
	s->sums[t] = sum;
	if (!t)
		atomicExch(&s->flag, 1);
}

int main()
{
	state host, *device;
	int wrong = 0;
	cudaMalloc(&device, sizeof host);
	for (int call = 0; call < 2; call++) {
		memset(&host, 0, sizeof host);
		for (int i = 0; i < LANES; i++)
			host.in[i] = i + 1;
		cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
		ahead<<<1, LANES>>>(device, TURNS, call);
		cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
		wrong += cudaGetLastError() != cudaSuccess;
		for (int t = 1; t < LANES; t++)
			wrong += host.out[t] != 3 * (t + 1) || host.sums[t] != t * TURNS * (TURNS + 1) / 2;
	}
	printf("yields: %s\n", wrong ? "FAILED" : "PASSED");
	return wrong != 0;
}
