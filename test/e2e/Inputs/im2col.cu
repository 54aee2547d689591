// Copies of tensors as convolutions read them, three to five dimensions, beside the convolution's own loops on the host: strides,
// dilation, padding, channels and images outside, swizzles, several blocks, stores; and what L2 fetches for a tensor's rows.
#include <cstdio>
#include <cstring>
#include <cuda.h>

typedef unsigned long long barrier_t;
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(barrier_t *bar, unsigned bytes)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.proxy.async.shared::cta;" ::"r"(at(bar)) : "memory");
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
}
__device__ void wait(barrier_t *bar)
{
	asm volatile("{\n.reg .pred P1;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], 0;\n@!P1 bra AGAIN;\n}" ::"r"(at(bar)) : "memory");
}

struct place {
	int c, w, h, d, n;
	unsigned short offset[3];
};
#define LOAD(dims) "cp.async.bulk.tensor." dims ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
template <int D> __global__ void pixels(const __grid_constant__ CUtensorMap map, place p, unsigned bytes, unsigned *out)
{
	extern __shared__ __align__(1024) unsigned tile[];
	__shared__ barrier_t bar;
	if (threadIdx.x == 0)
		init(&bar, bytes);
	__syncthreads();
	if (D == 3 && threadIdx.x == 0)
		asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%0, {%1, %2, %3}], {%4};" ::"l"(&map), "r"(p.c), "r"(p.w), "r"(p.n), "h"(p.offset[0]));
	if (D == 3 && threadIdx.x == 0)
		asm volatile(LOAD("3d") " [%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(at(tile)), "l"(&map), "r"(p.c), "r"(p.w), "r"(p.n), "r"(at(&bar)), "h"(p.offset[0]) : "memory");
	if (D == 4 && threadIdx.x == 0)
		asm volatile(LOAD("4d") ".L2::cache_hint [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8}, %9;" ::"r"(at(tile)), "l"(&map), "r"(p.c), "r"(p.w), "r"(p.h), "r"(p.n), "r"(at(&bar)), "h"(p.offset[0]), "h"(p.offset[1]), "l"(0ull) : "memory");
	if (D == 5 && threadIdx.x == 0)
		asm volatile(LOAD("5d") " [%0], [%1, {%2, %3, %4, %5, %6}], [%7], {%8, %9, %10};" ::"r"(at(tile)), "l"(&map), "r"(p.c), "r"(p.w), "r"(p.h), "r"(p.d), "r"(p.n), "r"(at(&bar)), "h"(p.offset[0]), "h"(p.offset[1]), "h"(p.offset[2]) : "memory");
	wait(&bar);
	for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x)
		out[i] = tile[i];
}

// Each block of a cluster reads for both.
__global__ void __cluster_dims__(2, 1, 1) cast(const __grid_constant__ CUtensorMap map, unsigned *out)
{
	__shared__ __align__(128) unsigned tile[2][32];
	__shared__ barrier_t bar;
	unsigned rank;
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	init(&bar, 128);
	asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
	asm volatile(LOAD("4d") ".multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8}, %9;" ::"r"(at(tile[rank])), "l"(&map), "r"(0), "r"(0), "r"(0), "r"(0), "r"(at(&bar)), "h"((short)rank), "h"((short)2), "h"((short)3) : "memory");
	wait(&bar);
	for (int i = 0; i < 32; i++)
		out[32 * rank + i] = tile[i / 16][i % 16];
	asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

// Pixels from (w, 0) on become their numbers.
__global__ void put(const __grid_constant__ CUtensorMap map, int w)
{
	__shared__ __align__(128) unsigned tile[4 * 8];
	for (int i = 0; i < 32; i++)
		tile[i] = i;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map), "r"(0), "r"(w), "r"(0), "r"(at(tile)) : "memory");
	asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void rows(const __grid_constant__ CUtensorMap map)
{
	__shared__ __align__(128) unsigned tile[8 * 8];
	__shared__ barrier_t bar;
	init(&bar, sizeof tile);
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at(tile)), "l"(&map), "r"(0), "r"(0), "r"(at(&bar)) : "memory");
	wait(&bar);
}

static int wrong;
static void expect(const char *what, bool right)
{
	if (!right)
		printf("%s: wrong\n", what);
	wrong += !right;
}

