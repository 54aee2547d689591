/* Random graphs for the call-heavy workloads, as lists of the edges at each node. */
#ifndef CALLS_GRAPH_H
#define CALLS_GRAPH_H

#include "common.h"

/* Undirected: every edge stands at both of its nodes, with the same id. */
struct Graph {
	int nodes, edges; /* edges: ids */
	int *first;	  /* of node i: first[i] to first[i + 1] */
	int *to, *weight, *id;
};

#define HEAVIEST 1000

/* A ring, so that all is connected, and chords between random nodes at most `reach` apart. */
static inline Graph random_graph(int nodes, int degree, int reach)
{
	int chords = degree > 2 ? nodes * (degree - 2) / 2 : 0, edges = nodes + chords;
	int *a = host_array<int>(edges), *b = host_array<int>(edges), *weight = host_array<int>(edges);
	Graph graph = {nodes, edges};
	unsigned seed = 41;
	graph.first = host_array<int>(nodes + 1);
	for (int e = 0; e < edges; e++) {
		a[e] = e < nodes ? e : (int)(next_random(&seed) >> 4) % nodes;
		b[e] = (a[e] + 1 + (e < nodes ? 0 : (int)(next_random(&seed) >> 4) % reach)) % nodes;
		weight[e] = 1 + (int)(next_random(&seed) >> 4) % HEAVIEST;
		graph.first[a[e]]++;
		graph.first[b[e]]++;
	}
	/* Counts become ends, and then, filled from behind, beginnings. */
	for (int i = 1; i <= nodes; i++)
		graph.first[i] += graph.first[i - 1];
	graph.to = host_array<int>(2 * edges);
	graph.weight = host_array<int>(2 * edges);
	graph.id = host_array<int>(2 * edges);
	for (int e = edges - 1; e >= 0; e--)
		for (int side = 0; side < 2; side++) {
			int place = --graph.first[side ? b[e] : a[e]];
			graph.to[place] = side ? a[e] : b[e];
			graph.weight[place] = weight[e];
			graph.id[place] = e;
		}
	free(a);
	free(b);
	free(weight);
	return graph;
}

static inline Graph graph_to_device(const Graph &graph)
{
	return {graph.nodes,
		graph.edges,
		device_copy(graph.first, graph.nodes + 1),
		device_copy(graph.to, 2 * graph.edges),
		device_copy(graph.weight, 2 * graph.edges),
		device_copy(graph.id, 2 * graph.edges)};
}

static inline void free_graphs(Graph *host, Graph *device)
{
	int *own[] = {host->first, host->to, host->weight, host->id};
	int *other[] = {device->first, device->to, device->weight, device->id};
	for (int i = 0; i < 4; i++) {
		free(own[i]);
		CHECK(cudaFree(other[i]));
	}
}

#endif
