/*
 * sgemm: a matrix product with its sums in registers: a thread has 8 x 8 elements of the result, and each number that
 * it reads from the tiles in shared memory takes part in eight multiplications. Registers say how many blocks are
 * resident.
 */
#include "../grids/grids.h"

#define TILE 64 /* elements of the result along a block's side */
#define DEPTH 8 /* of the tiles */
#define OWN 8	/* elements of a thread along a side */
#define SIDE (TILE / OWN)
#define BLOCK (SIDE * SIDE)

/* C = A B; A is n x k, B is k x m; all are multiples of the tiles. */
__global__ void __launch_bounds__(BLOCK) multiply(const float *a, const float *b, float *c, int m, int k)
{
	__shared__ float rows[DEPTH][TILE + 4], columns[DEPTH][TILE];
	int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
	float sum[OWN][OWN] = {};
	for (int from = 0; from < k; from += DEPTH) {
		for (int i = threadIdx.x; i < DEPTH * TILE; i += BLOCK) {
			rows[i % DEPTH][i / DEPTH] = a[(top + i / DEPTH) * k + from + i % DEPTH];
			columns[i / TILE][i % TILE] = b[(from + i / TILE) * m + left + i % TILE];
		}
		__syncthreads();
		for (int d = 0; d < DEPTH; d++) {
			float row[OWN], column[OWN];
#pragma unroll
			for (int i = 0; i < OWN; i++) {
				row[i] = rows[d][y * OWN + i];
				column[i] = columns[d][x + i * SIDE];
			}
#pragma unroll
			for (int i = 0; i < OWN; i++)
#pragma unroll
				for (int j = 0; j < OWN; j++)
					sum[i][j] = fmaf(row[i], column[j], sum[i][j]);
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < OWN; i++)
#pragma unroll
		for (int j = 0; j < OWN; j++)
			c[(top + y * OWN + i) * m + left + x + j * SIDE] = sum[i][j];
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "sgemm [rows [columns [depth]]]   (in tiles of 64, 64 and 8; default 12, 12, 16)"};
	int n = TILE * size_argument(arguments, 1, 12, 64), m = TILE * size_argument(arguments, 2, 12, 64);
	int k = DEPTH * size_argument(arguments, 3, 16, 512);
	float *a = random_floats((size_t)n * k, 1), *b = random_floats((size_t)k * m, 2),
	      *c = host_array<float>((size_t)n * m);
	float *dc = device_array<float>((size_t)n * m);

	multiply<<<dim3(m / TILE, n / TILE), BLOCK>>>(device_copy(a, (size_t)n * k), device_copy(b, (size_t)k * m), dc,
						      m, k);
	CHECK_LAUNCH();

	for (int i = 0; i < n; i++)
		for (int d = 0; d < k; d++)
			for (int j = 0; j < m; j++)
				c[i * m + j] = fmaf(a[i * k + d], b[d * m + j], c[i * m + j]);
	Verdict verdict = {"sgemm", 0};
	compare(&verdict, "c", dc, c, (size_t)n * m);
	return conclude(verdict, "%d x %d x %d", n, m, k);
}
