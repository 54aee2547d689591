/*
 * srad_tiles: one step of speckle-reducing anisotropic diffusion of a square image (Yu and Acton, IEEE Transactions on Image
 * Processing 11(11), 2002), with tiles in shared memory. A block has 16 x 16 pixels, one a thread. The first kernel loads them
 * with a border of one pixel, and keeps each pixel's slopes to its four neighbours and its diffusion coefficient; the second
 * adds the divergence, for which it has a tile of coefficients. A neighbour outside of the image is the pixel at its edge.
 */
#include "grids.h"

#define TILE 16
#define THREADS (TILE * TILE)

/* From a pixel to its neighbours. */
struct alignas(16) Slopes {
	float up, down, left, right;
};

BOTH int inside(int at, int size)
{
	return min(max(at, 0), size - 1);
}

BOTH Slopes slopes_of(float pixel, float up, float down, float left, float right)
{
	return {up - pixel, down - pixel, left - pixel, right - pixel};
}

/*
 * The paper's coefficient is 1 / (1 + (v - s) / (s + s^2)) = (s + s^2) / (v + s^2), s the variation of fully formed speckle and
 * v the variation here: (G / 2 - L^2 / 16) / (1 + L / 4)^2, where G is the sum of the slopes' squares and L that of the slopes,
 * both relative to the pixel. With absolute ones it is (8 G - L^2) / N^2, where N is the sum of the neighbours.
 */
BOTH float coefficient(float pixel, Slopes slopes, float s)
{
	double up = slopes.up, down = slopes.down, left = slopes.left, right = slopes.right;
	double squares = up * up + down * down + left * left + right * right, sum = up + down + left + right;
	double around = 4.0 * pixel + sum, speckle = around * around * s;
	double c = (speckle + speckle * s) / ((8 * squares - sum * sum) + speckle * s);
	return (float)(c < 1 ? c : 1);
}

/* The rate is a quarter of the step in time. */
BOTH float diffused(float pixel, Slopes slopes, float here, float down, float right, float rate)
{
	return pixel + rate * (here * (slopes.up + slopes.left) + down * slopes.down + right * slopes.right);
}

/* A square of SIDE numbers a side, of which the first is at (top, left). */
template <int SIDE> static __device__ void load(float *tile, const float *all, int top, int left, int size)
{
	for (int at = threadIdx.y * TILE + threadIdx.x; at < SIDE * SIDE; at += THREADS)
		tile[at] = all[inside(top + at / SIDE, size) * size + inside(left + at % SIDE, size)];
	__syncthreads();
}

__global__ void derivatives(const float *image, Slopes *slopes, float *coefficients, int size, float speckle)
{
	const int side = TILE + 2;
	__shared__ float tile[side * side];
	int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
	load<side>(tile, image, top - 1, left - 1, size);

	const float *pixel = tile + (threadIdx.y + 1) * side + threadIdx.x + 1;
	Slopes mine = slopes_of(pixel[0], pixel[-side], pixel[side], pixel[-1], pixel[1]);
	int at = (top + threadIdx.y) * size + left + threadIdx.x;
	slopes[at] = mine;
	coefficients[at] = coefficient(pixel[0], mine, speckle);
}

__global__ void update(float *image, const Slopes *slopes, const float *coefficients, int size, float rate)
{
	const int side = TILE + 1;
	__shared__ float tile[side * side];
	int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
	load<side>(tile, coefficients, top, left, size);

	const float *c = tile + threadIdx.y * side + threadIdx.x;
	int at = (top + threadIdx.y) * size + left + threadIdx.x;
	image[at] = diffused(image[at], slopes[at], c[0], c[side], c[1], rate);
}

static void on_host(float *image, int size, float speckle, float rate)
{
	size_t pixels = (size_t)size * size;
	Slopes *slopes = host_array<Slopes>(pixels);
	float *c = host_array<float>(pixels);
	for (int y = 0; y < size; y++) {
		const float *row = image + (size_t)y * size, *above = image + (size_t)inside(y - 1, size) * size;
		const float *below = image + (size_t)inside(y + 1, size) * size;
		for (int x = 0; x < size; x++) {
			size_t at = (size_t)y * size + x;
			slopes[at] = slopes_of(row[x], above[x], below[x], row[inside(x - 1, size)], row[inside(x + 1, size)]);
			c[at] = coefficient(row[x], slopes[at], speckle);
		}
	}
	for (int y = 0; y < size; y++) {
		const float *row = c + (size_t)y * size, *below = c + (size_t)inside(y + 1, size) * size;
		for (int x = 0; x < size; x++) {
			size_t at = (size_t)y * size + x;
			image[at] = diffused(image[at], slopes[at], row[x], below[x], row[inside(x + 1, size)], rate);
		}
	}
	free(slopes);
	free(c);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "srad_tiles [tiles]   (default 32 x 32 tiles of 16 x 16 pixels)"};
	int tiles = size_argument(arguments, 1, 32, 512), size = TILE * tiles;
	size_t pixels = (size_t)size * size;
	float *image = random_floats(pixels, 1), speckle = 0.05f, rate = 0.125f;
	for (size_t i = 0; i < pixels; i++)
		image[i] = expf(image[i]);
	float *dimage = device_copy(image, pixels), *coefficients = device_array<float>(pixels);
	Slopes *slopes = device_array<Slopes>(pixels);

	dim3 grid(tiles, tiles), block(TILE, TILE);
	derivatives<<<grid, block>>>(dimage, slopes, coefficients, size, speckle);
	update<<<grid, block>>>(dimage, slopes, coefficients, size, rate);
	CHECK_LAUNCH();

	on_host(image, size, speckle, rate);
	Verdict verdict = {"srad_tiles", 0};
	compare(&verdict, "pixel", dimage, image, pixels);
	return conclude(verdict, "%d x %d", size, size);
}
