/*
 * srad_tiles: speckle-reducing anisotropic diffusion of an image as srad has it, in the manner of the published program:
 * each block of 16 x 16 threads loads its tile and those around it into shared memory, one pixel a thread and tile, and
 * only pixels at the tile's edge read what lies around. Most constants are of type double. Beyond the border the image is
 * that of the border: blocks there read a margin of the array, and then what replaces it.
 */
#include "grids.h"

#define TILE 16

/* Of the differences to the four neighbours; q0: of what counts as a speckle. */
BOTH float coefficient(float center, float north, float south, float west, float east, float q0)
{
	float gradient = (north * north + south * south + west * west + east * east) / (center * center);
	float laplacian = (north + south + west + east) / center;
	float number = (float)(0.5 * gradient - 1.0 / 16.0 * (laplacian * laplacian)), denominator = (float)(1 + .25 * laplacian);
	float q = number / (denominator * denominator);
	float excess = (q - q0) / (q0 * (1 + q0));
	return (float)(1.0 / (1.0 + excess));
}

BOTH float updated(float pixel, float lambda, float change)
{
	return (float)(pixel + 0.25 * lambda * change);
}

__global__ void derivatives(const float *image, float *norths, float *souths, float *wests, float *easts, float *coefficients,
			    int columns, float q0)
{
	__shared__ float tile[TILE][TILE], result[TILE][TILE];
	__shared__ float above[TILE][TILE], below[TILE][TILE], right[TILE][TILE], left[TILE][TILE];
	int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int corner = columns * TILE * by + TILE * bx, index = corner + columns * ty + tx;

	above[ty][tx] = image[corner - columns + tx];
	below[ty][tx] = image[corner + columns * TILE + tx];
	if (by == 0)
		above[ty][tx] = image[TILE * bx + tx];
	else if (by == (int)gridDim.y - 1)
		below[ty][tx] = image[corner + columns * (TILE - 1) + tx];
	__syncthreads();
	left[ty][tx] = image[corner + columns * ty - 1];
	right[ty][tx] = image[corner + columns * ty + TILE];
	if (bx == 0)
		left[ty][tx] = image[corner + columns * ty];
	else if (bx == (int)gridDim.x - 1)
		right[ty][tx] = image[corner + columns * ty + TILE - 1];
	__syncthreads();
	tile[ty][tx] = image[index];
	__syncthreads();

	float center = tile[ty][tx], north, south, west, east;
	north = (ty > 0 ? tile[ty - 1][tx] : above[ty][tx]) - center;
	south = (ty < TILE - 1 ? tile[ty + 1][tx] : below[ty][tx]) - center;
	west = (tx > 0 ? tile[ty][tx - 1] : left[ty][tx]) - center;
	east = (tx < TILE - 1 ? tile[ty][tx + 1] : right[ty][tx]) - center;
	float c = coefficient(center, north, south, west, east, q0);
	result[ty][tx] = c < 0 ? 0 : c > 1 ? 1 : c;
	__syncthreads();
	coefficients[index] = result[ty][tx];
	easts[index] = east;
	wests[index] = west;
	souths[index] = south;
	norths[index] = north;
}

__global__ void update(float *image, const float *norths, const float *souths, const float *wests, const float *easts,
		       const float *coefficients, int columns, float lambda)
{
	__shared__ float below[TILE][TILE], right[TILE][TILE], tile[TILE][TILE], result[TILE][TILE], pixels[TILE][TILE];
	int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int corner = columns * TILE * by + TILE * bx, index = corner + columns * ty + tx;

	pixels[ty][tx] = image[index];
	__syncthreads();
	below[ty][tx] = coefficients[corner + columns * TILE + tx];
	if (by == (int)gridDim.y - 1)
		below[ty][tx] = coefficients[corner + columns * (TILE - 1) + tx];
	__syncthreads();
	right[ty][tx] = coefficients[corner + columns * ty + TILE];
	if (bx == (int)gridDim.x - 1)
		right[ty][tx] = coefficients[corner + columns * ty + TILE - 1];
	__syncthreads();
	tile[ty][tx] = coefficients[index];
	__syncthreads();

	float center = tile[ty][tx], south, east;
	if (ty == TILE - 1 && tx == TILE - 1) {
		south = below[ty][tx];
		east = right[ty][tx];
	} else if (tx == TILE - 1) {
		south = tile[ty + 1][tx];
		east = right[ty][tx];
	} else if (ty == TILE - 1) {
		south = below[ty][tx];
		east = tile[ty][tx + 1];
	} else {
		south = tile[ty + 1][tx];
		east = tile[ty][tx + 1];
	}
	float change = center * norths[index] + south * souths[index] + center * wests[index] + east * easts[index];
	result[ty][tx] = updated(pixels[ty][tx], lambda, change);
	__syncthreads();
	image[index] = result[ty][tx];
}

struct Point {
	float north, south, west, east, c;
};

/* With rows of zeros before and behind: the margin. */
static float *with_margin(const float *image, int size)
{
	size_t pixels = (size_t)size * size, margin = (size_t)size * TILE;
	float *all = host_array<float>(pixels + 2 * margin);
	memset(all, 0, (pixels + 2 * margin) * sizeof *all);
	if (image)
		memcpy(all + margin, image, pixels * sizeof *image);
	float *device = device_copy(all, pixels + 2 * margin);
	free(all);
	return device + margin;
}

static void on_host(float *image, Point *points, int size, float q0, float lambda)
{
	for (int y = 0; y < size; y++) {
		for (int x = 0; x < size; x++) {
			int index = y * size + x;
			float center = image[index];
			Point p = {image[y > 0 ? index - size : index] - center, image[y < size - 1 ? index + size : index] - center,
				   image[x > 0 ? index - 1 : index] - center, image[x < size - 1 ? index + 1 : index] - center, 0};
			p.c = coefficient(center, p.north, p.south, p.west, p.east, q0);
			p.c = p.c < 0 ? 0 : p.c > 1 ? 1 : p.c;
			points[index] = p;
		}
	}
	for (int y = 0; y < size; y++) {
		for (int x = 0; x < size; x++) {
			int index = y * size + x;
			Point p = points[index];
			float south = points[y < size - 1 ? index + size : index].c, east = points[x < size - 1 ? index + 1 : index].c;
			image[index] = updated(image[index], lambda, p.c * p.north + south * p.south + p.c * p.west + east * p.east);
		}
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "srad_tiles [tiles]   (default 32 x 32 tiles of 16 x 16 pixels)"};
	int tiles = size_argument(arguments, 1, 32, 512), size = TILE * tiles;
	size_t pixels = (size_t)size * size;
	float *image = random_floats(pixels, 1), *work[4];
	for (size_t i = 0; i < pixels; i++)
		image[i] = expf(image[i]);
	float *dimage = with_margin(image, size), *coefficients = with_margin(NULL, size);
	for (int i = 0; i < 4; i++)
		work[i] = device_array<float>(pixels);
	Point *points = host_array<Point>(pixels);

	dim3 grid(tiles, tiles), block(TILE, TILE);
	derivatives<<<grid, block>>>(dimage, work[0], work[1], work[2], work[3], coefficients, size, 0.05f);
	update<<<grid, block>>>(dimage, work[0], work[1], work[2], work[3], coefficients, size, 0.5f);
	CHECK_LAUNCH();

	on_host(image, points, size, 0.05f, 0.5f);
	Verdict verdict = {"srad_tiles", 0};
	compare(&verdict, "pixel", dimage, image, pixels);
	return conclude(verdict, "%d x %d", size, size);
}
