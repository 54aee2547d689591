/*
 * paths: shortest paths from one node over edges of different lengths: a launch relaxes the edges of those nodes whose
 * distance has fallen in the last one, until none has.
 */
#include "../calls/graph.h"
#include "../grids/grids.h"

#define BLOCK 256
#define FAR 1000000000

__global__ void relax(const int *first, const int *to, const int *weight, int *distance, const int *active, int *next,
		      int *any, int nodes)
{
	int node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node >= nodes || !active[node])
		return;
	int own = distance[node];
	for (int i = first[node]; i < first[node + 1]; i++) {
		int other = to[i], candidate = own + weight[i];
		if (candidate < distance[other] && candidate < atomicMin(&distance[other], candidate)) {
			next[other] = 1;
			*any = 1;
		}
	}
}

/* Nodes in a queue while their distance has to be told. */
static void on_host(const Graph &graph, int *distance)
{
	int *queue = host_array<int>(graph.nodes + 1), *waits = host_array<int>(graph.nodes), head = 0, tail = 1;
	waits[0] = 1;
	while (head != tail) {
		int node = queue[head];
		head = (head + 1) % (graph.nodes + 1);
		waits[node] = 0;
		for (int i = graph.first[node]; i < graph.first[node + 1]; i++) {
			int other = graph.to[i];
			if (distance[node] + graph.weight[i] >= distance[other])
				continue;
			distance[other] = distance[node] + graph.weight[i];
			if (!waits[other]) {
				waits[other] = 1;
				queue[tail] = other;
				tail = (tail + 1) % (graph.nodes + 1);
			}
		}
	}
	free(queue);
	free(waits);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "paths [nodes [degree]]   (default 24576, 6)"};
	int nodes = size_argument(arguments, 1, 24576, 1 << 20), degree = size_argument(arguments, 2, 6, 64), rounds = 0,
	    any;
	Graph graph = random_graph(nodes, degree, nodes);
	int *distance = host_array<int>(nodes), *active[2] = {device_array<int>(nodes), device_array<int>(nodes)},
	    one = 1;
	for (int i = 1; i < nodes; i++)
		distance[i] = FAR;
	Graph on_device = graph_to_device(graph);
	int *ddistance = device_copy(distance, nodes), *dany = device_array<int>(1);
	CHECK(cudaMemcpy(active[0], &one, sizeof one, cudaMemcpyHostToDevice));

	do {
		int *now = active[rounds % 2], *next = active[1 - rounds % 2];
		CHECK(cudaMemset(next, 0, nodes * sizeof *next));
		CHECK(cudaMemset(dany, 0, sizeof *dany));
		relax<<<blocks_for(nodes, BLOCK), BLOCK>>>(on_device.first, on_device.to, on_device.weight, ddistance,
							   now, next, dany, nodes);
		CHECK_LAUNCH();
		copy_back(&any, dany, 1);
		rounds++;
	} while (any);

	on_host(graph, distance);
	Verdict verdict = {"paths", 0};
	compare(&verdict, "distance", ddistance, distance, nodes);
	return conclude(verdict, "%d nodes, %d edges, %d rounds", nodes, graph.edges, rounds);
}
