/*
 * hotspot: temperatures of a chip from the power of its parts, explicit steps of the heat equation. A launch does two
 * of them, as the published program does: each block of 16 x 16 threads loads a tile of temperatures and of powers
 * into shared memory, and after each step the cells at its edge are no longer known, so that it writes the 12 x 12
 * cells inside. Beyond the border of the chip the temperature is that of the border. Constants are of type double, and
 * so is most of the arithmetic.
 */
#include "grids.h"

#define TILE 16
#define STEPS 2 /* of a launch */

/* Capacity and resistances of a cell, and the time of a step; each thread divides by them. */
struct Chip {
	float capacity, x, y, z, time;
};

struct Factors {
	float step, x, y, z; /* step over capacity; conductances */
};

BOTH Factors factors_of(Chip chip)
{
	Factors factors = {chip.time / chip.capacity, 1 / chip.x, 1 / chip.y, 1 / chip.z};
	return factors;
}

BOTH float heat(Factors factors, float power, float center, float north, float south, float east, float west)
{
	const float ambient = 80.0f;
	double vertical = (south + north - 2.0 * center) * factors.y, horizontal = (east + west - 2.0 * center) * factors.x;
	return (float)(center + factors.step * (power + vertical + horizontal + (ambient - center) * factors.z));
}

__global__ void hotspot(const float *power, const float *from, float *to, int columns, int rows, int steps, Chip chip)
{
	__shared__ float tile[TILE][TILE], powers[TILE][TILE], next[TILE][TILE];
	Factors factors = factors_of(chip);
	int tx = threadIdx.x, ty = threadIdx.y, inside = TILE - 2 * steps;
	int x = inside * (int)blockIdx.x + tx - steps, y = inside * (int)blockIdx.y + ty - steps;
	bool on_chip = x >= 0 && x < columns && y >= 0 && y < rows, known = false;

	if (on_chip) {
		tile[ty][tx] = from[columns * y + x];
		powers[ty][tx] = power[columns * y + x];
	}
	__syncthreads();

	int north = y > 0 ? ty - 1 : ty, south = y < rows - 1 ? ty + 1 : ty;
	int west = x > 0 ? tx - 1 : tx, east = x < columns - 1 ? tx + 1 : tx;
	for (int step = 1; step <= steps; step++) {
		known = on_chip && tx >= step && tx < TILE - step && ty >= step && ty < TILE - step;
		if (known)
			next[ty][tx] = heat(factors, powers[ty][tx], tile[ty][tx], tile[north][tx], tile[south][tx],
					    tile[ty][east], tile[ty][west]);
		__syncthreads();
		if (step == steps)
			break;
		if (known)
			tile[ty][tx] = next[ty][tx];
		__syncthreads();
	}
	if (known)
		to[columns * y + x] = next[ty][tx];
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
	Arguments arguments = {argc, argv, "hotspot [size [steps]]   (default 384 x 384 cells, 2 steps)"};
	int size = size_argument(arguments, 1, 384, 8192), steps = size_argument(arguments, 2, 2, 1000);
	size_t cells = (size_t)size * size;
	float *power = random_floats(cells, 1), *a = random_floats(cells, 2), *b = host_array<float>(cells);
	float *dpower = device_copy(power, cells), *da = device_copy(a, cells), *db = device_array<float>(cells);
	Chip chip = {4, 10, 5, 20, 1};

	for (int done = 0; done < steps; done += STEPS) {
		int now = steps - done < STEPS ? steps - done : STEPS, side = blocks_for(size, TILE - 2 * now);
		hotspot<<<dim3(side, side), dim3(TILE, TILE)>>>(dpower, da, db, size, size, now, chip);
		CHECK_LAUNCH();
		float *swap = da;
		da = db, db = swap;
	}
	for (int step = 0; step < steps; step++) {
		on_host(power, a, b, size, size, factors_of(chip));
		float *swap = a;
		a = b, b = swap;
	}
	Verdict verdict = {"hotspot", 0};
	compare(&verdict, "temperature", da, a, cells);
	return conclude(verdict, "%d x %d, %d steps", size, size, steps);
}
