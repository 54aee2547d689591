/*
 * C = A B of bfloat16, or of e4m3, the further steps of gemm's ladder: the ways in which published kernels for the H100 climb. A's rows and
 * B's columns lie in memory one after the other. One warpgroup of a block copies tiles of 64 along k into a ring in shared
 * memory (TMA), two multiply them, 64 rows by 256 columns each, whose 128 sums a thread has in registers that the first one has
 * given up (setmaxnreg).
 * ladder [SIZE [STEP]]: 3 has a block for each tile of 128 by 256; 4 has one block on each SM, which goes from tile to tile, so
 * that copies for the next one run beside a tile's stores; 5 has clusters of two blocks, which share B's tile; 6 stores C through
 * shared memory; 7 takes tiles in squares, whose rows and columns stay in L2; 8 has factors of eight bits (e4m3), twice as many in a tile.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <vector>

#include "bulk.cuh"

enum { ROWS = 128, COLUMNS = 256, CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS), ROW_BYTES = 128 };
enum { A_BYTES = ROWS * ROW_BYTES, B_BYTES = COLUMNS * ROW_BYTES, STAGE_BYTES = A_BYTES + B_BYTES, C_BYTES = ROWS * COLUMNS * 2 };
#ifndef CLUSTER
#define CLUSTER 2 /* blocks that share B's tile, from step 5 on: 2 or 4 */
#endif
#ifndef STAGES
#define STAGES 3 /* tiles of A and B that have room, from step 6 on */
#endif
enum { SQUARE = 8 }; /* tiles of a square's rows; twice as many rows as columns make its sides equal */

/* Rows of 128 bytes, chunks of 16 permuted over 128; blocks of eight rows are 1024 bytes apart. */
static __device__ __forceinline__ uint64_t descriptor(uint32_t address)
{
	return (uint64_t)(address >> 4) | (uint64_t)(1024 >> 4) << 32 | 1ull << 62;
}

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
#define PRODUCT(shape, transposes)                                                                                           \
	asm volatile(                                                                                                        \
		"{ .reg .pred p; setp.ne.b32 p, %130, 0;\n"                                                                  \
		"wgmma.mma_async.sync.aligned." shape " "                                                                    \
		"{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, " \
		"%23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "  \
		"%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, "  \
		"%65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, "  \
		"%86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, "       \
		"%105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, "     \
		"%122, %123, %124, %125, %126, %127}, %128, %129, p, 1, 1" transposes "; }"                                  \
		: SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80), SIXTEEN(96), SIXTEEN(112)     \
		: "l"(a), "l"(b), "r"(adds))

/* What is multiplied: a tile has so many along k, 128 bytes. */
struct bfloats {
	enum { DEPTH = 64 };
	typedef __nv_bfloat16 element;
	static __device__ __forceinline__ void multiply(float (&d)[128], uint64_t a, uint64_t b, int adds)
	{
		PRODUCT("m64n256k16.f32.bf16.bf16", ", 0, 0");
	}
	static element of(float x) { return __float2bfloat16(x); }
};

struct eight_bits { /* e4m3 */
	enum { DEPTH = 128 };
	typedef __nv_fp8_e4m3 element;
	static __device__ __forceinline__ void multiply(float (&d)[128], uint64_t a, uint64_t b, int adds)
	{
		PRODUCT("m64n256k32.f32.e4m3.e4m3", "");
	}
	static element of(float x) { return element(x); }
};

