/*
 * hotspot: temperatures of a chip from the power of its parts, one explicit step of the heat equation a launch. Each block
 * of 16 x 16 threads loads a tile into shared memory and writes the 14 x 14 cells inside it; beyond the border of the
 * chip the temperature is that of the border.
 */
#include "grids.h"

#define TILE 16
#define INSIDE (TILE - 2)
#define AMBIENT 80.0f

struct Factors {
	float step, x, y, z; /* step over capacity; conductances */
};

BOTH float heat(Factors factors, float power, float center, float north, float south, float east, float west)
{
	float vertical = (south + north - 2 * center) * factors.y, horizontal = (east + west - 2 * center) * factors.x;
	return center + factors.step * (power + vertical + horizontal + (AMBIENT - center) * factors.z);
}

__global__ void hotspot(const float *power, const float *from, float *to, int columns, int rows, Factors factors)
{
	__shared__ float tile[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = INSIDE * blockIdx.x + tx - 1, y = INSIDE * blockIdx.y + ty - 1;
	int column = min(max(x, 0), columns - 1), row = min(max(y, 0), rows - 1);

	tile[ty][tx] = from[columns * row + column];
	__syncthreads();
	if (tx >= 1 && tx <= INSIDE && ty >= 1 && ty <= INSIDE && x < columns && y < rows)
		to[columns * y + x] = heat(factors, power[columns * y + x], tile[ty][tx], tile[ty - 1][tx], tile[ty + 1][tx],
					   tile[ty][tx + 1], tile[ty][tx - 1]);
}

static void on_host(const float *power, const float *from, float *to, int columns, int rows, Factors factors)
{
	for (int y = 0; y < rows; y++) {
		for (int x = 0; x < columns; x++) {
			int north = y ? y - 1 : 0, south = y < rows - 1 ? y + 1 : y;
			int west = x ? x - 1 : 0, east = x < columns - 1 ? x + 1 : x;
			to[y * columns + x] = heat(factors, power[y * columns + x], from[y * columns + x],
						   from[north * columns + x], from[south * columns + x],
						   from[y * columns + east], from[y * columns + west]);
		}
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "hotspot [size [steps]]   (default 640 x 640 cells, 2 steps)"};
	int size = size_argument(arguments, 1, 640, 8192), steps = size_argument(arguments, 2, 2, 1000);
	size_t cells = (size_t)size * size;
	float *power = random_floats(cells, 1), *a = random_floats(cells, 2), *b = host_array<float>(cells);
	float *dpower = device_copy(power, cells), *da = device_copy(a, cells), *db = device_array<float>(cells);
	Factors factors = {0.25f, 0.1f, 0.2f, 0.05f};

	for (int step = 0; step < steps; step++) {
		dim3 grid(blocks_for(size, INSIDE), blocks_for(size, INSIDE));
		hotspot<<<grid, dim3(TILE, TILE)>>>(dpower, da, db, size, size, factors);
		CHECK_LAUNCH();
		on_host(power, a, b, size, size, factors);
		float *swap = a, *dswap = da;
		a = b, b = swap, da = db, db = dswap;
	}
	Verdict verdict = {"hotspot", 0};
	compare(&verdict, "temperature", da, a, cells);
	return conclude(verdict, "%d x %d, %d steps", size, size, steps);
}
