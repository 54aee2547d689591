// Two blocks of two warps that wait for memory again and again, have some shared memory and compute little.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void hide(const unsigned *next, unsigned *out, int steps)
{
	__shared__ volatile unsigned row[512];
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, at = thread;
	row[threadIdx.x] = at;
	for (int i = 0; i < steps; i++)
		at = next[at];
	out[thread] = at + row[threadIdx.x];
}

int main()
{
	const unsigned threads = 128, steps = 40;
	unsigned host[threads * steps], *next, *out, got[threads], bad = 0;
	for (unsigned i = 0; i < threads * steps; i++)
		host[i] = (i + threads) % (threads * steps); // the next line of this warp's
	cudaMalloc(&next, sizeof(host));
	cudaMalloc(&out, sizeof(got));
	cudaMemcpy(next, host, sizeof(host), cudaMemcpyHostToDevice);
	hide<<<2, 64>>>(next, out, steps);
	if (cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost) != cudaSuccess)
		return 1;
	for (unsigned i = 0; i < threads; i++)
		bad += got[i] != 2 * i;
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
