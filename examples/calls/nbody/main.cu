/*
 * nbody: gravity in many small systems, a body a thread. Bodies are objects of three classes; every pair is a virtual
 * call, which calls on: accelerate -> pull -> inverse_cube. All lanes look at the same body at a time, so that calls do
 * not diverge.
 *
 * The check is exact: host and device run the same functions, without contraction.
 */
#include "nbody.h"

#define BLOCK 128
#define STEP 0.01f

__global__ void build(Slot *slots, Body **bodies, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		bodies[i] = make_body(&slots[i], i);
}

/* The acceleration of body i: from all of its system. */
__host__ __device__ static float3 acceleration(Body *const *bodies, int i, int n, int system)
{
	float3 at = bodies[i]->at, sum = make_float3(0, 0, 0);
	int first = i - i % system, end = first + system < n ? first + system : n;
	for (int j = first; j < end; j++)
		sum = sum + bodies[j]->pull(at);
	return sum;
}

__global__ void accelerate(Body *const *bodies, float3 *accelerations, int n, int system)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		accelerations[i] = acceleration(bodies, i, n, system);
}

__global__ void advance(Body *const *bodies, const float3 *accelerations, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		bodies[i]->move(accelerations[i], STEP);
}

__global__ void observe(Body *const *bodies, float3 *positions, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		positions[i] = bodies[i]->at;
}

static void simulate_on_host(float3 *positions, int n, int system, int steps)
{
	Slot *slots = host_array<Slot>(n);
	Body **bodies = host_array<Body *>(n);
	float3 *accelerations = host_array<float3>(n);
	for (int i = 0; i < n; i++)
		bodies[i] = make_body(&slots[i], i);
	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < n; i++)
			accelerations[i] = acceleration(bodies, i, n, system);
		for (int i = 0; i < n; i++)
			bodies[i]->move(accelerations[i], STEP);
	}
	for (int i = 0; i < n; i++)
		positions[i] = bodies[i]->at;
	free(slots);
	free(bodies);
	free(accelerations);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "nbody [bodies [of a system [steps]]]   (default 12288 bodies, 64, 2 steps)"};
	int n = size_argument(arguments, 1, 12288, 1 << 24);
	int system = size_argument(arguments, 2, 64, 1 << 24);
	int steps = size_argument(arguments, 3, 2, 1000000);
	Slot *slots = device_array<Slot>(n);
	Body **bodies = device_array<Body *>(n);
	float3 *accelerations = device_array<float3>(n), *got = host_array<float3>(n), *want = host_array<float3>(n);
	int blocks = blocks_for(n, BLOCK);

	build<<<blocks, BLOCK>>>(slots, bodies, n);
	for (int s = 0; s < steps; s++) {
		accelerate<<<blocks, BLOCK>>>(bodies, accelerations, n, system);
		advance<<<blocks, BLOCK>>>(bodies, accelerations, n);
	}
	observe<<<blocks, BLOCK>>>(bodies, accelerations, n);
	CHECK_LAUNCH();
	copy_back(got, accelerations, n);

	simulate_on_host(want, n, system, steps);
	Verdict verdict = {"nbody"};
	for (int i = 0; i < n; i++)
		if (!same(got[i], want[i]))
			differs(&verdict, "body %d is at (%g, %g, %g), not (%g, %g, %g)", i, got[i].x, got[i].y,
				got[i].z, want[i].x, want[i].y, want[i].z);
	CHECK(cudaFree(slots));
	CHECK(cudaFree(bodies));
	CHECK(cudaFree(accelerations));
	free(got);
	free(want);
	return conclude(verdict, "%d bodies in systems of %d, %d steps", n, system, steps);
}
