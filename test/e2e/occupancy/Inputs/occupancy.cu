// Asks the runtime how many blocks fit, for kernels of different needs, and launches one of each block size.
#include <cstdio>

extern __shared__ float dynamic[];

__global__ void small(float *out)
{
	out[blockIdx.x] = threadIdx.x;
}

__global__ void wide(float *out, const float *x, int n)
{
	float a[48];
#pragma unroll
	for (int i = 0; i < 48; i++)
		a[i] = x[i * n + threadIdx.x];
	__syncthreads();
	float sum = 0, product = 1;
#pragma unroll
	for (int i = 0; i < 48; i++) {
		sum += a[i] * a[47 - i];
		product *= a[i];
	}
	out[threadIdx.x] = sum + product;
}

__global__ void shared(float *out)
{
	__shared__ float fixed[1500];
	fixed[threadIdx.x] = dynamic[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = fixed[blockDim.x - 1 - threadIdx.x];
}

template <typename F> static void ask(const char *name, F kernel, int bytes)
{
	for (int block = 32; block <= 1024; block += 32) {
		int blocks = -1;
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, bytes);
		printf("%s %d %d %d\n", name, bytes, block, blocks);
	}
}

int main()
{
	float *x;
	cudaMalloc(&x, 1 << 20);
	cudaMemset(x, 0, 1 << 20);
	ask("small", small, 0);
	ask("wide", wide, 0);
	ask("shared", shared, 0);
	ask("shared", shared, 10000);
	small<<<1, 96>>>(x);
	wide<<<1, 320>>>(x, x, 100);
	shared<<<1, 160, 10000>>>(x);
	cudaDeviceSynchronize();
	printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
