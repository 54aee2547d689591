/*
 * kmeans: Lloyd's algorithm. One kernel finds the nearest centroid of each point, one adds the points of each cluster
 * up, one moves the centroids.
 *
 * The check is exact: coordinates are integers below 128 and centroids multiples of a quarter, so that a distance is
 * the same number in whatever order it is added up, and the sums are integers.
 */
#include <algorithm>
#include <vector>

#include "kmeans.h"

#define BLOCK 256

/* What one side works on. */
struct Work {
	int points, features, clusters;
	const float *values;
	float *centroids;
	int *owner, *sums, *counts;
};

__global__ void assign_all(const Clustering *clustering, int *owner, int points)
{
	int point = blockIdx.x * BLOCK + threadIdx.x;
	if (point < points)
		owner[point] = clustering->assign(point);
}

/* A block adds up its own points in shared memory first: sums, then counts. */
__global__ void add_up(Work work)
{
	extern __shared__ int block_sums[];
	int point = blockIdx.x * BLOCK + threadIdx.x, cells = work.clusters * work.features;
	for (int i = threadIdx.x; i < cells + work.clusters; i += BLOCK)
		block_sums[i] = 0;
	__syncthreads();
	if (point < work.points) {
		int owner = work.owner[point];
		atomicAdd(&block_sums[cells + owner], 1);
		for (int f = 0; f < work.features; f++)
			atomicAdd(&block_sums[owner * work.features + f],
				  (int)work.values[(size_t)point * work.features + f]);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < cells + work.clusters; i += BLOCK)
		atomicAdd(i < cells ? &work.sums[i] : &work.counts[i - cells], block_sums[i]);
}

__global__ void move_centroids(Work work)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < work.clusters * work.features)
		work.centroids[i] = mean(work.sums[i], work.counts[i / work.features]);
}

static Clustering clustering_of(const Work &work)
{
	Term term = {{view_of(work.values, work.points, work.features)},
		     {view_of<float>(work.centroids, work.clusters, work.features)}};
	return {{{{{{{{term, work.features}}}}}}, work.clusters}};
}

static void run_on_device(const Work &work, int iterations)
{
	Clustering clustering = clustering_of(work), *on_device = device_copy(&clustering, 1);
	int cells = work.clusters * work.features;
	size_t shared = (cells + work.clusters) * sizeof(int);
	for (int i = 0; i < iterations; i++) {
		CHECK(cudaMemset(work.sums, 0, cells * sizeof *work.sums));
		CHECK(cudaMemset(work.counts, 0, work.clusters * sizeof *work.counts));
		assign_all<<<blocks_for(work.points, BLOCK), BLOCK>>>(on_device, work.owner, work.points);
		add_up<<<blocks_for(work.points, BLOCK), BLOCK, shared>>>(work);
		move_centroids<<<blocks_for(cells, BLOCK), BLOCK>>>(work);
		CHECK_LAUNCH();
	}
	CHECK(cudaFree(on_device));
}

static void run_on_host(const Work &work, int iterations)
{
	Clustering clustering = clustering_of(work);
	int cells = work.clusters * work.features;
	for (int i = 0; i < iterations; i++) {
		std::fill(work.sums, work.sums + cells, 0);
		std::fill(work.counts, work.counts + work.clusters, 0);
		for (int point = 0; point < work.points; point++) {
			int owner = work.owner[point] = clustering.assign(point);
			work.counts[owner]++;
			for (int f = 0; f < work.features; f++)
				work.sums[owner * work.features + f] += (int)work.values[point * work.features + f];
		}
		for (int cell = 0; cell < cells; cell++)
			work.centroids[cell] = mean(work.sums[cell], work.counts[cell / work.features]);
	}
}

/* Points around as many places as there are clusters. */
static std::vector<float> make_points(int points, int clusters, int features)
{
	unsigned seed = 11;
	std::vector<float> places(clusters * features), values((size_t)points * features);
	for (float &place : places)
		place = (float)(16 + (next_random(&seed) >> 8) % 96);
	for (int point = 0; point < points; point++)
		for (int f = 0; f < features; f++)
			values[(size_t)point * features + f] =
				places[point % clusters * features + f] + (float)((next_random(&seed) >> 8) % 32) - 16;
	return values;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "kmeans [points [clusters [features [iterations]]]]   (default 12288, 5, 8, 2)"};
	int points = size_argument(arguments, 1, 12288, 1 << 22), clusters = size_argument(arguments, 2, 5, 256);
	int features = size_argument(arguments, 3, 8, 16), iterations = size_argument(arguments, 4, 2, 100);
	int cells = clusters * features;
	if (points < clusters)
		return fputs("kmeans: fewer points than clusters\n", stderr), 2;
	std::vector<float> values = make_points(points, clusters, features);
	std::vector<float> centroids(values.begin(), values.begin() + cells), got_centroids(cells);

	Work device = {points, features, clusters, device_copy(values.data(), values.size()),
		       device_copy(centroids.data(), cells), device_array<int>(points), device_array<int>(cells),
		       device_array<int>(clusters)};
	run_on_device(device, iterations);
	std::vector<int> got(points), want(points), sums(cells), counts(clusters);
	copy_back(got.data(), device.owner, points);
	copy_back(got_centroids.data(), device.centroids, cells);
	Work host = {points,	  features,    clusters,     values.data(), centroids.data(),
		     want.data(), sums.data(), counts.data()};
	run_on_host(host, iterations);

	Verdict verdict = {"kmeans"};
	for (int i = 0; i < points; i++)
		if (got[i] != want[i])
			differs(&verdict, "point %d is of cluster %d, not %d", i, got[i], want[i]);
	for (int i = 0; i < cells; i++)
		if (got_centroids[i] != centroids[i])
			differs(&verdict, "centroid %d, coordinate %d: %g, not %g", i / features, i % features,
				got_centroids[i], centroids[i]);
	return conclude(verdict, "%d points, %d clusters, %d features, %d iterations", points, clusters, features,
			iterations);
}
