/*
 * pathfinder: the cheapest way through a grid of costs, row by row, each step to the cell below or one beside it. A block
 * takes several rows a launch in shared memory; of its columns those near its edges are computed by two blocks, so that
 * blocks need not wait for each other. After Rodinia's program of this name, which takes 20 rows by default.
 */
#include "grids.h"

#define BLOCK 256
#define MOST_HEIGHT (BLOCK / 2 - 1)

/* The block's inner columns are those that `rows` steps from its edges do not reach. */
__global__ void pathfinder(const int *costs, const int *from, int *to, int columns, int first, int rows)
{
	__shared__ int before[BLOCK], after[BLOCK];
	int tx = threadIdx.x, start = (BLOCK - 2 * rows) * blockIdx.x - rows, x = start + tx;
	/* The first and last column have one cell beside theirs. */
	int west = max(tx - 1, start < 0 ? -start : 0), east = min(tx + 1, min(BLOCK - 1, columns - 1 - start));
	bool inside = x >= 0 && x < columns, computed = false;

	if (inside)
		before[tx] = from[x];
	__syncthreads();
	for (int i = 0; i < rows; i++) {
		computed = inside && tx >= i + 1 && tx < BLOCK - 1 - i;
		if (computed)
			after[tx] = min(min(before[west], before[tx]), before[east]) + costs[columns * (first + i) + x];
		__syncthreads();
		if (i == rows - 1)
			break;
		if (computed)
			before[tx] = after[tx];
		__syncthreads();
	}
	if (computed)
		to[x] = after[tx];
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
	Arguments arguments = {argc, argv, "pathfinder [columns [rows [rows of a launch]]]   (default 50000, 20, 20)"};
	int columns = size_argument(arguments, 1, 50000, 1000000), rows = size_argument(arguments, 2, 20, 1000);
	int most = size_argument(arguments, 3, 20, MOST_HEIGHT);
	size_t cells = (size_t)columns * rows;
	int *costs = host_array<int>(cells), *a = host_array<int>(columns), *b = host_array<int>(columns);
	unsigned seed = 1;
	for (size_t i = 0; i < cells; i++)
		costs[i] = (int)(next_random(&seed) >> 28);
	int *dcosts = device_copy(costs, cells), *da = device_array<int>(columns), *db = device_array<int>(columns);

	for (int first = 0; first < rows; first += most) {
		int height = rows - first < most ? rows - first : most;
		pathfinder<<<blocks_for(columns, BLOCK - 2 * height), BLOCK>>>(dcosts, da, db, columns, first, height);
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
