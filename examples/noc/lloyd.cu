/*
 * lloyd: Lloyd's clustering of points that lie one behind the other, a thread a point: as it walks along its features,
 * the lanes of its warp are a point apart. Features are whole quarters, so that sums are the same in any order.
 */
#include "../grids/grids.h"

#define BLOCK 256
#define FEATURES 32
#define MOST_CLUSTERS 16

__constant__ float centers[MOST_CLUSTERS * FEATURES];

__global__ void assign(const float *points, int *nearest, int n, int clusters)
{
	int point = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
	if (point >= n)
		return;
	float least = INFINITY;
	for (int c = 0; c < clusters; c++) {
		float distance = 0;
		for (int f = 0; f < FEATURES; f++) {
			float difference = points[point * FEATURES + f] - centers[c * FEATURES + f];
			distance = fmaf(difference, difference, distance);
		}
		if (distance < least) {
			least = distance;
			best = c;
		}
	}
	nearest[point] = best;
}

/* Sums of each cluster's points, and their number. */
__global__ void gather(const float *points, const int *nearest, float *sums, int *sizes, int n)
{
	int point = blockIdx.x * blockDim.y + threadIdx.y, f = threadIdx.x;
	if (point >= n)
		return;
	int c = nearest[point];
	atomicAdd(&sums[c * FEATURES + f], points[point * FEATURES + f]);
	if (f == 0)
		atomicAdd(&sizes[c], 1);
}

static void move_centers(float *center, const float *sums, const int *sizes, int clusters)
{
	for (int i = 0; i < clusters * FEATURES; i++)
		if (sizes[i / FEATURES])
			center[i] = floorf(4 * sums[i] / sizes[i / FEATURES]) / 4;
}

static void on_host(const float *points, float *center, int *nearest, int n, int clusters)
{
	float sums[MOST_CLUSTERS * FEATURES] = {};
	int sizes[MOST_CLUSTERS] = {};
	for (int point = 0; point < n; point++) {
		float least = INFINITY;
		for (int c = 0; c < clusters; c++) {
			float distance = 0;
			for (int f = 0; f < FEATURES; f++) {
				float difference = points[point * FEATURES + f] - center[c * FEATURES + f];
				distance = fmaf(difference, difference, distance);
			}
			if (distance < least) {
				least = distance;
				nearest[point] = c;
			}
		}
		for (int f = 0; f < FEATURES; f++)
			sums[nearest[point] * FEATURES + f] += points[point * FEATURES + f];
		sizes[nearest[point]]++;
	}
	move_centers(center, sums, sizes, clusters);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "lloyd [points [clusters [steps]]]   (default 28672 points, 5 clusters, 1 step)"};
	int n = size_argument(arguments, 1, 28672, 1 << 22), clusters = size_argument(arguments, 2, 5, MOST_CLUSTERS);
	int steps = size_argument(arguments, 3, 1, 100);
	size_t features = (size_t)n * FEATURES, all = (size_t)clusters * FEATURES;
	float *points = random_floats(features, 1), *center = host_array<float>(all), *sums = host_array<float>(all);
	int *nearest = host_array<int>(n), sizes[MOST_CLUSTERS];
	for (size_t i = 0; i < features; i++)
		points[i] = floorf(64 * points[i]) / 4;
	float *dpoints = device_copy(points, features), *dsums = device_array<float>(all),
	      *mine = host_array<float>(all);
	int *dnearest = device_array<int>(n), *dsizes = device_array<int>(clusters);
	memcpy(center, points, all * sizeof *center);
	memcpy(mine, points, all * sizeof *mine);

	for (int step = 0; step < steps; step++) {
		CHECK(cudaMemcpyToSymbol(centers, center, all * sizeof *center));
		CHECK(cudaMemset(dsums, 0, all * sizeof *dsums));
		CHECK(cudaMemset(dsizes, 0, clusters * sizeof *dsizes));
		assign<<<blocks_for(n, BLOCK), BLOCK>>>(dpoints, dnearest, n, clusters);
		gather<<<blocks_for(n, BLOCK / FEATURES), dim3(FEATURES, BLOCK / FEATURES)>>>(dpoints, dnearest, dsums,
											      dsizes, n);
		CHECK_LAUNCH();
		copy_back(sums, dsums, all);
		copy_back(sizes, dsizes, clusters);
		move_centers(center, sums, sizes, clusters);
		on_host(points, mine, nearest, n, clusters);
	}

	Verdict verdict = {"lloyd", 0};
	compare(&verdict, "nearest", dnearest, nearest, n);
	for (size_t i = 0; i < all; i++)
		if (center[i] != mine[i])
			differs(&verdict, "center[%zu] = %g, not %g", i, (double)center[i], (double)mine[i]);
	return conclude(verdict, "%d points, %d clusters, %d steps", n, clusters, steps);
}
