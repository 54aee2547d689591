/*
 * Dominators and post-dominators by semi-dominators and nearest common ancestors (Georgiadis'
 * Semi-NCA). The simpler iterative scheme of Cooper, Harvey and Kennedy walks the whole tree
 * for each exit of a long chain of early returns; this one stays near linear there.
 * Post-dominators give each divergent branch its reconvergence point.
 */
#include "passes/graph/graph.h"

#include <string.h>

/* All arrays but `number` are indexed by depth-first number. */
struct semi_nca {
	const struct hd_graph *graph;
	uint32_t *number;   /* of each node; HD_NO_NODE: unreachable */
	uint32_t *node;	    /* of each number */
	uint32_t *parent;   /* in the depth-first tree */
	uint32_t *ancestor; /* `parent` with paths compressed */
	uint32_t *semi, *label, *idom;
	uint32_t *stack;
	uint32_t count;
};

static void semi_nca_init(struct semi_nca *state, const struct hd_graph *graph, struct hd_arena *arena)
{
	uint32_t **const arrays[] = {&state->number, &state->node,  &state->parent, &state->ancestor,
				     &state->semi,   &state->label, &state->idom,   &state->stack};
	*state = (struct semi_nca){.graph = graph};
	for (unsigned i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		*arrays[i] = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	for (uint32_t n = 0; n < graph->nodes; n++)
		state->number[n] = HD_NO_NODE;
}

static void discover(struct semi_nca *state, uint32_t node, uint32_t parent)
{
	uint32_t number = state->count++;
	state->number[node] = number;
	state->node[number] = node;
	state->parent[number] = state->ancestor[number] = state->idom[number] = parent;
	state->semi[number] = state->label[number] = number;
}

/* Preorder numbers, with an explicit stack. */
static void number_nodes(struct semi_nca *state, struct hd_arena *arena)
{
	const struct hd_graph *graph = state->graph;
	uint32_t *cursor = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	uint32_t depth = 0;
	memcpy(cursor, graph->succ_start, sizeof(*cursor) * graph->nodes);
	discover(state, graph->entry, 0);
	state->stack[depth++] = graph->entry;
	while (depth) {
		uint32_t node = state->stack[depth - 1];
		if (cursor[node] == graph->succ_start[node + 1]) {
			depth--;
			continue;
		}
		uint32_t next = graph->succ[cursor[node]++];
		if (state->number[next] == HD_NO_NODE) {
			discover(state, next, state->number[node]);
			state->stack[depth++] = next;
		}
	}
}

/*
 * The smallest semi-dominator on the tree path from v up to the last vertex above `limit`
 * (vertices after `limit` are done). Compresses that path.
 */
static uint32_t evaluate(struct semi_nca *state, uint32_t v, uint32_t limit)
{
	uint32_t depth = 0;
	if (v <= limit)
		return v;
	for (uint32_t u = v; state->ancestor[u] > limit; u = state->ancestor[u])
		state->stack[depth++] = u;
	while (depth) {
		uint32_t u = state->stack[--depth], above = state->ancestor[u];
		if (state->semi[state->label[above]] < state->semi[state->label[u]])
			state->label[u] = state->label[above];
		state->ancestor[u] = state->ancestor[above];
	}
	return state->semi[state->label[v]];
}

static void find_semi_dominators(struct semi_nca *state)
{
	const struct hd_graph *graph = state->graph;
	for (uint32_t w = state->count; w-- > 1;) {
		uint32_t node = state->node[w], semi = state->parent[w];
		for (uint32_t e = graph->pred_start[node]; e < graph->pred_start[node + 1]; e++) {
			uint32_t v = state->number[graph->pred[e]];
			if (v == HD_NO_NODE)
				continue;
			uint32_t candidate = evaluate(state, v, w);
			if (candidate < semi)
				semi = candidate;
		}
		state->semi[w] = semi;
	}
}

uint32_t *hd_graph_dominators(const struct hd_graph *graph, struct hd_arena *arena)
{
	uint32_t *result = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	memset(result, 0xff, sizeof(*result) * graph->nodes);
	if (graph->entry >= graph->nodes)
		return result;
	struct semi_nca state;
	semi_nca_init(&state, graph, arena);
	number_nodes(&state, arena);
	find_semi_dominators(&state);
	for (uint32_t w = 1; w < state.count; w++)
		while (state.idom[w] > state.semi[w])
			state.idom[w] = state.idom[state.idom[w]];
	for (uint32_t w = 0; w < state.count; w++)
		result[state.node[w]] = state.node[state.idom[w]];
	return result;
}

/* Roots are nodes that are their own parent or have none, so that both kinds of tree have depths. */
static bool is_root(const uint32_t *idom, uint32_t node)
{
	return idom[node] == node || idom[node] == HD_NO_NODE;
}

uint32_t *hd_dominator_depths(const uint32_t *idom, uint32_t nodes, struct hd_arena *arena)
{
	uint32_t *depth = HD_ARENA_NEW(arena, uint32_t, nodes);
	uint32_t *path = HD_ARENA_NEW(arena, uint32_t, nodes);
	for (uint32_t n = 0; n < nodes; n++)
		depth[n] = is_root(idom, n) ? 0 : HD_NO_NODE;
	for (uint32_t n = 0; n < nodes; n++) {
		uint32_t len = 0, node = n;
		for (; depth[node] == HD_NO_NODE; node = idom[node])
			path[len++] = node;
		for (uint32_t below = depth[node]; len;)
			depth[path[--len]] = ++below;
	}
	return depth;
}

bool hd_dominates(const uint32_t *idom, const uint32_t *depth, uint32_t a, uint32_t b)
{
	while (depth[b] > depth[a])
		b = idom[b];
	return a == b;
}

struct hd_below *hd_dominator_walk(const uint32_t *idom, uint32_t nodes, struct hd_arena *arena)
{
	struct hd_below *walk = HD_ARENA_NEW(arena, struct hd_below, nodes + 1);
	uint32_t *depth = hd_dominator_depths(idom, nodes, arena), *start = HD_ARENA_NEW(arena, uint32_t, nodes + 1);
	uint32_t *order = HD_ARENA_NEW(arena, uint32_t, nodes + 1), *next = HD_ARENA_NEW(arena, uint32_t, nodes + 1),
		 roots = 0;
	for (uint32_t n = 0; n < nodes; n++)
		start[depth[n] + 1]++;
	for (uint32_t n = 0; n < nodes; n++)
		start[n + 1] += start[n];
	for (uint32_t n = 0; n < nodes; n++)
		order[start[depth[n]]++] = n;
	for (uint32_t i = nodes; i-- > 0;) {
		uint32_t node = order[i];
		walk[node].count++;
		if (!is_root(idom, node))
			walk[idom[node]].count += walk[node].count;
	}
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t node = order[i], *place = is_root(idom, node) ? &roots : &next[idom[node]];
		walk[node].first = *place;
		*place += walk[node].count;
		next[node] = walk[node].first + 1;
	}
	return walk;
}

