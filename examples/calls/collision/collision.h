/* collision: solid bodies that merge where they touch. */
#ifndef COLLISION_H
#define COLLISION_H

#include "../vector.h"

class Body
{
      public:
	float3 at, velocity;
	float mass, size;
	bool gone;

	__host__ __device__ Body(float3 where, float3 how_fast, float how_much, float extent);
	/* How far a point lies outside of the body; negative inside. */
	__host__ __device__ virtual float clearance(float3 point) const = 0;
	/* Do the bodies touch? Each class has points of its own that it asks the other about. */
	__host__ __device__ virtual bool touches(const Body &other) const = 0;
	/* Takes another body in; momentum and volume are kept. */
	__host__ __device__ virtual void absorb(const Body &other);
};

class Ball : public Body
{
      public:
	__host__ __device__ Ball(float3 where, float3 how_fast, float how_much, float extent);
	__host__ __device__ float clearance(float3 point) const override;
	__host__ __device__ bool touches(const Body &other) const override;
};

/* A cube along the axes. */
class Cube : public Body
{
      public:
	__host__ __device__ Cube(float3 where, float3 how_fast, float how_much, float extent);
	__host__ __device__ float clearance(float3 point) const override;
	__host__ __device__ bool touches(const Body &other) const override;
};

/* All that is near a piece of the x axis. */
class Rod : public Body
{
      public:
	__host__ __device__ Rod(float3 where, float3 how_fast, float how_much, float extent);
	__host__ __device__ float clearance(float3 point) const override;
	__host__ __device__ bool touches(const Body &other) const override;
};

struct Slot {
	alignas(8) char bytes[sizeof(Ball)];
};

#define NOBODY (-1)

FUNCTION Body *make_body(Slot *slot, int i);

/* Of the bodies [first, end), the heaviest that touches body i and is heavier; NOBODY without one. */
FUNCTION int find_heavier(Body *const *bodies, int i, int first, int end);

#endif
