/*
 * Lanes that wait out of the SIMT stack's order.
 */
#ifndef HD_PASSES_ANALYSIS_YIELDS_H
#define HD_PASSES_ANALYSIS_YIELDS_H

#include "passes/analysis/flow.h"
#include "passes/unit.h"

/*
 * Adds to `waiting` of each function, in order of hd_object.functions, what lanes may need that wait anywhere in the
 * code that runs with it, and sets `yields`, where a path of the warp may make way for another. `uniform`, of each
 * function: branches that send all lanes on one path.
 */
void hd_yields_add(const struct hd_object *object, const struct hd_flow *flows, const struct hd_callgraph *calls,
		   const struct hd_bitset *uniform, struct hd_regset *waiting, bool *yields);

#endif
