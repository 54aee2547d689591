/*
 * Whether a pipeline of copies in bulk (TMA) has something under way while its warps work. A thread tells a barrier in
 * shared memory to expect bytes, starts the copy, and later threads wait for the barrier. Judged is each wait behind
 * which the code starts more copies, by the work between it and the next wait: accesses of memory, arithmetic of
 * floating-point numbers, products.
 */
#ifndef HD_PASSES_ANALYSIS_COPIES_H
#define HD_PASSES_ANALYSIS_COPIES_H

#include "passes/analysis/flow.h"

/* Numbers of waits. Those behind which there is no work before the next wait are in none. */
struct hd_copies {
	uint32_t ahead;	   /* some of the work is done with a copy under way for which nobody has waited yet */
	uint32_t serial;   /* none is */
	uint32_t unproven; /* neither is proven */
};

/* Of a function's own code. Cost: quadratic in its waits and copies, else near linear. */
struct hd_copies hd_flow_copies(const struct hd_flow *flow);

#endif
