/* Cycles of products in a chain in one warp, and multiply-adds a cycle of an SM whose schedulers have two warps each. */
#include <cstdio>
#include <mma.h>

using namespace nvcuda;

enum { SHORT = 4, LONG = 44 };

template <class Sum, int Count> __device__ __forceinline__ long long products(Sum *to, const __half *from, int chains)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> c[2];
	wmma::load_matrix_sync(a, from, 16);
	wmma::load_matrix_sync(b, from, 16);
	wmma::fill_fragment(c[0], (Sum)0.0f);
	wmma::fill_fragment(c[1], (Sum)0.0f);
	__syncthreads();
	long long start = clock64();
#pragma unroll
	for (int i = 0; i < Count; i++)
		wmma::mma_sync(c[i % 2 & (chains > 1)], a, b, c[i % 2 & (chains > 1)]);
	for (int i = 0; i < 8; i++)
		c[0].x[i] = c[0].x[i] + c[1].x[i];
	long long cycles = clock64() - start;
	wmma::store_matrix_sync(to + 256 * (threadIdx.x / 32), c[0], 16, wmma::mem_row_major);
	return cycles;
}
template <class Sum, int Chains> __global__ void time(long long *cycles, Sum *to, const __half *from)
{
	for (int warm = 0; warm < 2; warm++) {
		cycles[0] = products<Sum, SHORT>(to, from, Chains);
		__syncthreads();
		cycles[1] = products<Sum, LONG>(to, from, Chains);
		__syncthreads();
	}
}

template <class Sum> static void measure(const char *name)
{
	long long *cycles;
	Sum *to;
	__half *from;
	cudaMallocManaged(&cycles, 16);
	cudaMallocManaged(&to, 8 * 256 * sizeof(Sum));
	cudaMallocManaged(&from, 512);
	for (int i = 0; i < 256; i++)
		from[i] = __float2half(0.0f);
	time<Sum, 1><<<1, 32>>>(cycles, to, from);
	cudaDeviceSynchronize();
	printf("%s: chain %lld\n", name, (cycles[1] - cycles[0]) / (LONG - SHORT));
	time<Sum, 2><<<1, 256>>>(cycles, to, from);
	cudaDeviceSynchronize();
	printf("%s: rate %lld\n", name, (LONG - SHORT) * 8 * 4096LL / (cycles[1] - cycles[0]));
}

int main()
{
	measure<float>("single");
	measure<__half>("half");
	return 0;
}
