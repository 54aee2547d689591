/* atax: y = A' (A x): a thread a row in the first kernel, a column in the second. */
#include "../grids/grids.h"

#define BLOCK 128

__global__ void times_rows(const float *a, const float *x, float *product, int n, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float sum = 0;
	for (int j = 0; j < m; j++)
		sum = fmaf(a[i * m + j], x[j], sum);
	product[i] = sum;
}

__global__ void times_columns(const float *a, const float *product, float *y, int n, int m)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= m)
		return;
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum = fmaf(a[i * m + j], product[i], sum);
	y[j] = sum;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "atax [rows [columns]]   (default 2048 x 2048)"};
	int n = size_argument(arguments, 1, 2048, 8192), m = size_argument(arguments, 2, 2048, 8192);
	float *a = random_floats((size_t)n * m, 1), *x = random_floats(m, 2), *y = host_array<float>(m);
	float *da = device_copy(a, (size_t)n * m), *dproduct = device_array<float>(n), *dy = device_array<float>(m);

	times_rows<<<blocks_for(n, BLOCK), BLOCK>>>(da, device_copy(x, m), dproduct, n, m);
	times_columns<<<blocks_for(m, BLOCK), BLOCK>>>(da, dproduct, dy, n, m);
	CHECK_LAUNCH();

	for (int i = 0; i < n; i++) {
		float sum = 0;
		for (int j = 0; j < m; j++)
			sum = fmaf(a[i * m + j], x[j], sum);
		for (int j = 0; j < m; j++)
			y[j] = fmaf(a[i * m + j], sum, y[j]);
	}
	Verdict verdict = {"atax", 0};
	compare(&verdict, "y", dy, y, m);
	return conclude(verdict, "%d x %d", n, m);
}
