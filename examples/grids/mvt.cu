/*
 * mvt: x1 += A y1 and x2 += A^T y2, one thread an element: rows are read across the warp, columns along it, as in
 * Polybench's mvt, atax, bicg and gesummv.
 */
#include "grids.h"

#define BLOCK 256

__global__ void by_rows(const float *a, float *x, const float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float sum = x[i];
	for (int j = 0; j < n; j++)
		sum = fmaf(a[i * n + j], y[j], sum);
	x[i] = sum;
}

__global__ void by_columns(const float *a, float *x, const float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float sum = x[i];
	for (int j = 0; j < n; j++)
		sum = fmaf(a[j * n + i], y[j], sum);
	x[i] = sum;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "mvt [size]   (default 2048)"};
	int n = size_argument(arguments, 1, 2048, 8192);
	float *a = random_floats((size_t)n * n, 1), *y1 = random_floats(n, 2), *y2 = random_floats(n, 3);
	float *x1 = random_floats(n, 4), *x2 = random_floats(n, 5);
	float *da = device_copy(a, (size_t)n * n), *dy1 = device_copy(y1, n), *dy2 = device_copy(y2, n);
	float *dx1 = device_copy(x1, n), *dx2 = device_copy(x2, n);

	by_rows<<<blocks_for(n, BLOCK), BLOCK>>>(da, dx1, dy1, n);
	by_columns<<<blocks_for(n, BLOCK), BLOCK>>>(da, dx2, dy2, n);
	CHECK_LAUNCH();

	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			x1[i] = fmaf(a[i * n + j], y1[j], x1[i]);
			x2[i] = fmaf(a[j * n + i], y2[j], x2[i]);
		}
	}
	Verdict verdict = {"mvt", 0};
	compare(&verdict, "x1", dx1, x1, n);
	compare(&verdict, "x2", dx2, x2, n);
	return conclude(verdict, "%d", n);
}
