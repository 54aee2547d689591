/*
 * spmv: a sparse matrix times a vector, a thread a row. Entries are stored by column of the padded rows, so that
 * neighbouring threads read neighbouring entries; where in the vector they look depends on the matrix.
 */
#include "grids.h"

#define BLOCK 128

__global__ void spmv(const float *values, const int *columns, const int *lengths, const float *x, float *y, int rows)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0;
	for (int k = 0; k < lengths[row]; k++)
		sum = fmaf(values[k * rows + row], x[columns[k * rows + row]], sum);
	y[row] = sum;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "spmv [rows [entries]]   (default 100000, at most 16 entries a row)"};
	int rows = size_argument(arguments, 1, 100000, 1000000), most = size_argument(arguments, 2, 16, 256);
	size_t entries = (size_t)rows * most;
	float *values = random_floats(entries, 1), *x = random_floats(rows, 2), *y = host_array<float>(rows);
	int *columns = host_array<int>(entries), *lengths = host_array<int>(rows);
	unsigned seed = 3;
	for (size_t i = 0; i < entries; i++)
		columns[i] = (int)((next_random(&seed) >> 8) % (unsigned)rows);
	for (int i = 0; i < rows; i++)
		lengths[i] = (int)((next_random(&seed) >> 8) % (unsigned)(most + 1));
	float *dvalues = device_copy(values, entries), *dx = device_copy(x, rows), *dy = device_array<float>(rows);
	int *dcolumns = device_copy(columns, entries), *dlengths = device_copy(lengths, rows);

	spmv<<<blocks_for(rows, BLOCK), BLOCK>>>(dvalues, dcolumns, dlengths, dx, dy, rows);
	CHECK_LAUNCH();

	for (int row = 0; row < rows; row++)
		for (int k = 0; k < lengths[row]; k++)
			y[row] = fmaf(values[(size_t)k * rows + row], x[columns[(size_t)k * rows + row]], y[row]);
	Verdict verdict = {"spmv", 0};
	compare(&verdict, "y", dy, y, rows);
	return conclude(verdict, "%d rows", rows);
}
