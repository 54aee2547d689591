// Many launches of three kinds: one in two amounts of work that take turns, one with atomics, one grid of many waves.
#include <cstdio>
#include <cstdlib>

enum { N = 4096, BLOCK = 128 };

__global__ void step(float *to, const float *from, int turns)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = from[i];
	for (int k = 0; k < turns; k++)
		x = x * 0.5f + from[(i + k) % N];
	to[i] = x;
}

__global__ void count(const float *from, unsigned *total, unsigned *order)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (from[i] > 1.0f)
		order[atomicAdd(total, 1u) % N] = 1;
}

__global__ void wide(unsigned *to, unsigned seed)
{
	unsigned x = seed + blockIdx.x * blockDim.x + threadIdx.x;
	for (int k = 0; k < 24; k++)
		x = x * 1664525u + 1013904223u + to[(x >> 12) % N];
	to[N + blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main(int argc, char **argv)
{
	int launches = argc > 1 ? atoi(argv[1]) : 40, blocks = argc > 2 ? atoi(argv[2]) : 1024;
	float *a, *b, host[N];
	unsigned *counted, total, *words, sum = 0, *copy = new unsigned[N + blocks * BLOCK];
	for (int i = 0; i < N; i++)
		host[i] = (i * 37 % 101) / 50.0f;
	cudaMalloc(&a, sizeof host);
	cudaMalloc(&b, sizeof host);
	cudaMalloc(&counted, (1 + N) * sizeof *counted);
	cudaMalloc(&words, (N + blocks * BLOCK) * sizeof *words);
	cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
	cudaMemset(counted, 0, (1 + N) * sizeof *counted);
	cudaMemset(words, 1, (N + blocks * BLOCK) * sizeof *words);
	for (int l = 0; l < launches; l++) {
		step<<<N / BLOCK, BLOCK>>>(b, a, l % 2 ? 20 : 30);
		count<<<N / BLOCK, BLOCK>>>(b, counted, counted + 1);
		float *t = a;
		a = b;
		b = t;
	}
	if (blocks)
		wide<<<blocks, BLOCK>>>(words, 7);
	cudaMemcpy(&total, counted, sizeof total, cudaMemcpyDeviceToHost);
	cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
	cudaMemcpy(copy, words, (N + blocks * BLOCK) * sizeof *words, cudaMemcpyDeviceToHost);
	for (int i = 0; i < N + blocks * BLOCK; i++)
		sum = sum * 31 + copy[i];
	float most = 0;
	for (int i = 0; i < N; i++)
		most += host[i];
	printf("%u %.9g %u\n", total, most, sum);
	delete[] copy;
	return cudaGetLastError() != cudaSuccess;
}
