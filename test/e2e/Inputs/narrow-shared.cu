/* Atomics of 8 and 16 bits where the block has less than the word that they exchange, or ends inside one. */
#include <cuda/atomic>
#include <stdio.h>

__global__ void one(unsigned *sum)
{
	__shared__ unsigned short count;
	if (threadIdx.x == 0)
		count = 5;
	__syncthreads();
	cuda::atomic_ref<unsigned short, cuda::thread_scope_block>(count).fetch_add(1);
	__syncthreads();
	*sum = count;
}

__global__ void last(unsigned *sum)
{
	extern __shared__ unsigned char counts[];
	if (threadIdx.x < 5)
		counts[threadIdx.x] = 1;
	__syncthreads();
	cuda::atomic_ref<unsigned char, cuda::thread_scope_block>(counts[4]).fetch_add(2);
	__syncthreads();
	*sum = counts[4];
}

int main()
{
	unsigned *sum, got[2] = {0, 0};
	cudaMalloc((void **)&sum, sizeof got);
	one<<<1, 32>>>(sum);
	last<<<1, 32, 5>>>(sum + 1);
	cudaError_t error = cudaDeviceSynchronize();
	cudaMemcpy(got, sum, sizeof got, cudaMemcpyDeviceToHost);
	printf("%s %u %u\n", cudaGetErrorString(error), got[0], got[1]);
	return cudaFree(sum) != cudaSuccess;
}
