/*
 * normal: numbers of a quasirandom sequence (Niederreiter's form: one direction number for each bit of the index, in
 * constant memory), and the inverse of the normal distribution at even distances, by Acklam's rational functions; grids
 * and blocks as CUDA's sample of quasirandom numbers has them.
 */
#include "../calls/common.h"

#define DIMENSIONS 3
#define BITS 31
#define BLOCKS 128
#define BLOCK 128

static __constant__ unsigned directions[DIMENSIONS][BITS];

__global__ void sequence(float *to, unsigned from, unsigned count)
{
	unsigned dimension = threadIdx.y, stride = gridDim.x * blockDim.x;
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
		unsigned result = 0, bits = from + i;
		for (int bit = 0; bit < BITS; bit++, bits >>= 1)
			if (bits & 1)
				result ^= directions[dimension][bit];
		to[dimension * count + i] = (float)(result + 1) * 0x1p-31f;
	}
}

__device__ __host__ inline float polynomial(float x, float a, float b, float c, float d, float e)
{
	return (((a * x + b) * x + c) * x + d) * x + e;
}

/* Of x / 2^32. */
__device__ __host__ inline float inverse_normal(unsigned x)
{
	bool upper = x >= 0x80000000u;
	float p = (float)(upper ? 0xffffffffu - x : x) * 0x1p-32f, z;
	if (p < 0.02425f) {
		float q = sqrtf(-2.0f * logf(p));
		z = (polynomial(q, -7.784894e-3f, -3.2239646e-1f, -2.4007583f, -2.5497325f, 4.3746643f) * q + 2.938164f) /
		    (polynomial(q, 0, 7.784696e-3f, 3.2246712e-1f, 2.445134f, 3.7544087f) * q + 1);
	} else {
		float q = p - 0.5f, r = q * q;
		z = (polynomial(r, -39.696831f, 220.94609f, -275.92851f, 138.35775f, -30.664798f) * r + 2.5066283f) * q /
		    (polynomial(r, -54.476098f, 161.58584f, -155.6989f, 66.80131f, -13.280682f) * r + 1);
	}
	return upper ? -z : z;
}

__global__ void normals(float *to, unsigned count)
{
	unsigned distance = 0xffffffffu / (count + 1), stride = gridDim.x * blockDim.x;
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
		to[i] = inverse_normal((i + 1) * distance);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "normal [numbers of a dimension]   (default 65536)"};
	unsigned count = size_argument(arguments, 1, 65536, 1 << 26), all = DIMENSIONS * count, seed = 5;
	unsigned numbers[DIMENSIONS][BITS];
	for (int d = 0; d < DIMENSIONS; d++)
		for (int bit = 0; bit < BITS; bit++)
			numbers[d][bit] = next_random(&seed) >> 1;
	CHECK(cudaMemcpyToSymbol(directions, numbers, sizeof numbers));
	float *dsequence = device_array<float>(all), *dnormal = device_array<float>(all), *got = host_array<float>(all);

	sequence<<<BLOCKS, dim3(BLOCK, DIMENSIONS)>>>(dsequence, 0, count);
	normals<<<BLOCKS, BLOCK>>>(dnormal, all);
	CHECK_LAUNCH();

	Verdict verdict = {"normal", 0};
	copy_back(got, dsequence, all);
	for (unsigned i = 0; i < all; i++) {
		unsigned result = 0;
		for (int bit = 0; bit < BITS; bit++)
			if (i % count >> bit & 1)
				result ^= numbers[i / count][bit];
		if (fabsf(got[i] - (float)(result + 1) * 0x1p-31f) > 1e-6f)
			differs(&verdict, "sequence[%u] = %g", i, got[i]);
	}
	copy_back(got, dnormal, all);
	for (unsigned i = 0; i < all; i++)
		if (!(fabsf(got[i] - inverse_normal((i + 1) * (0xffffffffu / (all + 1)))) <= 1e-3f))
			differs(&verdict, "normal[%u] = %g", i, got[i]);
	return conclude(verdict, "%u numbers of %d dimensions", count, DIMENSIONS);
}
