/* The things, materials and textures of raytrace. */
#include <new>

#include "raytrace.h"

#define NEAREST 0.001f /* a ray does not meet what it comes from */

FUNCTION float3 random_in_ball(unsigned *seed)
{
	for (int tries = 0; tries < 8; tries++) {
		float3 v = random_vector(seed);
		if (dot(v, v) < 1)
			return v;
	}
	return make_float3(0, 0, 0);
}

FUNCTION float3 reflect(float3 direction, float3 normal)
{
	return along(direction, normal, -2 * dot(direction, normal));
}

/* Snell's law; false when all is reflected. */
FUNCTION bool refract(float3 direction, float3 normal, float ratio, float3 *refracted)
{
	float cosine = -dot(direction, normal), rest = 1 - ratio * ratio * (1 - cosine * cosine);
	if (rest <= 0)
		return false;
	*refracted = along(direction * ratio, normal, ratio * cosine - sqrtf(rest));
	return true;
}

/* Schlick's approximation of Fresnel's. */
FUNCTION float reflectance(float cosine, float index)
{
	float straight = (1 - index) / (1 + index), opposite = 1 - cosine, square = opposite * opposite;
	straight *= straight;
	return straight + (1 - straight) * square * square * opposite;
}

/* ---- textures */

__host__ __device__ Plain::Plain(float3 colour) : value(colour)
{
}

__host__ __device__ float3 Plain::colour(float3) const
{
	return value;
}

__host__ __device__ Checker::Checker(const Texture *a, const Texture *b) : even(a), odd(b)
{
}

__host__ __device__ float3 Checker::colour(float3 at) const
{
	int cell = (int)floorf(at.x) + (int)floorf(at.y) + (int)floorf(at.z);
	return (cell & 1 ? odd : even)->colour(at);
}

/* ---- materials */

__host__ __device__ Matte::Matte(const Texture *how) : texture(how)
{
}

__host__ __device__ bool Matte::scatter(const Ray &, const Hit &hit, unsigned *seed, Ray *out, float3 *left) const
{
	*out = {hit.at, normalized(hit.normal + random_in_ball(seed))};
	*left = texture->colour(hit.at);
	return true;
}

__host__ __device__ Metal::Metal(const Texture *how, float rough) : texture(how), roughness(rough)
{
}

__host__ __device__ bool Metal::scatter(const Ray &in, const Hit &hit, unsigned *seed, Ray *out, float3 *left) const
{
	float3 direction = along(reflect(in.direction, hit.normal), random_in_ball(seed), roughness);
	*out = {hit.at, normalized(direction)};
	*left = texture->colour(hit.at);
	return dot(direction, hit.normal) > 0;
}

__host__ __device__ Glass::Glass(float refraction) : index(refraction)
{
}

__host__ __device__ bool Glass::scatter(const Ray &in, const Hit &hit, unsigned *seed, Ray *out, float3 *left) const
{
	float cosine = -dot(in.direction, hit.normal);
	float3 direction;
	if (!refract(in.direction, hit.normal, hit.outside ? 1 / index : index, &direction) ||
	    reflectance(cosine, index) > next_unit(seed))
		direction = reflect(in.direction, hit.normal);
	*out = {hit.at, normalized(direction)};
	*left = make_float3(1, 1, 1);
	return true;
}

/* ---- things */

/* The hit at a distance, with the outer normal there. */
FUNCTION void note_hit(const Ray &ray, float distance, float3 at, float3 outer, const Material *material, Hit *hit)
{
	hit->distance = distance;
	hit->at = at;
	hit->outside = dot(ray.direction, outer) < 0;
	hit->normal = hit->outside ? outer : outer * -1;
	hit->material = material;
}

__host__ __device__ Sphere::Sphere(float3 where, float r, const Material *of) : centre(where), radius(r), material(of)
{
}

__host__ __device__ bool Sphere::meet(const Ray &ray, Hit *hit) const
{
	float3 to = ray.from - centre;
	float half = dot(to, ray.direction), square = half * half - dot(to, to) + radius * radius;
	if (square <= 0)
		return false;
	float root = sqrtf(square), distance = -half - root;
	if (distance < NEAREST)
		distance = -half + root;
	if (distance < NEAREST || distance >= hit->distance)
		return false;
	float3 at = along(ray.from, ray.direction, distance);
	note_hit(ray, distance, at, (at - centre) * (1 / radius), material, hit);
	return true;
}

__host__ __device__ Ground::Ground(float y, const Material *of) : height(y), material(of)
{
}

__host__ __device__ bool Ground::meet(const Ray &ray, Hit *hit) const
{
	if (ray.direction.y == 0)
		return false;
	float distance = (height - ray.from.y) / ray.direction.y;
	if (distance < NEAREST || distance >= hit->distance)
		return false;
	note_hit(ray, distance, along(ray.from, ray.direction, distance), make_float3(0, 1, 0), material, hit);
	return true;
}

FUNCTION bool trace(const Scene *scene, const Ray &ray, Hit *hit)
{
	bool found = false;
	hit->distance = 1e30f;
	for (int i = 0; i < scene->count; i++)
		found |= scene->things[i]->meet(ray, hit);
	return found;
}

/* ---- the scene */

FUNCTION void build_scene(Scene *scene, int count)
{
	unsigned seed = 23;
	for (int i = 0; i < TEXTURES - 1; i++) {
		float red = next_unit(&seed), green = next_unit(&seed), blue = next_unit(&seed);
		scene->textures[i] = new (scene->texture_room[i])
			Plain(make_float3(0.4f + 0.6f * red, 0.4f + 0.6f * green, 0.4f + 0.6f * blue));
	}
	scene->textures[TEXTURES - 1] =
		new (scene->texture_room[TEXTURES - 1]) Checker(scene->textures[0], scene->textures[1]);
	for (int i = 0; i < MATERIALS; i++) {
		char *room = scene->material_room[i];
		const Texture *texture = scene->textures[TEXTURES - 1 - i];
		if (i % 3 == 0)
			scene->materials[i] = new (room) Matte(texture);
		else if (i % 3 == 1)
			scene->materials[i] = new (room) Metal(texture, 0.1f * (float)i);
		else
			scene->materials[i] = new (room) Glass(1.5f);
	}
	scene->count = count;
	scene->things[0] = new (scene->thing_room[0]) Ground(-1, scene->materials[0]);
	for (int i = 1; i < count; i++) {
		float3 where = random_vector(&seed) * 4;
		float radius = 0.3f + 0.7f * next_unit(&seed);
		where.y = radius - 1;
		scene->things[i] = new (scene->thing_room[i]) Sphere(where, radius, scene->materials[i % MATERIALS]);
	}
}
