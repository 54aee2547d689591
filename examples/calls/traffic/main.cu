/*
 * traffic: the cellular automaton of Nagel and Schreckenberg on many ring roads, with speed limits and traffic lights.
 * Cells of road are objects of three classes. In each step every car chooses a speed from the cells ahead and what its
 * own says (choose_speed -> limit, a virtual call), and then all move at once.
 *
 * The check is exact: integers.
 */
#include "traffic.h"

#define BLOCK 128

__global__ void build(Slot *slots, Cell **cells, int n, int cars_per_road, int length)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		cells[i] = make_cell(&slots[i], i, cars_per_road, length);
}

__global__ void find_cars(Cell *const *cells, Car *cars, int n, int length)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n && cells[i]->car != NOBODY)
		cars[cells[i]->car] = {i / length, i % length, 0};
}

__global__ void choose(Cell *const *cells, Car *cars, int count, int length, int step)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < count)
		cars[i].speed = choose_speed(cells + cars[i].road * length, length, &cars[i], step, (unsigned)i);
}

/* The cell that a car leaves is free in the next step only: no other car of the step comes to it. */
__global__ void move(Cell *const *cells, Car *cars, int count, int length)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= count || cars[i].speed == 0)
		return;
	Cell *const *road = cells + cars[i].road * length;
	road[cars[i].at]->car = NOBODY;
	cars[i].at = (cars[i].at + cars[i].speed) % length;
	road[cars[i].at]->car = i;
}

static void simulate_on_host(Car *cars, int roads, int cars_per_road, int length, int steps)
{
	int n = roads * length, count = roads * cars_per_road;
	Slot *slots = host_array<Slot>(n);
	Cell **cells = host_array<Cell *>(n);
	for (int i = 0; i < n; i++) {
		cells[i] = make_cell(&slots[i], i, cars_per_road, length);
		if (cells[i]->car != NOBODY)
			cars[cells[i]->car] = {i / length, i % length, 0};
	}
	for (int step = 0; step < steps; step++) {
		for (int i = 0; i < count; i++)
			cars[i].speed = choose_speed(cells + cars[i].road * length, length, &cars[i], step, (unsigned)i);
		for (int i = 0; i < count; i++)
			cells[cars[i].road * length + cars[i].at]->car = NOBODY;
		for (int i = 0; i < count; i++) {
			cars[i].at = (cars[i].at + cars[i].speed) % length;
			cells[cars[i].road * length + cars[i].at]->car = i;
		}
	}
	free(slots);
	free(cells);
}

int main(int argc, char **argv)
{
	Arguments arguments = {
		argc, argv,
		"traffic [roads [cars of a road [cells of a road [steps]]]]   (default 256 roads, 64, 256, 8 steps)"};
	int roads = size_argument(arguments, 1, 256, 1 << 16);
	int cars_per_road = size_argument(arguments, 2, 64, 1024);
	int length = size_argument(arguments, 3, 256, 8192);
	int steps = size_argument(arguments, 4, 8, 1000000);
	if (length < cars_per_road)
		return fprintf(stderr, "traffic: %d cars on a road of %d cells\n", cars_per_road, length), 2;
	int n = roads * length, count = roads * cars_per_road;
	Slot *slots = device_array<Slot>(n);
	Cell **cells = device_array<Cell *>(n);
	Car *cars = device_array<Car>(count), *got = host_array<Car>(count), *want = host_array<Car>(count);

	build<<<blocks_for(n, BLOCK), BLOCK>>>(slots, cells, n, cars_per_road, length);
	find_cars<<<blocks_for(n, BLOCK), BLOCK>>>(cells, cars, n, length);
	for (int step = 0; step < steps; step++) {
		choose<<<blocks_for(count, BLOCK), BLOCK>>>(cells, cars, count, length, step);
		move<<<blocks_for(count, BLOCK), BLOCK>>>(cells, cars, count, length);
	}
	CHECK_LAUNCH();
	copy_back(got, cars, count);

	simulate_on_host(want, roads, cars_per_road, length, steps);
	Verdict verdict = {"traffic"};
	for (int i = 0; i < count; i++)
		if (got[i].at != want[i].at || got[i].speed != want[i].speed)
			differs(&verdict, "car %d is at %d with speed %d, not at %d with %d", i, got[i].at, got[i].speed,
				want[i].at, want[i].speed);
	CHECK(cudaFree(slots));
	CHECK(cudaFree(cells));
	CHECK(cudaFree(cars));
	free(got);
	free(want);
	return conclude(verdict, "%d roads of %d cells, %d cars, %d steps", roads, length, count, steps);
}
