/* How sssp improves distances. */
#include "sssp.h"

DEVICE_FUNCTION void count_changes(const Round &round, int changes)
{
	atomicAdd(round.changes, changes);
}

/* The neighbours behind the edges of a mask take part in the next round. */
DEVICE_FUNCTION void activate(const Graph &graph, const Round &round, int first, unsigned improved)
{
	int changes = 0;
	for (; improved; improved &= improved - 1, changes++)
		round.next[graph.to[first + __ffs((int)improved) - 1]] = 1;
	count_changes(round, changes);
}

DEVICE_FUNCTION void relax_node(const Graph &graph, const Round &round, int node)
{
	int so_far = round.distance[node], end = graph.first[node + 1];
	for (int first = graph.first[node]; first < end; first += 32) {
		unsigned improved = 0;
		for (int edge = first; edge < end && edge < first + 32; edge++) {
			int *distance = &round.distance[graph.to[edge]], offer = so_far + graph.weight[edge];
			if (offer < *distance && atomicMin(distance, offer) > offer)
				improved |= 1u << (edge - first);
		}
		if (improved)
			activate(graph, round, first, improved);
	}
}
