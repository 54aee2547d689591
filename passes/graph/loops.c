/*
 * The loop forest, by repeated decomposition: every strongly connected component with a
 * cycle is a loop, headed by its first node in reverse post-order; taking the header away
 * and decomposing the rest gives the loops nested in it. On reducible graphs these are the
 * natural loops, those with one header merged; other cycles are loops marked irreducible.
 * Costs edges x nesting depth. LTRF's intervals and the preemption points start from it.
 */
#include <string.h>

#include "lib/vec.h"
#include "passes/graph/graph.h"
#include "passes/graph/internal.h"

/* A part of the graph that is still to be decomposed: nodes[first .. first+count), inside `loop`. */
struct region {
	uint32_t *nodes, count, loop;
};

struct forest {
	const struct hd_graph *graph;
	const uint32_t *idom;
	struct hd_arena *arena;
	struct hd_tarjan tarjan;
	HD_VEC(struct hd_loop) loops;
	HD_VEC(struct region) work;
	uint32_t *loop_of;
	uint32_t *start; /* scratch: where each component of a region begins */
	uint32_t regions;
};

static bool has_self_edge(const struct hd_graph *graph, uint32_t node)
{
	for (uint32_t e = graph->succ_start[node]; e < graph->succ_start[node + 1]; e++)
		if (graph->succ[e] == node)
			return true;
	return false;
}

/* A cycle has a second entry exactly when some node beside the header is dominated from outside the cycle. */
static bool has_other_entry(const struct forest *forest, const uint32_t *nodes, uint32_t count)
{
	const uint32_t *component = forest->tarjan.component, *region = forest->tarjan.region;
	for (uint32_t i = 1; i < count; i++) {
		uint32_t above = forest->idom[nodes[i]];
		if (region[above] != region[nodes[i]] || component[above] != component[nodes[i]])
			return true;
	}
	return false;
}

/* `nodes` is one component, in reverse post-order. Its first node heads the loop; the rest is decomposed later. */
static void add_loop(struct forest *forest, uint32_t *nodes, uint32_t count, uint32_t parent)
{
	struct hd_loop loop = {.header = nodes[0], .parent = parent, .depth = 1, .nodes = nodes, .node_count = count};
	uint32_t index = forest->loops.len;
	if (parent != HD_NO_NODE)
		loop.depth = forest->loops.data[parent].depth + 1;
	loop.irreducible = has_other_entry(forest, nodes, count);
	hd_vec_push(&forest->loops, loop);
	for (uint32_t i = 0; i < count; i++)
		forest->loop_of[nodes[i]] = index;
	if (count > 1)
		hd_vec_push(&forest->work, (struct region){nodes + 1, count - 1, index});
}

/* Sorts the region's nodes by component, keeping reverse post-order inside each. Returns the sorted copy. */
static uint32_t *group_by_component(struct forest *forest, const struct region *region)
{
	const uint32_t *component = forest->tarjan.component;
	uint32_t *start = forest->start, *sorted = HD_ARENA_NEW(forest->arena, uint32_t, region->count);
	memset(start, 0, sizeof(*start) * (forest->tarjan.components + 1));
	for (uint32_t i = 0; i < region->count; i++)
		start[component[region->nodes[i]] + 1]++;
	for (uint32_t c = 0; c < forest->tarjan.components; c++)
		start[c + 1] += start[c];
	for (uint32_t i = 0; i < region->count; i++)
		sorted[start[component[region->nodes[i]]]++] = region->nodes[i];
	return sorted;
}

static void decompose(struct forest *forest, struct region region)
{
	struct hd_tarjan *tarjan = &forest->tarjan;
	uint32_t id = ++forest->regions;
	hd_tarjan_restart(tarjan, region.nodes, region.count);
	for (uint32_t i = 0; i < region.count; i++)
		tarjan->region[region.nodes[i]] = id;
	for (uint32_t i = 0; i < region.count; i++)
		hd_tarjan_visit(tarjan, region.nodes[i]);
	uint32_t *sorted = group_by_component(forest, &region);
	for (uint32_t first = 0, end; first < region.count; first = end) {
		uint32_t c = tarjan->component[sorted[first]];
		end = forest->start[c];
		if (end - first > 1 || has_self_edge(forest->graph, sorted[first]))
			add_loop(forest, sorted + first, end - first, region.loop);
	}
}

/* Loops in the order of their headers, so that a parent comes before its children. */
static void order_loops(struct forest *forest, const uint32_t *rpo, uint32_t reachable, struct hd_loops *out)
{
	uint32_t count = forest->loops.len, next = 0;
	uint32_t *at_header = HD_ARENA_NEW(forest->arena, uint32_t, forest->graph->nodes);
	uint32_t *renamed = HD_ARENA_NEW(forest->arena, uint32_t, count);
	out->loops = HD_ARENA_NEW(forest->arena, struct hd_loop, count);
	out->count = count;
	for (uint32_t i = 0; i < count; i++)
		at_header[forest->loops.data[i].header] = i + 1;
	for (uint32_t i = 0; i < reachable; i++) {
		uint32_t old = at_header[rpo[i]];
		if (!old)
			continue;
		renamed[old - 1] = next;
		out->loops[next++] = forest->loops.data[old - 1];
	}
	for (uint32_t i = 0; i < count; i++)
		if (out->loops[i].parent != HD_NO_NODE)
			out->loops[i].parent = renamed[out->loops[i].parent];
	for (uint32_t n = 0; n < forest->graph->nodes; n++)
		if (forest->loop_of[n] != HD_NO_NODE)
			forest->loop_of[n] = renamed[forest->loop_of[n]];
	out->loop_of = forest->loop_of;
}

void hd_graph_loops(const struct hd_graph *graph, const uint32_t *idom, struct hd_arena *arena, struct hd_loops *loops)
{
	struct forest forest = {.graph = graph, .idom = idom, .arena = arena};
	uint32_t *rpo, reachable = hd_graph_rpo(graph, arena, &rpo);
	hd_tarjan_init(&forest.tarjan, graph, arena);
	forest.start = HD_ARENA_NEW(arena, uint32_t, graph->nodes + 1);
	forest.loop_of = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	memset(forest.loop_of, 0xff, sizeof(*forest.loop_of) * graph->nodes);
	if (reachable)
		hd_vec_push(&forest.work, (struct region){rpo, reachable, HD_NO_NODE});
	while (forest.work.len) {
		struct region region = hd_vec_pop(&forest.work);
		decompose(&forest, region);
	}
	order_loops(&forest, rpo, reachable, loops);
	hd_vec_release(&forest.work);
	hd_vec_release(&forest.loops);
}
