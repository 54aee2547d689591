// A tile that is read before its copy has been waited for, by others and by the thread itself; the other accesses are right.
#include <cuda_pipeline.h>

__global__ void early(int *out, const int *in, int which)
{
	__shared__ int tile[64], other[64];
	int t = threadIdx.x;
	__pipeline_memcpy_async(&tile[t], &in[t], 4);
	__pipeline_commit();
	__pipeline_memcpy_async(&other[t], &in[t + 64], 4);
	__pipeline_commit();
	__pipeline_wait_prior(1);
	__syncthreads();
	int sum = tile[63 - t];
	if (which == 1)
		sum += other[63 - t];
	if (which == 2)
		sum += other[t];
	if (which == 3)
		other[t] = sum + 1;
	__pipeline_wait_prior(0);
	if (which == 4)
		sum += other[t ^ 32];
	__syncthreads();
	out[t] = sum + other[63 - t];
	__syncthreads();
	__pipeline_memcpy_async(&tile[t], &in[t + 1], 4);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	out[t] += tile[t];
}

int main(int argc, char **argv)
{
	int *memory;
	cudaMalloc(&memory, 4096);
	cudaMemset(memory, 0x11, 4096);
	early<<<1, 64>>>(memory, memory + 128, argc > 1 ? atoi(argv[1]) : 0);
	return cudaDeviceSynchronize() != cudaSuccess;
}
