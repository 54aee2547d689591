/*
 * mst: a minimum spanning tree after Boruvka: in each round every tree takes its lightest edge to another tree, and all
 * join along them. Calls: propose -> lighter -> leads_out -> tree_of, join -> stays -> place_of, find_root -> next_up.
 *
 * The check is exact, against Kruskal's algorithm on the host: with ids for ties there is one answer.
 */
#include <algorithm>
#include <numeric>
#include <vector>

#include "mst.h"

#define BLOCK 128

__global__ void begin(Graph graph, Forest forest)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= graph.nodes)
		return;
	forest.link[i] = i;
	forest.best[i] = NO_OFFER;
}

__global__ void find_lightest(Graph graph, Forest forest)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < graph.nodes)
		propose(graph, forest, i);
}

__global__ void join_trees(Graph graph, Forest forest)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < graph.nodes && forest.tree[i] == i)
		join(graph, forest, i);
}

__global__ void relabel(Graph graph, Forest forest, int *tree)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < graph.nodes)
		tree[i] = find_root(forest, i);
}

static int find_on_host(std::vector<int> &parent, int node)
{
	while (parent[node] != node)
		node = parent[node] = parent[parent[node]];
	return node;
}

/* Marks the edges of the tree and returns its weight. */
static long kruskal(const Graph &graph, unsigned char *chosen)
{
	std::vector<int> order(2 * graph.edges), parent(graph.nodes), from(2 * graph.edges);
	std::iota(order.begin(), order.end(), 0);
	std::iota(parent.begin(), parent.end(), 0);
	for (int i = 0; i < graph.nodes; i++)
		for (int e = graph.first[i]; e < graph.first[i + 1]; e++)
			from[e] = i;
	std::sort(order.begin(), order.end(), [&](int a, int b) {
		return graph.weight[a] != graph.weight[b] ? graph.weight[a] < graph.weight[b]
							  : graph.id[a] < graph.id[b];
	});
	long sum = 0;
	for (int e : order) {
		int a = find_on_host(parent, from[e]), b = find_on_host(parent, graph.to[e]);
		if (a == b)
			continue;
		parent[a] = b;
		chosen[graph.id[e]] = 1;
		sum += graph.weight[e];
	}
	return sum;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "mst [nodes [edges at a node]]   (default 8192 nodes, 8)"};
	int n = size_argument(arguments, 1, 8192, 1 << 20);
	int degree = size_argument(arguments, 2, 8, 64), rounds = 0, joined, blocks = blocks_for(n, BLOCK);
	Graph graph = random_graph(n, degree, n / 4 + 1), device = graph_to_device(graph);
	int *trees = host_array<int>(n);
	std::iota(trees, trees + n, 0);
	Forest forest = {device_copy(trees, n), device_array<int>(n), device_array<Offer>(n),
			 device_array<unsigned char>(graph.edges), device_array<int>(1)};
	int *relabelled = device_array<int>(n);

	do {
		CHECK(cudaMemset(forest.joined, 0, sizeof joined));
		begin<<<blocks, BLOCK>>>(device, forest);
		find_lightest<<<blocks, BLOCK>>>(device, forest);
		join_trees<<<blocks, BLOCK>>>(device, forest);
		relabel<<<blocks, BLOCK>>>(device, forest, relabelled);
		CHECK_LAUNCH();
		copy_back(&joined, forest.joined, 1);
		std::swap(forest.tree, relabelled);
		rounds++;
	} while (joined);

	unsigned char *got = host_array<unsigned char>(graph.edges), *want = host_array<unsigned char>(graph.edges);
	copy_back(got, forest.chosen, graph.edges);
	long weight = kruskal(graph, want);
	Verdict verdict = {"mst"};
	for (int e = 0; e < graph.edges; e++)
		if (got[e] != want[e])
			differs(&verdict, "edge %d is %s the tree", e, got[e] ? "wrongly in" : "missing from");
	int *own[] = {forest.tree, forest.link, forest.joined, relabelled};
	for (int *array : own)
		CHECK(cudaFree(array));
	CHECK(cudaFree(forest.best));
	CHECK(cudaFree(forest.chosen));
	free_graphs(&graph, &device);
	free(trees);
	free(got);
	free(want);
	return conclude(verdict, "%d nodes, %d edges, weight %ld, %d rounds", n, graph.edges, weight, rounds);
}
