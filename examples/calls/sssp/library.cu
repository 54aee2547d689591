/* How sssp improves distances. */
#include "sssp.h"

DEVICE_FUNCTION void activate(const Round &round, int node)
{
	round.next[node] = 1;
	atomicAdd(round.changes, 1);
}

/* Returns whether the distance is news. */
DEVICE_FUNCTION bool improve(int *distance, int offer)
{
	return atomicMin(distance, offer) > offer;
}

DEVICE_FUNCTION void relax_edge(const Graph &graph, const Round &round, int edge, int so_far)
{
	int to = graph.to[edge], offer = so_far + graph.weight[edge];
	if (offer < round.distance[to] && improve(&round.distance[to], offer))
		activate(round, to);
}

DEVICE_FUNCTION void relax_node(const Graph &graph, const Round &round, int node)
{
	int so_far = round.distance[node];
	for (int edge = graph.first[node]; edge < graph.first[node + 1]; edge++)
		relax_edge(graph, round, edge, so_far);
}
