/*
 * kcore: how tightly each node of an undirected graph is bound: the largest k for which it stays when all nodes with
 * fewer than k neighbours have gone, again and again. A launch takes away the nodes that go now, and counts for their
 * neighbours that they are gone.
 */
#include "../calls/graph.h"
#include "../grids/grids.h"

#define BLOCK 256
#define HERE (-1) /* not gone yet */

__global__ void peel(const int *first, const int *to, int *degree, int *core, int *gone, int k, int nodes)
{
	int node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node >= nodes || core[node] != HERE || degree[node] >= k)
		return;
	core[node] = k - 1;
	for (int i = first[node]; i < first[node + 1]; i++)
		atomicSub(&degree[to[i]], 1);
	atomicAdd(gone, 1);
}

/* With a list of nodes in steps of their degree would be faster; this takes nodes one after the other. */
static void on_host(const Graph &graph, int *degree, int *core)
{
	int *stack = host_array<int>(graph.nodes), left = graph.nodes;
	for (int i = 0; i < graph.nodes; i++)
		core[i] = HERE;
	for (int k = 1; left; k++) {
		int top = 0;
		for (int i = 0; i < graph.nodes; i++)
			if (core[i] == HERE && degree[i] < k) {
				core[i] = k - 1;
				stack[top++] = i;
			}
		while (top) {
			int node = stack[--top];
			left--;
			for (int i = graph.first[node]; i < graph.first[node + 1]; i++) {
				int other = graph.to[i];
				if (--degree[other] < k && core[other] == HERE) {
					core[other] = k - 1;
					stack[top++] = other;
				}
			}
		}
	}
	free(stack);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "kcore [nodes [degree]]   (default 65536, 6)"};
	int nodes = size_argument(arguments, 1, 65536, 1 << 20), mean = size_argument(arguments, 2, 6, 64), left = nodes,
	    launches = 0;
	Graph graph = random_graph(nodes, mean, nodes);
	int *degree = host_array<int>(nodes), *core = host_array<int>(nodes), gone;
	for (int i = 0; i < nodes; i++) {
		degree[i] = graph.first[i + 1] - graph.first[i];
		core[i] = HERE;
	}
	int *first = device_copy(graph.first, nodes + 1), *to = device_copy(graph.to, 2 * graph.edges);
	int *ddegree = device_copy(degree, nodes), *dcore = device_copy(core, nodes), *dgone = device_array<int>(1);

	for (int k = 1; left; left -= gone, k += !gone) {
		CHECK(cudaMemset(dgone, 0, sizeof *dgone));
		peel<<<blocks_for(nodes, BLOCK), BLOCK>>>(first, to, ddegree, dcore, dgone, k, nodes);
		CHECK_LAUNCH();
		copy_back(&gone, dgone, 1);
		launches++;
	}

	on_host(graph, degree, core);
	Verdict verdict = {"kcore", 0};
	compare(&verdict, "core", dcore, core, nodes);
	return conclude(verdict, "%d nodes, %d edges, %d launches", nodes, graph.edges, launches);
}
