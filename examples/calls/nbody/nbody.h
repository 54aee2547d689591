/* nbody: bodies that attract each other, each kind by its own law. */
#ifndef NBODY_H
#define NBODY_H

#include "../vector.h"

class Body
{
      public:
	float3 at, velocity;
	float mass;

	__host__ __device__ Body(float3 where, float how_much);
	/* The acceleration that this body gives one at `from`. */
	__host__ __device__ virtual float3 pull(float3 from) const = 0;
	__host__ __device__ virtual void move(float3 acceleration, float step);
};

/* A point mass, softened at short distance. */
class Star : public Body
{
      public:
	__host__ __device__ Star(float3 where, float how_much);
	__host__ __device__ float3 pull(float3 from) const override;
};

/* A ball of even density: inside, only what lies further in attracts. */
class Cloud : public Body
{
	float radius;

      public:
	__host__ __device__ Cloud(float3 where, float how_much, float r);
	__host__ __device__ float3 pull(float3 from) const override;
};

/* Sweeps others along without being moved itself. */
class Anchor : public Star
{
      public:
	__host__ __device__ Anchor(float3 where, float how_much);
	__host__ __device__ void move(float3 acceleration, float step) override;
};

/* Room for any body. */
struct Slot {
	alignas(8) char bytes[40];
};

/* The i-th body of the model. */
FUNCTION Body *make_body(Slot *slot, int i);

/* r2 to the power -3/2. */
FUNCTION float inverse_cube(float r2);

#endif
