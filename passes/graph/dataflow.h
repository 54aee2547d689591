/*
 * Data flow of bit sets over a graph: forwards or backwards, joined by union (what may hold) or intersection (what
 * must). A problem is what each node adds and ends; the solver finds the sets at the beginning and at the end of each
 * node, the least ones for unions and the greatest for intersections, which no order of visits changes.
 */
#ifndef HD_PASSES_GRAPH_DATAFLOW_H
#define HD_PASSES_GRAPH_DATAFLOW_H

#include "lib/bitset.h"
#include "passes/graph/graph.h"

/* Sets are rows of `words` words, those of all nodes one after the other. */
struct hd_dataflow {
	const struct hd_graph *graph;
	bool backward, must;
	uint32_t bits, words;
	uint64_t *adds, *ends; /* by node; what it both ends and adds is in the set behind it */
	uint64_t *boundary;    /* one row: what comes in at the entry or, backwards, at nodes without successors */
	uint64_t *before,
		*after; /* the solution, by node: at its beginning and at its end, whichever direction it flows in */
	const uint32_t *rpo; /* of the graph, for those who have it; NULL: the solver finds it */
	uint32_t rpo_count;
	struct hd_arena *arena;
};

/* A problem over sets of `bits` bits; no node adds or ends anything yet. All of it lives in the arena. */
void hd_dataflow_init(struct hd_dataflow *flow, const struct hd_graph *graph, uint32_t bits, bool backward, bool must,
		      struct hd_arena *arena);

/*
 * What a node makes of a set, for problems that are easier told as a walk over its instructions: each bit of the result
 * depends on the same bit of the set alone, and is there for a full set if it is for an empty one.
 */
typedef void (*hd_dataflow_step)(void *context, uint32_t node, struct hd_bitset *set);
/* Finds out what the nodes add and end: two steps each. */
void hd_dataflow_take(struct hd_dataflow *flow, hd_dataflow_step step, void *context);

/*
 * Solves it. Nodes are visited in reverse post-order (backwards: in its reverse) as long as something changes in front
 * of them: as often as loops are deep, in most programs. Nodes that the entry does not reach have solutions, too;
 * where nothing comes to them, sets are empty (union) or full (intersection).
 */
void hd_dataflow_solve(struct hd_dataflow *flow);

/* A node's row, as a set. */
static inline struct hd_bitset hd_dataflow_row(const struct hd_dataflow *flow, uint64_t *rows, uint32_t node)
{
	return (struct hd_bitset){rows + (size_t)node * flow->words, flow->bits};
}

#endif
