/*
 * gemm: the product of matrices that layers of neural networks are: half precision, summed in single. The third
 * argument says how: 1 by ordinary multiply-adds on tiles in shared memory, 2 on tensor cores (mma.h), a warp for 16 rows
 * of its block's tile. Factors are small whole numbers, so that sums are exact in any order.
 */
#include <mma.h>

#include "../grids/grids.h"

using namespace nvcuda;

#define TILE 64 /* of the result, along a side */
#define DEPTH 16
#define WARPS 4
#define BLOCK (32 * WARPS)

/* C = A B; A is n x k, B is k x m; all are multiples of the tiles. */
__global__ void __launch_bounds__(BLOCK) plain(const __half *a, const __half *b, float *c, int m, int k)
{
	__shared__ float rows[DEPTH][TILE + 1], columns[DEPTH][TILE];
	int x = threadIdx.x % 16, y = threadIdx.x / 16, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
	float sum[8][4] = {};
	for (int from = 0; from < k; from += DEPTH) {
		for (int i = threadIdx.x; i < DEPTH * TILE; i += BLOCK) {
			rows[i % DEPTH][i / DEPTH] = __half2float(a[(top + i / DEPTH) * k + from + i % DEPTH]);
			columns[i / TILE][i % TILE] = __half2float(b[(from + i / TILE) * m + left + i % TILE]);
		}
		__syncthreads();
		for (int d = 0; d < DEPTH; d++)
#pragma unroll
			for (int i = 0; i < 8; i++)
#pragma unroll
				for (int j = 0; j < 4; j++)
					sum[i][j] = fmaf(rows[d][y * 8 + i], columns[d][x + 16 * j], sum[i][j]);
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < 8; i++)
#pragma unroll
		for (int j = 0; j < 4; j++)
			c[(top + y * 8 + i) * m + left + x + 16 * j] = sum[i][j];
}

__global__ void __launch_bounds__(BLOCK) tensor(const __half *a, const __half *b, float *c, int m, int k)
{
	__shared__ __align__(32) __half rows[TILE][DEPTH], columns[DEPTH][TILE];
	int warp = threadIdx.x / 32, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[TILE / 16];
#pragma unroll
	for (int i = 0; i < TILE / 16; i++)
		wmma::fill_fragment(sum[i], 0.0f);
	for (int from = 0; from < k; from += DEPTH) {
		for (int i = threadIdx.x; i < DEPTH * TILE; i += BLOCK) {
			rows[i / DEPTH][i % DEPTH] = a[(top + i / DEPTH) * k + from + i % DEPTH];
			columns[i / TILE][i % TILE] = b[(from + i / TILE) * m + left + i % TILE];
		}
		__syncthreads();
		wmma::load_matrix_sync(fa, rows[16 * warp], DEPTH);
#pragma unroll
		for (int i = 0; i < TILE / 16; i++) {
			wmma::load_matrix_sync(fb, &columns[0][16 * i], TILE);
			wmma::mma_sync(sum[i], fa, fb, sum[i]);
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < TILE / 16; i++)
		wmma::store_matrix_sync(&c[(top + 16 * warp) * m + left + 16 * i], sum[i], m, wmma::mem_row_major);
}

/* Whole numbers from -4 to 4. */
static __half *small_numbers(size_t n, unsigned seed)
{
	__half *array = host_array<__half>(n);
	for (size_t i = 0; i < n; i++)
		array[i] = __float2half((float)((int)(next_unit(&seed) * 9) - 4));
	return array;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "gemm [tiles [depth [way]]]   (tiles of 64 a side, of 16 deep; way 1 plain, 2 tensor cores; "
			       "default 8, 16, 2)"};
	int n = TILE * size_argument(arguments, 1, 8, 64), k = DEPTH * size_argument(arguments, 2, 16, 512);
	int way = size_argument(arguments, 3, 2, 2);
	__half *a = small_numbers((size_t)n * k, 1), *b = small_numbers((size_t)k * n, 2);
	float *c = host_array<float>((size_t)n * n), *dc = device_array<float>((size_t)n * n);
	const __half *da = device_copy(a, (size_t)n * k), *db = device_copy(b, (size_t)k * n);

	if (way == 1)
		plain<<<dim3(n / TILE, n / TILE), BLOCK>>>(da, db, dc, n, k);
	else
		tensor<<<dim3(n / TILE, n / TILE), BLOCK>>>(da, db, dc, n, k);
	CHECK_LAUNCH();

	for (int i = 0; i < n; i++)
		for (int d = 0; d < k; d++) {
			float factor = __half2float(a[i * k + d]);
			for (int j = 0; j < n; j++)
				c[i * n + j] += factor * __half2float(b[d * n + j]);
		}
	Verdict verdict = {"gemm", 0};
	compare(&verdict, "c", dc, c, (size_t)n * n);
	return conclude(verdict, "%d x %d x %d, way %d", n, n, k, way);
}
