/*
 * products: of matrices with vectors, a thread a row or a column, sums in global memory, as Polybench has them: A times x, and A's
 * transposed with that (atax); or the sum of two matrices' products with one vector (gesummv).
 */
#include "../calls/common.h"

#define THREADS 256
#define ALPHA 4.35f
#define BETA 1.23f

__global__ void rows_times(const float *a, const float *x, float *sums, int size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < size)
		for (int j = 0; j < size; j++)
			sums[i] += a[i * size + j] * x[j];
}

__global__ void columns_times(const float *a, float *y, const float *sums, int size)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < size)
		for (int i = 0; i < size; i++)
			y[j] += a[i * size + j] * sums[i];
}

__global__ void two_sums(const float *a, const float *b, const float *x, float *y, float *sums, int size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < size) {
		for (int j = 0; j < size; j++) {
			sums[i] += a[i * size + j] * x[j];
			y[i] += b[i * size + j] * x[j];
		}
		y[i] = ALPHA * sums[i] + BETA * y[i];
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "products [size [1 | 2]]   (default 96; 1: A'(Ax), 2: aAx + bBx)"};
	int size = size_argument(arguments, 1, 96, 16384), form = size_argument(arguments, 2, 1, 2), blocks = blocks_for(size, THREADS);
	size_t count = (size_t)size * size;
	float *a = host_array<float>(count), *b = host_array<float>(count), *x = host_array<float>(size), *got = host_array<float>(size);
	double *right = host_array<double>(size), *sums = host_array<double>(size);
	unsigned seed = 1;
	for (size_t i = 0; i < count; i++)
		a[i] = next_unit(&seed) / size, b[i] = next_unit(&seed) / size;
	for (int i = 0; i < size; i++)
		x[i] = next_unit(&seed);
	float *da = device_copy(a, count), *db = device_copy(b, count), *dx = device_copy(x, size);
	float *dsums = device_array<float>(size), *y = device_array<float>(size);
	if (form == 1) {
		rows_times<<<blocks, THREADS>>>(da, dx, dsums, size);
		columns_times<<<blocks, THREADS>>>(da, y, dsums, size);
	} else {
		two_sums<<<blocks, THREADS>>>(da, db, dx, y, dsums, size);
	}
	CHECK_LAUNCH();

	Verdict verdict = {"products", 0};
	copy_back(got, y, size);
	for (int i = 0; i < size; i++)
		for (int j = 0; j < size; j++)
			sums[i] += (double)a[(size_t)i * size + j] * x[j];
	for (int i = 0; i < size; i++)
		for (int j = 0; j < size; j++)
			right[form == 1 ? j : i] += form == 1 ? a[(size_t)i * size + j] * sums[i] : (double)b[(size_t)i * size + j] * x[j];
	for (int i = 0; i < size; i++) {
		double wanted = form == 1 ? right[i] : ALPHA * sums[i] + BETA * right[i];
		if (fabs(got[i] - wanted) > 1e-3)
			differs(&verdict, "y %d: %g, not %g", i, got[i], wanted);
	}
	return conclude(verdict, "%d x %d", size, size);
}
