/*
 * nearest: distances of many places from one, a thread each, in a grid of two dimensions because one was once too small
 * for that; after Rodinia's nn.
 */
#include "grids.h"

#define BLOCK 256

struct Place {
	float latitude, longitude;
};

BOTH float distance_between(Place a, Place b)
{
	float x = a.latitude - b.latitude, y = a.longitude - b.longitude;
	return sqrtf(fmaf(x, x, y * y));
}

__global__ void nearest(const Place *places, float *distances, int count, Place target)
{
	int id = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
	if (id < count)
		distances[id] = distance_between(target, places[id]);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "nearest [places]   (default 2000000)"};
	int count = size_argument(arguments, 1, 2000000, 100000000), blocks = blocks_for(count, BLOCK);
	float *numbers = random_floats(2 * (size_t)count, 1), *distances = host_array<float>(count);
	Place *places = (Place *)numbers, target = {0.25f, -0.5f};
	Place *dplaces = device_copy(places, count);
	float *ddistances = device_array<float>(count);

	int wide = blocks < 64 ? blocks : 64;
	nearest<<<dim3(wide, blocks_for(blocks, wide)), BLOCK>>>(dplaces, ddistances, count, target);
	CHECK_LAUNCH();

	for (int i = 0; i < count; i++)
		distances[i] = distance_between(target, places[i]);
	Verdict verdict = {"nearest", 0};
	compare(&verdict, "distance", ddistances, distances, count);
	return conclude(verdict, "%d places", count);
}
