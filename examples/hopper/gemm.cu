/*
 * C = A B of bfloat16 into single precision on a warpgroup's products (wgmma), the first steps of a ladder. A's rows and
 * B's columns lie in memory one after the other. A block has a tile of 128 by 128 of C, each of its two warpgroups 64
 * rows; along k, tiles of 64 are in shared memory, with rows of 128 bytes whose chunks of 16 are permuted as wgmma wants
 * them.
 * gemm [SIZE [STEP]]: 1 loads a tile, multiplies it, loads the next one; 2 has copies of three tiles under way, and a
 * tile's products beside the copies.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <vector>

enum { ROWS = 128, COLUMNS = 128, DEPTH = 64, THREADS = 256, STAGES = 3, ROW_BYTES = 2 * DEPTH };
enum { A_BYTES = ROWS * ROW_BYTES, TILE_BYTES = A_BYTES + COLUMNS * ROW_BYTES };

/* Rows of 128 bytes, chunks of 16 permuted over 128; blocks of eight rows are 1024 bytes apart. */
static __device__ __forceinline__ uint64_t descriptor(uint32_t address)
{
	return (uint64_t)(address >> 4) | (uint64_t)(1024 >> 4) << 32 | 1ull << 62;
}

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
static __device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b, int adds)
{
	asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
		     "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
		     "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
		     "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
		     "%62, %63}, %64, %65, p, 1, 1, 0, 0; }"
		     : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
		     : "l"(a), "l"(b), "r"(adds));
}

/* The products of a tile, a group of them. */
static __device__ __forceinline__ void multiply_tile(float (&d)[64], uint32_t tile, int adds)
{
	uint64_t a = descriptor(tile + threadIdx.x / 128 * 64 * ROW_BYTES), b = descriptor(tile + A_BYTES);
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
	for (int k = 0; k < DEPTH / 16; k++) /* 32 bytes along the rows */
		multiply(d, a + 2 * k, b + 2 * k, adds || k);
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Where chunk `i` of a tile's rows is in memory, and where it goes. */
static __device__ __forceinline__ const __nv_bfloat16 *chunk(const __nv_bfloat16 *a, const __nv_bfloat16 *b, int depth,
							     int k, int i, uint32_t *to)
{
	int row = i / 8, part = i % 8;
	const __nv_bfloat16 *from = row < ROWS ? a + (size_t)(blockIdx.y * ROWS + row) * depth
					       : b + (size_t)(blockIdx.x * COLUMNS + row - ROWS) * depth;
	*to = row * ROW_BYTES + (part ^ row % 8) * 16;
	return from + k * DEPTH + part * 8;
}

static __device__ void store(const float (&d)[64], float *c, int columns)
{
	int row = blockIdx.y * ROWS + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
	int column = blockIdx.x * COLUMNS + threadIdx.x % 4 * 2;
#pragma unroll
	for (int i = 0; i < 64; i += 2)
		*(float2 *)(c + (size_t)(row + i / 2 % 2 * 8) * columns + column + i / 4 * 8) = make_float2(d[i], d[i + 1]);
}

extern __shared__ __align__(1024) uint8_t tiles[];

__global__ void __launch_bounds__(THREADS) one_by_one(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int depth,
						      int columns)
{
	uint32_t tile = (uint32_t)__cvta_generic_to_shared(tiles), to;
	float d[64];
	for (int k = 0; k < depth / DEPTH; k++) {
		for (int i = threadIdx.x; i < TILE_BYTES / 16; i += THREADS) {
			const uint4 *from = (const uint4 *)chunk(a, b, depth, k, i, &to);
			*(uint4 *)(tiles + to) = *from;
		}
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		__syncthreads();
		multiply_tile(d, tile, k);
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
		__syncthreads();
	}
	store(d, c, columns);
}

static __device__ __forceinline__ void copy_tile(const __nv_bfloat16 *a, const __nv_bfloat16 *b, int depth, int k,
						 uint32_t tile)
{
	uint32_t to;
	if (k < depth / DEPTH)
		for (int i = threadIdx.x; i < TILE_BYTES / 16; i += THREADS) {
			const __nv_bfloat16 *from = chunk(a, b, depth, k, i, &to);
			asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(tile + to), "l"(from) : "memory");
		}
	asm volatile("cp.async.commit_group;" ::: "memory");
}

__global__ void __launch_bounds__(THREADS) pipelined(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int depth,
						     int columns)
{
	uint32_t first = (uint32_t)__cvta_generic_to_shared(tiles);
	float d[64];
	for (int k = 0; k < STAGES - 1; k++)
		copy_tile(a, b, depth, k, first + k * TILE_BYTES);
	for (int k = 0; k < depth / DEPTH; k++) {
		asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		__syncthreads(); /* the tile is there, and all have read the one before the last */
		multiply_tile(d, first + k % STAGES * TILE_BYTES, k);
		asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
		__syncthreads(); /* the one before has been read */
		copy_tile(a, b, depth, k + STAGES - 1, first + (k + STAGES - 1) % STAGES * TILE_BYTES);
	}
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	store(d, c, columns);
}

int main(int argc, char **argv)
{
	int size = argc > 1 ? atoi(argv[1]) : 512, step = argc > 2 ? atoi(argv[2]) : 2, wrong = 0;
	size_t count = (size_t)size * size;
	if (size <= 0 || size % ROWS || step < 1 || step > 2) {
		fprintf(stderr, "gemm [SIZE [STEP]]: a multiple of %d; 1 or 2\n", ROWS);
		return 2;
	}
	std::vector<__nv_bfloat16> a(count), b(count);
	std::vector<float> c(count);
	unsigned x = 1;
	for (size_t i = 0; i < 2 * count; i++) {
		x = x * 1664525 + 1013904223;
		(i < count ? a[i] : b[i - count]) = __float2bfloat16((float)(int)(x >> 28) / 8 - 1);
	}
	__nv_bfloat16 *device_a, *device_b;
	float *device_c;
	cudaMalloc(&device_a, count * sizeof *device_a);
	cudaMalloc(&device_b, count * sizeof *device_b);
	cudaMalloc(&device_c, count * sizeof *device_c);
	cudaMemcpy(device_a, a.data(), count * sizeof a[0], cudaMemcpyHostToDevice);
	cudaMemcpy(device_b, b.data(), count * sizeof b[0], cudaMemcpyHostToDevice);
	dim3 grid(size / COLUMNS, size / ROWS);
	if (step == 1) {
		one_by_one<<<grid, THREADS, TILE_BYTES>>>(device_a, device_b, device_c, size, size);
	} else {
		cudaFuncSetAttribute(pipelined, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * TILE_BYTES);
		pipelined<<<grid, THREADS, STAGES * TILE_BYTES>>>(device_a, device_b, device_c, size, size);
	}
	cudaMemcpy(c.data(), device_c, count * sizeof c[0], cudaMemcpyDeviceToHost);
	/* Eighths below 1 in magnitude: sums are exact. */
	for (int i = 0; i < 4096; i++) {
		x = x * 1664525 + 1013904223;
		size_t row = (x >> 8) % size, column = (x >> 16) * 7 % size;
		float sum = 0;
		for (int k = 0; k < size; k++)
			sum += __bfloat162float(a[row * size + k]) * __bfloat162float(b[column * size + k]);
		wrong += c[row * size + column] != sum;
	}
	printf("gemm: %d by %d by %d, step %d, %d of 4096 elements are wrong, %s\n", size, size, size, step, wrong,
	       cudaGetErrorName(cudaGetLastError()));
	return wrong != 0;
}
