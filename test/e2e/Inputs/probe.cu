/* Something for every hook of a policy: calls, barriers that wait, divergence, loads that miss, local memory, two grids. */
#include <cstdio>

#define THREADS 96

__device__ __noinline__ int twice(int value)
{
	return value % 3 ? 2 * value : value + value;
}

__global__ void busy(const int *in, int *out, int n)
{
	__shared__ int tile[THREADS];
	int mine[8];
	int t = blockIdx.x * THREADS + threadIdx.x, sum = 0;
	for (int i = 0; i < 8; i++)
		mine[i * (n > 0)] = in[(t * 97 + i * 1031) % n];
	if (threadIdx.x < 32)
		for (int i = 0; i < 20; i++)
			sum += mine[(i + n) % 8] > 3;
	tile[threadIdx.x] = threadIdx.x % 2 ? twice(mine[n % 8]) : mine[0];
	__syncthreads();
	out[t] = sum + tile[THREADS - 1 - threadIdx.x];
}

/* May be killed and begin anew. */
__global__ void pure(const int *__restrict__ in, int *__restrict__ out)
{
	int t = blockIdx.x * THREADS + threadIdx.x;
	out[t] = in[t] * 3 + in[t + THREADS];
}

int main()
{
	const int blocks = 80, n = (blocks + 1) * THREADS;
	static int host[n], a[n], b[n];
	int *in, *out, *more, wrong = 0;
	for (int i = 0; i < n; i++)
		host[i] = i % 11;
	cudaMalloc(&in, sizeof host);
	cudaMalloc(&out, sizeof host);
	cudaMalloc(&more, sizeof host);
	cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
	busy<<<blocks, THREADS>>>(in, out, n);
	pure<<<blocks, THREADS>>>(in, more);
	if (cudaDeviceSynchronize() != cudaSuccess) {
		printf("probe: stopped\n");
		return 1;
	}
	cudaMemcpy(a, out, sizeof a, cudaMemcpyDeviceToHost);
	cudaMemcpy(b, more, sizeof b, cudaMemcpyDeviceToHost);
	for (int i = 0; i < blocks * THREADS; i++)
		wrong += b[i] != host[i] * 3 + host[i + THREADS];
	for (int i = 0; i < blocks * THREADS; i++)
		wrong += a[i] < 0 || a[i] > 40;
	printf("probe: %s\n", wrong ? "FAILED" : "PASSED");
	return wrong != 0;
}
