// Where slots are lost: loads whose values are used at once, a function that is inlined twice, barriers, divergence; two
// kernels.
#include <cstdio>
#include <cuda_runtime.h>

static __device__ __forceinline__ float scaled(float value)
{
	return value * 0.5f + 1.0f; // inlined
}

__global__ void chase(const int *next, int *out, int steps)
{
	int at = threadIdx.x + blockIdx.x * blockDim.x;
	for (int i = 0; i < steps; i++)
		at = next[at]; // chased
	out[threadIdx.x + blockIdx.x * blockDim.x] = at;
}

__global__ void smooth(float *data, int rounds)
{
	__shared__ float tile[128];
	int i = threadIdx.x;
	float value = data[blockIdx.x * blockDim.x + i];
	for (int round = 0; round < rounds; round++) {
		tile[i] = scaled(value);
		__syncthreads(); // awaited
		value = scaled(tile[(i + 1) % 128]);
		if (i < 40)
			value = sinf(value) / (value + 2.0f);
		__syncthreads();
	}
	data[blockIdx.x * blockDim.x + i] = value;
}

int main()
{
	const int count = 8 * 128;
	int *next, *out;
	float *data;
	cudaMallocManaged(&next, count * sizeof *next);
	cudaMallocManaged(&out, count * sizeof *out);
	cudaMallocManaged(&data, count * sizeof *data);
	for (int i = 0; i < count; i++) {
		next[i] = (i * 37 + 11) % count;
		data[i] = i;
	}
	chase<<<8, 128>>>(next, out, 30);
	smooth<<<8, 128>>>(data, 10);
	chase<<<8, 128>>>(next, out, 5);
	cudaDeviceSynchronize();
	int at = 5;
	for (int i = 0; i < 5; i++)
		at = next[at];
	printf("%s\n", out[5] == at ? "right" : "wrong");
	return out[5] != at;
}
