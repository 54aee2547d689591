/*
 * heat: temperatures of a chip, several steps of the heat equation a launch in a block's shared memory, whose valid part
 * shrinks by a cell a side and step, as Rodinia's hotspot has them. Its constant 2.0 makes most of a step double precision,
 * which -DSINGLE leaves out.
 */
#include "../calls/common.h"

#define TILE 16
#define AMBIENT 80.0f
#ifdef SINGLE
#define TWO 2.0f
#else
#define TWO 2.0
#endif

__device__ __host__ inline float heat(float step, float power, float center, float north, float south, float east, float west,
				      float rx, float ry, float rz)
{
	return center + step * (power + (south + north - TWO * center) * ry + (east + west - TWO * center) * rx +
				(AMBIENT - center) * rz);
}

__global__ void temperatures(int steps, const float *power, const float *from, float *to, int columns, int rows, int border,
			     float step, float rx, float ry, float rz)
{
	__shared__ float now[TILE][TILE], power_of[TILE][TILE], next[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y, small = TILE - 2 * steps;
	int top = small * blockIdx.y - border, left = small * blockIdx.x - border;
	int y = top + ty, x = left + tx, index = columns * y + x;
	if (y >= 0 && y < rows && x >= 0 && x < columns) {
		now[ty][tx] = from[index];
		power_of[ty][tx] = power[index];
	}
	__syncthreads();
	int y_first = top < 0 ? -top : 0, y_last = top + TILE - 1 > rows - 1 ? TILE - 1 - (top + TILE - rows) : TILE - 1;
	int x_first = left < 0 ? -left : 0, x_last = left + TILE - 1 > columns - 1 ? TILE - 1 - (left + TILE - columns) : TILE - 1;
	int north = ty - 1 < y_first ? y_first : ty - 1, south = ty + 1 > y_last ? y_last : ty + 1;
	int west = tx - 1 < x_first ? x_first : tx - 1, east = tx + 1 > x_last ? x_last : tx + 1;
	bool computed = false;
	for (int i = 0; i < steps; i++) {
		computed = tx >= i + 1 && tx <= TILE - i - 2 && ty >= i + 1 && ty <= TILE - i - 2 && tx >= x_first &&
			   tx <= x_last && ty >= y_first && ty <= y_last;
		if (computed)
			next[ty][tx] = heat(step, power_of[ty][tx], now[ty][tx], now[north][tx], now[south][tx],
					    now[ty][east], now[ty][west], rx, ry, rz);
		__syncthreads();
		if (i == steps - 1)
			break;
		if (computed)
			now[ty][tx] = next[ty][tx];
		__syncthreads();
	}
	if (computed)
		to[index] = next[ty][tx];
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "heat [size]   (default 128 x 128 cells, 2 steps)"};
	int size = size_argument(arguments, 1, 128, 8192), steps = 2, blocks = blocks_for(size, TILE - 2 * steps);
	size_t cells = (size_t)size * size;
	float *power = host_array<float>(cells), *a = host_array<float>(cells), *b = host_array<float>(cells);
	unsigned seed = 1;
	for (size_t i = 0; i < cells; i++)
		power[i] = next_unit(&seed), a[i] = AMBIENT + next_unit(&seed);
	float *dpower = device_copy(power, cells), *da = device_copy(a, cells), *db = device_array<float>(cells);

	temperatures<<<dim3(blocks, blocks), dim3(TILE, TILE)>>>(steps, dpower, da, db, size, size, steps, 0.25f, 0.1f, 0.2f, 0.05f);
	CHECK_LAUNCH();

	for (int i = 0; i < steps; i++) {
		for (int y = 0; y < size; y++)
			for (int x = 0; x < size; x++)
				b[y * size + x] = heat(0.25f, power[y * size + x], a[y * size + x], a[(y ? y - 1 : 0) * size + x],
						       a[(y < size - 1 ? y + 1 : y) * size + x],
						       a[y * size + (x < size - 1 ? x + 1 : x)], a[y * size + (x ? x - 1 : 0)],
						       0.1f, 0.2f, 0.05f);
		float *swap = a;
		a = b, b = swap;
	}
	Verdict verdict = {"heat", 0};
	float *got = host_array<float>(cells);
	copy_back(got, db, cells);
	for (size_t i = 0; i < cells; i++)
		if (!(fabsf(got[i] - a[i]) <= 1e-4f))
			differs(&verdict, "cell %zu has %g, not %g", i, got[i], a[i]);
	return conclude(verdict, "%d x %d cells", size, size);
}
