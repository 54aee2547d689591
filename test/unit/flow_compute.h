/* What the passes compute for a program's functions together (program_flow.c), for one function alone. */
#ifndef HD_TEST_UNIT_FLOW_COMPUTE_H
#define HD_TEST_UNIT_FLOW_COMPUTE_H

#include "passes/analysis/flow.h"

/* `facts` may be NULL. `function` must be one that hd_object_verify accepts. */
void flow_compute(struct hd_flow *flow, const struct hd_function *function, const struct hd_abi *abi,
		  const struct hd_flow_facts *facts, struct hd_arena *arena);

#endif
