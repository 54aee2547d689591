/* The cells of traffic, and how a driver chooses a speed. */
#include <new>

#include "traffic.h"

__host__ __device__ Cell::Cell(int who) : car(who), period(0), offset(0)
{
}

__host__ __device__ int Cell::limit() const
{
	return FASTEST;
}

__host__ __device__ Slow::Slow(int who, int speed) : Cell(who), most(speed)
{
}

__host__ __device__ int Slow::limit() const
{
	return most;
}

__host__ __device__ Light::Light(int who, int how_long, int shift) : Slow(who, 4)
{
	period = how_long;
	offset = shift;
}

FUNCTION Cell *make_cell(Slot *slot, int i, int cars_per_road, int length)
{
	/* The k-th car of a road starts at the k-th of evenly spread cells. */
	int road = i / length, at = i % length, spread = length / cars_per_road;
	int car = at % spread == 0 && at / spread < cars_per_road ? road * cars_per_road + at / spread : NOBODY;
	unsigned seed = 3 + (unsigned)i;
	next_random(&seed);
	unsigned kind = next_random(&seed) >> 27;
	if (kind == 0)
		return new (slot) Light(car, 8, i % 8);
	if (kind < 6)
		return new (slot) Slow(car, 2 + (int)kind % 3);
	return new (slot) Cell(car);
}

/* May a car enter in this step? */
static __host__ __device__ bool is_open(const Cell *cell, int step)
{
	return cell->car == NOBODY && (!cell->period || (step + cell->offset) % cell->period < cell->period / 2);
}

/* Cells that are open ahead of a place, as far as a driver looks. */
static __host__ __device__ int room_ahead(Cell *const *road, int length, int at, int step)
{
	for (int k = 0; k < FASTEST; k++) {
		at = at + 1 < length ? at + 1 : 0;
		if (!is_open(road[at], step))
			return k;
	}
	return FASTEST;
}

FUNCTION int choose_speed(Cell *const *road, int length, const Car *car, int step, unsigned seed)
{
	int room = room_ahead(road, length, car->at, step), limit = road[car->at]->limit(), wish = car->speed + 1;
	wish = wish < limit ? wish : limit;
	wish = wish < room ? wish : room;
	seed += 7919u * (unsigned)step;
	next_random(&seed);
	return wish > 0 && next_random(&seed) >> 30 == 0 ? wish - 1 : wish;
}
