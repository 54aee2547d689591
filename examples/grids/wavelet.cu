/*
 * wavelet: one level of the two-dimensional Haar transform of an image, rows then columns: averages to the front half,
 * differences to the back half, as discrete wavelet transforms of images do level by level.
 */
#include "grids.h"

#define BLOCK_X 32
#define BLOCK_Y 4

__global__ void rows(const int *from, int *to, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width / 2 || y >= height)
		return;
	int left = from[y * width + 2 * x], right = from[y * width + 2 * x + 1], difference = left - right;
	to[y * width + x] = right + (difference >> 1);
	to[y * width + width / 2 + x] = difference;
}

__global__ void columns(const int *from, int *to, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height / 2)
		return;
	int upper = from[2 * y * width + x], lower = from[(2 * y + 1) * width + x], difference = upper - lower;
	to[y * width + x] = lower + (difference >> 1);
	to[(y + height / 2) * width + x] = difference;
}

static void pair_on_host(int first, int second, int *average, int *difference)
{
	*difference = first - second;
	*average = second + (*difference >> 1);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "wavelet [size / 2]   (default 640)"};
	int half = size_argument(arguments, 1, 640, 2048), n = 2 * half;
	size_t pixels = (size_t)n * n;
	int *a = host_array<int>(pixels), *b = host_array<int>(pixels);
	unsigned seed = 1;
	for (size_t i = 0; i < pixels; i++)
		a[i] = (int)(next_random(&seed) >> 24);
	int *da = device_copy(a, pixels), *db = device_array<int>(pixels);

	dim3 block(BLOCK_X, BLOCK_Y);
	rows<<<dim3(blocks_for(half, BLOCK_X), blocks_for(n, BLOCK_Y)), block>>>(da, db, n, n);
	columns<<<dim3(blocks_for(n, BLOCK_X), blocks_for(half, BLOCK_Y)), block>>>(db, da, n, n);
	CHECK_LAUNCH();

	for (int y = 0; y < n; y++)
		for (int x = 0; x < half; x++)
			pair_on_host(a[y * n + 2 * x], a[y * n + 2 * x + 1], &b[y * n + x], &b[y * n + half + x]);
	for (int y = 0; y < half; y++)
		for (int x = 0; x < n; x++)
			pair_on_host(b[2 * y * n + x], b[(2 * y + 1) * n + x], &a[y * n + x], &a[(y + half) * n + x]);
	Verdict verdict = {"wavelet", 0};
	compare(&verdict, "pixel", da, a, pixels);
	return conclude(verdict, "%d x %d", n, n);
}
