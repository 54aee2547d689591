/*
 * collision: bodies of three shapes move in many small boxes; those that touch merge, the heavier taking the lighter.
 * Whether two bodies touch is a virtual question of one class which asks virtual ones of the other's: find_heavier ->
 * touches -> clearance.
 *
 * The check is exact: host and device run the same functions, without contraction.
 */
#include "collision.h"

#define BLOCK 128
#define STEP 0.05f

__global__ void build(Slot *slots, Body **bodies, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		bodies[i] = make_body(&slots[i], i);
}

/* What happens to body i in each phase of a step. */

__host__ __device__ static void choose_one(Body *const *bodies, int *target, int i, int n, int box)
{
	int first = i - i % box, end = first + box < n ? first + box : n;
	target[i] = bodies[i]->gone ? NOBODY : find_heavier(bodies, i, first, end);
}

/* A body that nobody takes takes all that chose it. */
__host__ __device__ static void merge_one(Body *const *bodies, const int *target, int i, int n, int box)
{
	int first = i - i % box, end = first + box < n ? first + box : n;
	if (bodies[i]->gone || target[i] != NOBODY)
		return;
	for (int j = first; j < end; j++)
		if (target[j] == i)
			bodies[i]->absorb(*bodies[j]);
}

__host__ __device__ static void move_one(Body *const *bodies, const int *target, int i)
{
	if (target[i] != NOBODY && target[target[i]] == NOBODY)
		bodies[i]->gone = true;
	bodies[i]->at = along(bodies[i]->at, bodies[i]->velocity, STEP);
}

__global__ void choose(Body *const *bodies, int *target, int n, int box)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		choose_one(bodies, target, i, n, box);
}

__global__ void merge(Body *const *bodies, const int *target, int n, int box)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		merge_one(bodies, target, i, n, box);
}

__global__ void move(Body *const *bodies, const int *target, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		move_one(bodies, target, i);
}

/* Place and mass; no mass where the body is gone. */
__host__ __device__ static float4 seen(const Body *body)
{
	return make_float4(body->at.x, body->at.y, body->at.z, body->gone ? 0 : body->mass);
}

__global__ void observe(Body *const *bodies, float4 *out, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		out[i] = seen(bodies[i]);
}

static void simulate_on_host(float4 *out, int n, int box, int steps)
{
	Slot *slots = host_array<Slot>(n);
	Body **bodies = host_array<Body *>(n);
	int *target = host_array<int>(n);
	for (int i = 0; i < n; i++)
		bodies[i] = make_body(&slots[i], i);
	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < n; i++)
			choose_one(bodies, target, i, n, box);
		for (int i = 0; i < n; i++)
			merge_one(bodies, target, i, n, box);
		for (int i = 0; i < n; i++)
			move_one(bodies, target, i);
	}
	for (int i = 0; i < n; i++)
		out[i] = seen(bodies[i]);
	free(slots);
	free(bodies);
	free(target);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "collision [bodies [of a box [steps]]]   (default 7168 bodies, 16, 2 steps)"};
	int n = size_argument(arguments, 1, 7168, 1 << 24);
	int box = size_argument(arguments, 2, 16, 1 << 24);
	int steps = size_argument(arguments, 3, 2, 1000000), blocks = blocks_for(n, BLOCK);
	Slot *slots = device_array<Slot>(n);
	Body **bodies = device_array<Body *>(n);
	int *target = device_array<int>(n);
	float4 *out = device_array<float4>(n), *got = host_array<float4>(n), *want = host_array<float4>(n);

	build<<<blocks, BLOCK>>>(slots, bodies, n);
	for (int s = 0; s < steps; s++) {
		choose<<<blocks, BLOCK>>>(bodies, target, n, box);
		merge<<<blocks, BLOCK>>>(bodies, target, n, box);
		move<<<blocks, BLOCK>>>(bodies, target, n);
	}
	observe<<<blocks, BLOCK>>>(bodies, out, n);
	CHECK_LAUNCH();
	copy_back(got, out, n);

	simulate_on_host(want, n, box, steps);
	Verdict verdict = {"collision"};
	int left = 0;
	for (int i = 0; i < n; i++) {
		left += want[i].w > 0;
		if (memcmp(&got[i], &want[i], sizeof got[i]) != 0)
			differs(&verdict, "body %d has mass %g at (%g, %g, %g), not %g at (%g, %g, %g)", i, got[i].w,
				got[i].x, got[i].y, got[i].z, want[i].w, want[i].x, want[i].y, want[i].z);
	}
	CHECK(cudaFree(slots));
	CHECK(cudaFree(bodies));
	CHECK(cudaFree(target));
	CHECK(cudaFree(out));
	free(got);
	free(want);
	return conclude(verdict, "%d bodies in boxes of %d, %d steps, %d left", n, box, steps, left);
}
