/*
 * sobol: points of a low-discrepancy sequence, a dimension a row of blocks, each thread every so many of its points: the first from
 * the bits of its number's Gray code, the others by one direction each.
 */
#include "../calls/common.h"

#define THREADS 64
#define BITS 32

__global__ void points(unsigned count, unsigned dimensions, const unsigned *directions, float *out)
{
	__shared__ unsigned v[BITS];
	directions += BITS * blockIdx.y;
	out += (size_t)count * blockIdx.y;
	if (threadIdx.x < BITS)
		v[threadIdx.x] = directions[threadIdx.x];
	__syncthreads();
	unsigned first = threadIdx.x + blockIdx.x * blockDim.x, stride = gridDim.x * blockDim.x;
	unsigned gray = first ^ (first >> 1), value = 0;
	for (unsigned bit = 0; bit < __ffs(stride) - 1; bit++) {
		value ^= (gray & 1) * v[bit];
		gray >>= 1;
	}
	if (first < count)
		out[first] = (float)value * 0x1p-32f;
	unsigned step = v[__ffs(stride) - 2], mask = stride - 1;
	for (unsigned i = first + stride; i < count; i += stride) {
		value ^= step ^ v[__ffs(~((i - stride) | mask)) - 1];
		out[i] = (float)value * 0x1p-32f;
	}
}

/* Blocks of a dimension: four for each of the 80 SMs, no more than points need, a power of two. */
static unsigned blocks_of(unsigned count, unsigned dimensions)
{
	unsigned wanted = dimensions < 320 ? 320 : 1, blocks = 1;
	if (wanted > count / THREADS)
		wanted = blocks_for(count, THREADS);
	while (blocks < wanted)
		blocks *= 2;
	return blocks;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "sobol [points [dimensions]]   (default 2000, 4)"};
	unsigned count = size_argument(arguments, 1, 2000, 1 << 24), dimensions = size_argument(arguments, 2, 4, 10000), seed = 1;
	unsigned *directions = host_array<unsigned>((size_t)BITS * dimensions);
	for (size_t i = 0; i < (size_t)BITS * dimensions; i++) { /* bit k of the place: an odd number of k + 1 bits, from the top */
		unsigned bit = i % BITS, odd = next_random(&seed) >> (BITS - 1 - bit) | 1;
		directions[i] = odd << (BITS - 1 - bit);
	}
	unsigned *ddirections = device_copy(directions, (size_t)BITS * dimensions);
	float *out = device_array<float>((size_t)count * dimensions), *got = host_array<float>((size_t)count * dimensions);
	points<<<dim3(blocks_of(count, dimensions), dimensions), THREADS>>>(count, dimensions, ddirections, out);
	CHECK_LAUNCH();

	Verdict verdict = {"sobol", 0};
	copy_back(got, out, (size_t)count * dimensions);
	for (unsigned d = 0; d < dimensions; d++)
		for (unsigned i = 0, value = 0; i < count; value ^= directions[BITS * d + __builtin_ctz(~i)], i++)
			if (got[(size_t)count * d + i] != (float)value * 0x1p-32f)
				differs(&verdict, "point %u of %u: %g, not %g", i, d, got[(size_t)count * d + i], (float)value * 0x1p-32f);
	return conclude(verdict, "%u points of %u dimensions", count, dimensions);
}