/* The products of a tile, a group of them. */
template <typename Type> static __device__ __forceinline__ void multiply_tile(float (&d)[128], uint32_t a_tile, uint32_t b_tile, int adds)
{
	uint64_t a = descriptor(a_tile), b = descriptor(b_tile);
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
	for (int k = 0; k < 4; k++) /* 32 bytes along the rows */
		Type::multiply(d, a + 2 * k, b + 2 * k, adds || k);
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ unsigned rank_of_block()
{
	unsigned rank;
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

/* An arrival at the barrier in the same place of another block of the cluster. */
static __device__ __forceinline__ void arrive_at(unsigned barrier, unsigned rank)
{
	asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
		     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(barrier), "r"(rank)
		     : "memory");
}

static __device__ __forceinline__ void meet(unsigned group)
{
	asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
}

struct shape {
	int rows, columns, depth; /* in tiles */
};

/* The tile that is the `number`th: rows of tiles, or squares of them. */
template <bool Squares> static __device__ __forceinline__ void place_of(const shape &tiles, int number, int *row, int *column)
{
	if (!Squares) {
		*row = number % tiles.rows;
		*column = number / tiles.rows;
		return;
	}
	int high = 2 * SQUARE, band = number / (high * tiles.columns), rest = number % (high * tiles.columns);
	int height = tiles.rows - band * high < high ? tiles.rows - band * high : high;
	*row = band * high + rest % height;
	*column = rest / height;
}

template <int Stages> struct memory {
	uint8_t ring[Stages][STAGE_BYTES];
	barrier full[Stages], empty[Stages];
};

/* One thread of the first warpgroup: fills the ring, tile after tile. */
template <typename Type, int Stages, int Cluster, bool Squares>
static __device__ void produce(memory<Stages> *m, const CUtensorMap &a, const CUtensorMap &b, const shape &tiles, int first, int step)
{
	unsigned rank = Cluster > 1 ? rank_of_block() : 0, slot = 0, phase = 1;
	for (int number = first; number < tiles.rows * tiles.columns; number += step) {
		int row, column;
		place_of<Squares>(tiles, number, &row, &column);
		for (int k = 0; k < tiles.depth; k++) {
			uint8_t *stage = m->ring[slot];
			m->empty[slot].wait(phase);
			m->full[slot].expect(STAGE_BYTES);
			load_box(stage, a, k * Type::DEPTH, row * ROWS, m->full[slot]);
			if (Cluster == 1)
				load_box(stage + A_BYTES, b, k * Type::DEPTH, column * COLUMNS, m->full[slot]);
			else /* its part, to all of them */
				load_box(stage + A_BYTES + rank * (B_BYTES / Cluster), b, k * Type::DEPTH,
					 column * COLUMNS + rank * (COLUMNS / Cluster), m->full[slot], (1 << Cluster) - 1);
			if (++slot == Stages) {
				slot = 0;
				phase ^= 1;
			}
		}
	}
}

static __device__ __forceinline__ __nv_bfloat162 pair_of(float low, float high)
{
	return __floats2bfloat162_rn(low, high);
}

static __device__ __forceinline__ void store_direct(const float (&d)[128], __nv_bfloat16 *c, int columns, int row, int column)
{
	row += threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
	column += threadIdx.x % 4 * 2;
#pragma unroll
	for (int i = 0; i < 128; i += 2)
		*(__nv_bfloat162 *)(c + (size_t)(row + i / 2 % 2 * 8) * columns + column + i / 4 * 8) = pair_of(d[i], d[i + 1]);
}

/* 64 rows in four boxes of 64 columns; the rows of a box have 128 bytes, swizzled. */
static __device__ __forceinline__ void store_boxes(const float (&d)[128], uint8_t *boxes, const CUtensorMap &c, unsigned group, int row, int column)
{
	unsigned own = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
	if (threadIdx.x % 128 == 0)
		wait_read<0>(); /* the tile before */
	meet(group);
#pragma unroll
	for (int i = 0; i < 128; i += 2) {
		unsigned byte = (own + i / 2 % 2 * 8) * 128 + (i / 4 * 8 + threadIdx.x % 4 * 2) % 64 * 2;
		*(__nv_bfloat162 *)(boxes + i / 32 * 8192 + swizzled(byte)) = pair_of(d[i], d[i + 1]);
	}
	publish_stores();
	meet(group);
	if (threadIdx.x % 128)
		return;
	for (int box = 0; box < 4; box++)
		store_box(c, column + box * 64, row, boxes + box * 8192);
	end_group();
}

template <typename Type, int Stages, int Cluster, bool Boxes, bool Squares>
static __device__ void consume(memory<Stages> *m, uint8_t *boxes, const CUtensorMap &map, __nv_bfloat16 *c, const shape &tiles, int first,
			       int step)
{
	unsigned group = threadIdx.x / 128 - 1, slot = 0, phase = 0, lane = threadIdx.x % 128;
	float d[128];
	for (int number = first; number < tiles.rows * tiles.columns; number += step) {
		int row, column;
		place_of<Squares>(tiles, number, &row, &column);
		unsigned before = 0;
		for (int k = 0; k < tiles.depth; k++) {
			uint32_t stage = (uint32_t)__cvta_generic_to_shared(m->ring[slot]);
			m->full[slot].wait(phase);
			multiply_tile<Type>(d, stage + group * 64 * ROW_BYTES, stage + A_BYTES, k);
			if (k) { /* the products before have read their tile */
				asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
				if (Cluster > 1 ? lane < Cluster : lane == 0)
					Cluster > 1 ? arrive_at(m->empty[before].at(), lane) : m->empty[before].arrive();
			}
			before = slot;
			if (++slot == Stages) {
				slot = 0;
				phase ^= 1;
			}
		}
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
		if (Cluster > 1 ? lane < Cluster : lane == 0)
			Cluster > 1 ? arrive_at(m->empty[before].at(), lane) : m->empty[before].arrive();
		if (Boxes)
			store_boxes(d, boxes + group * (C_BYTES / CONSUMERS), map, group, row * ROWS + group * 64, column * COLUMNS);
		else
			store_direct(d, c, tiles.columns * COLUMNS, row * ROWS + group * 64, column * COLUMNS);
	}
	if (Boxes && lane == 0)
		wait_stores();
}

static __device__ __forceinline__ void meet_cluster()
{
	asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

extern __shared__ __align__(1024) uint8_t shared[];

template <typename Type, int Stages, int Cluster, bool Boxes, bool Squares>
__global__ void __launch_bounds__(THREADS, 1)
	product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap map,
		__nv_bfloat16 *c, shape tiles)
{
	memory<Stages> *m = (memory<Stages> *)shared;
	uint8_t *boxes = shared + (sizeof *m + 1023) / 1024 * 1024;
	if (threadIdx.x == 0) {
		for (int i = 0; i < Stages; i++) {
			m->full[i].init(1);
			m->empty[i].init(CONSUMERS * Cluster);
		}
		publish_barriers();
	}
	__syncthreads();
	if (Cluster > 1)
		meet_cluster();
	/* Blocks of a cluster are neighbours, and so are their tiles, in one column. */
	if (threadIdx.x < 128) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		if (threadIdx.x == 0)
			produce<Type, Stages, Cluster, Squares>(m, a, b, tiles, blockIdx.x, gridDim.x);
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
		consume<Type, Stages, Cluster, Boxes, Squares>(m, boxes, map, c, tiles, blockIdx.x, gridDim.x);
	}
	if (Cluster > 1) /* the others' copies come here, and their arrivals */
		meet_cluster();
}

