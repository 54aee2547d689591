/*
 * speckle: the diffusion coefficients of an image, which take speckles out of it: differences to the four
 * neighbours, whose places are in tables, and their relation to the image's variance.
 */
#include "../calls/common.h"

#define THREADS 512

__device__ __host__ inline float coefficient(float center, float north, float south, float west, float east, float noise)
{
	float square = (north * north + south * south + west * west + east * east) / (center * center);
	float sum = (north + south + west + east) / center;
	float part = 0.5 * square - (1.0 / 16.0) * (sum * sum), below = 1 + 0.25 * sum; /* double */
	float deviation = part / (below * below);
	below = (deviation - noise) / (noise * (1 + noise));
	float value = 1.0 / (1.0 + below);
	return value < 0 ? 0 : value > 1 ? 1 : value;
}

/* The image is stored by columns. */
__global__ void diffuse(int rows, long cells, const int *north_of, const int *south_of, const int *east_of, const int *west_of,
			float *north, float *south, float *east, float *west, float noise, float *coefficients, const float *image)
{
	int cell = blockIdx.x * THREADS + threadIdx.x;
	if (cell >= cells)
		return;
	int column = cell / rows, row = cell - rows * column;
	const float *along = image + rows * column, *across = image + row;
	float center = along[row], n = along[north_of[row]] - center, s = along[south_of[row]] - center;
	float w = across[rows * west_of[column]] - center, e = across[rows * east_of[column]] - center;
	float value = coefficient(center, n, s, w, e, noise);
	north[cell] = n, south[cell] = s, west[cell] = w, east[cell] = e;
	coefficients[cell] = value;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "speckle [rows [columns]]   (default 96, as many columns)"};
	int rows = size_argument(arguments, 1, 96, 8192), columns = size_argument(arguments, 2, rows, 8192);
	long cells = (long)rows * columns;
	float *image = host_array<float>(cells), *got = host_array<float>(cells), noise = 0.05f;
	int *before[2] = {host_array<int>(rows), host_array<int>(columns)}, *after[2] = {host_array<int>(rows), host_array<int>(columns)};
	unsigned seed = 1;
	for (long i = 0; i < cells; i++)
		image[i] = 1.0f + next_unit(&seed);
	for (int side = 0; side < 2; side++) {
		int count = side ? columns : rows;
		for (int i = 0; i < count; i++)
			before[side][i] = i ? i - 1 : 0, after[side][i] = i < count - 1 ? i + 1 : i;
	}
	int *north_of = device_copy(before[0], rows), *south_of = device_copy(after[0], rows);
	int *west_of = device_copy(before[1], columns), *east_of = device_copy(after[1], columns);
	float *dimage = device_copy(image, cells), *out[5];
	for (int i = 0; i < 5; i++)
		out[i] = device_array<float>(cells);
	diffuse<<<blocks_for((int)cells, THREADS), THREADS>>>(rows, cells, north_of, south_of, east_of, west_of, out[0], out[1], out[2],
							      out[3], noise, out[4], dimage);
	CHECK_LAUNCH();

	Verdict verdict = {"speckle", 0};
	copy_back(got, out[4], cells);
	for (long i = 0; i < cells; i++) {
		int row = (int)(i % rows), column = (int)(i / rows);
		float center = image[i], n = image[before[0][row] + (long)rows * column] - center;
		float s = image[after[0][row] + (long)rows * column] - center, w = image[row + (long)rows * before[1][column]] - center;
		float e = image[row + (long)rows * after[1][column]] - center, right = coefficient(center, n, s, w, e, noise);
		if (fabsf(got[i] - right) > 1e-4f)
			differs(&verdict, "coefficient %ld: %g, not %g", i, got[i], right);
	}
	return conclude(verdict, "%d x %d", rows, columns);
}
