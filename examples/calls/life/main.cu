/*
 * life: Conway's game with a cell a thread, on a torus. Cells are objects: in a generation each
 * settles its own fate by the law of its class, then an object of the other class is put where the fate is a change.
 *
 * The check is exact.
 */
#include "life.h"

#define BLOCK 256

__host__ __device__ static bool alive_at_first(int i)
{
	unsigned seed = 11 + (unsigned)i;
	next_random(&seed);
	return next_random(&seed) >> 30 == 0;
}

__global__ void build(Slot *slots, Cell **cells, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		cells[i] = make_cell(&slots[i], alive_at_first(i));
}

__global__ void decide(Cell *const *cells, int width, int height)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < width * height)
		cells[i]->decide(cells, i, width, height);
}

__global__ void change(Slot *slots, Cell **cells, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n && cells[i]->fate != STAYS)
		cells[i] = make_cell(&slots[i], cells[i]->fate == IS_BORN);
}

__global__ void observe(Cell *const *cells, unsigned char *alive, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		alive[i] = cells[i]->alive;
}

static unsigned char *simulate_on_host(int width, int height, int generations)
{
	unsigned char *now = host_array<unsigned char>(width * height), *next = host_array<unsigned char>(width * height);
	for (int i = 0; i < width * height; i++)
		now[i] = alive_at_first(i);
	for (int g = 0; g < generations; g++) {
		for (int i = 0; i < width * height; i++) {
			int neighbours = -now[i];
			for (int dy = height - 1; dy <= height + 1; dy++)
				for (int dx = width - 1; dx <= width + 1; dx++)
					neighbours += now[(i % width + dx) % width + (i / width + dy) % height * width];
			next[i] = neighbours == 3 || (now[i] && neighbours == 2);
		}
		unsigned char *spare = now;
		now = next;
		next = spare;
	}
	free(next);
	return now;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "life [width [height [generations]]]   (default 512 x 128 cells, 4)"};
	int width = size_argument(arguments, 1, 512, 16384);
	int height = size_argument(arguments, 2, 128, 16384);
	int generations = size_argument(arguments, 3, 4, 1000000), n = width * height, blocks = blocks_for(n, BLOCK);
	Slot *slots = device_array<Slot>(n);
	Cell **cells = device_array<Cell *>(n);
	unsigned char *alive = device_array<unsigned char>(n), *got = host_array<unsigned char>(n);

	build<<<blocks, BLOCK>>>(slots, cells, n);
	for (int g = 0; g < generations; g++) {
		decide<<<blocks, BLOCK>>>(cells, width, height);
		change<<<blocks, BLOCK>>>(slots, cells, n);
	}
	observe<<<blocks, BLOCK>>>(cells, alive, n);
	CHECK_LAUNCH();
	copy_back(got, alive, n);

	unsigned char *want = simulate_on_host(width, height, generations);
	Verdict verdict = {"life"};
	int living = 0;
	for (int i = 0; i < n; i++) {
		living += want[i];
		if (got[i] != want[i])
			differs(&verdict, "cell (%d, %d) is %d, not %d", i % width, i / width, got[i], want[i]);
	}
	CHECK(cudaFree(slots));
	CHECK(cudaFree(cells));
	CHECK(cudaFree(alive));
	free(got);
	free(want);
	return conclude(verdict, "%d x %d cells, %d generations, %d alive", width, height, generations, living);
}
