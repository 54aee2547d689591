/*
 * rays: a picture of spheres above a plane: a thread follows a ray of its pixel from mirror to mirror, adds what light
 * falls on each place, and looks from there for what stands in the light's way.
 */
#include "../grids/grids.h"

#define BLOCK_X 16
#define BLOCK_Y 8
#define SPHERES 12
#define BOUNCES 4

struct Vector {
	float x, y, z;
};

struct Sphere {
	Vector center;
	float radius, shade, mirror;
};

__constant__ Sphere scene[SPHERES];

BOTH float dot(Vector a, Vector b)
{
	return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}
BOTH Vector along(Vector a, float t, Vector b)
{
	return {fmaf(t, b.x, a.x), fmaf(t, b.y, a.y), fmaf(t, b.z, a.z)};
}
BOTH Vector unit(Vector a)
{
	float scale = 1 / sqrtf(dot(a, a));
	return {scale * a.x, scale * a.y, scale * a.z};
}

/* The nearest thing on the ray: a sphere's number, SPHERES for the plane, -1 for none. */
BOTH int nearest(const Sphere *spheres, Vector from, Vector direction, float *distance)
{
	int hit = -1;
	*distance = INFINITY;
	for (int i = 0; i < SPHERES; i++) {
		Vector to = along(spheres[i].center, -1, from);
		float middle = dot(to, direction),
		      square = fmaf(middle, middle, spheres[i].radius * spheres[i].radius) - dot(to, to);
		if (square <= 0)
			continue;
		float t = middle - sqrtf(square);
		if (t > 1e-3f && t < *distance) {
			*distance = t;
			hit = i;
		}
	}
	float t = direction.y < 0 ? -from.y / direction.y : INFINITY;
	if (t > 1e-3f && t < *distance) {
		*distance = t;
		hit = SPHERES;
	}
	return hit;
}

BOTH float trace(const Sphere *spheres, Vector from, Vector direction)
{
	const Vector light = unit({0.5f, 1, -0.3f});
	float brightness = 0, weight = 1;
	for (int bounce = 0; bounce < BOUNCES; bounce++) {
		float distance, behind;
		int hit = nearest(spheres, from, direction, &distance);
		if (hit < 0)
			return fmaf(weight, 0.3f + 0.3f * direction.y, brightness);
		from = along(from, distance, direction);
		Vector normal = hit < SPHERES ? unit(along(from, -1, spheres[hit].center)) : Vector{0, 1, 0};
		int tile = (int)floorf(from.x) + (int)floorf(from.z);
		float shade = hit < SPHERES ? spheres[hit].shade : tile & 1 ? 0.2f : 0.7f;
		float mirror = hit < SPHERES ? spheres[hit].mirror : 0.1f, lit = dot(normal, light);
		if (lit > 0 && nearest(spheres, from, light, &behind) < 0)
			brightness = fmaf(weight * (1 - mirror) * shade, lit, brightness);
		weight *= mirror;
		direction = along(direction, -2 * dot(direction, normal), normal);
	}
	return brightness;
}

BOTH float pixel(const Sphere *spheres, int x, int y, int width, int height)
{
	Vector direction = {(2 * x + 1 - width) / (float)height, (height - 2 * y - 1) / (float)height, 1.5f};
	return trace(spheres, {0, 1.5f, -5}, unit(direction));
}

__global__ void render(float *image, int width, int height)
{
	int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
	if (x < width && y < height)
		image[y * width + x] = pixel(scene, x, y, width, height);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "rays [width [height]]   (default 320 x 240 pixels)"};
	int width = size_argument(arguments, 1, 320, 4096), height = size_argument(arguments, 2, 240, 4096);
	Sphere spheres[SPHERES];
	unsigned seed = 47;
	for (int i = 0; i < SPHERES; i++) {
		float radius = 0.3f + 0.4f * next_unit(&seed);
		spheres[i].center = {6 * next_unit(&seed) - 3, radius + next_unit(&seed), 6 * next_unit(&seed) - 1};
		spheres[i].radius = radius;
		spheres[i].shade = next_unit(&seed);
		spheres[i].mirror = 0.5f * next_unit(&seed);
	}
	CHECK(cudaMemcpyToSymbol(scene, spheres, sizeof spheres));
	float *image = host_array<float>((size_t)width * height), *dimage = device_array<float>((size_t)width * height);

	render<<<dim3(blocks_for(width, BLOCK_X), blocks_for(height, BLOCK_Y)), dim3(BLOCK_X, BLOCK_Y)>>>(dimage, width,
													  height);
	CHECK_LAUNCH();

	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			image[y * width + x] = pixel(spheres, x, y, width, height);
	Verdict verdict = {"rays", 0};
	compare(&verdict, "pixel", dimage, image, (size_t)width * height);
	return conclude(verdict, "%d x %d", width, height);
}