static CUtensorMap map_of(__nv_bfloat16 *matrix, int rows, int columns, int height)
{
	return factor_map(matrix, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rows, columns, height);
}

static CUtensorMap map_of(__nv_fp8_e4m3 *matrix, int rows, int columns, int height)
{
	return typed_map(matrix, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, rows, columns, columns, ROW_BYTES, height, CU_TENSOR_MAP_SWIZZLE_128B);
}

template <typename Type, int Stages, int Cluster, bool Boxes, bool Squares>
static cudaError_t launch(typename Type::element *a, typename Type::element *b, __nv_bfloat16 *c, int size, bool persistent)
{
	shape tiles = {size / ROWS, size / COLUMNS, size / Type::DEPTH};
	int count = tiles.rows * tiles.columns, sms;
	CUtensorMap a_map = map_of(a, size, size, ROWS), b_map = map_of(b, size, size, COLUMNS / Cluster), c_map = map_of(c, size, size, 64);
	size_t bytes = (sizeof(memory<Stages>) + 1023) / 1024 * 1024 + (Boxes ? (int)C_BYTES : 0);
	auto kernel = product<Type, Stages, Cluster, Boxes, Squares>;
	cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
	cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
	cudaLaunchAttribute cluster;
	cluster.id = cudaLaunchAttributeClusterDimension;
	cluster.val.clusterDim.x = Cluster;
	cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
	cudaLaunchConfig_t config = {};
	config.gridDim = persistent && sms < count ? sms / Cluster * Cluster : count;
	config.blockDim = THREADS;
	config.dynamicSmemBytes = bytes;
	config.attrs = &cluster;
	config.numAttrs = Cluster > 1;
	return cudaLaunchKernelEx(&config, kernel, a_map, b_map, c_map, c, tiles);
}

