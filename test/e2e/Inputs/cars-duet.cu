// Blocks whose warps miss L1 in calls of several depths, in recursion and between barriers of a loop, with values of each
// caller in registers meanwhile; results are compared with the host's.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BLOCK 128
#define FUNCTION __host__ __device__ __noinline__

/* Keeps three values over its loads. */
FUNCTION unsigned leaf(const unsigned *next, unsigned at, unsigned mask)
{
	unsigned a = next[at & mask], b = next[(a ^ at) & mask];
	return (a >> 1) + b * 3 + at;
}

/* Six values over two calls, and a load under way that is used right after them. */
FUNCTION unsigned middle(const unsigned *next, unsigned at, unsigned mask)
{
	unsigned value[6], sum = at, early = next[at * 11 & mask];
#pragma unroll
	for (int i = 0; i < 6; i++)
		value[i] = at * (2 * i + 3) + i;
	sum += leaf(next, at + value[0], mask);
	sum ^= leaf(next, sum, mask);
	sum = early ^ early >> 3 ^ sum;
#pragma unroll
	for (int i = 0; i < 6; i++)
		sum = sum * 7 + value[i];
	return sum;
}

FUNCTION unsigned deep(const unsigned *next, unsigned at, unsigned mask, int depth)
{
	if (depth <= 0)
		return next[at & mask];
	unsigned before = next[(at + depth) & mask], kept = at * 5 + depth;
	return (deep(next, before, mask, depth - 1) >> 1) + before + kept;
}

typedef unsigned (*Function)(const unsigned *, unsigned, unsigned);
__device__ Function device_table[2] = {leaf, middle};
static Function host_table[2] = {leaf, middle};

/* One thread's part of a round, which barriers enclose. */
FUNCTION unsigned visit(const unsigned *next, unsigned at, unsigned mask, int round, unsigned thread, Function pointer)
{
	unsigned sum = pointer(next, at, mask);
	if ((thread + round) % 3)
		sum += deep(next, sum, mask, (int)(thread + round) % 5);
	return sum;
}

__global__ void __launch_bounds__(BLOCK) work(const unsigned *next, unsigned mask, unsigned *out, int rounds)
{
	__shared__ unsigned row[BLOCK];
	unsigned thread = blockIdx.x * BLOCK + threadIdx.x, at = thread * 97u, kept[8];
#pragma unroll
	for (int i = 0; i < 8; i++)
		kept[i] = thread * (i + 1);
	for (int round = 0; round < rounds; round++) {
		at = visit(next, at, mask, round, thread, device_table[(threadIdx.x / 32 + round) % 2]);
		row[threadIdx.x] = at;
		__syncthreads();
		at += row[(threadIdx.x + 33) % BLOCK];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 8; i++)
			kept[i] = kept[i] * 3 + at;
	}
	for (int i = 0; i < 8; i++)
		at = at * 31 + kept[i];
	out[thread] = at;
}

static void expect(const unsigned *next, unsigned mask, unsigned *out, int block, int rounds)
{
	unsigned at[BLOCK], row[BLOCK], kept[BLOCK][8];
	for (int t = 0; t < BLOCK; t++) {
		at[t] = (block * BLOCK + t) * 97u;
		for (int i = 0; i < 8; i++)
			kept[t][i] = (unsigned)(block * BLOCK + t) * (i + 1);
	}
	for (int round = 0; round < rounds; round++) {
		for (int t = 0; t < BLOCK; t++)
			row[t] = at[t] = visit(next, at[t], mask, round, block * BLOCK + t, host_table[(t / 32 + round) % 2]);
		for (int t = 0; t < BLOCK; t++) {
			at[t] += row[(t + 33) % BLOCK];
			for (int i = 0; i < 8; i++)
				kept[t][i] = kept[t][i] * 3 + at[t];
		}
	}
	for (int t = 0; t < BLOCK; t++) {
		for (int i = 0; i < 8; i++)
			at[t] = at[t] * 31 + kept[t][i];
		out[t] = at[t];
	}
}

int main(int argc, char **argv)
{
	const unsigned size = 1u << 14;
	const int blocks = argc > 1 ? atoi(argv[1]) : 16, rounds = argc > 2 ? atoi(argv[2]) : 3, launches = argc > 3 ? atoi(argv[3]) : 1;
	unsigned *host = new unsigned[size], *next, *out, *got = new unsigned[blocks * BLOCK], want[BLOCK];
	unsigned seed = 7;
	int wrong = 0;
	for (unsigned i = 0; i < size; i++)
		host[i] = (seed = seed * 1664525u + 1013904223u) >> 17;
	cudaMalloc(&next, size * 4);
	cudaMalloc(&out, blocks * BLOCK * 4);
	cudaMemcpy(next, host, size * 4, cudaMemcpyHostToDevice);
	for (int i = 0; i < launches; i++)
		work<<<blocks, BLOCK>>>(next, size - 1, out, rounds);
	if (cudaMemcpy(got, out, blocks * BLOCK * 4, cudaMemcpyDeviceToHost) != cudaSuccess)
		return 1;
	for (int block = 0; block < blocks; block++) {
		expect(host, size - 1, want, block, rounds);
		for (int t = 0; t < BLOCK; t++)
			wrong += got[block * BLOCK + t] != want[t];
	}
	printf("cars-duet: %s (%d threads, %d wrong)\n", wrong ? "FAILED" : "PASSED", blocks * BLOCK, wrong);
	return wrong != 0;
}
