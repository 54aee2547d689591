/*
 * Products of groups of rows, each by a matrix of its own, as layers of experts have them: factors of eight bits (e4m3) with
 * scales in single precision, one for each row of A and 128 along k, one for 128 by 128 of B. The tensor cores add up with few
 * bits, so that each 128 along k are added to sums in registers, scaled. A group has a multiple of 128 rows.
 * One block on each SM goes from tile to tile; a warpgroup copies tiles of 128 bytes along k into a ring, two multiply.
 * grouped [GROUPS [COLUMNS [DEPTH]]]; group g has 128 to 384 rows
 */
#include <cstdio>
#include <cstdlib>
#include <cuda_fp8.h>
#include <vector>

#include "bulk.cuh"
#include "products.cuh"

enum { SIDE = 128, CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS), STAGES = 5, TILE_BYTES = SIDE * SIDE };

struct memory {
	uint8_t a[STAGES][TILE_BYTES], b[STAGES][TILE_BYTES];
	barrier full[STAGES], empty[STAGES];
};

struct problem {
	const float *a_scales, *b_scales; /* rows x depth, groups x columns x depth; depth and columns in 128 */
	const int *group_of;		  /* of each 128 rows */
	__nv_bfloat16 *c;
	int rows, columns, depth; /* in 128 */
};

static __device__ void produce(memory *m, const CUtensorMap &a, const CUtensorMap &b, const problem &p)
{
	unsigned slot = 0, phase = 1;
	for (int tile = blockIdx.x; tile < p.rows * p.columns; tile += gridDim.x) {
		int row = tile / p.columns, column = tile % p.columns, group = p.group_of[row];
		for (int k = 0; k < p.depth; k++) {
			m->empty[slot].wait(phase);
			m->full[slot].expect(2 * TILE_BYTES);
			load_box(m->a[slot], a, k * SIDE, row * SIDE, m->full[slot]);
			load_box(m->b[slot], b, k * SIDE, (group * p.columns + column) * SIDE, m->full[slot]);
			if (++slot == STAGES) {
				slot = 0;
				phase ^= 1;
			}
		}
	}
}

static __device__ void consume(memory *m, const problem &p)
{
	unsigned half = threadIdx.x / 128 - 1, slot = 0, phase = 0;
	float part[64], sum[64];
	for (int tile = blockIdx.x; tile < p.rows * p.columns; tile += gridDim.x) {
		int row = tile / p.columns, column = tile % p.columns, group = p.group_of[row];
		size_t first = (size_t)row * SIDE + half * 64;
		const float *high = p.a_scales + (first + own_row()) * p.depth, *low = high + 8 * p.depth;
		const float *columns = p.b_scales + ((size_t)group * p.columns + column) * p.depth;
#pragma unroll
		for (int i = 0; i < 64; i++)
			sum[i] = 0;
		for (int k = 0; k < p.depth; k++) {
			float scale = columns[k], scales[2] = {high[k] * scale, low[k] * scale};
			m->full[slot].wait(phase);
			multiply_tiles<eight_bits>(part, (uint32_t)__cvta_generic_to_shared(m->a[slot] + half * 64 * SIDE),
						   (uint32_t)__cvta_generic_to_shared(m->b[slot]), 0);
			wait_products<0>();
			if (threadIdx.x % 128 == 0)
				m->empty[slot].arrive();
#pragma unroll
			for (int i = 0; i < 64; i++)
				sum[i] += part[i] * scales[i / 2 % 2];
			if (++slot == STAGES) {
				slot = 0;
				phase ^= 1;
			}
		}
		size_t pitch = (size_t)p.columns * SIDE;
		store_sums(sum, p.c + first * pitch + column * SIDE, pitch);
	}
}

extern __shared__ __align__(1024) uint8_t shared[];

__global__ void __launch_bounds__(THREADS, 1)
	multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const problem p)
{
	memory *m = (memory *)shared;
	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			m->full[i].init(1);
			m->empty[i].init(CONSUMERS);
		}
		publish_barriers();
	}
	__syncthreads();
	if (threadIdx.x < 128) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		if (threadIdx.x == 0)
			produce(m, a, b, p);
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
		consume(m, p);
	}
}

