// fetch-limit BYTES [late]: reads one word of each of 4,096 lines, where L2 may fetch so many bytes. Late: the limit is set
// after the first use of the device.
#include <cstdio>
#include <cstdlib>

__global__ void sum(const int *from, int *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	atomicAdd(to, from[i * 32]);
}

int main(int argc, char **argv)
{
	enum { LINES = 4096, WORDS = 32 };
	int *from, *to;
	size_t limit = atoi(argv[1]), got = 0;
	if (argc > 2 && cudaFree(nullptr) != cudaSuccess)
		return 1;
	if (cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, limit) != cudaSuccess)
		return printf("refused\n"), 1;
	if (cudaDeviceGetLimit(&got, cudaLimitMaxL2FetchGranularity) != cudaSuccess || got != (limit ? limit : 64))
		return printf("limit %zu\n", got), 1;
	if (cudaMalloc(&from, LINES * WORDS * sizeof *from) != cudaSuccess ||
	    cudaMalloc(&to, sizeof *to) != cudaSuccess)
		return 1;
	sum<<<LINES / 256, 256>>>(from, to);
	return cudaDeviceSynchronize() != cudaSuccess;
}
