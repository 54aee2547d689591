/*
 * stream: four passes over long arrays: copy, scale, add, and both. Each thread goes along by the size of the grid,
 * four numbers at a time.
 */
#include "../grids/grids.h"

#define BLOCK 256
#define FACTOR 0.375f

__global__ void copy(const float4 *a, float4 *c, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		c[i] = a[i];
}

__global__ void scale(const float4 *c, float4 *b, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float4 x = c[i];
		b[i] = {FACTOR * x.x, FACTOR * x.y, FACTOR * x.z, FACTOR * x.w};
	}
}

__global__ void add(const float4 *a, const float4 *b, float4 *c, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float4 x = a[i], y = b[i];
		c[i] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
	}
}

__global__ void triad(const float4 *b, const float4 *c, float4 *a, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float4 x = b[i], y = c[i];
		a[i] = {fmaf(FACTOR, y.x, x.x), fmaf(FACTOR, y.y, x.y), fmaf(FACTOR, y.z, x.z), fmaf(FACTOR, y.w, x.w)};
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "stream [numbers in 1024s [blocks]]   (default 2048, 256 blocks)"};
	int n = 1024 * size_argument(arguments, 1, 2048, 1 << 18), blocks = size_argument(arguments, 2, 256, 65535),
	    words = n / 4;
	float *a = random_floats(n, 1), *b = host_array<float>(n), *c = host_array<float>(n);
	float4 *da = (float4 *)device_copy(a, n), *db = (float4 *)device_array<float>(n),
	       *dc = (float4 *)device_array<float>(n);

	copy<<<blocks, BLOCK>>>(da, dc, words);
	scale<<<blocks, BLOCK>>>(dc, db, words);
	add<<<blocks, BLOCK>>>(da, db, dc, words);
	triad<<<blocks, BLOCK>>>(db, dc, da, words);
	CHECK_LAUNCH();

	for (int i = 0; i < n; i++) {
		b[i] = FACTOR * a[i];
		c[i] = a[i] + b[i];
		a[i] = fmaf(FACTOR, c[i], b[i]);
	}
	Verdict verdict = {"stream", 0};
	compare(&verdict, "a", (float *)da, a, n);
	compare(&verdict, "b", (float *)db, b, n);
	compare(&verdict, "c", (float *)dc, c, n);
	return conclude(verdict, "%d numbers, %d blocks", n, blocks);
}