/* Position of each node in a depth-first post-order of the whole graph, the entry's part first. */
static uint32_t *post_order(const struct hd_graph *graph, struct hd_arena *arena)
{
	uint32_t *position = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	uint32_t *path = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	uint32_t *cursor = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	bool *seen = HD_ARENA_NEW(arena, bool, graph->nodes);
	uint32_t finished = 0;
	memcpy(cursor, graph->succ_start, sizeof(*cursor) * graph->nodes);
	for (uint32_t i = 0; i <= graph->nodes; i++) {
		uint32_t depth = 0, root = i ? i - 1 : graph->entry;
		if (root < graph->nodes && !seen[root]) {
			seen[root] = true;
			path[depth++] = root;
		}
		while (depth) {
			uint32_t node = path[depth - 1];
			if (cursor[node] == graph->succ_start[node + 1]) {
				position[node] = finished++;
				depth--;
				continue;
			}
			uint32_t next = graph->succ[cursor[node]++];
			if (!seen[next]) {
				seen[next] = true;
				path[depth++] = next;
			}
		}
	}
	return position;
}

/*
 * The nodes with an edge to the virtual exit: one for each component that no edge leaves. In
 * an endless loop it is the first in post-order, a latch, so that branches inside the loop
 * reconverge before its next iteration.
 */
static uint32_t find_exits(const struct hd_graph *graph, struct hd_arena *arena, uint32_t *exits)
{
	uint32_t *component, *position = post_order(graph, arena), found = 0;
	uint32_t count = hd_graph_components(graph, arena, &component);
	uint32_t *chosen = HD_ARENA_NEW(arena, uint32_t, count);
	bool *leaves = HD_ARENA_NEW(arena, bool, count);
	memset(chosen, 0xff, sizeof(*chosen) * count);
	for (uint32_t n = 0; n < graph->nodes; n++) {
		uint32_t c = component[n];
		if (chosen[c] == HD_NO_NODE || position[n] < position[chosen[c]])
			chosen[c] = n;
		for (uint32_t e = graph->succ_start[n]; e < graph->succ_start[n + 1]; e++)
			leaves[c] |= component[graph->succ[e]] != c;
	}
	for (uint32_t c = 0; c < count; c++)
		if (!leaves[c])
			exits[found++] = chosen[c];
	return found;
}

uint32_t *hd_graph_post_dominators(const struct hd_graph *graph, struct hd_arena *arena)
{
	uint32_t *exits = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	uint32_t exit_count = find_exits(graph, arena, exits), edges = 0, virtual_exit = graph->nodes;
	struct hd_edge *list = HD_ARENA_NEW(arena, struct hd_edge, graph->edges + exit_count);
	for (uint32_t i = 0; i < exit_count; i++)
		list[edges++] = (struct hd_edge){virtual_exit, exits[i]};
	for (uint32_t n = 0; n < graph->nodes; n++)
		for (uint32_t e = graph->succ_start[n]; e < graph->succ_start[n + 1]; e++)
			list[edges++] = (struct hd_edge){graph->succ[e], n};
	struct hd_graph reverse;
	hd_graph_build(&reverse, arena, graph->nodes + 1, virtual_exit, list, edges);
	uint32_t *idom = hd_graph_dominators(&reverse, arena);
	for (uint32_t n = 0; n < graph->nodes; n++)
		if (idom[n] == virtual_exit)
			idom[n] = HD_NO_NODE;
	return idom;
}
