/*
 * What the files of this folder share: strongly connected components of a part of a graph,
 * which hd_graph_components runs on everything and the loop forest on ever smaller regions.
 */
#ifndef HD_PASSES_GRAPH_INTERNAL_H
#define HD_PASSES_GRAPH_INTERNAL_H

#include "passes/graph/graph.h"

/* Tarjan's state. Arrays have an entry a node and are reused from one region to the next. */
struct hd_tarjan {
	const struct hd_graph *graph;
	uint32_t *region;    /* only edges between nodes of the same region are followed */
	uint32_t *component; /* result: numbered from 0 in reverse topological order */
	uint32_t components;
	uint32_t *order, *low; /* HD_NO_NODE: not visited */
	uint32_t *cursor;      /* next edge to look at */
	uint32_t *path, *open; /* stacks: the DFS path, and the nodes without a component yet */
	uint32_t path_len, open_len, next;
};

void hd_tarjan_init(struct hd_tarjan *tarjan, const struct hd_graph *graph, struct hd_arena *arena);
/* Numbers the components reachable from `root` inside its region; nothing when it was visited before. */
void hd_tarjan_visit(struct hd_tarjan *tarjan, uint32_t root);
/* Forgets what is known about these nodes and restarts numbering at 0. */
void hd_tarjan_restart(struct hd_tarjan *tarjan, const uint32_t *nodes, uint32_t count);

#endif
