/* filter: a 3 x 3 convolution of a matrix, a number a thread, its nine neighbours from global memory, as Polybench has it. */
#include "../calls/common.h"

#define ACROSS 32
#define DOWN 8

__device__ __host__ inline float filtered(const float *a, int size, int i, int j)
{
	const float c11 = 0.2f, c21 = 0.5f, c31 = -0.8f, c12 = -0.3f, c22 = 0.6f, c32 = -0.9f, c13 = 0.4f, c23 = 0.7f, c33 = 0.1f;
	return c11 * a[(i - 1) * size + j - 1] + c21 * a[(i - 1) * size + j] + c31 * a[(i - 1) * size + j + 1] +
	       c12 * a[i * size + j - 1] + c22 * a[i * size + j] + c32 * a[i * size + j + 1] + c13 * a[(i + 1) * size + j - 1] +
	       c23 * a[(i + 1) * size + j] + c33 * a[(i + 1) * size + j + 1];
}

__global__ void convolve(const float *from, float *to, int size)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < size - 1 && j < size - 1 && i > 0 && j > 0)
		to[i * size + j] = filtered(from, size, i, j);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "filter [size]   (default 128)"};
	int size = size_argument(arguments, 1, 128, 16384);
	size_t count = (size_t)size * size;
	float *from = host_array<float>(count), *got = host_array<float>(count);
	unsigned seed = 1;
	for (size_t i = 0; i < count; i++)
		from[i] = next_unit(&seed);
	float *dfrom = device_copy(from, count), *to = device_array<float>(count);
	convolve<<<dim3(blocks_for(size, ACROSS), blocks_for(size, DOWN)), dim3(ACROSS, DOWN)>>>(dfrom, to, size);
	CHECK_LAUNCH();

	Verdict verdict = {"filter", 0};
	copy_back(got, to, count);
	for (int i = 0; i < size; i++)
		for (int j = 0; j < size; j++) {
			bool inside = i > 0 && j > 0 && i < size - 1 && j < size - 1;
			float right = inside ? filtered(from, size, i, j) : 0.0f;
			if (fabsf(got[(size_t)i * size + j] - right) > 1e-5f)
				differs(&verdict, "%d %d: %g, not %g", i, j, got[(size_t)i * size + j], right);
		}
	return conclude(verdict, "%d x %d", size, size);
}
