// -DNEW makes the load of `scale` a strided one, so that it is slower; `same` stays.
#include <cstdio>

#ifdef NEW
#define INDEX (i * 33 & 4095)
#else
#define INDEX i
#endif

__global__ void scale(const float *x, float *y) // SCALE
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	y[i] = 2 * x[INDEX];
}

__global__ void same(float *y)
{
	y[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main()
{
	float *x, *y;
	cudaMalloc(&x, 4096 * sizeof(float));
	cudaMalloc(&y, 4096 * sizeof(float));
	cudaMemset(x, 0, 4096 * sizeof(float));
	for (int i = 0; i < 2; i++)
		scale<<<32, 128>>>(x, y);
	same<<<32, 128>>>(y);
	return cudaDeviceSynchronize() != cudaSuccess;
}
