/*
 * Where the lanes of a warp reconverge behind a divergent branch: its immediate post-dominator in the graph without the
 * paths on which lanes only end. Lanes that exit leave every entry of the SIMT stack (runtime/exec/simt.c), and a trap
 * ends the kernel, so that the others need not wait for them; were those paths counted, an early return inside an if
 * would make the rest of the kernel run once for each side.
 *
 * An edge from a block with other successors is left out when it leads to
 *   - a block in which nothing but an end happens; or
 *   - blocks that no other edge leads to, and from which every path ends: an early return with something to do first,
 *     or a loop without an end.
 * Where all of a block's edges are of these kinds they stay: its lanes part for good. A loop has to keep an exit, or
 * the lanes that leave it would not gather behind it: from its latches or its first block, rather one behind which
 * there is something to do, else one that every iteration passes, else all.
 *
 * Takes the graph's edges and what each block's end is; near linear.
 */
#include <string.h>

#include "lib/vec.h"
#include "passes/graph/graph.h"

struct convergence {
	struct hd_arena *arena;
	const uint8_t *ends; /* enum hd_lane_end, by block */
	const struct hd_edge *edges;
	uint32_t count;
	struct hd_graph graph; /* with all edges */
	uint32_t *idom, *depth, *rpo, rpo_count;
	uint32_t *position; /* in rpo, by block */
	uint32_t
		*reach; /* by block: the least depth of a block whose part of the dominator tree is not left below it */
	bool *dropped;	/* by edge */
};

/* What dominates another comes before it: without this, many edges from deep down to one block far up would be climbed.
 */
static bool dominates(const struct convergence *convergence, uint32_t a, uint32_t b)
{
	return convergence->position[a] <= convergence->position[b] &&
	       hd_dominates(convergence->idom, convergence->depth, a, b);
}

static bool is_reached(const struct convergence *convergence, uint32_t block)
{
	return convergence->idom[block] != HD_NO_NODE;
}

/* ---- paths that only end */

static void lower(uint32_t *depth, uint32_t to)
{
	*depth = to < *depth ? to : *depth;
}

/* How far up the dominator tree the edges go that leave each block's part of it; ends of lanes are no edges. */
static void find_reach(struct convergence *convergence)
{
	const struct hd_graph *graph = &convergence->graph;
	convergence->reach = HD_ARENA_NEW(convergence->arena, uint32_t, graph->nodes);
	memset(convergence->reach, 0xff, sizeof(*convergence->reach) * graph->nodes);
	for (uint32_t i = convergence->rpo_count; i-- > 0;) {
		uint32_t from = convergence->rpo[i];
		uint32_t *reach = &convergence->reach[from];
		if (graph->succ_start[from] == graph->succ_start[from + 1] &&
		    convergence->ends[from] == HD_LANES_RETURN)
			*reach = 0;
		for (uint32_t e = graph->succ_start[from]; e < graph->succ_start[from + 1]; e++) {
			uint32_t to = graph->succ[e];
			if (convergence->ends[to] != HD_LANES_ONLY_END)
				lower(reach,
				      convergence
					      ->depth[dominates(convergence, to, from) ? to : convergence->idom[to]]);
		}
		if (convergence->idom[from] != from)
			lower(&convergence->reach[convergence->idom[from]], *reach);
	}
}

/* Whether only the edge from `from` leads to `to`, and every path from there ends without joining another. */
static bool is_private_end(const struct convergence *convergence, uint32_t from, uint32_t to)
{
	const struct hd_graph *graph = &convergence->graph;
	if (convergence->idom[to] != from || to == graph->entry || convergence->reach[to] < convergence->depth[to])
		return false;
	for (uint32_t e = graph->pred_start[to]; e < graph->pred_start[to + 1]; e++) {
		uint32_t pred = graph->pred[e];
		if (pred != from && is_reached(convergence, pred) && !dominates(convergence, to, pred))
			return false;
	}
	return true;
}

static bool only_ends(const struct convergence *convergence, const struct hd_edge *edge)
{
	return convergence->ends[edge->to] == HD_LANES_ONLY_END || is_private_end(convergence, edge->from, edge->to);
}

/* Whether any edge is left out. */
static bool drop_ends(struct convergence *convergence)
{
	bool *goes_on = HD_ARENA_NEW(convergence->arena, bool, convergence->graph.nodes), any = false;
	convergence->dropped = HD_ARENA_NEW(convergence->arena, bool, convergence->count);
	for (uint32_t i = 0; i < convergence->count; i++) {
		const struct hd_edge *edge = &convergence->edges[i];
		convergence->dropped[i] = is_reached(convergence, edge->from) && only_ends(convergence, edge);
		goes_on[edge->from] |= !convergence->dropped[i];
	}
	for (uint32_t i = 0; i < convergence->count; i++) {
		convergence->dropped[i] &= goes_on[convergence->edges[i].from];
		any |= convergence->dropped[i];
	}
	return any;
}

/* ---- loops keep an exit */