template <typename T> static T *copied(const std::vector<T> &from)
{
	T *to;
	cudaMalloc(&to, from.size() * sizeof(T));
	cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
	return to;
}

int main(int argc, char **argv)
{
	int groups = argc > 1 ? atoi(argv[1]) : 4, columns = argc > 2 ? atoi(argv[2]) : 512, depth = argc > 3 ? atoi(argv[3]) : 512;
	if (groups <= 0 || columns <= 0 || columns % SIDE || depth <= 0 || depth % SIDE) {
		fprintf(stderr, "grouped [GROUPS [COLUMNS [DEPTH]]]: columns and depth are multiples of %d\n", SIDE);
		return 2;
	}
	std::vector<int> group_of;
	for (int group = 0; group < groups; group++)
		group_of.insert(group_of.end(), 1 + group % 3, group);
	size_t rows = group_of.size() * SIDE, blocks = depth / SIDE;
	std::vector<__nv_fp8_e4m3> a(rows * depth), b((size_t)groups * columns * depth);
	std::vector<float> a_scales(rows * blocks), b_scales((size_t)groups * (columns / SIDE) * blocks);
	unsigned x = 1;
	auto random = [&x](unsigned most) { return (x = x * 1664525 + 1013904223) >> 16 & (most - 1); };
	/* Halves up to 2 in magnitude: the 14 bits of the sums of 128 products suffice; with powers of two all is exact. */
	for (size_t i = 0; i < a.size() + b.size(); i++)
		(i < a.size() ? a[i] : b[i - a.size()]) = __nv_fp8_e4m3((float)(int)random(8) / 2 - 2);
	for (size_t i = 0; i < a_scales.size() + b_scales.size(); i++)
		(i < a_scales.size() ? a_scales[i] : b_scales[i - a_scales.size()]) = 1 / (float)(1 << random(4));
	problem p = {copied(a_scales), copied(b_scales), copied(group_of), NULL, (int)group_of.size(), columns / SIDE, (int)blocks};
	std::vector<__nv_bfloat16> c(rows * columns);
	cudaMalloc(&p.c, c.size() * sizeof c[0]);
	CUtensorMap a_map = typed_map(copied(a), CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, rows, depth, depth, SIDE, SIDE, CU_TENSOR_MAP_SWIZZLE_128B);
	CUtensorMap b_map = typed_map(copied(b), CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, (size_t)groups * columns, depth, depth, SIDE, SIDE,
				      CU_TENSOR_MAP_SWIZZLE_128B);
	int sms, tiles = p.rows * p.columns;
	cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
	cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(memory));
	multiply<<<sms < tiles ? sms : tiles, THREADS, sizeof(memory)>>>(a_map, b_map, p);
	cudaError_t error = cudaDeviceSynchronize();
	cudaMemcpy(c.data(), p.c, c.size() * sizeof c[0], cudaMemcpyDeviceToHost);
	int wrong = 0;
	for (int i = 0; i < 4096; i++) {
		size_t row = (random(65536) * (size_t)65537 + random(65536)) % rows, column = random(65536) % columns;
		size_t group = group_of[row / SIDE];
		float sum = 0;
		for (int k = 0; k < depth; k++)
			sum += (float)a[row * depth + k] * (float)b[(group * columns + column) * depth + k] *
			       a_scales[row * blocks + k / SIDE] *
			       b_scales[(group * (columns / SIDE) + column / SIDE) * blocks + k / SIDE];
		wrong += __bfloat162float(c[row * columns + column]) != __bfloat162float(__float2bfloat16(sum));
	}
	printf("grouped: %d groups, %zu rows by %d columns by %d, %d of 4096 elements are wrong, %s\n", groups, rows, columns, depth, wrong,
	       cudaGetErrorName(error));
	return wrong || error != cudaSuccess;
}
