/*
 * What the programs here use of copies in bulk (compute capability 9.0): barriers in shared memory, boxes of tensors, and
 * maps for the host.
 */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

struct barrier {
	unsigned long long word;
	__device__ unsigned at() const { return (unsigned)__cvta_generic_to_shared(&word); }
	__device__ void init(unsigned arrivals) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at()), "r"(arrivals) : "memory"); }
	__device__ void arrive() { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at()) : "memory"); }
	/* An arrival; so many bytes are to come. */
	__device__ void expect(unsigned bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at()), "r"(bytes) : "memory"); }
	/* Until the phase of this parity is over. */
	__device__ void wait(unsigned parity) const
	{
		asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@!over bra again;\n}" ::"r"(at()), "r"(parity) : "memory");
	}
};

/* Barriers are there for copies, also those of other blocks of the cluster. */
__device__ inline void publish_barriers()
{
	asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
}

/* What this thread has stored in shared memory is there for copies. */
__device__ inline void publish_stores()
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void load_box(void *to, const CUtensorMap &map, int x, int y, barrier &bar)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(&map), "r"(x), "r"(y), "r"(bar.at()) : "memory");
}

/* To the same place of all blocks of the cluster that the mask names. */
__device__ inline void load_box(void *to, const CUtensorMap &map, int x, int y, barrier &bar, unsigned short blocks)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(&map), "r"(x), "r"(y), "r"(bar.at()), "h"(blocks) : "memory");
}

__device__ inline void store_box(const CUtensorMap &map, int x, int y, const void *from)
{
	asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(y), "r"((unsigned)__cvta_generic_to_shared(from)) : "memory");
}

__device__ inline void end_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/* Until at most so many groups of the thread still read shared memory; until all are done. */
template <int Left> __device__ inline void wait_read() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory"); }
__device__ inline void wait_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

/* Where 16 bytes lie in a tile whose rows of 128 bytes are swizzled; the tile is aligned to 1024. */
__device__ inline unsigned swizzled(unsigned byte) { return byte ^ (byte >> 7 & 7) << 4; }

/* A matrix of elements of `bytes`, `columns` of `pitch` in a row, by boxes of width x height. */
inline CUtensorMap typed_map(void *matrix, CUtensorMapDataType type, size_t bytes, size_t rows, int columns, int pitch, int width, int height, CUtensorMapSwizzle swizzle)
{
	CUtensorMap map;
	cuuint64_t size[] = {(cuuint64_t)columns, (cuuint64_t)rows}, stride[] = {(cuuint64_t)pitch * bytes};
	cuuint32_t box[] = {(cuuint32_t)width, (cuuint32_t)height}, step[] = {1, 1};
	CUresult result = cuTensorMapEncodeTiled(&map, type, 2, matrix, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	if (result != CUDA_SUCCESS) {
		fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", (int)result);
		exit(1);
	}
	return map;
}

inline CUtensorMap matrix_map(float *matrix, int rows, int columns, int pitch, int width, int height, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE)
{
	return typed_map(matrix, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, sizeof(float), rows, columns, pitch, width, height, swizzle);
}

/* Factors of a product, elements of two bytes: boxes of 64 columns, whose rows of 128 bytes are swizzled. */
inline CUtensorMap factor_map(void *matrix, CUtensorMapDataType type, size_t rows, int columns, int height)
{
	return typed_map(matrix, type, 2, rows, columns, columns, 64, height, CU_TENSOR_MAP_SWIZZLE_128B);
}
