/* Atomic operations of all lanes on a word that one of them has written, with no barrier between: a race, also where one
 * lane executes the operation for all. */
#include <cstdio>

__global__ void greatest(int *out)
{
	__shared__ int s;
	if (threadIdx.x == 0)
		s = 0;
	atomicMax(&s, (int)threadIdx.x);
	__syncthreads();
	*out = s;
}

__global__ void sum(int *out)
{
	__shared__ int s;
	if (threadIdx.x == 31)
		s = 0;
	atomicAdd(&s, 1);
	__syncthreads();
	*out = s;
}

__global__ void global_sum(int *out)
{
	if (threadIdx.x == 31)
		*out = 0;
	atomicAdd(out, 2);
}

int main()
{
	int *out;
	cudaMalloc(&out, 4);
	cudaMemset(out, 0, 4);
	greatest<<<1, 32>>>(out);
	sum<<<1, 32>>>(out);
	global_sum<<<1, 32>>>(out);
	puts(cudaGetErrorString(cudaDeviceSynchronize()));
	return 0;
}
