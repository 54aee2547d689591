/*
 * Lanes that wait out of the SIMT stack's order.
 */
#ifndef HD_PASSES_ANALYSIS_YIELDS_H
#define HD_PASSES_ANALYSIS_YIELDS_H

#include "passes/analysis/flow.h"
#include "passes/unit.h"

/* Of a function: blocks that some lanes of a warp may run while others are at any of them, or elsewhere; and what lanes
 * may need that are. */
struct hd_yields {
	struct hd_bitset blocks;
	struct hd_regset needs;
};

/*
 * Of each function, in order of hd_object.functions. `uniform`, of each function: branches that send all lanes on one
 * path. Everything lives in the arena.
 */
struct hd_yields *hd_yields_find(const struct hd_object *object, const struct hd_flow *flows,
				 const struct hd_callgraph *calls, const struct hd_bitset *uniform,
				 struct hd_arena *arena);

#endif
