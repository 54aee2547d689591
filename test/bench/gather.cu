/*
 * gather: each thread follows random indices into a table that no cache holds, so that every load of the table is 32
 * accesses to 32 lines. For make bench-sim.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 8
#define THREADS 256

static __host__ __device__ unsigned next_index(unsigned index)
{
	return index * 1664525u + 1013904223u;
}

__global__ void gather(const unsigned *table, unsigned mask, unsigned *out, int n)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x;
	if (thread >= n)
		return;
	unsigned index = next_index((unsigned)thread), sum = 0;
	for (int i = 0; i < STEPS; i++) {
		sum += table[index >> 5 & mask];
		index = next_index(index);
	}
	out[thread] = sum;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 65536;
	unsigned words = 1u << 24, *table, *out;
	if (n <= 0 || cudaMallocManaged(&table, words * sizeof(*table)) || cudaMallocManaged(&out, n * sizeof(*out)))
		return fputs("usage: gather [threads]\n", stderr), 2;
	for (unsigned i = 0; i < words; i++)
		table[i] = next_index(i) >> 8;
	gather<<<(n + THREADS - 1) / THREADS, THREADS>>>(table, words - 1, out, n);
	if (cudaDeviceSynchronize())
		return fprintf(stderr, "gather: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
	int wrong = 0;
	for (int thread = 0; thread < n; thread++) {
		unsigned index = next_index((unsigned)thread), sum = 0;
		for (int i = 0; i < STEPS; i++) {
			sum += table[index >> 5 & (words - 1)];
			index = next_index(index);
		}
		wrong += out[thread] != sum;
	}
	printf("gather: %s (%d threads)\n", wrong ? "FAILED" : "PASSED", n);
	return wrong != 0;
}
