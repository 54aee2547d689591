/*
 * components: connected components of an undirected graph: each node takes the least label of its neighbours, and
 * labels follow labels until they are their own, until none changes any more.
 */
#include "../calls/graph.h"
#include "../grids/grids.h"

#define BLOCK 256

__global__ void hook(const int *first, const int *to, int *label, int *changed, int nodes)
{
	int node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node >= nodes)
		return;
	int own = label[node], least = own;
	for (int i = first[node]; i < first[node + 1]; i++)
		least = min(least, label[to[i]]);
	if (least < own) {
		atomicMin(&label[own], least);
		atomicMin(&label[node], least);
		*changed = 1;
	}
}

__global__ void jump(int *label, int nodes)
{
	int node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node >= nodes)
		return;
	int own = label[node];
	while (label[own] < own)
		own = label[own];
	label[node] = own;
}

static int root_of(int *parent, int node)
{
	while (parent[node] != node)
		node = parent[node] = parent[parent[node]];
	return node;
}

/* Parts of random_graph without what would join them: edges between nodes of different parts lead back to their own. */
static void cut(Graph *graph, int parts)
{
	int size = graph->nodes / parts;
	for (int node = 0; node < graph->nodes; node++)
		for (int i = graph->first[node]; i < graph->first[node + 1]; i++)
			if (graph->to[i] / size != node / size)
				graph->to[i] = node;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "components [nodes [degree [parts]]]   (default 98304, 8, 8)"};
	int nodes = size_argument(arguments, 1, 98304, 1 << 20), degree = size_argument(arguments, 2, 8, 64);
	int parts = size_argument(arguments, 3, 8, nodes), rounds = 0;
	Graph graph = random_graph(nodes, degree, nodes / 4 + 1);
	cut(&graph, parts);
	int *label = host_array<int>(nodes);
	for (int i = 0; i < nodes; i++)
		label[i] = i;
	int *dlabel = device_copy(label, nodes), *first = device_copy(graph.first, nodes + 1);
	int *to = device_copy(graph.to, 2 * graph.edges), *dchanged = device_array<int>(1), changed;

	do {
		CHECK(cudaMemset(dchanged, 0, sizeof *dchanged));
		hook<<<blocks_for(nodes, BLOCK), BLOCK>>>(first, to, dlabel, dchanged, nodes);
		jump<<<blocks_for(nodes, BLOCK), BLOCK>>>(dlabel, nodes);
		CHECK_LAUNCH();
		copy_back(&changed, dchanged, 1);
		rounds++;
	} while (changed);

	for (int node = 0; node < nodes; node++)
		for (int i = graph.first[node]; i < graph.first[node + 1]; i++) {
			int a = root_of(label, node), b = root_of(label, graph.to[i]);
			label[a > b ? a : b] = a < b ? a : b;
		}
	for (int node = 0; node < nodes; node++)
		label[node] = root_of(label, node);
	Verdict verdict = {"components", 0};
	compare(&verdict, "label", dlabel, label, nodes);
	return conclude(verdict, "%d nodes, %d edges, %d rounds", nodes, graph.edges, rounds);
}
