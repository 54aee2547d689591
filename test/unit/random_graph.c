#include "random_graph.h"

uint32_t random_below(uint64_t *state, uint32_t bound)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % bound;
}

struct hd_graph random_graph(uint64_t *state, bool any_entry, struct hd_arena *arena)
{
	struct hd_edge edges[3 * RANDOM_GRAPH_NODES];
	uint32_t nodes = 1 + random_below(state, RANDOM_GRAPH_NODES), count = random_below(state, 3 * nodes);
	for (uint32_t i = 0; i < count; i++)
		edges[i] = (struct hd_edge){random_below(state, nodes), random_below(state, nodes)};
	struct hd_graph graph;
	hd_graph_build(&graph, arena, nodes, any_entry ? random_below(state, nodes) : 0, edges, count);
	return graph;
}
