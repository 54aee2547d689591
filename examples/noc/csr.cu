/*
 * csr: a sparse matrix in compressed rows times a vector. Eight threads share a row and add up by shuffles; what they
 * gather from the vector is scattered.
 */
#include "../grids/grids.h"

#define BLOCK 128
#define TEAM 8 /* threads a row */

__global__ void multiply(const int *first, const int *columns, const float *values, const float *x, float *y, int rows)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / TEAM, lane = threadIdx.x % TEAM;
	float sum = 0;
	if (row < rows)
		for (int i = first[row] + lane; i < first[row + 1]; i += TEAM)
			sum = fmaf(values[i], x[columns[i]], sum);
	for (int step = TEAM / 2; step; step /= 2)
		sum += __shfl_xor_sync(~0u, sum, step);
	if (row < rows && lane == 0)
		y[row] = sum;
}

/* The same sums in the same order. */
static float row_on_host(const int *columns, const float *values, const float *x, int from, int to)
{
	float sums[TEAM] = {};
	for (int i = from; i < to; i++)
		sums[(i - from) % TEAM] = fmaf(values[i], x[columns[i]], sums[(i - from) % TEAM]);
	for (int step = TEAM / 2; step; step /= 2)
		for (int lane = 0; lane < step; lane++)
			sums[lane] += sums[lane + step];
	return sums[0];
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "csr [rows [mean entries a row]]   (default 40960 rows, 24 entries)"};
	int rows = size_argument(arguments, 1, 40960, 1 << 22), mean = size_argument(arguments, 2, 24, 1024);
	int *first = host_array<int>(rows + 1);
	unsigned seed = 7;
	for (int row = 0; row < rows; row++)
		first[row + 1] = first[row] + 1 + (int)(next_random(&seed) >> 8) % (2 * mean - 1);
	int entries = first[rows];
	int *columns = host_array<int>(entries);
	for (int i = 0; i < entries; i++)
		columns[i] = (int)(next_random(&seed) >> 8) % rows;
	float *values = random_floats(entries, 1), *x = random_floats(rows, 2), *y = host_array<float>(rows);
	float *dy = device_array<float>(rows);

	multiply<<<blocks_for(rows, BLOCK / TEAM), BLOCK>>>(device_copy(first, rows + 1), device_copy(columns, entries),
							    device_copy(values, entries), device_copy(x, rows), dy,
							    rows);
	CHECK_LAUNCH();

	for (int row = 0; row < rows; row++)
		y[row] = row_on_host(columns, values, x, first[row], first[row + 1]);
	Verdict verdict = {"csr", 0};
	compare(&verdict, "y", dy, y, rows);
	return conclude(verdict, "%d rows, %d entries", rows, entries);
}
