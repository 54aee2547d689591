/*
 * Directed graphs in compressed rows: construction, reverse post-order, strongly connected
 * components (Tarjan 1972, with explicit stacks: kernels of a hundred thousand blocks must
 * not depend on the host's stack). Each is linear in nodes + edges. The call graph's
 * components are CARS's "one iteration of the recursive components" (cars-hpca24, III-C).
 */
#include "passes/graph/graph.h"

#include <string.h>

#include "passes/graph/internal.h"

/* Rows by stable counting sort: `key` of an edge chooses the row, `value` is what the row holds. */
static void fill_rows(const struct hd_graph *graph, const struct hd_edge *edges, bool by_target, uint32_t *start,
		      uint32_t *row)
{
	for (uint32_t i = 0; i < graph->edges; i++)
		start[(by_target ? edges[i].to : edges[i].from) + 1]++;
	for (uint32_t n = 0; n < graph->nodes; n++)
		start[n + 1] += start[n];
	for (uint32_t i = 0; i < graph->edges; i++)
		row[start[by_target ? edges[i].to : edges[i].from]++] = by_target ? edges[i].from : edges[i].to;
	/* Each start has moved to its row's end, which is the next row's start. */
	memmove(start + 1, start, sizeof(*start) * graph->nodes);
	start[0] = 0;
}

void hd_graph_build(struct hd_graph *graph, struct hd_arena *arena, uint32_t nodes, uint32_t entry,
		    const struct hd_edge *edges, uint32_t edge_count)
{
	*graph = (struct hd_graph){.nodes = nodes, .edges = edge_count, .entry = entry};
	graph->succ_start = HD_ARENA_NEW(arena, uint32_t, nodes + 1);
	graph->pred_start = HD_ARENA_NEW(arena, uint32_t, nodes + 1);
	graph->succ = HD_ARENA_NEW(arena, uint32_t, edge_count);
	graph->pred = HD_ARENA_NEW(arena, uint32_t, edge_count);
	fill_rows(graph, edges, false, graph->succ_start, graph->succ);
	fill_rows(graph, edges, true, graph->pred_start, graph->pred);
}

uint32_t hd_graph_rpo(const struct hd_graph *graph, struct hd_arena *arena, uint32_t **rpo)
{
	uint32_t *order = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	uint32_t *path = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	uint32_t *cursor = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	bool *seen = HD_ARENA_NEW(arena, bool, graph->nodes);
	uint32_t depth = 0, first = graph->nodes;
	*rpo = order;
	if (graph->entry >= graph->nodes)
		return 0;
	memcpy(cursor, graph->succ_start, sizeof(*cursor) * graph->nodes);
	path[depth++] = graph->entry;
	seen[graph->entry] = true;
	while (depth) {
		uint32_t node = path[depth - 1];
		if (cursor[node] == graph->succ_start[node + 1]) {
			order[--first] = node;
			depth--;
			continue;
		}
		uint32_t next = graph->succ[cursor[node]++];
		if (!seen[next]) {
			seen[next] = true;
			path[depth++] = next;
		}
	}
	memmove(order, order + first, sizeof(*order) * (graph->nodes - first));
	return graph->nodes - first;
}

void hd_tarjan_init(struct hd_tarjan *tarjan, const struct hd_graph *graph, struct hd_arena *arena)
{
	*tarjan = (struct hd_tarjan){.graph = graph};
	tarjan->region = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	tarjan->component = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	tarjan->order = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	tarjan->low = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	tarjan->cursor = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	tarjan->path = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	tarjan->open = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	for (uint32_t n = 0; n < graph->nodes; n++)
		tarjan->order[n] = tarjan->component[n] = HD_NO_NODE;
}

void hd_tarjan_restart(struct hd_tarjan *tarjan, const uint32_t *nodes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		tarjan->order[nodes[i]] = tarjan->component[nodes[i]] = HD_NO_NODE;
	tarjan->components = tarjan->next = 0;
}

static void enter(struct hd_tarjan *tarjan, uint32_t node)
{
	tarjan->order[node] = tarjan->low[node] = tarjan->next++;
	tarjan->cursor[node] = tarjan->graph->succ_start[node];
	tarjan->path[tarjan->path_len++] = node;
	tarjan->open[tarjan->open_len++] = node;
}

/* Every edge of `node` has been followed: close its component if it is the first of one. */
static void leave(struct hd_tarjan *tarjan, uint32_t node)
{
	tarjan->path_len--;
	if (tarjan->path_len) {
		uint32_t *low = &tarjan->low[tarjan->path[tarjan->path_len - 1]];
		if (tarjan->low[node] < *low)
			*low = tarjan->low[node];
	}
	if (tarjan->low[node] != tarjan->order[node])
		return;
	uint32_t member;
	do {
		member = tarjan->open[--tarjan->open_len];
		tarjan->component[member] = tarjan->components;
	} while (member != node);
	tarjan->components++;
}

void hd_tarjan_visit(struct hd_tarjan *tarjan, uint32_t root)
{
	const struct hd_graph *graph = tarjan->graph;
	if (tarjan->order[root] != HD_NO_NODE)
		return;
	enter(tarjan, root);
	while (tarjan->path_len) {
		uint32_t node = tarjan->path[tarjan->path_len - 1];
		if (tarjan->cursor[node] == graph->succ_start[node + 1]) {
			leave(tarjan, node);
			continue;
		}
		uint32_t next = graph->succ[tarjan->cursor[node]++];
		if (tarjan->region[next] != tarjan->region[root])
			continue;
		if (tarjan->order[next] == HD_NO_NODE)
			enter(tarjan, next);
		else if (tarjan->component[next] == HD_NO_NODE && tarjan->order[next] < tarjan->low[node])
			tarjan->low[node] = tarjan->order[next];
	}
}

uint32_t hd_graph_components(const struct hd_graph *graph, struct hd_arena *arena, uint32_t **component)
{
	struct hd_tarjan tarjan;
	hd_tarjan_init(&tarjan, graph, arena);
	*component = tarjan.component;
	if (graph->entry < graph->nodes)
		hd_tarjan_visit(&tarjan, graph->entry);
	for (uint32_t n = 0; n < graph->nodes; n++)
		hd_tarjan_visit(&tarjan, n);
	return tarjan.components;
}
