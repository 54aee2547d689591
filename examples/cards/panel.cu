/*
 * panel: a matrix product whose threads have 16 elements of a row each: A by columns, read as it goes, B by rows through
 * shared memory, as Parboil's sgemm has it.
 */
#include "../calls/common.h"

#define OWN 16	  /* columns of a block, all of each thread */
#define DEPTH 8	  /* rows of B at a time */
#define ROWS 128 /* of a block: threads */

/* C = alpha A B + beta C; A is m x k, C m x n, both by columns, B is k x n, by rows. */
__global__ void panels(const float *a, int lda, const float *b, int ldb, float *c, int ldc, int k, float alpha, float beta)
{
	__shared__ float tile[DEPTH][OWN];
	int own = threadIdx.y * blockDim.x + threadIdx.x, row = blockIdx.x * ROWS + own, column = blockIdx.y * OWN;
	float sum[OWN] = {};
	for (int from = 0; from < k; from += DEPTH) {
		tile[threadIdx.y][threadIdx.x] = b[column + threadIdx.x + (from + threadIdx.y) * ldb];
		__syncthreads();
		for (int d = 0; d < DEPTH; d++) {
			float value = a[row + (from + d) * lda];
			for (int i = 0; i < OWN; i++)
				sum[i] += value * tile[d][i];
		}
		__syncthreads();
	}
	for (int i = 0; i < OWN; i++) {
		float *to = &c[row + (column + i) * ldc];
		*to = *to * beta + alpha * sum[i];
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "panel [rows / 128 [columns / 16 [depth / 8]]]   (default 2, 8, 16)"};
	int m = ROWS * size_argument(arguments, 1, 2, 64), n = OWN * size_argument(arguments, 2, 8, 512);
	int k = DEPTH * size_argument(arguments, 3, 16, 1024);
	float *a = host_array<float>((size_t)m * k), *b = host_array<float>((size_t)n * k), *got = host_array<float>((size_t)m * n);
	unsigned seed = 1;
	for (size_t i = 0; i < (size_t)m * k; i++)
		a[i] = (float)(next_random(&seed) >> 29);
	for (size_t i = 0; i < (size_t)n * k; i++)
		b[i] = (float)(next_random(&seed) >> 29);
	float *dc = device_array<float>((size_t)m * n);

	panels<<<dim3(m / ROWS, n / OWN), dim3(OWN, DEPTH)>>>(device_copy(a, (size_t)m * k), m, device_copy(b, (size_t)n * k), n, dc,
							     m, k, 1, 0);
	CHECK_LAUNCH();

	Verdict verdict = {"panel", 0};
	copy_back(got, dc, (size_t)m * n);
	for (int j = 0; j < n; j += n > 64 ? 61 : 1) /* whole numbers: sums have no rounding */
		for (int i = 0; i < m; i++) {
			float sum = 0;
			for (int d = 0; d < k; d++)
				sum += a[i + (size_t)d * m] * b[j + (size_t)d * n];
			if (got[i + (size_t)j * m] != sum)
				differs(&verdict, "c[%d, %d] = %g, not %g", i, j, got[i + (size_t)j * m], sum);
		}
	return conclude(verdict, "%d x %d x %d", m, n, k);
}
