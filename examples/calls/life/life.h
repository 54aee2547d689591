/* life: cells that are objects. */
#ifndef LIFE_H
#define LIFE_H

#include "../common.h"

/* What becomes of a cell. */
enum { STAYS, DIES, IS_BORN };

class Cell
{
      public:
	bool alive;
	int fate;

	__host__ __device__ Cell(bool lives);
	/* Settles the fate of cells[i], this, of a torus. */
	__host__ __device__ virtual void decide(Cell *const *cells, int i, int width, int height) = 0;
};

class Alive : public Cell
{
      public:
	__host__ __device__ Alive();
	__host__ __device__ void decide(Cell *const *cells, int i, int width, int height) override;
};

class Empty : public Cell
{
      public:
	__host__ __device__ Empty();
	__host__ __device__ void decide(Cell *const *cells, int i, int width, int height) override;
};

struct Slot {
	alignas(8) char bytes[sizeof(Alive)];
};

FUNCTION Cell *make_cell(Slot *slot, bool alive);

#endif
