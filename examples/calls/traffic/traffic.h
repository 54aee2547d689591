/* traffic: roads are rings of cells that are objects, and cars move over them. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "../common.h"

#define FASTEST 10 /* cells a step */
#define NOBODY (-1)

/* A cell of road. */
class Cell
{
      public:
	int car;	    /* NOBODY, or the car that stands here */
	int period, offset; /* of a traffic light: open in the first half; 0: there is none */

	__host__ __device__ Cell(int who);
	/* The most cells that a car may go on from here. */
	__host__ __device__ virtual int limit() const;
};

/* A cell with a speed limit. */
class Slow : public Cell
{
	int most;

      public:
	__host__ __device__ Slow(int who, int speed);
	__host__ __device__ int limit() const override;
};

/* A cell behind a traffic light. */
class Light : public Slow
{
      public:
	__host__ __device__ Light(int who, int how_long, int shift);
};

struct Car {
	int road, at, speed;
};

struct Slot {
	alignas(8) char bytes[sizeof(Light)];
};

FUNCTION Cell *make_cell(Slot *slot, int i, int cars_per_road, int length);

/* The speed of a car in the next step, from what is ahead of it; `seed` makes some drivers dawdle. */
FUNCTION int choose_speed(Cell *const *road, int length, const Car *car, int step, unsigned seed);

#endif
