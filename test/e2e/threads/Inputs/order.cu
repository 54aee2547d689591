// What depends on the order of things on different SMs: tickets and sums of atomics, locks, flags, a barrier of the
// whole grid, races, and which of several faults is told. Prints what came out; `fault` as an argument ends with one.
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void check(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	printf("%s\n", cudaGetErrorString(error));
	exit(1);
}

#ifndef BLOCKS
#define BLOCKS 80
#endif
#define THREADS 96

__global__ void tickets(unsigned *counter, unsigned *got, float *sum)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	got[i] = atomicAdd(counter, 1 + i % 3);
	atomicAdd(sum, 1.0f / (1 + got[i] % 977));
}

__device__ int lock;
__global__ void locked(unsigned long long *hash)
{
	if (threadIdx.x)
		return;
	while (atomicCAS(&lock, 0, 1))
		;
	__threadfence();
	*hash = *(volatile unsigned long long *)hash * 31 + blockIdx.x;
	__threadfence();
	atomicExch(&lock, 0);
}

// Each block waits for the one before it.
__global__ void chain(volatile int *flags, volatile int *values)
{
	if (threadIdx.x == 0) {
		if (blockIdx.x)
			while (!flags[blockIdx.x - 1])
				;
		__threadfence();
		values[blockIdx.x] = blockIdx.x ? values[blockIdx.x - 1] * 3 + 1 : 1;
		__threadfence();
		flags[blockIdx.x] = 1;
	}
}

__device__ unsigned arrived;
__global__ void meet(int *values, int *seen)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
	for (unsigned round = 0; round < 3; round++) {
		values[i + round % 2 * all] = round * 1000000 + i;
		__threadfence();
		__syncthreads();
		if (threadIdx.x == 0) {
			atomicAdd(&arrived, 1);
			while (*(volatile unsigned *)&arrived < (round + 1) * gridDim.x)
				;
		}
		__syncthreads();
		seen[i] += ((volatile int *)values)[(i + all / 2 + 1) % all + round % 2 * all];
	}
}

// Stores of one SM are seen there at once: by other warps, behind a barrier; by atomics; and atomics by loads.
__global__ void own(int *data, int *wrong)
{
	int *mine = data + blockIdx.x * THREADS;
	unsigned t = threadIdx.x, other = (t + 33) % THREADS;
	for (int i = 0; i < 20; i++) {
		mine[t] = i * 100 + t;
		__syncthreads();
		if (((volatile int *)mine)[other] != i * 100 + (int)other)
			atomicAdd(wrong, 1);
		__syncthreads();
		atomicAdd(&mine[other], 7);
		__syncthreads();
		if (((volatile int *)mine)[t] != i * 100 + (int)t + 7)
			atomicAdd(wrong, 1);
		((volatile char *)&mine[t])[1] = 5;
		if ((((volatile int *)mine)[t] >> 8 & 255) != 5)
			atomicAdd(wrong, 1);
		__syncthreads();
	}
}

__global__ void race(unsigned *winner, unsigned *looser)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int n = 0; n < 8; n++) {
		((volatile unsigned *)winner)[i % 7 + n] = i;
		looser[i] += ((volatile unsigned *)winner)[(i + 1) % 7 + n];
	}
}

__global__ void fails(int *data)
{
	data[blockIdx.x] = 1;
	if (blockIdx.x % 16 == 11)
		data[(1 << 20) + blockIdx.x * 4096] = 1;
	data[blockIdx.x + gridDim.x] = 1;
}

static unsigned long long hash_of(const void *device, size_t bytes)
{
	unsigned char *host = (unsigned char *)malloc(bytes);
	unsigned long long hash = 14695981039346656037ull;
	check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ host[i]) * 1099511628211ull;
	free(host);
	return hash;
}

int main(int argc, char **argv)
{
	const size_t bytes = BLOCKS * THREADS * sizeof(int);
	int *a, *b, *c;
	check(cudaMalloc(&a, bytes));
	check(cudaMalloc(&b, bytes));
	check(cudaMalloc(&c, 4096));
	check(cudaMemset(a, 0, bytes));
	check(cudaMemset(b, 0, bytes));
	check(cudaMemset(c, 0, 4096));
	if (argc > 1 && !strcmp(argv[1], "fault")) {
		fails<<<BLOCKS, 32>>>(a);
		check(cudaDeviceSynchronize());
		return 0;
	}
	tickets<<<BLOCKS, THREADS>>>((unsigned *)c, (unsigned *)a, (float *)c + 1);
	printf("tickets %016llx sum %016llx\n", hash_of(a, bytes), hash_of(c, 8));
	check(cudaMemset(c, 0, 4096));
	locked<<<BLOCKS, THREADS>>>((unsigned long long *)c);
	printf("locked %016llx\n", hash_of(c, 8));
	check(cudaMemset(a, 0, bytes));
	chain<<<BLOCKS, 32>>>(a, b);
	int last;
	check(cudaMemcpy(&last, b + BLOCKS - 1, 4, cudaMemcpyDeviceToHost));
	unsigned expected = 1;
	for (int i = 1; i < BLOCKS; i++)
		expected = expected * 3 + 1;
	printf("chain %s\n", (unsigned)last == expected ? "right" : "wrong");
	check(cudaMemset(b, 0, bytes));
	meet<<<BLOCKS / 2, THREADS>>>(a, b);
	printf("meet %016llx\n", hash_of(b, BLOCKS / 2 * THREADS * 4));
	check(cudaMemset(c, 0, 4096));
	own<<<BLOCKS, THREADS>>>(a, c);
	int wrong;
	check(cudaMemcpy(&wrong, c, 4, cudaMemcpyDeviceToHost));
	printf("own %d wrong\n", wrong);
	race<<<BLOCKS, THREADS>>>((unsigned *)c, (unsigned *)b);
	printf("race %016llx %016llx\n", hash_of(c, 4096), hash_of(b, bytes));
	check(cudaDeviceSynchronize());
	return 0;
}
