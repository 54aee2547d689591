// Each mode runs one arm. Identical lines, each with slots.
#include <cstdlib>

__global__ void arms(float *x, int mode)
{
	float v = x[threadIdx.x];
	if (mode == 1)
		x[threadIdx.x + 1024] = v * 3.0f;
	else
		x[(threadIdx.x * 37) % 4096] = sqrtf(v) + 1.0f;
	__syncthreads();
	x[threadIdx.x ^ 1] += 1.0f;
	__syncthreads();
	x[threadIdx.x ^ 1] += 1.0f;
	__syncthreads();
	x[threadIdx.x ^ 1] += 1.0f;
}

int main(int argc, char **argv)
{
	float *x;
	cudaMalloc(&x, 16384); // ääääääääääääääääääääääääääääääääääääää
	arms<<<1, 256>>>(x, argc > 1 ? atoi(argv[1]) : 0);
	return cudaDeviceSynchronize();
}
