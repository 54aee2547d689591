/* gesummv: y = alpha A x + beta B x, a thread a row of both matrices. */
#include "../grids/grids.h"

#define BLOCK 128
#define ALPHA 0.75f
#define BETA 1.25f

BOTH float row_of(const float *a, const float *b, const float *x, int n, int i)
{
	float of_a = 0, of_b = 0;
	for (int j = 0; j < n; j++) {
		of_a = fmaf(a[i * n + j], x[j], of_a);
		of_b = fmaf(b[i * n + j], x[j], of_b);
	}
	return fmaf(ALPHA, of_a, BETA * of_b);
}

__global__ void gesummv(const float *a, const float *b, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = row_of(a, b, x, n, i);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "gesummv [size]   (default 1792)"};
	int n = size_argument(arguments, 1, 1792, 8192);
	size_t all = (size_t)n * n;
	float *a = random_floats(all, 1), *b = random_floats(all, 2), *x = random_floats(n, 3),
	      *y = host_array<float>(n);
	float *dy = device_array<float>(n);

	gesummv<<<blocks_for(n, BLOCK), BLOCK>>>(device_copy(a, all), device_copy(b, all), device_copy(x, n), dy, n);
	CHECK_LAUNCH();

	for (int i = 0; i < n; i++)
		y[i] = row_of(a, b, x, n, i);
	Verdict verdict = {"gesummv", 0};
	compare(&verdict, "y", dy, y, n);
	return conclude(verdict, "%d x %d", n, n);
}
