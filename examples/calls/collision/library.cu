/* The bodies of collision, and who meets whom. */
#include <new>

#include "collision.h"

__host__ __device__ Body::Body(float3 where, float3 how_fast, float how_much, float extent)
	: at(where), velocity(how_fast), mass(how_much), size(extent), gone(false)
{
}

__host__ __device__ void Body::absorb(const Body &other)
{
	float together = mass + other.mass, share = other.mass / together;
	velocity = along(velocity, other.velocity - velocity, share);
	size = size * (1 + share / 3);
	mass = together;
}

/* ---- balls */

__host__ __device__ Ball::Ball(float3 where, float3 how_fast, float how_much, float extent)
	: Body(where, how_fast, how_much, extent)
{
}

__host__ __device__ float Ball::clearance(float3 point) const
{
	return length(point - at) - size;
}

__host__ __device__ bool Ball::touches(const Body &other) const
{
	return other.clearance(at) <= size;
}

/* ---- cubes */

__host__ __device__ Cube::Cube(float3 where, float3 how_fast, float how_much, float extent)
	: Body(where, how_fast, how_much, extent)
{
}

__host__ __device__ float Cube::clearance(float3 point) const
{
	float3 from = point - at;
	float x = fabsf(from.x) - size, y = fabsf(from.y) - size, z = fabsf(from.z) - size;
	float inside = x > y ? x : y;
	inside = inside > z ? inside : z;
	if (inside <= 0)
		return inside;
	return length(make_float3(x > 0 ? x : 0, y > 0 ? y : 0, z > 0 ? z : 0));
}

/* Some corner or the centre is inside. */
__host__ __device__ bool Cube::touches(const Body &other) const
{
	if (other.clearance(at) <= size)
		return true;
	for (int corner = 0; corner < 8; corner++) {
		float3 point = at + make_float3(corner & 1 ? size : -size, corner & 2 ? size : -size,
						corner & 4 ? size : -size);
		if (other.clearance(point) <= 0)
			return true;
	}
	return false;
}

/* ---- rods */

__host__ __device__ Rod::Rod(float3 where, float3 how_fast, float how_much, float extent)
	: Body(where, how_fast, how_much, extent)
{
}

/* Length of the rod on either side, and its thickness. */
#define REACH (2 * size)
#define THICK (0.5f * size)

__host__ __device__ float Rod::clearance(float3 point) const
{
	float3 from = point - at;
	float beyond = fabsf(from.x) - REACH;
	return length(make_float3(beyond > 0 ? beyond : 0, from.y, from.z)) - THICK;
}

/* One of five points of the axis is near. */
__host__ __device__ bool Rod::touches(const Body &other) const
{
	for (int i = -2; i <= 2; i++)
		if (other.clearance(at + make_float3((float)i * 0.5f * REACH, 0, 0)) <= THICK)
			return true;
	return false;
}

/* ---- all of them */

FUNCTION Body *make_body(Slot *slot, int i)
{
	unsigned seed = 29 + (unsigned)i;
	next_random(&seed);
	float3 where = random_vector(&seed) * 0.7f, how_fast = random_vector(&seed);
	float mass = 0.5f + next_unit(&seed), size = 0.05f + 0.15f * next_unit(&seed);
	switch (i % 4) {
	case 0:
		return new (slot) Cube(where, how_fast, mass, size);
	case 2:
		return new (slot) Rod(where, how_fast, mass, size);
	default:
		return new (slot) Ball(where, how_fast, mass, size);
	}
}

/* A strict order, so that of two bodies one takes the other. */
FUNCTION bool is_heavier(Body *const *bodies, int i, int than)
{
	float a = bodies[i]->mass, b = bodies[than]->mass;
	return a > b || (a == b && i < than);
}

FUNCTION int find_heavier(Body *const *bodies, int i, int first, int end)
{
	int best = NOBODY;
	for (int j = first; j < end; j++) {
		if (j == i || bodies[j]->gone || !is_heavier(bodies, j, best == NOBODY ? i : best))
			continue;
		if (bodies[j]->touches(*bodies[i]))
			best = j;
	}
	return best;
}
