/*
 * Whether a pipeline of copies to shared memory in bulk (TMA) has a copy in flight while its warps work. A thread
 * starts a copy, and threads wait for the barrier at which the copy completes. Each wait behind which the code starts
 * more copies is judged, and each wait in a loop. What counts is the work between it and the next wait. Work is an
 * access of memory, arithmetic of floating-point numbers, or a product. The order is that of each thread's code; of
 * copies that another thread starts, it is what that thread may do by then (roles.h). docs/gates.md lists what is
 * assumed.
 */
#ifndef HD_PASSES_ANALYSIS_COPIES_H
#define HD_PASSES_ANALYSIS_COPIES_H

#include "passes/analysis/flow.h"

/* Numbers of waits. A wait with no work before the next one is in none. */
struct hd_copies {
	uint32_t ahead;	   /* some of the work is done with a copy in flight for which the thread has not waited yet */
	uint32_t serial;   /* none is */
	uint32_t unproven; /* neither is proven */
};

bool hd_starts_bulk_load(const struct hd_inst *inst);

/* Of a function's own code. `elsewhere`: functions that it calls may start copies, so that nothing is proven. Linear in
 * the code: where it would take longer, all waits are unproven. Functions without waits or copies cost one look. */
struct hd_copies hd_flow_copies(const struct hd_flow *flow, bool elsewhere);

#endif
