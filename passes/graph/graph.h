/*
 * Graph algorithms over dense node ids: LLVM's C API has none.
 * All results live in the arena that is passed in.
 */
#ifndef HD_PASSES_GRAPH_GRAPH_H
#define HD_PASSES_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"

#define HD_NO_NODE 0xffffffffu

/* A directed graph in compressed rows: successors of n are succ[succ_start[n] .. succ_start[n+1]). */
struct hd_graph {
	uint32_t nodes, edges, entry;
	uint32_t *succ_start, *succ;
	uint32_t *pred_start, *pred;
};

struct hd_edge {
	uint32_t from, to;
};

/* Builds it from an edge list; duplicates are kept, order within a row follows the list. */
void hd_graph_build(struct hd_graph *graph, struct hd_arena *arena, uint32_t nodes, uint32_t entry,
		    const struct hd_edge *edges, uint32_t edge_count);

/* Reverse post-order from the entry; unreachable nodes are not in it. Returns the count. rpo has `nodes` entries. */
uint32_t hd_graph_rpo(const struct hd_graph *graph, struct hd_arena *arena, uint32_t **rpo);

/* Immediate dominators (idom[entry] = entry; HD_NO_NODE for unreachable). Near linear, see dominators.c. */
uint32_t *hd_graph_dominators(const struct hd_graph *graph, struct hd_arena *arena);
/* Both work on dominator and post-dominator trees alike; a node without a parent is a root of depth 0. */
bool hd_dominates(const uint32_t *idom, const uint32_t *depth, uint32_t a, uint32_t b);
uint32_t *hd_dominator_depths(const uint32_t *idom, uint32_t nodes, struct hd_arena *arena);
/* The same in constant time, for those that ask often: where each node and those below it are in a walk through the
 * tree. */
struct hd_below {
	uint32_t first, count;
};
struct hd_below *hd_dominator_walk(const uint32_t *idom, uint32_t nodes, struct hd_arena *arena);
static inline bool hd_is_below(const struct hd_below *walk, uint32_t a, uint32_t b) /* a dominates b */
{
	return walk[b].first - walk[a].first < walk[a].count;
}

/*
 * Immediate post-dominators: exits are joined by a virtual exit; HD_NO_NODE where that virtual exit is the
 * post-dominator. Nodes that reach no exit (infinite loops) are given an edge to the virtual exit at one node
 * of each such region, so that every node has an answer.
 */
uint32_t *hd_graph_post_dominators(const struct hd_graph *graph, struct hd_arena *arena);

/* What the end of a block means for a lane that comes there. */
enum hd_lane_end {
	HD_LANES_RETURN,   /* it goes on, in another block or behind the call */
	HD_LANES_END,	   /* it ends */
	HD_LANES_ONLY_END, /* it ends, and nothing that others see happens in the block */
};

/*
 * By block, where the lanes of a warp reconverge behind its branch, HD_NO_NODE where they do not; `ends` has an enum
 * hd_lane_end for each block. Block 0 is the entry. `chosen` (may be NULL): whether for some loop
 * one of several edges to ends was chosen as its exit. See reconvergence.c.
 */
uint32_t *hd_graph_reconvergence_points(uint32_t blocks, const struct hd_edge *edges, uint32_t count,
					const uint8_t *ends, struct hd_arena *arena, bool *chosen);

/* Natural loops, outer before inner, by header in RPO (irreducible regions are reported as loops headed by their first
 * node in RPO). */
struct hd_loop {
	uint32_t header, parent; /* parent: index of the enclosing loop or HD_NO_NODE */
	uint32_t depth;		 /* 1 for outermost */
	uint32_t *nodes;	 /* header first, in RPO; includes nested loops' nodes */
	uint32_t node_count;
	bool irreducible;
};
struct hd_loops {
	struct hd_loop *loops;
	uint32_t count;
	uint32_t *loop_of; /* innermost loop of each node, or HD_NO_NODE */
};
void hd_graph_loops(const struct hd_graph *graph, const uint32_t *idom, struct hd_arena *arena, struct hd_loops *loops);

/* Strongly connected components in reverse topological order (callees before callers). component[n] = index. Returns
 * the count. */
uint32_t hd_graph_components(const struct hd_graph *graph, struct hd_arena *arena, uint32_t **component);

#endif
