/*
 * products: chains of matrix products without tiles, a thread an element: two of them as D = alpha A B C + beta D, or
 * three as G = (A B) (C D), all square.
 */
#include "../grids/grids.h"

#define BLOCK_X 32
#define BLOCK_Y 8
#define ALPHA 0.5f
#define BETA 1.5f

__global__ void product(const float *a, const float *b, float *c, int n, float alpha, float beta)
{
	int j = blockIdx.x * BLOCK_X + threadIdx.x, i = blockIdx.y * BLOCK_Y + threadIdx.y;
	if (i >= n || j >= n)
		return;
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum = fmaf(a[i * n + k], b[k * n + j], sum);
	c[i * n + j] = fmaf(alpha, sum, beta * c[i * n + j]);
}

static void product_on_host(const float *a, const float *b, float *c, int n, float alpha, float beta)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;
			for (int k = 0; k < n; k++)
				sum = fmaf(a[i * n + k], b[k * n + j], sum);
			c[i * n + j] = fmaf(alpha, sum, beta * c[i * n + j]);
		}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "products [size [2 or 3 products]]   (default 176, 2)"};
	int n = size_argument(arguments, 1, 176, 2048), chain = size_argument(arguments, 2, 2, 3);
	size_t all = (size_t)n * n;
	float *a = random_floats(all, 1), *b = random_floats(all, 2), *c = random_floats(all, 3),
	      *d = random_floats(all, 4);
	float *ab = host_array<float>(all), *cd = host_array<float>(all), *g = host_array<float>(all);
	float *da = device_copy(a, all), *db = device_copy(b, all), *dc = device_copy(c, all),
	      *dd = device_copy(d, all);
	float *dab = device_array<float>(all), *dcd = device_array<float>(all), *dg = device_array<float>(all);
	dim3 blocks(blocks_for(n, BLOCK_X), blocks_for(n, BLOCK_Y)), block(BLOCK_X, BLOCK_Y);
	Verdict verdict = {"products", 0};

	if (chain == 3) {
		product<<<blocks, block>>>(da, db, dab, n, 1, 0);
		product<<<blocks, block>>>(dc, dd, dcd, n, 1, 0);
		product<<<blocks, block>>>(dab, dcd, dg, n, 1, 0);
		CHECK_LAUNCH();
		product_on_host(a, b, ab, n, 1, 0);
		product_on_host(c, d, cd, n, 1, 0);
		product_on_host(ab, cd, g, n, 1, 0);
		compare(&verdict, "g", dg, g, all);
	} else {
		product<<<blocks, block>>>(da, db, dab, n, ALPHA, 0);
		product<<<blocks, block>>>(dab, dc, dd, n, 1, BETA);
		CHECK_LAUNCH();
		product_on_host(a, b, ab, n, ALPHA, 0);
		product_on_host(ab, c, d, n, 1, BETA);
		compare(&verdict, "d", dd, d, all);
	}
	return conclude(verdict, "%d products, %d x %d", chain, n, n);
}
