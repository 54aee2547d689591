/*
 * Products of halves on the tensor cores of sm_70 and later. Tiles of 128 x 128 and 32 steps go through registers to shared
 * memory as they lie in global memory, either a row's (of B: a column's) steps side by side or a step's rows; eight warps
 * multiply 64 x 32 elements each by wmma, whose fragments take both.
 */
#include <mma.h>
#include <type_traits>

#include "runtime/math/cublas/gemm.cuh"

namespace hd_blas {

enum { THREADS = 256, SIDE = 128, STEPS = 32, EACH = 8, LOADS = SIDE * STEPS / EACH / THREADS, SUMS = 32 };

/* Eight halves that lie side by side, of a row's steps or of a step's rows. */
struct eight {
	__half x[EACH];
};

template <bool STEPS_INSIDE> struct half_tile {
	static constexpr int INSIDE = STEPS_INSIDE ? STEPS : SIDE, PITCH = INSIDE + 8, CHUNKS = INSIDE / EACH;
	/* Distance of a thread's chunks, in rows or in steps. */
	static constexpr int APART = THREADS / CHUNKS;
	/* A fragment's name for it: A's rows and B's columns are what lies side by side, or not. */
	using layout_a = std::conditional_t<STEPS_INSIDE, nvcuda::wmma::row_major, nvcuda::wmma::col_major>;
	using layout_b = std::conditional_t<STEPS_INSIDE, nvcuda::wmma::col_major, nvcuda::wmma::row_major>;

	const __half *from; /* the thread's first chunk of the next stage */
	int64_t pitch, advance;
	int elements[LOADS]; /* of each chunk while there are steps */
	bool aligned;

	__device__ half_tile(const __half *data, int64_t across, int64_t along, int64_t first, int64_t limit)
		: pitch(STEPS_INSIDE ? across : along), advance(along * STEPS)
	{
		int row = STEPS_INSIDE ? outside() : inside(), step = STEPS_INSIDE ? inside() : outside();
		aligned = (((int64_t)data | pitch * (int64_t)sizeof(__half)) & 15) == 0;
		from = data + (first + row) * across + step * along;
#pragma unroll
		for (int l = 0; l < LOADS; l++) {
			int64_t left = limit - first - row - (STEPS_INSIDE ? l * APART : 0);
			elements[l] = left <= 0 ? 0 : STEPS_INSIDE || left >= EACH ? EACH : (int)left;
		}
	}
	static __device__ int inside()
	{
		return threadIdx.x % CHUNKS * EACH;
	}
	static __device__ int outside()
	{
		return threadIdx.x / CHUNKS;
	}
	/* The next stage. `left`: how many steps there are. */
	__device__ void load(eight (&values)[LOADS], int64_t left)
	{
#pragma unroll
		for (int l = 0; l < LOADS; l++) {
			const __half *at = from + l * APART * pitch;
			int there = elements[l];
			if (left < STEPS) {
				int64_t steps = left - (STEPS_INSIDE ? inside() : outside() + l * APART);
				there = steps <= 0 ? 0 : STEPS_INSIDE && steps < there ? (int)steps : there;
			}
			uint4 whole = {};
			if (there == EACH && aligned)
				whole = *reinterpret_cast<const uint4 *>(at);
			values[l] = __builtin_bit_cast(eight, whole);
			if (there && !(there == EACH && aligned))
				for (int e = 0; e < EACH; e++)
					values[l].x[e] = e < there ? at[e] : __half(0);
		}
		from += advance;
	}
	static __device__ void store(__half *to, const eight (&values)[LOADS])
	{
#pragma unroll
		for (int l = 0; l < LOADS; l++)
			*reinterpret_cast<uint4 *>(to + (outside() + l * APART) * PITCH + inside()) =
				__builtin_bit_cast(uint4, values[l]);
	}
	/* Of the tile in shared memory, from a row and a step on. */
	static __device__ const __half *at(const __half *tile, int row, int step)
	{
		return STEPS_INSIDE ? tile + row * PITCH + step : tile + step * PITCH + row;
	}
};

template <bool STEPS_IN_A, bool STEPS_IN_B>
__global__ void __launch_bounds__(THREADS, 2) half_kernel(const gemm_problem p, unsigned first_number)
{
	using namespace nvcuda::wmma;
	using tile_a = half_tile<STEPS_IN_A>;
	using tile_b = half_tile<STEPS_IN_B>;
	enum { HALVES = SIDE * (STEPS + 8) };
	/* Sums take the tiles' place. */
	__shared__ __align__(128) __half shared[2][HALVES];
	static_assert(sizeof shared >= THREADS / 32 * 16 * SUMS * sizeof(float) && STEPS * (SIDE + 8) <= HALVES);
	const tile_place place(p, SIDE, first_number);
	int warp = threadIdx.x / 32, row = warp / 4 * 64, column = warp % 4 * 32;
	finisher finish(p);
	tile_a load_a(p.a.of<__half>(place.number), p.a.rows, p.a.columns, place.row, p.m);
	tile_b load_b(p.b.of<__half>(place.number), p.b.columns, p.b.rows, place.column, p.n);
	fragment<accumulator, 16, 16, 16, float> sum[4][2];
	eight next_a[LOADS], next_b[LOADS];
#pragma unroll
	for (int i = 0; i < 4; i++)
#pragma unroll
		for (int j = 0; j < 2; j++)
			fill_fragment(sum[i][j], 0.0f);
	load_a.load(next_a, p.k);
	load_b.load(next_b, p.k);
	for (int64_t left = p.k; left > 0; left -= STEPS) {
		__syncthreads();
		load_a.store(shared[0], next_a);
		load_b.store(shared[1], next_b);
		__syncthreads();
		load_a.load(next_a, left - STEPS);
		load_b.load(next_b, left - STEPS);
#pragma unroll
		for (int t = 0; t < STEPS; t += 16) {
			fragment<matrix_b, 16, 16, 16, __half, typename tile_b::layout_b> y[2];
			load_matrix_sync(y[0], tile_b::at(shared[1], column, t), tile_b::PITCH);
			load_matrix_sync(y[1], tile_b::at(shared[1], column + 16, t), tile_b::PITCH);
#pragma unroll
			for (int i = 0; i < 4; i++) {
				fragment<matrix_a, 16, 16, 16, __half, typename tile_a::layout_a> x;
				load_matrix_sync(x, tile_a::at(shared[0], row + i * 16, t), tile_a::PITCH);
				mma_sync(sum[i][0], x, y[0], sum[i][0]);
				mma_sync(sum[i][1], x, y[1], sum[i][1]);
			}
		}
	}
	__syncthreads();
	float *sums = reinterpret_cast<float *>(shared) + warp * 16 * SUMS;
#pragma unroll
	for (int i = 0; i < 4; i++) {
		store_matrix_sync(sums, sum[i][0], SUMS, mem_row_major);
		store_matrix_sync(sums + 16, sum[i][1], SUMS, mem_row_major);
		__syncwarp();
#pragma unroll 1
		for (int e = threadIdx.x % 32; e < 16 * SUMS; e += 32) {
			int64_t down = place.row + row + i * 16 + e / SUMS;
			int64_t right = place.column + column + e % SUMS;
			if (down < p.m && right < p.n)
				finish(p, place.number, down, right, sums[e]);
		}
		__syncwarp();
	}
}

bool tensor_run_sm70(const context *context, const gemm_problem &p)
{
	if (context->capability < 70 || p.a.type != CUDA_R_16F || p.b.type != CUDA_R_16F ||
	    (p.a.rows != 1 && p.a.columns != 1) || (p.b.rows != 1 && p.b.columns != 1) ||
	    p.compute == CUBLAS_COMPUTE_16F_PEDANTIC || p.compute == CUBLAS_COMPUTE_32F_PEDANTIC)
		return false;
	auto kernel = p.a.columns == 1 ? p.b.rows == 1 ? half_kernel<true, true> : half_kernel<true, false>
		      : p.b.rows == 1  ? half_kernel<false, true>
				       : half_kernel<false, false>;
	launch_tiles(kernel, THREADS, SIDE, context, p);
	return true;
}

} // namespace hd_blas
