/*
 * gaussian: elimination without pivoting, two launches a column: the multipliers of the rows below, then those rows. The
 * grid stays the same while less and less of it has work, and the blocks of the second launch have half a warp, 4 x 4 threads,
 * as in Rodinia's gaussian.
 */
#include "grids.h"

#define BLOCK 512
#define SIDE 4

__global__ void multipliers(const float *a, float *m, int n, int t)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n - 1 - t)
		m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}

__global__ void eliminate(float *a, float *b, const float *m, int n, int t)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= n - 1 - t || y >= n - t)
		return;
	a[n * (x + 1 + t) + (y + t)] = fmaf(-m[n * (x + 1 + t) + t], a[n * t + (y + t)], a[n * (x + 1 + t) + (y + t)]);
	if (y == 0)
		b[x + 1 + t] = fmaf(-m[n * (x + 1 + t) + t], b[t], b[x + 1 + t]);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "gaussian [size [columns]]   (default 128, 64 of its columns)"};
	int n = size_argument(arguments, 1, 128, 4096), columns = size_argument(arguments, 2, 64, 4096);
	size_t cells = (size_t)n * n;
	float *a = random_floats(cells, 1), *b = random_floats(n, 2);
	columns = columns < n ? columns : n - 1;
	for (int i = 0; i < n; i++)
		a[(size_t)i * n + i] += n;
	float *da = device_copy(a, cells), *db = device_copy(b, n), *dm = device_array<float>(cells);

	dim3 grid(blocks_for(n, SIDE), blocks_for(n, SIDE)), block(SIDE, SIDE);
	for (int t = 0; t < columns; t++) {
		multipliers<<<blocks_for(n, BLOCK), BLOCK>>>(da, dm, n, t);
		eliminate<<<grid, block>>>(da, db, dm, n, t);
	}
	CHECK_LAUNCH();

	for (int t = 0; t < columns; t++) {
		for (int i = t + 1; i < n; i++) {
			float factor = a[n * i + t] / a[n * t + t];
			for (int j = t; j < n; j++)
				a[n * i + j] = fmaf(-factor, a[n * t + j], a[n * i + j]);
			b[i] = fmaf(-factor, b[t], b[i]);
		}
	}
	Verdict verdict = {"gaussian", 0};
	compare(&verdict, "a", da, a, cells);
	compare(&verdict, "b", db, b, n);
	return conclude(verdict, "%d, %d columns", n, columns);
}