#if !defined(BITS) || BITS == 16 /* with -DBITS=8 there is step 8 alone, which takes a fifth of the time to compile */
enum { FIRST_STEP = 3 };
static cudaError_t start(__nv_bfloat16 *a, __nv_bfloat16 *b, __nv_bfloat16 *c, int size, int step)
{
	return step == 3   ? launch<bfloats, 4, 1, false, false>(a, b, c, size, false)
	       : step == 4 ? launch<bfloats, 4, 1, false, false>(a, b, c, size, true)
	       : step == 5 ? launch<bfloats, 4, CLUSTER, false, false>(a, b, c, size, true)
	       : step == 6 ? launch<bfloats, STAGES, CLUSTER, true, false>(a, b, c, size, true)
			   : launch<bfloats, STAGES, CLUSTER, true, true>(a, b, c, size, true);
}
#else
enum { FIRST_STEP = 8 };
#endif

static cudaError_t start(__nv_fp8_e4m3 *a, __nv_fp8_e4m3 *b, __nv_bfloat16 *c, int size, int)
{
	return launch<eight_bits, STAGES, CLUSTER, true, true>(a, b, c, size, true);
}

template <typename Type> static int run(int size, int step)
{
	typedef typename Type::element element;
	size_t count = (size_t)size * size;
	std::vector<element> a(count), b(count);
	std::vector<__nv_bfloat16> c(count);
	unsigned x = 1;
	for (size_t i = 0; i < 2 * count; i++) {
		x = x * 1664525 + 1013904223;
		(i < count ? a[i] : b[i - count]) = Type::of((float)(int)(x >> 28) / 8 - 1);
	}
	element *device_a, *device_b;
	__nv_bfloat16 *device_c;
	cudaMalloc(&device_a, count * sizeof *device_a);
	cudaMalloc(&device_b, count * sizeof *device_b);
	cudaMalloc(&device_c, count * sizeof *device_c);
	cudaMemcpy(device_a, a.data(), count * sizeof a[0], cudaMemcpyHostToDevice);
	cudaMemcpy(device_b, b.data(), count * sizeof b[0], cudaMemcpyHostToDevice);
	cudaError_t error = start(device_a, device_b, device_c, size, step);
	error = error ? error : cudaDeviceSynchronize();
	cudaMemcpy(c.data(), device_c, count * sizeof c[0], cudaMemcpyDeviceToHost);
	/* Eighths below 1 in magnitude: sums are exact, of eight bits as long as they are below 256, and are rounded once. */
	int wrong = 0;
	for (int i = 0; i < 4096; i++) {
		x = x * 1664525 + 1013904223;
		size_t row = (x >> 8) % size, column = (x >> 16) * 7 % size;
		float sum = 0;
		for (int k = 0; k < size; k++)
			sum += (float)a[row * size + k] * (float)b[column * size + k];
		wrong += __bfloat162float(c[row * size + column]) != __bfloat162float(__float2bfloat16(sum));
	}
	printf("ladder: %d by %d by %d, step %d, %d of 4096 elements are wrong, %s\n", size, size, size, step, wrong,
	       cudaGetErrorName(error));
	return wrong != 0;
}

int main(int argc, char **argv)
{
	int size = argc > 1 ? atoi(argv[1]) : 512, step = argc > 2 ? atoi(argv[2]) : FIRST_STEP == 8 ? 8 : 7;
	if (size <= 0 || size % COLUMNS || step < FIRST_STEP || step > 8) {
		fprintf(stderr, "ladder [SIZE [STEP]]: a multiple of %d; %s\n", COLUMNS,
			FIRST_STEP == 8 ? "8, the only step with -DBITS=8" : "3 to 8");
		return 2;
	}
#if !defined(BITS) || BITS == 16
	if (step < 8)
		return run<bfloats>(size, step);
#endif
	return run<eight_bits>(size, 8);
}
