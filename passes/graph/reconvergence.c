/*
 * Where the lanes of a warp meet again behind a divergent branch: its immediate post-dominator in the graph without the
 * ways on which lanes only end. Lanes that exit leave every entry of the SIMT stack (runtime/exec/simt.c), and a trap
 * ends the kernel, so that the others need not wait for them; were those ways counted, an early return inside an if
 * would make the rest of the kernel run once for each side.
 *
 * A way from a block with other ways is left out when it leads to
 *   - a block in which nothing but an end happens; or
 *   - blocks that no other way leads to, and from which every way ends: an early return with something to do first,
 *     or a loop without an end.
 * Where all of a block's ways are of these kinds they stay: its lanes part for good. A loop has to keep a way out, or
 * the lanes that leave it would not gather behind it: from its latches or its first block, rather one behind which
 * there is something to do, else one that every iteration passes, else all.
 *
 * Takes the graph's edges and what each block's end is; near linear.
 */
#include <string.h>

#include "lib/vec.h"
#include "passes/graph/graph.h"

struct meeting {
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

/* What dominates another comes before it: without this, many ways from deep down to one block far up would be climbed.
 */
static bool dominates(const struct meeting *meeting, uint32_t a, uint32_t b)
{
	return meeting->position[a] <= meeting->position[b] && hd_dominates(meeting->idom, meeting->depth, a, b);
}

static bool is_reached(const struct meeting *meeting, uint32_t block)
{
	return meeting->idom[block] != HD_NO_NODE;
}

/* ---- ways that only end */

static void lower(uint32_t *depth, uint32_t to)
{
	*depth = to < *depth ? to : *depth;
}

/* How far up the dominator tree ways out of each block's part of it go; ends of lanes are no ways out. */
static void find_reach(struct meeting *meeting)
{
	const struct hd_graph *graph = &meeting->graph;
	meeting->reach = HD_ARENA_NEW(meeting->arena, uint32_t, graph->nodes);
	memset(meeting->reach, 0xff, sizeof(*meeting->reach) * graph->nodes);
	for (uint32_t i = meeting->rpo_count; i-- > 0;) {
		uint32_t from = meeting->rpo[i];
		uint32_t *reach = &meeting->reach[from];
		if (graph->succ_start[from] == graph->succ_start[from + 1] && meeting->ends[from] == HD_LANES_RETURN)
			*reach = 0;
		for (uint32_t e = graph->succ_start[from]; e < graph->succ_start[from + 1]; e++) {
			uint32_t to = graph->succ[e];
			if (meeting->ends[to] != HD_LANES_ONLY_END)
				lower(reach, meeting->depth[dominates(meeting, to, from) ? to : meeting->idom[to]]);
		}
		if (meeting->idom[from] != from)
			lower(&meeting->reach[meeting->idom[from]], *reach);
	}
}

/* Whether only the way from `from` leads to `to`, and every way from there ends without meeting another. */
static bool is_private_end(const struct meeting *meeting, uint32_t from, uint32_t to)
{
	const struct hd_graph *graph = &meeting->graph;
	if (meeting->idom[to] != from || to == graph->entry || meeting->reach[to] < meeting->depth[to])
		return false;
	for (uint32_t e = graph->pred_start[to]; e < graph->pred_start[to + 1]; e++) {
		uint32_t pred = graph->pred[e];
		if (pred != from && is_reached(meeting, pred) && !dominates(meeting, to, pred))
			return false;
	}
	return true;
}

static bool only_ends(const struct meeting *meeting, const struct hd_edge *edge)
{
	return meeting->ends[edge->to] == HD_LANES_ONLY_END || is_private_end(meeting, edge->from, edge->to);
}

/* Whether any way is left out. */
static bool drop_ends(struct meeting *meeting)
{
	bool *goes_on = HD_ARENA_NEW(meeting->arena, bool, meeting->graph.nodes), any = false;
	meeting->dropped = HD_ARENA_NEW(meeting->arena, bool, meeting->count);
	for (uint32_t i = 0; i < meeting->count; i++) {
		const struct hd_edge *edge = &meeting->edges[i];
		meeting->dropped[i] = is_reached(meeting, edge->from) && only_ends(meeting, edge);
		goes_on[edge->from] |= !meeting->dropped[i];
	}
	for (uint32_t i = 0; i < meeting->count; i++) {
		meeting->dropped[i] &= goes_on[meeting->edges[i].from];
		any |= meeting->dropped[i];
	}
	return any;
}

/* ---- loops keep a way out */

static void build_kept(const struct meeting *meeting, struct hd_graph *kept)
{
	HD_VEC(struct hd_edge) edges = {0};
	for (uint32_t i = 0; i < meeting->count; i++)
		if (!meeting->dropped[i])
			hd_vec_push(&edges, meeting->edges[i]);
	hd_graph_build(kept, meeting->arena, meeting->graph.nodes, meeting->graph.entry, edges.data, edges.len);
	hd_vec_release(&edges);
}

/* A component of the kept graph that no kept edge leaves, though dropped ones do. */
struct endless {
	bool stuck;
	uint32_t header; /* its first block in reverse post-order */
	uint32_t rank;	 /* of the best dropped edge */
	uint32_t ways;	 /* dropped edges */
};

/* How likely the loop's own test is there: the less the likelier. Loops come with their tests at the end, mostly. */
enum { AT_LATCH, AT_HEADER, NOTHING_BEHIND, IN_EACH_ITERATION = 2 * NOTHING_BEHIND, ELSEWHERE, NO_RANK };

static uint32_t rank_of(const struct meeting *meeting, const struct hd_graph *kept, const uint32_t *component,
			const struct endless *loop, const struct hd_edge *way)
{
	uint32_t from = way->from;
	uint32_t behind = meeting->ends[way->to] == HD_LANES_ONLY_END ? NOTHING_BEHIND : 0;
	bool latch = false, each = true;
	for (uint32_t e = kept->pred_start[loop->header]; e < kept->pred_start[loop->header + 1]; e++) {
		uint32_t pred = kept->pred[e];
		if (component[pred] != component[from])
			continue;
		latch |= pred == from;
		each &= dominates(meeting, from, pred);
	}
	if (latch || from == loop->header)
		return (latch ? AT_LATCH : AT_HEADER) + behind;
	return each ? IN_EACH_ITERATION : ELSEWHERE;
}

static void find_endless(const struct meeting *meeting, const struct hd_graph *kept, const uint32_t *component,
			 uint32_t count, struct endless *loops)
{
	const struct hd_graph *graph = &meeting->graph;
	for (uint32_t c = 0; c < count; c++)
		loops[c] = (struct endless){true, HD_NO_NODE, NO_RANK, 0};
	for (uint32_t i = meeting->rpo_count; i-- > 0;) {
		uint32_t block = meeting->rpo[i];
		struct endless *loop = &loops[component[block]];
		loop->header = block;
		loop->stuck &= graph->succ_start[block] < graph->succ_start[block + 1];
		for (uint32_t e = kept->succ_start[block]; e < kept->succ_start[block + 1]; e++)
			loop->stuck &= component[kept->succ[e]] == component[block];
	}
}

/* Whether there was a choice. */
static bool keep_ways_out(struct meeting *meeting)
{
	struct hd_graph kept;
	build_kept(meeting, &kept);
	uint32_t *component, count = hd_graph_components(&kept, meeting->arena, &component);
	struct endless *loops = HD_ARENA_NEW(meeting->arena, struct endless, count);
	uint32_t *ranks = HD_ARENA_NEW(meeting->arena, uint32_t, meeting->count);
	bool chosen = false;
	find_endless(meeting, &kept, component, count, loops);
	for (uint32_t i = 0; i < meeting->count; i++) {
		struct endless *loop = &loops[component[meeting->edges[i].from]];
		if (!meeting->dropped[i] || !loop->stuck)
			continue;
		ranks[i] = rank_of(meeting, &kept, component, loop, &meeting->edges[i]);
		lower(&loop->rank, ranks[i]);
		chosen |= ++loop->ways > 1;
	}
	for (uint32_t i = 0; i < meeting->count; i++) {
		const struct endless *loop = &loops[component[meeting->edges[i].from]];
		meeting->dropped[i] &= !loop->stuck || ranks[i] != loop->rank;
	}
	return chosen;
}

uint32_t *hd_graph_meeting_points(uint32_t blocks, const struct hd_edge *edges, uint32_t count, const uint8_t *ends,
				  struct hd_arena *arena, bool *chosen)
{
	struct meeting meeting = {.arena = arena, .ends = ends, .edges = edges, .count = count};
	struct hd_graph kept;
	hd_graph_build(&meeting.graph, arena, blocks, 0, edges, count);
	meeting.idom = hd_graph_dominators(&meeting.graph, arena);
	meeting.depth = hd_dominator_depths(meeting.idom, blocks, arena);
	meeting.rpo_count = hd_graph_rpo(&meeting.graph, arena, &meeting.rpo);
	meeting.position = HD_ARENA_NEW(arena, uint32_t, blocks);
	for (uint32_t i = 0; i < meeting.rpo_count; i++)
		meeting.position[meeting.rpo[i]] = i;
	find_reach(&meeting);
	if (chosen)
		*chosen = false;
	if (!drop_ends(&meeting))
		return hd_graph_post_dominators(&meeting.graph, arena);
	bool choice = keep_ways_out(&meeting);
	if (chosen)
		*chosen = choice;
	build_kept(&meeting, &kept);
	return hd_graph_post_dominators(&kept, arena);
}
