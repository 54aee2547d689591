/*
 * gemm: C = alpha A B + beta C with one thread an element and no tiles, as Polybench's gemm, 2mm and 3mm do.
 */
#include "grids.h"

#define BLOCK_X 32
#define BLOCK_Y 8
#define ALPHA 1.5f
#define BETA 0.75f

__global__ void gemm(const float *a, const float *b, float *c, int ni, int nj, int nk)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= ni || j >= nj)
		return;
	float sum = c[i * nj + j] * BETA;
	for (int k = 0; k < nk; k++)
		sum = fmaf(ALPHA * a[i * nk + k], b[k * nj + j], sum);
	c[i * nj + j] = sum;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "gemm [size [inner]]   (default 256 x 256, 128 inner)"};
	int n = size_argument(arguments, 1, 256, 4096), inner = size_argument(arguments, 2, 128, 4096);
	float *a = random_floats((size_t)n * inner, 1), *b = random_floats((size_t)inner * n, 2);
	float *c = random_floats((size_t)n * n, 3);
	float *da = device_copy(a, (size_t)n * inner), *db = device_copy(b, (size_t)inner * n);
	float *dc = device_copy(c, (size_t)n * n);

	dim3 block(BLOCK_X, BLOCK_Y), grid(blocks_for(n, BLOCK_X), blocks_for(n, BLOCK_Y));
	gemm<<<grid, block>>>(da, db, dc, n, n, inner);
	CHECK_LAUNCH();

	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			float sum = c[i * n + j] * BETA;
			for (int k = 0; k < inner; k++)
				sum = fmaf(ALPHA * a[i * inner + k], b[k * n + j], sum);
			c[i * n + j] = sum;
		}
	}
	Verdict verdict = {"gemm", 0};
	compare(&verdict, "c", dc, c, (size_t)n * n);
	return conclude(verdict, "%d x %d, %d inner", n, n, inner);
}
