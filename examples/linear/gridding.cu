/*
 * gridding: puts samples that lie anywhere in k-space onto a regular grid of three dimensions, as reconstructions of
 * magnetic resonance images begin: samples are sorted by the cell in which they are, and a thread of each grid point
 * takes those of the cells around it, weighted by their distance.
 */
#include "../grids/grids.h"

#define BLOCK_X 8
#define BLOCK_Y 4
#define BLOCK_Z 4
#define REACH 1.5f /* of a sample, in cells */

struct Sample {
	float x, y, z, real, imaginary;
};

/* A smooth bell that ends at REACH. */
BOTH float weight_of(float square)
{
	float rest = 1 - square * (1 / (REACH * REACH));
	return rest > 0 ? rest * rest : 0;
}

BOTH float2 point_of(const Sample *samples, const int *first, int side, int x, int y, int z)
{
	float2 sum = {0, 0};
	for (int cz = max(z - 2, 0); cz <= min(z + 1, side - 1); cz++)
		for (int cy = max(y - 2, 0); cy <= min(y + 1, side - 1); cy++) {
			/* Cells along x lie behind each other, so do their samples. */
			int row = (cz * side + cy) * side, from = first[row + max(x - 2, 0)],
			    to = first[row + min(x + 1, side - 1) + 1];
			for (int i = from; i < to; i++) {
				float dx = samples[i].x - x, dy = samples[i].y - y, dz = samples[i].z - z;
				float weight = weight_of(fmaf(dx, dx, fmaf(dy, dy, dz * dz)));
				sum.x = fmaf(weight, samples[i].real, sum.x);
				sum.y = fmaf(weight, samples[i].imaginary, sum.y);
			}
		}
	return sum;
}

__global__ void gridding(const Sample *samples, const int *first, float2 *grid, int side)
{
	int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y,
	    z = blockIdx.z * BLOCK_Z + threadIdx.z;
	if (x < side && y < side && z < side)
		grid[(z * side + y) * side + x] = point_of(samples, first, side, x, y, z);
}

/* Samples sorted by their cell, and where each cell's begin. */
static void random_samples(Sample *samples, int *first, int n, int side)
{
	float *numbers = random_floats((size_t)5 * n, 1);
	int *cell = host_array<int>(n), cells = side * side * side;
	for (int i = 0; i < n; i++) {
		for (int d = 0; d < 3; d++) /* denser in the middle */
			numbers[5 * i + d] = (0.5f + 0.499f * numbers[5 * i + d] * fabsf(numbers[5 * i + d])) * side;
		cell[i] = ((int)numbers[5 * i + 2] * side + (int)numbers[5 * i + 1]) * side + (int)numbers[5 * i];
		first[cell[i]]++;
	}
	for (int i = 1; i <= cells; i++)
		first[i] += first[i - 1];
	for (int i = n - 1; i >= 0; i--)
		memcpy(&samples[--first[cell[i]]], &numbers[5 * i], sizeof *samples);
	free(numbers);
	free(cell);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "gridding [side [samples]]   (default 32 points along a side, 16000 samples)"};
	int side = size_argument(arguments, 1, 32, 256), n = size_argument(arguments, 2, 16000, 1 << 22),
	    points = side * side * side;
	Sample *samples = host_array<Sample>(n);
	int *first = host_array<int>(points + 1);
	random_samples(samples, first, n, side);
	float2 *grid = host_array<float2>(points), *dgrid = device_array<float2>(points);

	dim3 blocks(blocks_for(side, BLOCK_X), blocks_for(side, BLOCK_Y), blocks_for(side, BLOCK_Z)),
		block(BLOCK_X, BLOCK_Y, BLOCK_Z);
	gridding<<<blocks, block>>>(device_copy(samples, n), device_copy(first, points + 1), dgrid, side);
	CHECK_LAUNCH();

	for (int i = 0; i < points; i++)
		grid[i] = point_of(samples, first, side, i % side, i / side % side, i / side / side);
	Verdict verdict = {"gridding", 0};
	compare(&verdict, "point", (float *)dgrid, (float *)grid, (size_t)2 * points);
	return conclude(verdict, "%d points along a side, %d samples", side, n);
}
