/*
 * streamcluster: what it would save to open another centre, of clustering points of a stream; after Rodinia's program
 * of this name. Each thread has a point. Where the candidate is nearer than the point's own centre, the point would
 * change over, and says what that saves; else it says what it would lose if its centre closed. The host adds up what
 * points say, opens the candidate if that pays, and closes centres that are no longer worth their price.
 */
#include "../grids/grids.h"
#include <limits.h>

#define BLOCK 512
#define CENTRES 8

/* As the host has it, and the device gets it: of no use there are the coordinates, which it has by coordinate. */
struct Point {
	float weight;
	const float *coordinates;
	long long owner; /* the point that is its centre */
	float cost;	 /* of being that one's: weight times distance */
};

/* A row of `lower` for each point: what each centre's closing would lose of it, and last what it saves by changing
 * over. */
__global__ void gain(int n, int dimensions, int candidate, const Point *points, int centres, const float *coordinates,
		     float *lower, const int *number, bool *changes)
{
	int i = blockDim.x * (blockIdx.x + gridDim.x * blockIdx.y) + threadIdx.x;
	if (i >= n)
		return;
	float *row = &lower[i * (centres + 1)], distance = 0;
	for (int d = 0; d < dimensions; d++) {
		float difference = coordinates[d * n + i] - coordinates[d * n + candidate];
		distance = fmaf(difference, difference, distance);
	}
	float cost = distance * points[i].weight;
	if (cost < points[i].cost) {
		changes[i] = true;
		row[centres] += cost - points[i].cost;
	} else {
		row[number[points[i].owner]] += points[i].cost - cost;
	}
}

struct Clusters {
	int n, dimensions, centres;
	Point *points;
	int *number; /* of a point that is a centre, else -1 */
	float price; /* of a centre */
};

static float cost_on_host(const Clusters *c, int a, int b)
{
	float distance = 0;
	for (int d = 0; d < c->dimensions; d++) {
		float difference = c->points[a].coordinates[d] - c->points[b].coordinates[d];
		distance = fmaf(difference, difference, distance);
	}
	return distance * c->points[a].weight;
}

/* Every point goes to the nearest of the first points. */
static void first_centres(Clusters *c)
{
	c->centres = CENTRES;
	for (int i = 0; i < c->n; i++) {
		c->number[i] = i < CENTRES ? i : -1;
		c->points[i].cost = INFINITY;
		for (int centre = 0; centre < CENTRES; centre++) {
			float cost = cost_on_host(c, i, centre);
			if (cost < c->points[i].cost) {
				c->points[i].cost = cost;
				c->points[i].owner = centre;
			}
		}
	}
}

static void gain_on_host(const Clusters *c, int candidate, float *lower, bool *changes)
{
	memset(lower, 0, (size_t)c->n * (c->centres + 1) * sizeof *lower);
	for (int i = 0; i < c->n; i++) {
		float cost = cost_on_host(c, i, candidate), own = c->points[i].cost;
		float *row = &lower[(size_t)i * (c->centres + 1)];
		changes[i] = cost < own;
		row[changes[i] ? c->centres : c->number[c->points[i].owner]] = changes[i] ? cost - own : own - cost;
	}
}

/* Opens the candidate if that saves more than its price, and closes those centres that cost more than they save. */
static void open_if_it_pays(Clusters *c, int candidate, const float *lower, const bool *changes)
{
	int stride = c->centres + 1;
	double *saved = host_array<double>(stride), total = -c->price;
	for (int i = 0; i < c->n; i++)
		for (int k = 0; k < stride; k++)
			saved[k] -= lower[(size_t)i * stride + k];
	total += saved[c->centres];
	for (int k = 0; k < c->centres; k++) {
		saved[k] = c->price - saved[k]; /* by closing it */
		total += saved[k] > 0 ? saved[k] : 0;
	}
	if (total <= 0) {
		free(saved);
		return;
	}
	for (int i = 0; i < c->n; i++)
		if (changes[i] || saved[c->number[c->points[i].owner]] > 0) {
			c->points[i].cost = cost_on_host(c, i, candidate);
			c->points[i].owner = candidate;
		}
	c->centres = 0;
	for (int i = 0; i < c->n; i++) {
		bool stays = i == candidate || (c->number[i] >= 0 && saved[c->number[i]] <= 0);
		c->number[i] = stays ? c->centres++ : -1;
	}
	free(saved);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "streamcluster [points [coordinates [candidates]]]   (default 32768, 16, 4)"};
	Clusters c = {size_argument(arguments, 1, 32768, 1 << 20), size_argument(arguments, 2, 16, 256)};
	int n = c.n, candidates = size_argument(arguments, 3, 4, 1000), most = CENTRES + candidates;
	if (n < most) {
		fputs("streamcluster: fewer points than centres and candidates\n", stderr);
		return 2;
	}
	size_t most_places = (size_t)n * (most + 1);
	if (most_places > INT_MAX) {
		fputs("streamcluster: too many points and candidates\n", stderr);
		return 2;
	}
	float *coordinates = random_floats((size_t)n * c.dimensions, 1),
	      *by_coordinate = host_array<float>((size_t)n * c.dimensions);
	c.points = host_array<Point>(n);
	c.number = host_array<int>(n);
	c.price = 0.1f * n;
	for (int i = 0; i < n; i++) {
		c.points[i] = {1, &coordinates[(size_t)i * c.dimensions]};
		for (int d = 0; d < c.dimensions; d++)
			by_coordinate[(size_t)d * n + i] = coordinates[(size_t)i * c.dimensions + d];
	}
	first_centres(&c);
	float *dcoordinates = device_copy(by_coordinate, (size_t)n * c.dimensions);
	float *lower = host_array<float>(most_places), *dlower = device_array<float>(most_places);
	Point *dpoints = device_array<Point>(n);
	int *dnumber = device_array<int>(n);
	bool *changes = host_array<bool>(n), *dchanges = device_array<bool>(n);

	Verdict verdict = {"streamcluster", 0};
	for (int candidate = CENTRES; candidate < most; candidate++) {
		size_t places = (size_t)n * (c.centres + 1);
		CHECK(cudaMemcpy(dpoints, c.points, n * sizeof *dpoints, cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(dnumber, c.number, n * sizeof *dnumber, cudaMemcpyHostToDevice));
		CHECK(cudaMemset(dlower, 0, places * sizeof *dlower));
		CHECK(cudaMemset(dchanges, 0, n * sizeof *dchanges));
		gain<<<blocks_for(n, BLOCK), BLOCK>>>(n, c.dimensions, candidate, dpoints, c.centres, dcoordinates,
						      dlower, dnumber, dchanges);
		CHECK_LAUNCH();
		gain_on_host(&c, candidate, lower, changes);
		compare(&verdict, "lower", dlower, lower, places);
		compare(&verdict, "change", dchanges, changes, n);
		open_if_it_pays(&c, candidate, lower, changes);
	}
	return conclude(verdict, "%d points of %d coordinates, %d candidates, %d centres in the end", n, c.dimensions,
			candidates, c.centres);
}
