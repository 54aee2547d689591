/*
 * clusters: Lloyd's clustering of points (IEEE Transactions on Information Theory 28(2), 1982) as lloyd has it, with other means:
 * the points come one behind the other, a kernel lays them out feature by feature, so that neighbouring threads read neighbouring
 * words, and a thread for each point reads its features through a texture and the centres from constant memory. The host adds up
 * the clusters.
 */
#include <cfloat>

#include "../grids/grids.h"

#define BLOCK 256
#define FEATURES 34
#define MOST_CLUSTERS 32

__constant__ float centers[MOST_CLUSTERS * FEATURES];

/* Rows of points become columns: all first features, then all second ones. */
__global__ void by_feature(const float *row, float *column, int points, int count)
{
	int point = blockIdx.x * BLOCK + threadIdx.x;
	if (point >= points)
		return;
	row += point * count;
	column += point;
	for (int feature = 0; feature < count; feature++)
		column[feature * points] = row[feature];
}

static __device__ float squared_distance(cudaTextureObject_t features, int first, int stride, const float *center, int count)
{
	float sum = 0;
	for (int feature = 0; feature < count; feature++) {
		float off = center[feature] - tex1Dfetch<float>(features, first + feature * stride);
		sum = fmaf(off, off, sum);
	}
	return sum;
}

/* The number of the nearest centre, the first one of several. */
__global__ void assign(cudaTextureObject_t features, int count, int points, int clusters, int *nearest)
{
	int point = blockIdx.x * BLOCK + threadIdx.x;
	if (point >= points)
		return;
	int mine = 0;
	float least = squared_distance(features, point, points, centers, count);
	for (int other = 1; other < clusters; other++) {
		float distance = squared_distance(features, point, points, centers + other * count, count);
		mine = distance < least ? other : mine;
		least = fminf(distance, least);
	}
	nearest[point] = mine;
}

/* Nearest centres, and what these become. */
static void on_host(const float *points, float *center, int *nearest, int n, int clusters)
{
	float sums[MOST_CLUSTERS * FEATURES] = {};
	int sizes[MOST_CLUSTERS] = {};
	for (int point = 0; point < n; point++) {
		float least = FLT_MAX;
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
	for (int i = 0; i < clusters * FEATURES; i++)
		if (sizes[i / FEATURES])
			center[i] = sums[i] / sizes[i / FEATURES];
}

static cudaTextureObject_t texture_of(float *array, size_t n)
{
	cudaResourceDesc of = {};
	of.resType = cudaResourceTypeLinear;
	of.res.linear.devPtr = array;
	of.res.linear.desc = cudaCreateChannelDesc<float>();
	of.res.linear.sizeInBytes = n * sizeof *array;
	cudaTextureDesc how = {};
	how.readMode = cudaReadModeElementType;
	cudaTextureObject_t texture;
	CHECK(cudaCreateTextureObject(&texture, &of, &how, NULL));
	return texture;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "clusters [points [clusters [steps]]]   (default 28672 points, 5 clusters, 1 step)"};
	int n = size_argument(arguments, 1, 28672, 1 << 22);
	int clusters = size_argument(arguments, 2, 5, n < MOST_CLUSTERS ? n : MOST_CLUSTERS); // each begins at a point of its own
	int steps = size_argument(arguments, 3, 1, 100), blocks = blocks_for(n, BLOCK);
	size_t features = (size_t)n * FEATURES, all = (size_t)clusters * FEATURES;
	float *points = random_floats(features, 1), *center = host_array<float>(all);
	int *nearest = host_array<int>(n), *dnearest = device_array<int>(n);
	float *dpoints = device_copy(points, features), *dfeatures = device_array<float>(features);
	memcpy(center, points, all * sizeof *center);

	Verdict verdict = {"clusters", 0};
	by_feature<<<blocks, BLOCK>>>(dpoints, dfeatures, n, FEATURES);
	cudaTextureObject_t texture = texture_of(dfeatures, features);
	for (int step = 0; step < steps; step++) {
		CHECK(cudaMemcpyToSymbol(centers, center, all * sizeof *center));
		assign<<<blocks, BLOCK>>>(texture, FEATURES, n, clusters, dnearest);
		CHECK_LAUNCH();
		on_host(points, center, nearest, n, clusters);
		compare(&verdict, "nearest", dnearest, nearest, n);
	}
	return conclude(verdict, "%d points, %d clusters", n, clusters);
}
