/* The bodies of nbody, and the laws by which they attract. */
#include <new>

#include "nbody.h"

#define SOFTENING 0.01f

__host__ __device__ Body::Body(float3 where, float how_much)
	: at(where), velocity(make_float3(0, 0, 0)), mass(how_much)
{
}

__host__ __device__ void Body::move(float3 acceleration, float step)
{
	velocity = along(velocity, acceleration, step);
	at = along(at, velocity, step);
}

__host__ __device__ Star::Star(float3 where, float how_much) : Body(where, how_much)
{
}

__host__ __device__ float3 Star::pull(float3 from) const
{
	float3 distance = at - from;
	return distance * (mass * inverse_cube(dot(distance, distance) + SOFTENING));
}

__host__ __device__ Cloud::Cloud(float3 where, float how_much, float r) : Body(where, how_much), radius(r)
{
}

__host__ __device__ float3 Cloud::pull(float3 from) const
{
	float3 distance = at - from;
	float r2 = dot(distance, distance), inside = radius * radius;
	return distance * (mass * inverse_cube(r2 > inside ? r2 : inside));
}

__host__ __device__ Anchor::Anchor(float3 where, float how_much) : Star(where, how_much)
{
}

__host__ __device__ void Anchor::move(float3, float)
{
}

FUNCTION float inverse_cube(float r2)
{
	return 1.0f / (r2 * sqrtf(r2));
}

FUNCTION Body *make_body(Slot *slot, int i)
{
	unsigned seed = 17 + (unsigned)i;
	next_random(&seed);
	float3 where = random_vector(&seed);
	float mass = 0.5f + next_unit(&seed);
	switch (i % 8) {
	case 0:
		return new (slot) Anchor(where, 10 * mass);
	case 3:
		return new (slot) Cloud(where, mass, 0.3f);
	default:
		return new (slot) Star(where, mass);
	}
}
