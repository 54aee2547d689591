/*
 * Calls that are hard for a register stack: indirect ones to functions of different register usage from one warp,
 * recursion to a depth that differs by lane, threads that return early, and barriers between calls. Every thread's
 * result is compared with the host's.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256
#define CHECK(call) check((call), __LINE__)
static void check(cudaError_t error, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "cars.cu:%d: %s\n", line, cudaGetErrorString(error));
	exit(1);
}

__host__ __device__ __noinline__ unsigned mix(unsigned x)
{
	return (x ^ x >> 15) * 0x2c1b3c6du;
}

/* Three functions that keep one, four and ten values across calls. */
__host__ __device__ __noinline__ unsigned one(unsigned x)
{
	return x + mix(x);
}

__host__ __device__ __noinline__ unsigned four(unsigned x)
{
	unsigned a = mix(x), b = mix(a + x), c = mix(a + b), d = mix(b + c);
	return a ^ b ^ c ^ d ^ x;
}

__host__ __device__ __noinline__ unsigned ten(unsigned x)
{
	unsigned value[10];
#pragma unroll
	for (int i = 0; i < 10; i++)
		value[i] = mix(x + i);
	unsigned sum = mix(value[0]);
#pragma unroll
	for (int i = 0; i < 10; i++)
		sum = sum * 31 + value[i];
	return sum;
}

typedef unsigned (*Function)(unsigned);
__device__ Function device_table[3] = {one, four, ten};
static Function host_table[3] = {one, four, ten};

__host__ __device__ __noinline__ unsigned deep(unsigned x, int depth)
{
	if (depth == 0)
		return mix(x);
	unsigned before = mix(x + depth);
	return (deep(before, depth - 1) >> 1) + before;
}

/* Returns from three places. */
__host__ __device__ __noinline__ unsigned early(unsigned x)
{
	if (x % 4 == 0)
		return x + 1;
	unsigned y = mix(x);
	if (y % 4 == 1)
		return y;
	return four(y) + y + x;
}

__host__ __device__ __noinline__ unsigned everything(unsigned i, int depth, Function pointer)
{
	unsigned x = pointer(i);
	x += early(x);
	return x ^ deep(x, (int)(i % (depth + 1)));
}

__global__ void calls(unsigned *results, int rounds, int depth)
{
	__shared__ unsigned passed[BLOCK];
	unsigned i = blockIdx.x * BLOCK + threadIdx.x, x = i;
	for (int round = 0; round < rounds; round++) {
		x = everything(x % 1000, depth, device_table[(x + round) % 3]);
		passed[threadIdx.x] = x;
		__syncthreads();
		x += passed[(threadIdx.x + 32) % BLOCK];
		__syncthreads();
	}
	results[i] = x;
}

int main(int argc, char **argv)
{
	int blocks = argc > 1 ? atoi(argv[1]) : 8, rounds = argc > 2 ? atoi(argv[2]) : 2;
	int depth = argc > 3 ? atoi(argv[3]) : 12, n = blocks * BLOCK, wrong = 0;
	unsigned *got = (unsigned *)malloc(n * sizeof *got), *device, x[BLOCK], next[BLOCK];
	CHECK(cudaMalloc(&device, n * sizeof *got));
	calls<<<blocks, BLOCK>>>(device, rounds, depth);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(got, device, n * sizeof *got, cudaMemcpyDeviceToHost));
	for (int block = 0; block < blocks; block++) {
		for (int t = 0; t < BLOCK; t++)
			x[t] = block * BLOCK + t;
		for (int round = 0; round < rounds; round++) {
			for (int t = 0; t < BLOCK; t++)
				next[t] = everything(x[t] % 1000, depth, host_table[(x[t] + round) % 3]);
			for (int t = 0; t < BLOCK; t++)
				x[t] = next[t] + next[(t + 32) % BLOCK];
		}
		for (int t = 0; t < BLOCK; t++)
			wrong += got[block * BLOCK + t] != x[t];
	}
	printf("cars: %s (%d threads, %d wrong)\n", wrong ? "FAILED" : "PASSED", n, wrong);
	return wrong != 0;
}
