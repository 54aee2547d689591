/*
 * levels: breadth-first search with a thread a node and flags in place of lists: in each level the nodes that were
 * reached in the last one flag their neighbours, and a second kernel takes these over. Most threads have nothing to do,
 * and few wait for much. In the first levels of a graph hardly any node is active, and what is left is to look for them.
 */
#include "../calls/graph.h"
#include "../grids/grids.h"

#define BLOCK 512
#define NEVER (-1)

__global__ void expand(const int *first, const int *to, char *active, char *flagged, const char *visited, int *level,
		       int nodes)
{
	int node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node >= nodes || !active[node])
		return;
	active[node] = 0;
	for (int i = first[node]; i < first[node + 1]; i++) {
		int other = to[i];
		if (!visited[other]) {
			level[other] = level[node] + 1;
			flagged[other] = 1;
		}
	}
}

__global__ void take_over(char *active, char *flagged, char *visited, int *any, int nodes)
{
	int node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node >= nodes || !flagged[node])
		return;
	flagged[node] = 0;
	active[node] = 1;
	visited[node] = 1;
	*any = 1;
}

static void on_host(const Graph &graph, int *level, int most)
{
	int *queue = host_array<int>(graph.nodes), head = 0, tail = 1;
	for (int i = 1; i < graph.nodes; i++)
		level[i] = NEVER;
	while (head < tail) {
		int node = queue[head++];
		if (level[node] == most)
			continue;
		for (int i = graph.first[node]; i < graph.first[node + 1]; i++)
			if (level[graph.to[i]] == NEVER) {
				level[graph.to[i]] = level[node] + 1;
				queue[tail++] = graph.to[i];
			}
	}
	free(queue);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "levels [nodes [degree [reach of an edge [most levels]]]]   (default 65536, 6, 2048, all)"};
	int nodes = size_argument(arguments, 1, 65536, 1 << 22), degree = size_argument(arguments, 2, 6, 64);
	int reach = size_argument(arguments, 3, nodes < 2048 ? nodes : 2048, nodes);
	int most = size_argument(arguments, 4, nodes, nodes), levels = 0, any;
	Graph graph = random_graph(nodes, degree, reach);
	int *first = device_copy(graph.first, nodes + 1), *to = device_copy(graph.to, 2 * graph.edges);
	int *level = host_array<int>(nodes), *dlevel = device_array<int>(nodes), *dany = device_array<int>(1);
	char *active = device_array<char>(nodes), *flagged = device_array<char>(nodes),
	     *visited = device_array<char>(nodes);
	CHECK(cudaMemset(dlevel, NEVER, nodes * sizeof *dlevel));
	CHECK(cudaMemset(dlevel, 0, sizeof *dlevel));
	CHECK(cudaMemset(active, 1, 1));
	CHECK(cudaMemset(visited, 1, 1));

	do {
		CHECK(cudaMemset(dany, 0, sizeof *dany));
		expand<<<blocks_for(nodes, BLOCK), BLOCK>>>(first, to, active, flagged, visited, dlevel, nodes);
		take_over<<<blocks_for(nodes, BLOCK), BLOCK>>>(active, flagged, visited, dany, nodes);
		CHECK_LAUNCH();
		copy_back(&any, dany, 1);
		levels += any;
	} while (any && levels < most);

	on_host(graph, level, most);
	Verdict verdict = {"levels", 0};
	compare(&verdict, "level", dlevel, level, nodes);
	return conclude(verdict, "%d nodes, %d edges, %d levels", nodes, graph.edges, levels);
}
