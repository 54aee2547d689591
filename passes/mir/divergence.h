/*
 * What the lanes of a warp have in common, in machine IR out of SSA.
 */
#ifndef HD_PASSES_MIR_DIVERGENCE_H
#define HD_PASSES_MIR_DIVERGENCE_H

#include "lib/bitset.h"
#include "passes/mir/live.h"

struct hd_mir_uniformity {
	struct hd_bitset divergent; /* by word of hd_live: lanes may have different values in it */
	struct hd_bitset apart;	    /* by block: some lanes of the warp may be elsewhere meanwhile */
};

/* Of a kernel; `live` numbers its words. False: where its lanes reconverge may
 * depend on the shape that the code gets later (hd_mfunc_reconvergence_points), or on what one waits for in a loop
 * until another of the warp does it, which then runs ahead; nothing is known. */
bool hd_mfunc_uniformity(struct hd_mfunc *func, const struct hd_live *live, struct hd_arena *arena,
			 struct hd_mir_uniformity *result);

/* Whether lanes that are together run ahead of one another only between a branch and where it reconverges: nothing in
 * the function is waited for in a loop, or at an operation among lanes. */
bool hd_mfunc_stays_together(const struct hd_mfunc *func);

#endif
