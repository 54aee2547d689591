/*
 * Products of a warpgroup on tiles of 128 columns (sm_90a), for programs with tiles in rings: 64 rows of a by 128 columns
 * of b, whose sums a thread has in 64 registers. Rows of tiles have 128 bytes, which copies in bulk have swizzled.
 */
#pragma once
#include <cstdint>
#include <cuda_bf16.h>

/* Chunks of 16 bytes permuted over 128; blocks of eight rows are 1024 bytes apart. */
static __device__ __forceinline__ uint64_t tile_at(uint32_t address)
{
	return (uint64_t)(address >> 4) | (uint64_t)(1024 >> 4) << 32 | 1ull << 62;
}

#define PRODUCT_FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define PRODUCT_SIXTEEN(i) PRODUCT_FOUR(i), PRODUCT_FOUR(i + 4), PRODUCT_FOUR(i + 8), PRODUCT_FOUR(i + 12)
#define PRODUCT(shape, transposes)                                                                                     \
	asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0;\n"                                                        \
		     "wgmma.mma_async.sync.aligned." shape " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, " \
		     "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
		     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, " \
		     "%51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1" transposes  \
		     "; }"                                                                                             \
		     : PRODUCT_SIXTEEN(0), PRODUCT_SIXTEEN(16), PRODUCT_SIXTEEN(32), PRODUCT_SIXTEEN(48)               \
		     : "l"(a), "l"(b), "r"(adds))

struct bfloats {
	static __device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b, int adds)
	{
		PRODUCT("m64n128k16.f32.bf16.bf16", ", 0, 0");
	}
};

struct eight_bits { /* e4m3 */
	static __device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b, int adds)
	{
		PRODUCT("m64n128k32.f32.e4m3.e4m3", "");
	}
};

/* The products of tiles with 128 bytes along k, a group of them. */
template <typename Type> static __device__ __forceinline__ void multiply_tiles(float (&d)[64], uint32_t a_tile, uint32_t b_tile, int adds)
{
	uint64_t a = tile_at(a_tile), b = tile_at(b_tile);
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
	for (int k = 0; k < 4; k++) /* 32 bytes */
		Type::multiply(d, a + 2 * k, b + 2 * k, adds || k);
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int Left> static __device__ __forceinline__ void wait_products()
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}

/* Row and column of a thread's first sum in the 64 by 128; sum i is in row + i / 2 % 2 * 8, column + i / 4 * 8 + i % 2. */
static __device__ __forceinline__ int own_row()
{
	return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
}

static __device__ __forceinline__ int own_column()
{
	return threadIdx.x % 4 * 2;
}

/* Stores them as bfloats; `c` is the place of the first row and column. */
static __device__ __forceinline__ void store_sums(const float (&d)[64], __nv_bfloat16 *c, size_t pitch)
{
	c += own_row() * pitch + own_column();
#pragma unroll
	for (int i = 0; i < 64; i += 2)
		*(__nv_bfloat162 *)(c + i / 2 % 2 * 8 * pitch + i / 4 * 8) = __floats2bfloat162_rn(d[i], d[i + 1]);
}
