/*
 * clusters: the nearest of some centres for each point, whose features are a texture, by feature, and the centres' in constant
 * memory.
 */
#include "../calls/common.h"
#include <float.h>

#define FEATURES 34
#define CENTRES 5
#define THREADS 256

__constant__ float centres[CENTRES * FEATURES];

__global__ void nearest(int features, int points, int count, int *member, cudaTextureObject_t data)
{
	int block = gridDim.x * blockIdx.y + blockIdx.x, point = block * blockDim.x + threadIdx.x, best = -1;
	if (point < points) {
		float least = FLT_MAX;
		for (int i = 0; i < count; i++) {
			int base = i * features;
			float sum = 0;
			for (int j = 0; j < features; j++) {
				float difference = tex1Dfetch<float>(data, point + j * points) - centres[base + j];
				sum += difference * difference;
			}
			if (sum < least)
				least = sum, best = i;
		}
		member[point] = best;
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "clusters [points]   (default 5000)"};
	int points = size_argument(arguments, 1, 5000, 1 << 21), side = 1;
	while (side * side < blocks_for(points, THREADS))
		side++;
	size_t count = (size_t)points * FEATURES;
	float *data = host_array<float>(count), given[CENTRES * FEATURES];
	int *got = host_array<int>(points);
	unsigned seed = 1;
	for (size_t i = 0; i < count; i++)
		data[i] = next_unit(&seed);
	for (int i = 0; i < CENTRES * FEATURES; i++)
		given[i] = next_unit(&seed);
	CHECK(cudaMemcpyToSymbol(centres, given, sizeof given));
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = device_copy(data, count), resource.res.linear.sizeInBytes = count * sizeof *data;
	resource.res.linear.desc = cudaCreateChannelDesc<float>();
	cudaTextureDesc description = {};
	cudaTextureObject_t texture;
	CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
	int *member = device_array<int>(points);
	nearest<<<dim3(side, side), THREADS>>>(FEATURES, points, CENTRES, member, texture);
	CHECK_LAUNCH();

	Verdict verdict = {"clusters", 0};
	copy_back(got, member, points);
	for (int point = 0; point < points; point++) {
		double least = DBL_MAX, mine = 0;
		for (int i = 0; i < CENTRES; i++) {
			double sum = 0;
			for (int j = 0; j < FEATURES; j++)
				sum += pow((double)data[point + (size_t)j * points] - given[i * FEATURES + j], 2);
			least = sum < least ? sum : least;
			mine = i == got[point] ? sum : mine;
		}
		if (mine > least + 1e-4)
			differs(&verdict, "point %d: centre %d at %g, another at %g", point, got[point], mine, least);
	}
	return conclude(verdict, "%d points", points);
}
