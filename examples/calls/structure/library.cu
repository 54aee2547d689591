/* The joints and members of structure, and how the grid is put together. */
#include <new>

#include "structure.h"

#define STEP 0.01f
#define DAMPING 0.98f
#define STIFFNESS 40.0f
#define GRAVITY 0.05f
#define STRENGTH 0.02f /* strain at which a brittle member breaks */

FUNCTION float measure(float3 from, float3 to, float3 *direction)
{
	float3 distance = to - from;
	float how_long = length(distance);
	*direction = distance * (1.0f / how_long);
	return how_long;
}

/* ---- joints */

__host__ __device__ Joint::Joint(float3 where) : at(where), velocity(make_float3(0, 0, 0)), member_count(0)
{
}

__host__ __device__ float3 Joint::pull_of_members(Member *const *all, int self) const
{
	float3 sum = make_float3(0, 0, 0);
	for (int k = 0; k < member_count; k++) {
		const Member *member = all[members[k]];
		sum = along(sum, member->direction, member->from == self ? member->force : -member->force);
	}
	return sum;
}

__host__ __device__ void Joint::advance(Member *const *all, int self)
{
	velocity = along(velocity, pull_of_members(all, self), STEP) * DAMPING;
	at = along(at, velocity, STEP);
}

__host__ __device__ Support::Support(float3 where) : Joint(where)
{
}

__host__ __device__ void Support::advance(Member *const *, int)
{
}

__host__ __device__ Load::Load(float3 where, float how_much) : Joint(where), weight(how_much)
{
}

__host__ __device__ void Load::advance(Member *const *all, int self)
{
	velocity.y = velocity.y - weight * GRAVITY;
	Joint::advance(all, self);
}

/* ---- members */

__host__ __device__ Member::Member(int a, int b, float length_at_rest)
	: from(a), to(b), rest(length_at_rest), force(0), direction(make_float3(0, 0, 0))
{
}

__host__ __device__ void Member::stretch(Joint *const *joints)
{
	float now = measure(joints[from]->at, joints[to]->at, &direction);
	force = tension((now - rest) / rest);
}

__host__ __device__ Rod::Rod(int a, int b, float length_at_rest) : Member(a, b, length_at_rest)
{
}

__host__ __device__ float Rod::tension(float strain)
{
	return strain * STIFFNESS;
}

__host__ __device__ Cable::Cable(int a, int b, float length_at_rest) : Member(a, b, length_at_rest)
{
}

__host__ __device__ float Cable::tension(float strain)
{
	return strain > 0 ? strain * STIFFNESS : 0;
}

__host__ __device__ Brittle::Brittle(int a, int b, float length_at_rest, float strain)
	: Member(a, b, length_at_rest), strength(strain)
{
}

__host__ __device__ float Brittle::tension(float strain)
{
	if (strain > strength)
		strength = 0;
	return strength > 0 ? strain * 2 * STIFFNESS : 0;
}

/* ---- the grid */

FUNCTION int count_members(int width, int height)
{
	return 4 * width * height;
}

/* Ends of the i-th member; false where the grid's edge cuts it off. */
FUNCTION bool member_ends(int i, int width, int height, int *from, int *to)
{
	static const signed char step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
	int joint = i / 4, x = joint % width + step[i % 4][0], y = joint / width + step[i % 4][1];
	*from = joint;
	*to = x + y * width;
	return x >= 0 && x < width && y < height;
}

FUNCTION float3 joint_place(int i, int width)
{
	return make_float3((float)(i % width), (float)-(i / width), 0);
}

FUNCTION Member *make_member(MemberSlot *slot, int i, int width, int height)
{
	int from, to;
	float3 direction;
	if (!member_ends(i, width, height, &from, &to))
		return new (slot) Cable(from, from, 0);
	float rest = measure(joint_place(from, width), joint_place(to, width), &direction);
	unsigned seed = 5 + (unsigned)i;
	unsigned kind = next_random(&seed) >> 28;
	if (kind < 8)
		return new (slot) Rod(from, to, rest);
	if (kind < 12)
		return new (slot) Cable(from, to, rest);
	return new (slot) Brittle(from, to, rest, STRENGTH * next_unit(&seed));
}

FUNCTION void add_member(Joint *joint, int self, int i, int width, int height)
{
	int from, to;
	if (i >= 0 && member_ends(i, width, height, &from, &to) && (from == self || to == self))
		joint->members[joint->member_count++] = i;
}

FUNCTION Joint *make_joint(JointSlot *slot, int i, int width, int height)
{
	float3 where = joint_place(i, width);
	Joint *joint;
	if (i == 0 || i == width - 1)
		joint = new (slot) Support(where);
	else if (i / width == height - 1)
		joint = new (slot) Load(where, 1 + (float)(i % 7) / 8);
	else
		joint = new (slot) Joint(where);
	for (int k = 0; k < 4; k++)
		add_member(joint, i, 4 * i + k, width, height);
	add_member(joint, i, 4 * (i - 1), width, height);
	add_member(joint, i, 4 * (i - width) + 1, width, height);
	add_member(joint, i, 4 * (i - width - 1) + 2, width, height);
	add_member(joint, i, 4 * (i - width + 1) + 3, width, height);
	return joint;
}
