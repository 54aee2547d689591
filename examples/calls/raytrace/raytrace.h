/* raytrace: things in a scene, what they are made of, and how that looks. */
#ifndef RAYTRACE_H
#define RAYTRACE_H

#include "../vector.h"

struct Ray {
	float3 from, direction; /* a unit vector */
};

class Material;

struct Hit {
	float distance;
	float3 at, normal; /* against the ray */
	bool outside;
	const Material *material;
};

/* A colour that depends on the place. */
class Texture
{
      public:
	__host__ __device__ virtual float3 colour(float3 at) const = 0;
};

class Plain : public Texture
{
	float3 value;

      public:
	__host__ __device__ Plain(float3 colour);
	__host__ __device__ float3 colour(float3 at) const override;
};

class Checker : public Texture
{
	const Texture *even, *odd;

      public:
	__host__ __device__ Checker(const Texture *a, const Texture *b);
	__host__ __device__ float3 colour(float3 at) const override;
};

class Material
{
      public:
	/* Where light goes on, and what is left of it; false when it ends here. */
	__host__ __device__ virtual bool scatter(const Ray &in, const Hit &hit, unsigned *seed, Ray *out,
						 float3 *left) const = 0;
};

class Matte : public Material
{
	const Texture *texture;

      public:
	__host__ __device__ Matte(const Texture *how);
	__host__ __device__ bool scatter(const Ray &in, const Hit &hit, unsigned *seed, Ray *out,
					 float3 *left) const override;
};

class Metal : public Material
{
	const Texture *texture;
	float roughness;

      public:
	__host__ __device__ Metal(const Texture *how, float rough);
	__host__ __device__ bool scatter(const Ray &in, const Hit &hit, unsigned *seed, Ray *out,
					 float3 *left) const override;
};

class Glass : public Material
{
	float index;

      public:
	__host__ __device__ Glass(float refraction);
	__host__ __device__ bool scatter(const Ray &in, const Hit &hit, unsigned *seed, Ray *out,
					 float3 *left) const override;
};

class Thing
{
      public:
	/* Is the thing met before hit->distance? Then the hit is this one. */
	__host__ __device__ virtual bool meet(const Ray &ray, Hit *hit) const = 0;
};

class Sphere : public Thing
{
	float3 centre;
	float radius;
	const Material *material;

      public:
	__host__ __device__ Sphere(float3 where, float r, const Material *of);
	__host__ __device__ bool meet(const Ray &ray, Hit *hit) const override;
};

class Ground : public Thing
{
	float height;
	const Material *material;

      public:
	__host__ __device__ Ground(float y, const Material *of);
	__host__ __device__ bool meet(const Ray &ray, Hit *hit) const override;
};

#define TEXTURES 6
#define MATERIALS 6
#define MOST_THINGS 64

struct Scene {
	int count;
	const Thing *things[MOST_THINGS];
	const Material *materials[MATERIALS];
	const Texture *textures[TEXTURES];
	alignas(8) char thing_room[MOST_THINGS][32];
	alignas(8) char material_room[MATERIALS][24];
	alignas(8) char texture_room[TEXTURES][24];
};

/* Fills the scene with the ground and count - 1 spheres. */
FUNCTION void build_scene(Scene *scene, int count);

/* The nearest thing that the ray meets; false for the sky. */
FUNCTION bool trace(const Scene *scene, const Ray &ray, Hit *hit);

/* A vector of less than unit length. */
FUNCTION float3 random_in_ball(unsigned *seed);
FUNCTION float3 reflect(float3 direction, float3 normal);

#endif