// Sizes: channels, w, h, d, n; of what is not there 1. A filter is so large, its elements so far apart, and its places, too.
struct convolution {
	int rank, size[5], filter[3], apart[3], stride[3], padding[3], channels, pixels, first, channel, swizzle, fill;
};
static CUresult encode(CUtensorMap *map, const convolution &v, void *p, CUtensorMapDataType type, int upper_less = 0)
{
	cuuint64_t dims[5], strides[4];
	cuuint32_t steps[5] = {1, 1, 1, 1, 1};
	int lower[3], upper[3], spatial = v.rank - 2;
	dims[0] = v.size[0];
	for (int i = 0; i < spatial; i++) {
		dims[i + 1] = v.size[i + 1];
		steps[i + 1] = v.stride[i];
		lower[i] = -v.padding[i];
		upper[i] = v.padding[i] - (v.filter[i] - 1) * v.apart[i] - upper_less;
	}
	dims[v.rank - 1] = v.size[4];
	strides[0] = v.size[0] * 4;
	for (int i = 1; i < v.rank - 1; i++)
		strides[i] = strides[i - 1] * dims[i];
	return cuTensorMapEncodeIm2col(map, type, v.rank, p, dims, strides, lower, upper, v.channels, v.pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)v.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)v.fill);
}

// All elements of the filter, from the first place on.
static void convolve(const char *what, const convolution &v, unsigned *t, unsigned *out)
{
	CUtensorMap map;
	int spatial = v.rank - 2, places[3] = {1, 1, 1}, stride[3] = {}, padding[3] = {};
	expect(what, encode(&map, v, t, v.fill ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_UINT32) == CUDA_SUCCESS);
	for (int i = 0; i < spatial; i++) {
		stride[i] = v.stride[i];
		padding[i] = v.padding[i];
		places[i] = (v.size[i + 1] + 2 * padding[i] - (v.filter[i] - 1) * v.apart[i] - 1) / stride[i] + 1;
	}
	int elements = 1;
	for (int i = 0; i < spatial; i++)
		elements *= v.filter[i];
	for (int e = 0; e < elements; e++) {
		int k = v.first, rest = e, w, h, d, o[3] = {};
		place p = {v.channel};
		for (int i = 0; i < spatial; i++, rest /= v.filter[i - 1])
			p.offset[i] = o[i] = rest % v.filter[i] * v.apart[i];
		p.w = k % places[0] * stride[0] - padding[0];
		p.h = k / places[0] % places[1] * stride[1] - padding[1];
		p.d = k / places[0] / places[1] % places[2] * stride[2] - padding[2];
		p.n = k / places[0] / places[1] / places[2];
		unsigned bytes = v.channels * v.pixels * 4;
		if (v.rank == 3)
			pixels<3><<<1, 32, bytes>>>(map, p, bytes, out);
		else if (v.rank == 4)
			pixels<4><<<1, 32, bytes>>>(map, p, bytes, out);
		else
			pixels<5><<<1, 32, bytes>>>(map, p, bytes, out);
		bool right = cudaDeviceSynchronize() == cudaSuccess;
		for (int i = 0; i < v.pixels * v.channels; i++) {
			int c = v.channel + i % v.channels, q = k + i / v.channels;
			w = q % places[0] * stride[0] - padding[0] + o[0];
			h = q / places[0] % places[1] * stride[1] - padding[1] + o[1];
			d = q / places[0] / places[1] % places[2] * stride[2] - padding[2] + o[2];
			int n = q / places[0] / places[1] / places[2];
			bool inside = c < v.size[0] && w >= 0 && w < v.size[1] && h >= 0 && h < v.size[2] && d >= 0 && d < v.size[3] && n < v.size[4];
			unsigned want = inside ? t[c + v.size[0] * (w + v.size[1] * (h + v.size[2] * (d + v.size[3] * n)))] : v.fill ? 0xffffffff : 0;
			unsigned to = 4 * i, mixed = to ^ ((to >> 7 & ((1 << v.swizzle) - 1)) << 4);
			right &= out[mixed / 4] == want;
		}
		expect(what, right);
	}
}

