/* structure: joints and the members between them, each kind with its own law. */
#ifndef STRUCTURE_H
#define STRUCTURE_H

#include "../vector.h"

#define MOST_MEMBERS 8 /* of a joint */

class Member;

class Joint
{
      public:
	float3 at, velocity;
	int member_count;
	int members[MOST_MEMBERS];

	__host__ __device__ Joint(float3 where);
	/* Takes the forces of its members in, and goes on for a step. */
	__host__ __device__ virtual void advance(Member *const *all, int self);
	__host__ __device__ float3 pull_of_members(Member *const *all, int self) const;
};

/* Stays where it is. */
class Support : public Joint
{
      public:
	__host__ __device__ Support(float3 where);
	__host__ __device__ void advance(Member *const *all, int self) override;
};

/* Carries a weight. */
class Load : public Joint
{
	float weight;

      public:
	__host__ __device__ Load(float3 where, float how_much);
	__host__ __device__ void advance(Member *const *all, int self) override;
};

/* Between two joints. Its force is computed once a step, and both joints read it. */
class Member
{
      public:
	int from, to;
	float rest, force;
	float3 direction;

	__host__ __device__ Member(int a, int b, float length_at_rest);
	__host__ __device__ void stretch(Joint *const *joints);
	/* Force at a strain: positive pulls. */
	__host__ __device__ virtual float tension(float strain) = 0;
};

class Rod : public Member
{
      public:
	__host__ __device__ Rod(int a, int b, float length_at_rest);
	__host__ __device__ float tension(float strain) override;
};

/* Pulls and never pushes. */
class Cable : public Member
{
      public:
	__host__ __device__ Cable(int a, int b, float length_at_rest);
	__host__ __device__ float tension(float strain) override;
};

/* Breaks beyond its strength, for good. */
class Brittle : public Member
{
      public:
	float strength; /* 0: broken */

	__host__ __device__ Brittle(int a, int b, float length_at_rest, float strain);
	__host__ __device__ float tension(float strain) override;
};

struct JointSlot {
	alignas(8) char bytes[sizeof(Load)];
};
struct MemberSlot {
	alignas(8) char bytes[sizeof(Brittle)];
};

/* A grid of width x height joints in a vertical plane, held at its upper corners and loaded along its lower edge.
 * Members go to the right, down, and down on both diagonals. */
FUNCTION int count_members(int width, int height);
FUNCTION Joint *make_joint(JointSlot *slot, int i, int width, int height);
FUNCTION Member *make_member(MemberSlot *slot, int i, int width, int height);

/* Length of a member, and its direction as a unit vector. */
FUNCTION float measure(float3 from, float3 to, float3 *direction);

#endif
