/*
 * Mistakes within blocks, in many blocks of different length, so that several SMs find the same ones in one window of
 * cycles, and not in the order of the blocks. `windows fault`: one block also accesses memory that is not there.
 */
#include <cstdio>

__device__ int small_one[3], next_one[64];

__global__ void mistakes(int *out, int *nowhere)
{
	__shared__ int word[64], lock;
	int turns = (blockIdx.x * 7 + 3) % 13, mine = 0;
	if (threadIdx.x == 0)
		lock = 0;
	for (int i = 0; i < turns; i++)
		mine += out[(threadIdx.x + i * 32) % 256];
	word[threadIdx.x] = mine + 1;
	out[blockIdx.x * 64 + threadIdx.x] = word[threadIdx.x ^ 33]; /* another warp's, without a barrier */
	if (threadIdx.x % 32 < turns)
		__syncthreads(); /* by a part of the warp */
	if (threadIdx.x == turns)
		small_one[turns % 5] = mine; /* 3 and 4 lie behind it */
	int old = lock; /* given to a compare-and-swap by every other thread */
	if (threadIdx.x % 2)
		atomicCAS(&lock, old, old + 1);
	else
		out[threadIdx.x] = old;
	if (nowhere && blockIdx.x == 5)
		nowhere[threadIdx.x] = 1;
}

int main(int argc, char **)
{
	int *out;
	cudaMalloc(&out, 200 * 64 * sizeof(int));
	cudaMemset(out, 0, 200 * 64 * sizeof(int));
	mistakes<<<200, 64>>>(out, argc > 1 ? (int *)64 : nullptr);
	puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
