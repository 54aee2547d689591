#include "flow_compute.h"

void flow_compute(struct hd_flow *flow, const struct hd_function *function, const struct hd_abi *abi,
		  const struct hd_flow_facts *facts, struct hd_arena *arena)
{
	hd_flow_build(flow, function, abi, arena);
	hd_flow_assume(flow, facts, arena);
	hd_flow_solve(flow);
}
