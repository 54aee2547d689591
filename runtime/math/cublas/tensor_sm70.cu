/*
 * Products of halves on the tensor cores of sm_70 and later. Tiles of 128 x 128 and 32 steps go through registers to shared
 * memory, where a row's (of B: a column's) steps lie side by side; eight warps multiply 64 x 32 elements each by wmma.
 */
#include <mma.h>

#include "runtime/math/cublas/gemm.cuh"

namespace hd_blas {

enum { THREADS = 256, SIDE = 128, STEPS = 32, PITCH = STEPS + 8, EACH = 8, LOADS = SIDE * STEPS / EACH / THREADS, SUMS = 32 };

/* Eight halves that lie side by side, of a row's steps or of a step's rows. */
struct eight {
	__half x[EACH];
};

struct half_tile {
	const __half *data;
	int64_t across, along, first, limit, steps;
	bool steps_inside, aligned;

	__device__ half_tile(const __half *data, int64_t across, int64_t along, int64_t first, int64_t limit,
			     int64_t steps)
		: data(data), across(across), along(along), first(first), limit(limit), steps(steps),
		  steps_inside(along == 1)
	{
		int64_t pitch = (steps_inside ? across : along) * (int64_t)sizeof(__half);
		aligned = (((int64_t)data | pitch) & 15) == 0;
	}
	__device__ int row(int l) const
	{
		int e = l * THREADS + threadIdx.x;
		return steps_inside ? e / (STEPS / EACH) : e % (SIDE / EACH) * EACH;
	}
	__device__ int step(int l) const
	{
		int e = l * THREADS + threadIdx.x;
		return steps_inside ? e % (STEPS / EACH) * EACH : e / (SIDE / EACH);
	}
	__device__ void load(eight (&values)[LOADS], int64_t from) const
	{
#pragma unroll
		for (int l = 0; l < LOADS; l++) {
			int64_t i = first + row(l), t = from + step(l);
			int64_t left = steps_inside ? steps - t : limit - i;
			const __half *at = data + i * across + t * along;
			uint4 whole = {};
			if (i < limit && t < steps && left >= EACH && aligned)
				whole = *reinterpret_cast<const uint4 *>(at);
			values[l] = __builtin_bit_cast(eight, whole);
			if (i < limit && t < steps && !(left >= EACH && aligned))
				for (int e = 0; e < EACH; e++)
					values[l].x[e] = e < left ? at[e] : __half(0);
		}
	}
	__device__ void store(__half (&to)[SIDE][PITCH], const eight (&values)[LOADS]) const
	{
#pragma unroll
		for (int l = 0; l < LOADS; l++)
			if (steps_inside)
				*reinterpret_cast<uint4 *>(&to[row(l)][step(l)]) = __builtin_bit_cast(uint4, values[l]);
			else
#pragma unroll
				for (int e = 0; e < EACH; e++)
					to[row(l) + e][step(l)] = values[l].x[e];
	}
};

__global__ void __launch_bounds__(THREADS) half_kernel(const gemm_problem p)
{
	using namespace nvcuda::wmma;
	__shared__ __align__(128) __half a[SIDE][PITCH], b[SIDE][PITCH];
	__shared__ __align__(128) float sums[THREADS / 32][16 * SUMS];
	int64_t first_row = (int64_t)blockIdx.x * SIDE, first_column = (int64_t)blockIdx.y * SIDE;
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 4 * 64, column = warp % 4 * 32;
	finisher finish(p);
	for (unsigned number = blockIdx.z; number < p.count; number += gridDim.z) {
		half_tile load_a(p.a.of<__half>(number), p.a.rows, p.a.columns, first_row, p.m, p.k);
		half_tile load_b(p.b.of<__half>(number), p.b.columns, p.b.rows, first_column, p.n, p.k);
		fragment<accumulator, 16, 16, 16, float> sum[4][2];
		eight next_a[LOADS], next_b[LOADS];
#pragma unroll
		for (int i = 0; i < 4; i++)
#pragma unroll
			for (int j = 0; j < 2; j++)
				fill_fragment(sum[i][j], 0.0f);
		load_a.load(next_a, 0);
		load_b.load(next_b, 0);
		for (int64_t step = 0; step < p.k; step += STEPS) {
			__syncthreads();
			load_a.store(a, next_a);
			load_b.store(b, next_b);
			__syncthreads();
			load_a.load(next_a, step + STEPS);
			load_b.load(next_b, step + STEPS);
#pragma unroll
			for (int t = 0; t < STEPS; t += 16) {
				fragment<matrix_b, 16, 16, 16, __half, col_major> y[2];
				load_matrix_sync(y[0], &b[column][t], PITCH);
				load_matrix_sync(y[1], &b[column + 16][t], PITCH);
#pragma unroll
				for (int i = 0; i < 4; i++) {
					fragment<matrix_a, 16, 16, 16, __half, row_major> x;
					load_matrix_sync(x, &a[row + i * 16][t], PITCH);
					mma_sync(sum[i][0], x, y[0], sum[i][0]);
					mma_sync(sum[i][1], x, y[1], sum[i][1]);
				}
			}
		}
#pragma unroll
		for (int i = 0; i < 4; i++) {
			store_matrix_sync(sums[warp], sum[i][0], SUMS, mem_row_major);
			store_matrix_sync(sums[warp] + 16, sum[i][1], SUMS, mem_row_major);
			__syncwarp();
#pragma unroll 1
			for (int e = lane; e < 16 * SUMS; e += 32) {
				int64_t down = first_row + row + i * 16 + e / SUMS;
				int64_t right = first_column + column + e % SUMS;
				if (down < p.m && right < p.n)
					finish(p, number, down, right, sums[warp][e]);
			}
			__syncwarp();
		}
	}
}

bool tensor_run_sm70(const context *context, const gemm_problem &p)
{
	if (context->capability < 70 || p.a.type != CUDA_R_16F || p.b.type != CUDA_R_16F ||
	    (p.a.rows != 1 && p.a.columns != 1) || (p.b.rows != 1 && p.b.columns != 1) ||
	    p.compute == CUBLAS_COMPUTE_16F_PEDANTIC || p.compute == CUBLAS_COMPUTE_32F_PEDANTIC)
		return false;
	dim3 grid((unsigned)divide_up(p.m, SIDE), (unsigned)divide_up(p.n, SIDE), p.count < 65535 ? p.count : 65535);
	half_kernel<<<grid, THREADS, 0, context->stream>>>(p);
	return true;
}

} // namespace hd_blas
