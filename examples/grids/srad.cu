/*
 * srad: speckle-reducing anisotropic diffusion of an image, one step: the first kernel computes each pixel's derivatives
 * and diffusion coefficient, the second updates the image with the coefficients of its neighbours. Beyond the border the
 * image is that of the border.
 */
#include "grids.h"

#define BLOCK 16

BOTH float coefficient(float center, const float d[4], float q0)
{
	float gradient = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3]) / (center * center);
	float laplacian = (d[0] + d[1] + d[2] + d[3]) / center;
	float number = 0.5f * gradient - 0.0625f * (laplacian * laplacian), denominator = 1 + 0.25f * laplacian;
	float q = number / (denominator * denominator);
	float c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
	return c < 0 ? 0 : c > 1 ? 1 : c;
}

BOTH float updated(float pixel, float center, float south, float east, const float d[4])
{
	return pixel + 0.125f * (center * d[0] + south * d[1] + center * d[2] + east * d[3]);
}

__global__ void derivatives(const float *image, float *north, float *south, float *west, float *east, float *c, int columns,
			    int rows, float q0)
{
	int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * BLOCK + threadIdx.y;
	if (x >= columns || y >= rows)
		return;
	int index = columns * y + x;
	float center = image[index];
	float d[4] = {image[y > 0 ? index - columns : index] - center, image[y < rows - 1 ? index + columns : index] - center,
		      image[x > 0 ? index - 1 : index] - center, image[x < columns - 1 ? index + 1 : index] - center};
	north[index] = d[0];
	south[index] = d[1];
	west[index] = d[2];
	east[index] = d[3];
	c[index] = coefficient(center, d, q0);
}

__global__ void update(float *image, const float *north, const float *south, const float *west, const float *east,
		       const float *c, int columns, int rows)
{
	int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * BLOCK + threadIdx.y;
	if (x >= columns || y >= rows)
		return;
	int index = columns * y + x;
	float d[4] = {north[index], south[index], west[index], east[index]};
	image[index] = updated(image[index], c[index], c[y < rows - 1 ? index + columns : index],
			       c[x < columns - 1 ? index + 1 : index], d);
}

struct Point {
	float d[4], c;
};

static void on_host(float *image, Point *points, int columns, int rows, float q0)
{
	for (int y = 0; y < rows; y++) {
		for (int x = 0; x < columns; x++) {
			int index = y * columns + x;
			float center = image[index];
			float d[4] = {image[y > 0 ? index - columns : index] - center,
				      image[y < rows - 1 ? index + columns : index] - center,
				      image[x > 0 ? index - 1 : index] - center,
				      image[x < columns - 1 ? index + 1 : index] - center};
			memcpy(points[index].d, d, sizeof d);
			points[index].c = coefficient(center, d, q0);
		}
	}
	for (int y = 0; y < rows; y++) {
		for (int x = 0; x < columns; x++) {
			int index = y * columns + x;
			image[index] = updated(image[index], points[index].c,
					       points[y < rows - 1 ? index + columns : index].c,
					       points[x < columns - 1 ? index + 1 : index].c, points[index].d);
		}
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "srad [size]   (default 512 x 512 pixels)"};
	int size = size_argument(arguments, 1, 512, 8192);
	size_t pixels = (size_t)size * size;
	float *image = random_floats(pixels, 1), *work[5];
	for (size_t i = 0; i < pixels; i++)
		image[i] = expf(image[i]);
	float *dimage = device_copy(image, pixels);
	for (int i = 0; i < 5; i++)
		work[i] = device_array<float>(pixels);
	Point *points = host_array<Point>(pixels);

	dim3 grid(blocks_for(size, BLOCK), blocks_for(size, BLOCK)), block(BLOCK, BLOCK);
	derivatives<<<grid, block>>>(dimage, work[0], work[1], work[2], work[3], work[4], size, size, 0.05f);
	update<<<grid, block>>>(dimage, work[0], work[1], work[2], work[3], work[4], size, size);
	CHECK_LAUNCH();

	on_host(image, points, size, size, 0.05f);
	Verdict verdict = {"srad", 0};
	compare(&verdict, "pixel", dimage, image, pixels);
	return conclude(verdict, "%d x %d", size, size);
}
