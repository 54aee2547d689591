/*
 * heat: temperatures of a chip, several steps of the heat equation a launch in a block's shared memory, whose valid part
 * shrinks by a cell a side and step. The constant 2.0 makes most of a step double precision,
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

/* A cell r cells from its block's edge is right for r steps. Beyond the chip's border a cell's own temperature holds. */
__global__ void temperatures(int steps, const float *power, const float *from, float *to, int columns, int rows, float step,
			     float rx, float ry, float rz)
{
	__shared__ float cells[2][TILE][TILE];
	int across = threadIdx.x, down = threadIdx.y, valid = TILE - 2 * steps;
	int x = valid * (int)blockIdx.x + across - steps, y = valid * (int)blockIdx.y + down - steps, index = columns * y + x;
	bool there = x >= 0 && y >= 0 && x < columns && y < rows;
	int rim = min(min(across, TILE - 1 - across), min(down, TILE - 1 - down)); /* cells to the block's edge */
	int up = down - (y > 0), below = down + (y < rows - 1), left = across - (x > 0), right = across + (x < columns - 1);
	float own = there ? power[index] : 0;

	if (there)
		cells[0][down][across] = from[index];
	for (int done = 0; done < steps; done++) {
		float(*now)[TILE] = cells[done % 2];
		__syncthreads();
		if (there && rim > done)
			cells[(done + 1) % 2][down][across] =
				heat(step, own, now[down][across], now[up][across], now[below][across], now[down][right],
				     now[down][left], rx, ry, rz);
	}
	if (there && rim >= steps)
		to[index] = cells[steps % 2][down][across];
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

	temperatures<<<dim3(blocks, blocks), dim3(TILE, TILE)>>>(steps, dpower, da, db, size, size, 0.25f, 0.1f, 0.2f, 0.05f);
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