int main(int argc, char **argv)
{
	unsigned *t, *out;
	cudaMallocManaged(&t, 1 << 16);
	cudaMallocManaged(&out, 1 << 16);
	for (int i = 0; i < 1 << 14; i++)
		t[i] = i + 1;
	CUtensorMap map;
	if (argc > 1) { // L2's promotion: eight rows of 32 bytes, each in lines of its own
		cuuint64_t dims[] = {8, 8}, strides[] = {1024};
		cuuint32_t box[] = {8, 8}, ones[] = {1, 1};
		for (int promotion = 0; promotion < 4; promotion++) {
			cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, (char *)t + promotion * 8192 + 32, dims, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, (CUtensorMapL2promotion)promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
			rows<<<1, 1>>>(map);
		}
		return cudaDeviceSynchronize();
	}
	//                    rank  c  w  h  d  n   filter      apart       stride      padding   ch  px first c  swizzle fill
	const convolution line = {3, {8, 20, 1, 1, 3}, {3}, {1}, {1}, {1}, 8, 30, 5, 0, 0, 0};
	convolve("line", line, t, out);
	convolve("wide", {3, {8, 20, 1, 1, 3}, {2}, {5}, {3}, {2}, 4, 24, 2, 4, 0, 0}, t, out);
	convolve("square", {4, {8, 7, 5, 1, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 8, 64, 17, 0, 1, 0}, t, out);
	convolve("strides", {4, {32, 9, 6, 1, 2}, {3, 2}, {2, 1}, {2, 3}, {2, 0}, 32, 16, 3, 0, 3, 0}, t, out);
	// The last image ends, and channels do.
	convolve("ends", {4, {12, 5, 5, 1, 2}, {2, 2}, {1, 1}, {1, 1}, {0, 0}, 8, 40, 10, 8, 0, 1}, t, out);
	convolve("cube", {5, {4, 5, 4, 3, 2}, {3, 2, 2}, {1, 1, 1}, {1, 2, 1}, {1, 0, 1}, 4, 50, 7, 0, 0, 0}, t, out);
	// Both pixels of the blocks: (rank, 2) on, of 8 channels.
	const convolution pair = {4, {8, 7, 5, 1, 3}, {3, 3}, {1, 1}, {1, 1}, {0, 0}, 8, 2};
	expect("cast", encode(&map, pair, t, CU_TENSOR_MAP_DATA_TYPE_UINT32) == CUDA_SUCCESS);
	cast<<<2, 1>>>(map, out);
	bool right = cudaDeviceSynchronize() == cudaSuccess;
	for (int i = 0; i < 64; i++)
		right &= out[i] == t[i % 16 + 8 * (i / 16 % 2) + 8 * 7 * 2];
	expect("cast", right);
	// Four pixels from w = 18 on: two of the first image, two of the second one.
	convolution store = line;
	store.filter[0] = 1, store.padding[0] = 0, store.pixels = 4;
	encode(&map, store, t, CU_TENSOR_MAP_DATA_TYPE_UINT32);
	put<<<1, 1>>>(map, 18);
	right = cudaDeviceSynchronize() == cudaSuccess;
	for (int i = 0; i < 480; i++)
		right &= t[i] == (i / 8 >= 18 && i / 8 < 22 ? (unsigned)i - 18 * 8 : i + 1u);
	expect("store", right);
	// What cannot be.
	convolution bad = pair;
	bad.pixels = 1025;
	expect("pixels", encode(&map, bad, t, CU_TENSOR_MAP_DATA_TYPE_UINT32) == CUDA_ERROR_INVALID_VALUE);
	bad = pair, bad.padding[0] = 129;
	expect("corner", encode(&map, bad, t, CU_TENSOR_MAP_DATA_TYPE_UINT32) == CUDA_ERROR_INVALID_VALUE);
	expect("empty", encode(&map, pair, t, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3) == CUDA_ERROR_INVALID_VALUE);
	expect("full", encode(&map, pair, t, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2) == CUDA_SUCCESS);
	bad = pair, bad.rank = 2;
	expect("rank", encode(&map, bad, t, CU_TENSOR_MAP_DATA_TYPE_UINT32) == CUDA_ERROR_INVALID_VALUE);
	printf("im2col: %d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
	return wrong;
}
