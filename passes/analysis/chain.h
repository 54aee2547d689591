/*
 * The arithmetic of CARS's call graph analysis (cars-hpca24, III-A and Figure 4), apart from
 * where its numbers come from: heaviest chains and maxima over what is reachable.
 */
#ifndef HD_PASSES_ANALYSIS_CHAIN_H
#define HD_PASSES_ANALYSIS_CHAIN_H

#include "passes/graph/graph.h"

/* Components with more functions than this get an upper bound in place of the heaviest simple path. */
#define HD_CHAIN_EXACT 10

/* For each function the heaviest chain of calls that starts there: a piece inside its own component, then the rest. */
struct hd_chain {
	uint64_t *depth;  /* weight of the chain, the function's own included */
	uint32_t **piece; /* functions of the component on the chain, the function itself first */
	uint32_t *piece_count;
	uint32_t *next; /* first function after the piece, or HD_NO_NODE */
};

/*
 * A function of a cycle counts at most once along a chain (III-C: one iteration of the recursive
 * components). Ties go to the smaller id.
 */
void hd_chain_compute(struct hd_chain *chain, const struct hd_graph *calls, const uint32_t *weight,
		      struct hd_arena *arena);
/* The chain from `from` as a list in the arena; returns its length. */
uint32_t hd_chain_list(const struct hd_chain *chain, uint32_t from, struct hd_arena *arena, uint32_t **list);
/* For each function the largest value among itself and everything that it may call. */
uint32_t *hd_chain_reachable_max(const struct hd_graph *calls, const uint32_t *value, struct hd_arena *arena);

#endif
