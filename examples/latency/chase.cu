/*
 * chase: each thread follows pointers through a list of its own: what it reads says where it reads next, and a list
 * goes through all of its part of memory in a random order. Nothing but more threads hides the latency.
 */
#include <limits.h>

#include "../grids/grids.h"

__global__ void chase(const int *next, int *ends, int nodes, int steps)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x, at = thread * nodes;
	for (int i = 0; i < steps; i++)
		at = next[at];
	ends[thread] = at;
}

/* Next of each node: one circle through `nodes` nodes from `base` on, after Sattolo. */
static void random_circle(int *next, int base, int nodes, unsigned *seed)
{
	for (int i = 0; i < nodes; i++)
		next[base + i] = base + i;
	for (int i = nodes - 1; i > 0; i--) {
		int j = (int)(next_random(seed) >> 4) % i, kept = next[base + i];
		next[base + i] = next[base + j];
		next[base + j] = kept;
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {
		argc, argv, "chase [blocks [threads a block [nodes a thread [steps]]]]   (default 320, 1, 4096, 3000)"};
	int blocks = size_argument(arguments, 1, 320, 4096), block = size_argument(arguments, 2, 1, 1024),
	    threads = blocks * block;
	int nodes = size_argument(arguments, 3, 4096, INT_MAX / threads),
	    steps = size_argument(arguments, 4, 3000, 1 << 20);
	int *next = host_array<int>((size_t)threads * nodes), *ends = host_array<int>(threads);
	unsigned seed = 29;
	for (int i = 0; i < threads; i++)
		random_circle(next, i * nodes, nodes, &seed);
	int *dends = device_array<int>(threads);

	chase<<<blocks, block>>>(device_copy(next, (size_t)threads * nodes), dends, nodes, steps);
	CHECK_LAUNCH();

	for (int thread = 0; thread < threads; thread++) {
		int at = thread * nodes;
		for (int i = 0; i < steps; i++)
			at = next[at];
		ends[thread] = at;
	}
	Verdict verdict = {"chase", 0};
	compare(&verdict, "end", dends, ends, threads);
	return conclude(verdict, "%d threads, %d nodes each, %d steps", threads, nodes, steps);
}
