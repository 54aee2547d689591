/*
 * streamcluster: what it would save to open another centre, of clustering points of a stream. Each thread has a point:
 * where the candidate is nearer than the point's own centre it would change over, and its centre's members that do so
 * are what decides whether that centre could close. Points and centres' savings lie by coordinate and by centre.
 */
#include "../grids/grids.h"

#define BLOCK 256
#define MOST_DIMENSIONS 64

__global__ void gain(const float *points, const int *centre, const float *cost, int candidate, int n, int dimensions,
		     int *changes, float *lower, int *members)
{
	__shared__ float there[MOST_DIMENSIONS];
	int point = blockIdx.x * blockDim.x + threadIdx.x;
	if ((int)threadIdx.x < dimensions)
		there[threadIdx.x] = points[threadIdx.x * n + candidate];
	__syncthreads();
	if (point >= n)
		return;
	float distance = 0;
	for (int d = 0; d < dimensions; d++) {
		float difference = points[d * n + point] - there[d];
		distance = fmaf(difference, difference, distance);
	}
	float saved = cost[point] - distance;
	changes[point] = saved > 0;
	lower[point] = saved;
	if (saved > 0)
		atomicAdd(&members[centre[point]], 1);
}

static float distance_on_host(const float *points, int a, int b, int n, int dimensions)
{
	float distance = 0;
	for (int d = 0; d < dimensions; d++) {
		float difference = points[d * n + a] - points[d * n + b];
		distance = fmaf(difference, difference, distance);
	}
	return distance;
}

/* Every point goes to the nearest of the first `centres` points. */
static void first_centres(const float *points, int *centre, float *cost, int centres, int n, int dimensions)
{
	for (int point = 0; point < n; point++) {
		cost[point] = INFINITY;
		for (int c = 0; c < centres; c++) {
			float distance = distance_on_host(points, point, c, n, dimensions);
			if (distance < cost[point]) {
				cost[point] = distance;
				centre[point] = c;
			}
		}
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "streamcluster [points [coordinates [candidates]]]   (default 65536, 16, 8)"};
	int n = size_argument(arguments, 1, 65536, 1 << 20),
	    dimensions = size_argument(arguments, 2, 16, MOST_DIMENSIONS);
	int candidates = size_argument(arguments, 3, 8, 1000), centres = 8;
	if (n < centres + candidates) {
		fputs("streamcluster: fewer points than centres and candidates\n", stderr);
		return 2;
	}
	float *points = random_floats((size_t)n * dimensions, 1), *cost = host_array<float>(n),
	      *lower = host_array<float>(n);
	int *centre = host_array<int>(n), *changes = host_array<int>(n), *members = host_array<int>(n);
	first_centres(points, centre, cost, centres, n, dimensions);
	float *dpoints = device_copy(points, (size_t)n * dimensions), *dcost = device_copy(cost, n),
	      *dlower = device_array<float>(n);
	int *dcentre = device_copy(centre, n), *dchanges = device_array<int>(n), *dmembers = device_array<int>(n);

	Verdict verdict = {"streamcluster", 0};
	for (int candidate = centres; candidate < centres + candidates; candidate++) {
		CHECK(cudaMemset(dmembers, 0, n * sizeof *dmembers));
		gain<<<blocks_for(n, BLOCK), BLOCK>>>(dpoints, dcentre, dcost, candidate, n, dimensions, dchanges,
						      dlower, dmembers);
		CHECK_LAUNCH();
		memset(members, 0, n * sizeof *members);
		double total = 0;
		for (int point = 0; point < n; point++) {
			lower[point] = cost[point] - distance_on_host(points, point, candidate, n, dimensions);
			changes[point] = lower[point] > 0;
			members[centre[point]] += changes[point];
			total += changes[point] ? lower[point] : 0;
		}
		compare(&verdict, "saving", dlower, lower, n);
		compare(&verdict, "change", dchanges, changes, n);
		compare(&verdict, "members", dmembers, members, n);
		if (total <= 0.001 * n)
			continue;
		/* It pays: who saves by it changes over. */
		for (int point = 0; point < n; point++)
			if (changes[point]) {
				cost[point] -= lower[point];
				centre[point] = candidate;
			}
		CHECK(cudaMemcpy(dcost, cost, n * sizeof *cost, cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(dcentre, centre, n * sizeof *centre, cudaMemcpyHostToDevice));
	}
	return conclude(verdict, "%d points of %d coordinates, %d candidates", n, dimensions, candidates);
}
