// Three blocks of one warp each that wait for memory most of the time.
#include <cstdio>

__global__ void chase(int **buffer, int hops)
{
	int **at = buffer + blockIdx.x * 4096;
	for (int i = 0; i < hops; i++)
		at = (int **)*(int *volatile *)at;
	if (!at)
		buffer[0] = nullptr;
}

int main()
{
	static void *host[3 * 4096];
	char *buffer;
	cudaMalloc(&buffer, sizeof host);
	for (int i = 0; i < 3 * 4096; i++)
		host[i] = buffer + ((i * sizeof(void *) + 512) % sizeof host);
	cudaMemcpy(buffer, host, sizeof host, cudaMemcpyHostToDevice);
	chase<<<3, 32>>>((int **)buffer, 40);
	puts(cudaGetErrorString(cudaDeviceSynchronize()));
	return 0;
}
