// A kernel that is launched with two sizes, a template, and a program that fails when told to.
#include <cstdio>
#include <cstdlib>

__global__ void scale(float *data, int n, int turns)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int t = 0; t < turns && i < n; t++)
		data[i] = data[i] * 1.5f + t;
}

template <typename T> __global__ void fill(T *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		data[i] = 1;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	float *data;
	cudaMalloc(&data, n * sizeof *data);
	fill<float><<<(n + 255) / 256, 256>>>(data, n);
	scale<<<(n + 255) / 256, 256>>>(data, n, 4);
	scale<<<(n + 127) / 128, 128>>>(data, n, 8);
	return cudaDeviceSynchronize() != cudaSuccess || (argc > 2 && printf("told to fail\n"));
}
