/*
 * structure: a grid of joints and members under load, in explicit steps. In each, a thread for each member finds its
 * force through a virtual call, then a thread for each joint sums up its members' and moves, through another. Members
 * that break change what follows.
 *
 * The check is exact: host and device run the same functions, without contraction.
 */
#include "structure.h"

#define BLOCK 128

__global__ void build_joints(JointSlot *slots, Joint **joints, int width, int height)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < width * height)
		joints[i] = make_joint(&slots[i], i, width, height);
}

__global__ void build_members(MemberSlot *slots, Member **members, int width, int height)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < count_members(width, height))
		members[i] = make_member(&slots[i], i, width, height);
}

__global__ void stretch(Member *const *members, Joint *const *joints, int count)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < count && members[i]->from != members[i]->to)
		members[i]->stretch(joints);
}

__global__ void advance(Joint *const *joints, Member *const *members, int count)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < count)
		joints[i]->advance(members, i);
}

__global__ void observe(Joint *const *joints, float3 *places, int count)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < count)
		places[i] = joints[i]->at;
}

static void simulate_on_host(float3 *places, int width, int height, int steps)
{
	int count = width * height, member_count = count_members(width, height);
	JointSlot *joint_slots = host_array<JointSlot>(count);
	MemberSlot *member_slots = host_array<MemberSlot>(member_count);
	Joint **joints = host_array<Joint *>(count);
	Member **members = host_array<Member *>(member_count);
	for (int i = 0; i < count; i++)
		joints[i] = make_joint(&joint_slots[i], i, width, height);
	for (int i = 0; i < member_count; i++)
		members[i] = make_member(&member_slots[i], i, width, height);
	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < member_count; i++)
			if (members[i]->from != members[i]->to)
				members[i]->stretch(joints);
		for (int i = 0; i < count; i++)
			joints[i]->advance(members, i);
	}
	for (int i = 0; i < count; i++)
		places[i] = joints[i]->at;
	free(joint_slots);
	free(member_slots);
	free(joints);
	free(members);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "structure [width [height [steps]]]   (default 96 x 96 joints, 4 steps)"};
	int width = size_argument(arguments, 1, 96, 10000);
	int height = size_argument(arguments, 2, 96, 10000);
	int steps = size_argument(arguments, 3, 4, 1000000);
	int count = width * height, member_count = count_members(width, height);
	JointSlot *joint_slots = device_array<JointSlot>(count);
	MemberSlot *member_slots = device_array<MemberSlot>(member_count);
	Joint **joints = device_array<Joint *>(count);
	Member **members = device_array<Member *>(member_count);
	float3 *places = device_array<float3>(count), *got = host_array<float3>(count),
	       *want = host_array<float3>(count);
	int joint_blocks = blocks_for(count, BLOCK), member_blocks = blocks_for(member_count, BLOCK);

	build_joints<<<joint_blocks, BLOCK>>>(joint_slots, joints, width, height);
	build_members<<<member_blocks, BLOCK>>>(member_slots, members, width, height);
	for (int s = 0; s < steps; s++) {
		stretch<<<member_blocks, BLOCK>>>(members, joints, member_count);
		advance<<<joint_blocks, BLOCK>>>(joints, members, count);
	}
	observe<<<joint_blocks, BLOCK>>>(joints, places, count);
	CHECK_LAUNCH();
	copy_back(got, places, count);

	simulate_on_host(want, width, height, steps);
	Verdict verdict = {"structure"};
	for (int i = 0; i < count; i++)
		if (!same(got[i], want[i]))
			differs(&verdict, "joint %d is at (%g, %g), not (%g, %g)", i, got[i].x, got[i].y, want[i].x,
				want[i].y);
	CHECK(cudaFree(joint_slots));
	CHECK(cudaFree(member_slots));
	CHECK(cudaFree(joints));
	CHECK(cudaFree(members));
	CHECK(cudaFree(places));
	free(got);
	free(want);
	return conclude(verdict, "%d x %d joints, %d steps", width, height, steps);
}
