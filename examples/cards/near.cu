/* near: distances of places to one of them, a thread each. */
#include "../calls/common.h"

#define THREADS 256

struct Place {
	float latitude, longitude;
};

__global__ void distances(const Place *places, float *out, int count, float latitude, float longitude)
{
	int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
	if (i < count) {
		float north = latitude - places[i].latitude, east = longitude - places[i].longitude;
		out[i] = sqrtf(north * north + east * east);
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "near [places]   (default 5000)"};
	int count = size_argument(arguments, 1, 5000, 1 << 24);
	Place *places = host_array<Place>(count);
	float *got = host_array<float>(count), latitude = 30, longitude = 90;
	unsigned seed = 1;
	for (int i = 0; i < count; i++)
		places[i] = {70 * next_unit(&seed), 180 * next_unit(&seed)};
	Place *dplaces = device_copy(places, count);
	float *out = device_array<float>(count);
	distances<<<blocks_for(count, THREADS), THREADS>>>(dplaces, out, count, latitude, longitude);
	CHECK_LAUNCH();

	Verdict verdict = {"near", 0};
	copy_back(got, out, count);
	for (int i = 0; i < count; i++) {
		double right = hypot(latitude - places[i].latitude, longitude - places[i].longitude);
		if (fabs(got[i] - right) > 1e-4 * (1 + right))
			differs(&verdict, "distance %d: %g, not %g", i, got[i], right);
	}
	return conclude(verdict, "%d places", count);
}
