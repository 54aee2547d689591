#include "signal.h"

__device__ float mean_around(const float *in, int n, int at)
{
	float sum = 0.0f;
	int count = 0;
	for (int i = at - RADIUS; i <= at + RADIUS; i++)
		if (i >= 0 && i < n) {
			sum += in[i];
			count++;
		}
	return sum / (float)count;
}

__global__ void smooth(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = mean_around(in, n, i);
}

void smooth_signal(const float *in, float *out, int n)
{
	float *from, *to;
	size_t bytes = n * sizeof(float);
	cudaMalloc(&from, bytes);
	cudaMalloc(&to, bytes);
	cudaMemcpy(from, in, bytes, cudaMemcpyHostToDevice);
	smooth<<<(n + 127) / 128, 128>>>(from, to, n);
	cudaMemcpy(out, to, bytes, cudaMemcpyDeviceToHost);
	cudaFree(from);
	cudaFree(to);
}
