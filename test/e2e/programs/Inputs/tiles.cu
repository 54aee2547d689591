// Tiles and reductions of cooperative groups, blocks of three dimensions, half precision. Checks its own results.
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
template <int W>
__device__ int tile_sum(int v)
{
	auto t = cg::tiled_partition<W>(cg::this_thread_block());
	for (int d = W / 2; d; d /= 2)
		v += t.shfl_down(v, d);
	return t.shfl(v, 0) + (t.thread_rank() == W - 1) + (int)t.meta_group_rank() * 1000 + t.any(v > 3) +
	       __popc(t.ballot(v & 1));
}
__global__ void k(int *o)
{
	cg::thread_block b = cg::this_thread_block();
	int r = b.thread_rank();
	o[r * 6] = tile_sum<32>(r);
	o[r * 6 + 1] = tile_sum<8>(r);
	o[r * 6 + 2] = tile_sum<2>(r);
	auto t = cg::tiled_partition<16>(b);
	o[r * 6 + 3] = cg::reduce(t, r, cg::plus<int>());
	o[r * 6 + 4] = cg::reduce(t, r ^ 5, cg::greater<int>());
	o[r * 6 + 5] = b.group_index().x * 100 + b.thread_index().y * 10 + b.thread_index().z + t.match_any(r / 3 % 2);
	b.sync();
}
__global__ void halfs(const __half *a, __half *b, float *f)
{
	int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	__half x = a[i];
	__half2 v = __halves2half2(x, __float2half(2.0f));
	v = __hfma2(v, v, __float2half2_rn(0.5f));
	b[i] = __hadd(__low2half(v), __high2half(v));
	f[i] = __half2float(hsqrt(__habs(x))) + (__hgt(x, __float2half(1.0f)) ? 1 : 0);
}
int main()
{
	int *o;
	cudaMallocManaged(&o, 64 * 24);
	k<<<1, dim3(4, 8, 2)>>>(o);
	__half *a, *b;
	float *f;
	cudaMallocManaged(&a, 60 * 2);
	cudaMallocManaged(&b, 60 * 2);
	cudaMallocManaged(&f, 60 * 4);
	for (int i = 0; i < 60; i++)
		a[i] = __float2half(i * 0.125f - 3);
	halfs<<<1, dim3(3, 4, 5)>>>(a, b, f);
	cudaError_t e = cudaDeviceSynchronize();
	if (e)
		return puts(cudaGetErrorString(e)), 1;
	auto sum = [](int r, int W) {
		int base = r / W * W, all = 0, odd = 0, part[64];
		for (int i = 0; i < W; i++)
			part[i] = base + i;
		for (int d = W / 2; d; d /= 2) {
			int nw[64];
			for (int i = 0; i < W; i++)
				nw[i] = part[i] + (i + d < W ? part[i + d] : part[i]);
			for (int i = 0; i < W; i++)
				part[i] = nw[i];
		}
		bool any = false;
		for (int i = 0; i < W; i++)
			any |= part[i] > 3, odd += part[i] & 1;
		return part[0] + (r % W == W - 1) + r / W * 1000 + any + odd;
	};
	for (int r = 0; r < 64; r++) {
		int s = 0, g = 0;
		unsigned m = 0;
		for (int i = r / 16 * 16; i < r / 16 * 16 + 16; i++) {
			s += i;
			g = (i ^ 5) > g ? i ^ 5 : g;
			if (i / 3 % 2 == r / 3 % 2)
				m |= 1u << (i % 16);
		}
		int w[6] = {sum(r, 32), sum(r, 8), sum(r, 2), s, g, r / 4 % 8 * 10 + r / 32 + (int)m};
		for (int j = 0; j < 6; j++)
			if (o[r * 6 + j] != w[j])
				return printf("FAIL %d %d: %d %d\n", r, j, o[r * 6 + j], w[j]), 1;
	}
	for (int i = 0; i < 60; i++) {
		float x = i * 0.125f - 3;
		if (__half2float(b[i]) != x * x + 0.5f + 4.5f || fabs(f[i] - (sqrtf(fabsf(x)) + (x > 1))) > 2e-3f)
			return printf("FAIL half %d %g %g\n", i, __half2float(b[i]), f[i]), 1;
	}
	puts("PASSED");
}
