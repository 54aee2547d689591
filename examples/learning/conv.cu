/*
 * conv: a layer of convolution with 3 x 3 filters over an image of many channels, borders of zero. The last argument says
 * how: 1 directly, a thread an element of the result; 2 by im2col, which writes each element's neighbourhood as a column
 * and multiplies the filters with that by ordinary multiply-adds; 3 the same on tensor cores (mma.h). Numbers are small
 * and whole, so that sums are exact in any order.
 */
#include <mma.h>

#include "../grids/grids.h"

using namespace nvcuda;

#define SIDE 3
#define FILTER (SIDE * SIDE)
#define BLOCK 128

/* Element of the neighbourhood `tap` of pixel `at` in an image of size x size. */
__device__ __forceinline__ __half neighbour(const __half *image, int size, int at, int tap)
{
	int y = at / size + tap / SIDE - 1, x = at % size + tap % SIDE - 1;
	return y >= 0 && y < size && x >= 0 && x < size ? image[y * size + x] : __float2half(0.0f);
}

/* filters: out x channels x 9; result: out x pixels. */
__global__ void direct(const __half *image, const __half *filters, float *result, int size, int channels)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x, pixels = size * size, own = blockIdx.y;
	float sum = 0;
	if (at >= pixels)
		return;
	for (int channel = 0; channel < channels; channel++)
		for (int tap = 0; tap < FILTER; tap++)
			sum = fmaf(__half2float(neighbour(image + channel * pixels, size, at, tap)),
				   __half2float(filters[(own * channels + channel) * FILTER + tap]), sum);
	result[own * pixels + at] = sum;
}

/* columns: (channels x 9) x pixels */
__global__ void im2col(const __half *image, __half *columns, int size)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x, pixels = size * size, row = blockIdx.y;
	if (at < pixels)
		columns[row * pixels + at] = neighbour(image + row / FILTER * pixels, size, at, row % FILTER);
}

__global__ void multiply(const __half *filters, const __half *columns, float *result, int pixels, int depth)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x, own = blockIdx.y;
	float sum = 0;
	if (at >= pixels)
		return;
	for (int d = 0; d < depth; d++)
		sum = fmaf(__half2float(filters[own * depth + d]), __half2float(columns[d * pixels + at]), sum);
	result[own * pixels + at] = sum;
}

/* A warp has 16 filters and 16 pixels. */
__global__ void multiply_tensor(const __half *filters, const __half *columns, float *result, int pixels, int depth)
{
	int left = (blockIdx.x * (BLOCK / 32) + threadIdx.x / 32) * 16, top = blockIdx.y * 16;
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
	if (left >= pixels)
		return;
	wmma::fill_fragment(sum, 0.0f);
	for (int d = 0; d < depth; d += 16) {
		wmma::load_matrix_sync(a, filters + top * depth + d, depth);
		wmma::load_matrix_sync(b, columns + d * pixels + left, pixels);
		wmma::mma_sync(sum, a, b, sum);
	}
	wmma::store_matrix_sync(result + top * pixels + left, sum, pixels, wmma::mem_row_major);
}

/* Whole numbers from -4 to 4. */
static __half *small_numbers(size_t n, unsigned seed)
{
	__half *array = host_array<__half>(n);
	for (size_t i = 0; i < n; i++)
		array[i] = __float2half((float)((int)(next_unit(&seed) * 9) - 4));
	return array;
}

static void convolve(const __half *image, const __half *filters, float *result, int size, int channels, int own)
{
	int pixels = size * size;
	for (int channel = 0; channel < channels; channel++)
		for (int tap = 0; tap < FILTER; tap++) {
			float factor = __half2float(filters[(own * channels + channel) * FILTER + tap]);
			for (int at = 0; at < pixels; at++) {
				int y = at / size + tap / SIDE - 1, x = at % size + tap % SIDE - 1;
				if (y >= 0 && y < size && x >= 0 && x < size)
					result[own * pixels + at] +=
						factor * __half2float(image[channel * pixels + y * size + x]);
			}
		}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "conv [size [channels [filters [way]]]]   (in sixteenths of a side, of channels and of "
			       "filters; way 1 direct, 2 im2col, 3 im2col on tensor cores; default 3, 2, 2, 3)"};
	int size = 16 * size_argument(arguments, 1, 3, 16), channels = 16 * size_argument(arguments, 2, 2, 32);
	int filters = 16 * size_argument(arguments, 3, 2, 32), way = size_argument(arguments, 4, 3, 3);
	int pixels = size * size, depth = channels * FILTER;
	__half *image = small_numbers((size_t)channels * pixels, 1), *weights = small_numbers((size_t)filters * depth, 2);
	float *result = host_array<float>((size_t)filters * pixels);
	const __half *from = device_copy(image, (size_t)channels * pixels), *by = device_copy(weights, (size_t)filters * depth);
	float *to = device_array<float>((size_t)filters * pixels);
	__half *columns = device_array<__half>((size_t)depth * pixels);
	int blocks = (pixels + BLOCK - 1) / BLOCK;

	if (way == 1) {
		direct<<<dim3(blocks, filters), BLOCK>>>(from, by, to, size, channels);
	} else {
		im2col<<<dim3(blocks, depth), BLOCK>>>(from, columns, size);
		if (way == 2)
			multiply<<<dim3(blocks, filters), BLOCK>>>(by, columns, to, pixels, depth);
		else
			multiply_tensor<<<dim3(pixels / 16 * 32 / BLOCK, filters / 16), BLOCK>>>(by, columns, to, pixels, depth);
	}
	CHECK_LAUNCH();

	for (int own = 0; own < filters; own++)
		convolve(image, weights, result, size, channels, own);
	Verdict verdict = {"conv", 0};
	compare(&verdict, "result", to, result, (size_t)filters * pixels);
	return conclude(verdict, "%d x %d, %d channels, %d filters, way %d", size, size, channels, filters, way);
}
