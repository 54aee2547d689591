/*
 * convolution: three by three cells in a plane, and three by three by three in a box where a launch does one plane of
 * it, as Polybench's 2DConvolution and 3DConvolution do.
 */
#include "grids.h"

#define BLOCK_X 32
#define BLOCK_Y 8

BOTH float plane(const float *a, int i, int j, int nj)
{
	float sum = 0.2f * a[(i - 1) * nj + (j - 1)];
	sum = fmaf(0.5f, a[(i - 1) * nj + (j + 0)], sum);
	sum = fmaf(-0.8f, a[(i - 1) * nj + (j + 1)], sum);
	sum = fmaf(-0.3f, a[(i + 0) * nj + (j - 1)], sum);
	sum = fmaf(0.6f, a[(i + 0) * nj + (j + 0)], sum);
	sum = fmaf(-0.9f, a[(i + 0) * nj + (j + 1)], sum);
	sum = fmaf(0.4f, a[(i + 1) * nj + (j - 1)], sum);
	sum = fmaf(0.7f, a[(i + 1) * nj + (j + 0)], sum);
	return fmaf(0.1f, a[(i + 1) * nj + (j + 1)], sum);
}

/* The corners of the cube, and what is above and below. */
BOTH float box(const float *a, int i, int j, int k, int nj, int nk)
{
	float sum = 2 * a[(i - 1) * (nk * nj) + (j - 1) * nk + (k - 1)];
	sum = fmaf(4, a[(i + 1) * (nk * nj) + (j - 1) * nk + (k - 1)], sum);
	sum = fmaf(5, a[(i - 1) * (nk * nj) + (j + 1) * nk + (k - 1)], sum);
	sum = fmaf(7, a[(i + 1) * (nk * nj) + (j + 1) * nk + (k - 1)], sum);
	sum = fmaf(-3, a[(i + 0) * (nk * nj) + (j - 1) * nk + (k + 0)], sum);
	sum = fmaf(6, a[(i + 0) * (nk * nj) + (j + 0) * nk + (k + 0)], sum);
	sum = fmaf(-9, a[(i + 0) * (nk * nj) + (j + 1) * nk + (k + 0)], sum);
	sum = fmaf(2, a[(i - 1) * (nk * nj) + (j - 1) * nk + (k + 1)], sum);
	sum = fmaf(4, a[(i + 1) * (nk * nj) + (j - 1) * nk + (k + 1)], sum);
	sum = fmaf(6, a[(i - 1) * (nk * nj) + (j + 0) * nk + (k + 1)], sum);
	return fmaf(7, a[(i + 1) * (nk * nj) + (j + 1) * nk + (k + 1)], sum);
}

__global__ void convolution_2d(const float *a, float *b, int ni, int nj)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < ni - 1 && j < nj - 1 && i > 0 && j > 0)
		b[i * nj + j] = plane(a, i, j, nj);
}

__global__ void convolution_3d(const float *a, float *b, int i, int nj, int nk)
{
	int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
	if (j < nj - 1 && k < nk - 1 && j > 0 && k > 0)
		b[i * (nk * nj) + j * nk + k] = box(a, i, j, k, nj, nk);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "convolution [size [planes]]   (default 512 x 512 cells, 4 planes)"};
	int n = size_argument(arguments, 1, 512, 4096), planes = size_argument(arguments, 2, 4, 1024);
	size_t flat = (size_t)n * n, solid = flat * planes;
	float *a = random_floats(solid, 1), *b2 = host_array<float>(flat), *b3 = host_array<float>(solid);
	float *da = device_copy(a, solid), *db2 = device_array<float>(flat), *db3 = device_array<float>(solid);

	dim3 block(BLOCK_X, BLOCK_Y), grid(blocks_for(n, BLOCK_X), blocks_for(n, BLOCK_Y));
	convolution_2d<<<grid, block>>>(da, db2, n, n);
	for (int i = 1; i < planes - 1; i++)
		convolution_3d<<<grid, block>>>(da, db3, i, n, n);
	CHECK_LAUNCH();

	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++)
			b2[i * n + j] = plane(a, i, j, n);
	for (int i = 1; i < planes - 1; i++)
		for (int j = 1; j < n - 1; j++)
			for (int k = 1; k < n - 1; k++)
				b3[((size_t)i * n + j) * n + k] = box(a, i, j, k, n, n);
	Verdict verdict = {"convolution", 0};
	compare(&verdict, "plane", db2, b2, flat);
	compare(&verdict, "box", db3, b3, solid);
	return conclude(verdict, "%d x %d, %d planes", n, n, planes);
}
