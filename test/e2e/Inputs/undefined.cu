// A last tile whose elements nobody loads: what they are is whatever the registers held, which may be stored but not seen.
#include <cstdio>
__global__ void tile(const int *in, int *out, int n, const int *keys)
{
	__shared__ int all[64 * 5];
	int base = (blockIdx.x * 64 + threadIdx.x) * 5, item[5];
	unsigned key[5];
#pragma unroll
	for (int k = 0; k < 5; k++) {
		key[k] = 0x7fffffff;
		if (base + k < n)
			key[k] = keys[base + k];
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 5; k++)
		if (base + k < n)
			item[k] = in[base + k + (n >> 20)];
#pragma unroll
	for (int k = 0; k < 5; k++)
		all[threadIdx.x * 5 + k] = item[k];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 5; k++)
		key[k] += all[(threadIdx.x * 5 + k + 5) % 320];
#pragma unroll
	for (int k = 0; k < 5; k++)
		item[k] = all[k * 64 + threadIdx.x];
#pragma unroll
	for (int k = 0; k < 5; k++)
		if ((int)(blockIdx.x * 320 + k * 64 + threadIdx.x) < n)
			out[blockIdx.x * 320 + k * 64 + threadIdx.x] = item[k] + (key[k] == 77777);
}
int main()
{
	const int n = 1000;
	int *in, *out, host[n], bad = 0;
	cudaMalloc(&in, sizeof host);
	cudaMalloc(&out, sizeof host);
	for (int i = 0; i < n; i++)
		host[i] = i * 7;
	cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
	tile<<<4, 64>>>(in, out, n, in);
	for (int i = 0; i < n; i++)
		host[i] = 0;
	cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		bad += host[i] != i * 7;
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
