// A kernel that fills the GPU and one of one block, each with a function of its own, and one function of both.
#include <cstdlib>

__device__ __noinline__ float both(float x)
{
	return x * x + 1;
}

__device__ __noinline__ float of_big(float x, int n)
{
	for (int i = 0; i < n; i++)
		x = x * 1.02f + 2;
	return x;
}

__device__ __noinline__ float of_small(float x, int n)
{
	for (int i = 0; i < n; i++)
		x = x * 1.01f + 1;
	return x;
}

__global__ void big(float *out, int n)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = both(of_big(threadIdx.x, n));
}

__global__ void small(float *out, int n)
{
	out[threadIdx.x] = both(of_small(threadIdx.x, n));
}

int main(int, char **argv)
{
	float *out;
	cudaMalloc(&out, 1 << 20);
	big<<<160, 256>>>(out, 10);
	cudaDeviceSynchronize();
	small<<<1, 32>>>(out, atoi(argv[1]));
	return cudaDeviceSynchronize();
}
