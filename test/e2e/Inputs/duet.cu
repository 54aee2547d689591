// Blocks whose warps diverge, call, miss L1 and meet at barriers, in a loop.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__device__ __noinline__ unsigned chase(const unsigned *next, unsigned at, int steps)
{
	for (int i = 0; i < steps; i++)
		at = next[at] ^ (unsigned)(i & 1);
	return at;
}

__global__ void soak(const unsigned *next, unsigned mask, unsigned *out, int rounds)
{
	__shared__ unsigned row[128];
	unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 97u & mask, sum = 0;
	for (int round = 0; round < rounds; round++) {
		if ((threadIdx.x + round) % 3)
			at = chase(next, at & mask, 1 + (int)(threadIdx.x / 32 + round) % 3) & mask;
		row[threadIdx.x] = at + sum;
		if (__syncthreads_or((at ^ round) % 61 == 0))
			sum += row[(threadIdx.x + 33) % 128];
		__syncthreads();
		sum = sum * 5 + next[(sum + at) & mask];
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
	const unsigned size = 1u << 15;
	const int blocks = argc > 1 ? atoi(argv[1]) : 48, rounds = 6, threads = blocks * 128;
	unsigned *host = new unsigned[size], *next, *out, *got = new unsigned[threads];
	unsigned seed = 7;
	for (unsigned i = 0; i < size; i++)
		host[i] = (seed = seed * 1664525u + 1013904223u) >> 17;
	cudaMalloc(&next, size * 4);
	cudaMalloc(&out, threads * 4);
	cudaMemcpy(next, host, size * 4, cudaMemcpyHostToDevice);
	soak<<<blocks, 128>>>(next, size - 1, out, rounds);
	if (cudaMemcpy(got, out, threads * 4, cudaMemcpyDeviceToHost) != cudaSuccess)
		return 1;
	unsigned hash = 0;
	for (int i = 0; i < threads; i++)
		hash = hash * 31 + got[i];
	printf("soak: %08x\n", hash);
	return 0;
}
