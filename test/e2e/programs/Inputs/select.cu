// Radix select on floats: histograms with private copies in shared memory of dynamic size. Checks its own results.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
__device__ __forceinline__ unsigned key(float f)
{
	unsigned b = __float_as_uint(f);
	return b & 0x80000000u ? ~b : b | 0x80000000u;
}
__device__ __forceinline__ float unkey(unsigned k)
{
	return __uint_as_float(k & 0x80000000u ? k ^ 0x80000000u : ~k);
}
template <int BITS>
__global__ void hist(const float *in, int n, unsigned prefix, int shift, unsigned *bins)
{
	extern __shared__ unsigned priv[];
	const int B = 1 << BITS, copies = 4;
	for (int i = threadIdx.x; i < B * copies; i += blockDim.x)
		priv[i] = 0;
	__syncthreads();
	unsigned *mine = priv + (threadIdx.x & 3) * B;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned k = key(in[i]);
		if (shift + BITS == 32 || k >> (shift + BITS) == prefix)
			atomicAdd(&mine[(k >> shift) & (B - 1)], 1u);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < B; i += blockDim.x) {
		unsigned sum = 0;
#pragma unroll
		for (int c = 0; c < copies; c++)
			sum += priv[c * B + i];
		if (sum)
			atomicAdd(&bins[i], sum);
	}
}
__global__ void pick(unsigned *bins, unsigned *state)
{
	if (threadIdx.x)
		return;
	unsigned k = state[1], b = 0;
	while (k >= bins[b])
		k -= bins[b++];
	state[0] = state[0] << 8 | b;
	state[1] = k;
}
__global__ void finish(unsigned *state, float *out)
{
	*out = unkey(state[0]);
}
int main()
{
	const int n = 20000;
	std::vector<float> h(n);
	srand(3);
	for (auto &x : h)
		x = (rand() % 200001 - 100000) / 37.0f;
	float *d, *o, r;
	unsigned *bins, *state;
	cudaMalloc(&d, n * 4);
	cudaMalloc(&o, 4);
	cudaMalloc(&bins, 1024);
	cudaMalloc(&state, 8);
	cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice);
	for (unsigned k : {0u, 1u, 777u, 9999u, 19999u}) {
		unsigned init[2] = {0, k}, s[2];
		cudaMemcpy(state, init, 8, cudaMemcpyHostToDevice);
		for (int shift = 24; shift >= 0; shift -= 8) {
			cudaMemset(bins, 0, 1024);
			cudaMemcpy(s, state, 8, cudaMemcpyDeviceToHost);
			hist<8><<<8, 128, 4 * 256 * 4>>>(d, n, s[0], shift, bins);
			pick<<<1, 32>>>(bins, state);
		}
		finish<<<1, 1>>>(state, o);
		if (cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost))
			return puts("err"), 1;
		std::vector<float> c = h;
		std::nth_element(c.begin(), c.begin() + k, c.end());
		if (c[k] != r)
			return printf("FAIL %u %g %g\n", k, c[k], r), 1;
	}
	puts("PASSED");
}