static void build_kept(const struct convergence *convergence, struct hd_graph *kept)
{
	HD_VEC(struct hd_edge) edges = {0};
	for (uint32_t i = 0; i < convergence->count; i++)
		if (!convergence->dropped[i])
			hd_vec_push(&edges, convergence->edges[i]);
	hd_graph_build(kept, convergence->arena, convergence->graph.nodes, convergence->graph.entry, edges.data,
		       edges.len);
	hd_vec_release(&edges);
}

/* A component of the kept graph that no kept edge leaves, though dropped ones do. */
struct endless {
	bool stuck;
	uint32_t header; /* its first block in reverse post-order */
	uint32_t rank;	 /* of the best dropped edge */
	uint32_t exits;	 /* dropped edges */
};

/* How likely the loop's own test is there: the less the likelier. Loops come with their tests at the end, mostly. */
enum { AT_LATCH, AT_HEADER, NOTHING_BEHIND, IN_EACH_ITERATION = 2 * NOTHING_BEHIND, ELSEWHERE, NO_RANK };

static uint32_t rank_of(const struct convergence *convergence, const struct hd_graph *kept, const uint32_t *component,
			const struct endless *loop, const struct hd_edge *edge)
{
	uint32_t from = edge->from;
	uint32_t behind = convergence->ends[edge->to] == HD_LANES_ONLY_END ? NOTHING_BEHIND : 0;
	bool latch = false, each = true;
	for (uint32_t e = kept->pred_start[loop->header]; e < kept->pred_start[loop->header + 1]; e++) {
		uint32_t pred = kept->pred[e];
		if (component[pred] != component[from])
			continue;
		latch |= pred == from;
		each &= dominates(convergence, from, pred);
	}
	if (latch || from == loop->header)
		return (latch ? AT_LATCH : AT_HEADER) + behind;
	return each ? IN_EACH_ITERATION : ELSEWHERE;
}

static void find_endless(const struct convergence *convergence, const struct hd_graph *kept, const uint32_t *component,
			 uint32_t count, struct endless *loops)
{
	const struct hd_graph *graph = &convergence->graph;
	for (uint32_t c = 0; c < count; c++)
		loops[c] = (struct endless){true, HD_NO_NODE, NO_RANK, 0};
	for (uint32_t i = convergence->rpo_count; i-- > 0;) {
		uint32_t block = convergence->rpo[i];
		struct endless *loop = &loops[component[block]];
		loop->header = block;
		loop->stuck &= graph->succ_start[block] < graph->succ_start[block + 1];
		for (uint32_t e = kept->succ_start[block]; e < kept->succ_start[block + 1]; e++)
			loop->stuck &= component[kept->succ[e]] == component[block];
	}
}

/* Whether there was a choice. */
static bool keep_exits(struct convergence *convergence)
{
	struct hd_graph kept;
	build_kept(convergence, &kept);
	uint32_t *component, count = hd_graph_components(&kept, convergence->arena, &component);
	struct endless *loops = HD_ARENA_NEW(convergence->arena, struct endless, count);
	uint32_t *ranks = HD_ARENA_NEW(convergence->arena, uint32_t, convergence->count);
	bool chosen = false;
	find_endless(convergence, &kept, component, count, loops);
	for (uint32_t i = 0; i < convergence->count; i++) {
		struct endless *loop = &loops[component[convergence->edges[i].from]];
		if (!convergence->dropped[i] || !loop->stuck)
			continue;
		ranks[i] = rank_of(convergence, &kept, component, loop, &convergence->edges[i]);
		lower(&loop->rank, ranks[i]);
		chosen |= ++loop->exits > 1;
	}
	for (uint32_t i = 0; i < convergence->count; i++) {
		const struct endless *loop = &loops[component[convergence->edges[i].from]];
		convergence->dropped[i] &= !loop->stuck || ranks[i] != loop->rank;
	}
	return chosen;
}

uint32_t *hd_graph_reconvergence_points(uint32_t blocks, const struct hd_edge *edges, uint32_t count,
					const uint8_t *ends, struct hd_arena *arena, bool *chosen)
{
	struct convergence convergence = {.arena = arena, .ends = ends, .edges = edges, .count = count};
	struct hd_graph kept;
	hd_graph_build(&convergence.graph, arena, blocks, 0, edges, count);
	convergence.idom = hd_graph_dominators(&convergence.graph, arena);
	convergence.depth = hd_dominator_depths(convergence.idom, blocks, arena);
	convergence.rpo_count = hd_graph_rpo(&convergence.graph, arena, &convergence.rpo);
	convergence.position = HD_ARENA_NEW(arena, uint32_t, blocks);
	for (uint32_t i = 0; i < convergence.rpo_count; i++)
		convergence.position[convergence.rpo[i]] = i;
	find_reach(&convergence);
	if (chosen)
		*chosen = false;
	if (!drop_ends(&convergence))
		return hd_graph_post_dominators(&convergence.graph, arena);
	bool choice = keep_exits(&convergence);
	if (chosen)
		*chosen = choice;
	build_kept(&convergence, &kept);
	return hd_graph_post_dominators(&kept, arena);
}
