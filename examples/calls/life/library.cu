/* The cells of life. */
#include <new>

#include "life.h"

__host__ __device__ Cell::Cell(bool lives) : alive(lives), fate(STAYS)
{
}

__host__ __device__ static inline int living_neighbours(Cell *const *cells, int i, int width, int height)
{
	int x = i % width, y = i / width;
	int left = x ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
	Cell *const *row = cells + y * width, *const *above = cells + (y ? y - 1 : height - 1) * width,
			   *const *below = cells + (y + 1 < height ? y + 1 : 0) * width;
	return above[left]->alive + above[x]->alive + above[right]->alive + row[left]->alive + row[right]->alive +
	       below[left]->alive + below[x]->alive + below[right]->alive;
}

__host__ __device__ Alive::Alive() : Cell(true)
{
}

__host__ __device__ void Alive::decide(Cell *const *cells, int i, int width, int height)
{
	int neighbours = living_neighbours(cells, i, width, height);
	fate = neighbours == 2 || neighbours == 3 ? STAYS : DIES;
}

__host__ __device__ Empty::Empty() : Cell(false)
{
}

__host__ __device__ void Empty::decide(Cell *const *cells, int i, int width, int height)
{
	fate = living_neighbours(cells, i, width, height) == 3 ? IS_BORN : STAYS;
}

FUNCTION Cell *make_cell(Slot *slot, bool alive)
{
	if (alive)
		return new (slot) Alive;
	return new (slot) Empty;
}
