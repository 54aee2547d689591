#include "signal.h"

__global__ void total(const float *in, float *out, int n)
{
	__shared__ float part[256];
	int i = blockIdx.x * 256 + threadIdx.x;
	part[threadIdx.x] = i < n ? in[i] : 0.0f;
	for (int stride = 128; stride > 0; stride /= 2) {
		__syncthreads();
		if (threadIdx.x < stride)
			part[threadIdx.x] += part[threadIdx.x + stride];
	}
	if (threadIdx.x == 0)
		atomicAdd(out, part[0]);
}

float sum_signal(const float *in, int n)
{
	float *from, *sum, result = 0.0f;
	cudaMalloc(&from, n * sizeof(float));
	cudaMalloc(&sum, sizeof(float));
	cudaMemcpy(from, in, n * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(sum, &result, sizeof(float), cudaMemcpyHostToDevice);
	total<<<(n + 255) / 256, 256>>>(from, sum, n);
	cudaMemcpy(&result, sum, sizeof(float), cudaMemcpyDeviceToHost);
	cudaFree(from);
	cudaFree(sum);
	return result;
}
