/*
 * particles: forces between particles in boxes of a cube: a block has a box, a thread a particle of it, and all 27
 * boxes around pass through shared memory. Boxes are lists of particles, which lie in memory in the order in which they
 * came, as between two sortings: what a warp gathers is scattered over the L2.
 */
#include "../grids/grids.h"

#define IN_BOX 32 /* particles a box */
#define SOFTENING 0.01f

struct Cube {
	int side, boxes;
	const int *members; /* IN_BOX of each box */
};

/* The box `offset` away in each direction, at the cube's ends that of the other end. */
BOTH int box_at(const Cube &cube, int box, int i)
{
	int side = cube.side, x = box % side, y = box / side % side, z = box / side / side;
	x = (x + i % 3 + side - 1) % side;
	y = (y + i / 3 % 3 + side - 1) % side;
	z = (z + i / 9 + side - 1) % side;
	return (z * side + y) * side + x;
}

/* Adds what a particle of charge b.w does to one at a. */
BOTH void pull(const float4 &a, const float4 &b, float3 *force)
{
	float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
	float square = fmaf(x, x, fmaf(y, y, fmaf(z, z, SOFTENING)));
	float strength = b.w / square;
	force->x = fmaf(strength, x, force->x);
	force->y = fmaf(strength, y, force->y);
	force->z = fmaf(strength, z, force->z);
}

__global__ void forces(const float4 *particles, float3 *result, Cube cube)
{
	__shared__ float4 other[IN_BOX];
	int own = cube.members[blockIdx.x * IN_BOX + threadIdx.x];
	float4 at = particles[own];
	float3 force = {0, 0, 0};
	for (int i = 0; i < 27; i++) {
		int box = box_at(cube, blockIdx.x, i);
		other[threadIdx.x] = particles[cube.members[box * IN_BOX + threadIdx.x]];
		__syncthreads();
		for (int j = 0; j < IN_BOX; j++)
			pull(at, other[j], &force);
		__syncthreads();
	}
	result[own] = force;
}

/* Particles in random places of their boxes, and the boxes' lists: a random order of all. */
static void place(float4 *particles, int *members, int side)
{
	int n = side * side * side * IN_BOX;
	unsigned seed = 3;
	for (int i = 0; i < n; i++)
		members[i] = i;
	for (int i = n - 1; i > 0; i--) {
		int j = (int)(next_random(&seed) >> 4) % (i + 1), kept = members[i];
		members[i] = members[j];
		members[j] = kept;
	}
	for (int i = 0; i < n; i++) {
		int box = i / IN_BOX;
		particles[members[i]] = {box % side + next_unit(&seed), box / side % side + next_unit(&seed),
					 box / side / side + next_unit(&seed), next_unit(&seed) - 0.5f};
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "particles [boxes along a side]   (default 5)"};
	int side = size_argument(arguments, 1, 5, 64), boxes = side * side * side, n = boxes * IN_BOX;
	float4 *particles = host_array<float4>(n);
	int *members = host_array<int>(n);
	place(particles, members, side);
	Cube cube = {side, boxes, members}, on_device = {side, boxes, device_copy(members, n)};
	float4 *dparticles = device_copy(particles, n);
	float3 *dforces = device_array<float3>(n), *expected = host_array<float3>(n);

	forces<<<boxes, IN_BOX>>>(dparticles, dforces, on_device);
	CHECK_LAUNCH();

	for (int k = 0; k < n; k++)
		for (int i = 0; i < 27; i++) {
			int box = box_at(cube, k / IN_BOX, i);
			for (int j = 0; j < IN_BOX; j++)
				pull(particles[members[k]], particles[members[box * IN_BOX + j]],
				     &expected[members[k]]);
		}
	Verdict verdict = {"particles", 0};
	compare(&verdict, "force", (float *)dforces, (float *)expected, (size_t)3 * n);
	return conclude(verdict, "%d particles in %d boxes", n, boxes);
}
