/*
 * raytrace: a small path tracer, a pixel a thread. Things, their materials and their textures are objects; a path calls
 * trace -> meet -> note_hit, and scatter -> colour -> colour, of whatever classes it comes to, so that the lanes of a
 * warp soon call different functions.
 *
 * The check is exact: host and device run the same functions, without contraction.
 */
#include "raytrace.h"

#define BLOCK 128
#define LAUNCHES 2 /* a second one begins with what the first has shown of allocations */
#define DISTANCE 7.0f /* of the camera */

__global__ void build(Scene *scene, int count)
{
	build_scene(scene, count);
}

__host__ __device__ static float3 sky(float3 direction)
{
	float up = 0.5f * direction.y + 0.5f;
	return make_float3(1 - 0.5f * up, 1 - 0.3f * up, 1);
}

/* The light that comes along a path of at most `bounces`. */
__host__ __device__ static float3 light(const Scene *scene, Ray ray, int bounces, unsigned *seed)
{
	float3 left = make_float3(1, 1, 1);
	for (int i = 0; i <= bounces; i++) {
		Hit hit;
		if (!trace(scene, ray, &hit))
			return left * sky(ray.direction);
		Ray next;
		float3 taken;
		if (!hit.material->scatter(ray, hit, seed, &next, &taken))
			break;
		ray = next;
		left = left * taken;
	}
	return make_float3(0, 0, 0);
}

__host__ __device__ static float3 pixel(const Scene *scene, int i, int width, int height, int bounces)
{
	unsigned seed = 7 + (unsigned)i;
	next_random(&seed);
	float x = ((float)(i % width) + next_unit(&seed)) / (float)width - 0.5f;
	float y = 0.5f - ((float)(i / width) + next_unit(&seed)) / (float)height;
	Ray ray = {make_float3(0, 1, DISTANCE), normalized(make_float3(x, y * 0.75f, -1))};
	return light(scene, ray, bounces, &seed);
}

__global__ void render(const Scene *scene, float3 *image, int width, int height, int bounces)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < width * height)
		image[i] = pixel(scene, i, width, height, bounces);
}

int main(int argc, char **argv)
{
	Arguments arguments = {
		argc, argv, "raytrace [width [height [things [bounces]]]]   (default 128 x 96 pixels, 12 things, 4)"};
	int width = size_argument(arguments, 1, 128, 4096);
	int height = size_argument(arguments, 2, 96, 4096);
	int things = size_argument(arguments, 3, 12, MOST_THINGS);
	int bounces = size_argument(arguments, 4, 4, 1000), n = width * height;
	Scene *scene = device_array<Scene>(1), *own = host_array<Scene>(1);
	float3 *image = device_array<float3>(n), *got = host_array<float3>(n);

	build<<<1, 1>>>(scene, things);
	for (int i = 0; i < LAUNCHES; i++)
		render<<<blocks_for(n, BLOCK), BLOCK>>>(scene, image, width, height, bounces);
	CHECK_LAUNCH();
	copy_back(got, image, n);

	build_scene(own, things);
	Verdict verdict = {"raytrace"};
	for (int i = 0; i < n; i++) {
		float3 want = pixel(own, i, width, height, bounces);
		if (!same(got[i], want))
			differs(&verdict, "pixel (%d, %d) is (%g, %g, %g), not (%g, %g, %g)", i % width, i / width,
				got[i].x, got[i].y, got[i].z, want.x, want.y, want.z);
	}
	CHECK(cudaFree(scene));
	CHECK(cudaFree(image));
	free(own);
	free(got);
	return conclude(verdict, "%d x %d pixels, %d things, %d bounces", width, height, things, bounces);
}
