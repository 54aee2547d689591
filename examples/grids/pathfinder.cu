/*
 * pathfinder: the cheapest way through a grid of costs, row by row, each step to the cell below or one beside it. A block
 * takes HEIGHT rows a launch in shared memory; of its columns those near its edges are computed by two blocks, so that
 * blocks need not wait for each other.
 */
#include "grids.h"

#define BLOCK 256
#define HEIGHT 8
#define INSIDE (BLOCK - 2 * HEIGHT)

__global__ void pathfinder(const int *costs, const int *from, int *to, int columns, int first, int rows)
{
	__shared__ int before[BLOCK], after[BLOCK];
	int tx = threadIdx.x, x = INSIDE * blockIdx.x + tx - HEIGHT;
	bool inside = x >= 0 && x < columns;

	before[tx] = inside ? from[x] : 0;
	__syncthreads();
	for (int i = 0; i < rows; i++) {
		if (tx >= i + 1 && tx < BLOCK - 1 - i && inside) {
			int west = x > 0 ? before[tx - 1] : before[tx], east = x < columns - 1 ? before[tx + 1] : before[tx];
			after[tx] = min(min(west, before[tx]), east) + costs[columns * (first + i) + x];
		}
		__syncthreads();
		if (tx >= i + 1 && tx < BLOCK - 1 - i && inside)
			before[tx] = after[tx];
		__syncthreads();
	}
	if (tx >= HEIGHT && tx < BLOCK - HEIGHT && inside)
		to[x] = before[tx];
}

static void on_host(const int *costs, const int *from, int *to, int columns)
{
	for (int x = 0; x < columns; x++) {
		int least = from[x];
		if (x > 0 && from[x - 1] < least)
			least = from[x - 1];
		if (x < columns - 1 && from[x + 1] < least)
			least = from[x + 1];
		to[x] = least + costs[x];
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "pathfinder [columns [rows]]   (default 100000, 20 rows)"};
	int columns = size_argument(arguments, 1, 100000, 1000000), rows = size_argument(arguments, 2, 20, 1000);
	size_t cells = (size_t)columns * rows;
	int *costs = host_array<int>(cells), *a = host_array<int>(columns), *b = host_array<int>(columns);
	unsigned seed = 1;
	for (size_t i = 0; i < cells; i++)
		costs[i] = (int)(next_random(&seed) >> 28);
	int *dcosts = device_copy(costs, cells), *da = device_array<int>(columns), *db = device_array<int>(columns);

	for (int first = 0; first < rows; first += HEIGHT) {
		int height = rows - first < HEIGHT ? rows - first : HEIGHT;
		pathfinder<<<blocks_for(columns, INSIDE), BLOCK>>>(dcosts, da, db, columns, first, height);
		CHECK_LAUNCH();
		int *swap = da;
		da = db, db = swap;
	}
	for (int row = 0; row < rows; row++) {
		on_host(costs + (size_t)row * columns, a, b, columns);
		int *swap = a;
		a = b, b = swap;
	}
	Verdict verdict = {"pathfinder", 0};
	compare(&verdict, "cost", da, a, columns);
	return conclude(verdict, "%d columns, %d rows", columns, rows);
}
