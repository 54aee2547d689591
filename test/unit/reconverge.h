/*
 * Reconvergence points for machine functions made by hand or at random, as emission gives them.
 */
#ifndef HD_TEST_UNIT_RECONVERGE_H
#define HD_TEST_UNIT_RECONVERGE_H

#include "heddle/opcodes.h"
#include "lib/vec.h"
#include "passes/analysis/flow.h"

/* Gives each guarded branch of `function`, whose flow is `flow`, its reconvergence point. */
static inline void reconverge(struct hd_function *function, const struct hd_flow *flow, struct hd_arena *arena)
{
	const struct hd_graph *graph = &flow->graph;
	HD_VEC(struct hd_edge) edges = {0};
	uint8_t *ends = HD_ARENA_NEW(arena, uint8_t, flow->block_count);
	for (uint32_t b = 0; b < flow->block_count; b++) {
		const struct hd_inst *last = &function->insts[hd_flow_last(flow, b)];
		ends[b] = last->op == HD_OP_EXIT ? HD_LANES_END : HD_LANES_RETURN;
		for (uint32_t e = graph->succ_start[b]; e < graph->succ_start[b + 1]; e++)
			hd_vec_push(&edges, (struct hd_edge){b, graph->succ[e]});
	}
	uint32_t *meets = hd_graph_reconvergence_points(flow->block_count, edges.data, edges.len, ends, arena, NULL);
	hd_vec_release(&edges);
	for (uint32_t b = 0; b < flow->block_count; b++) {
		struct hd_inst *last = &function->insts[hd_flow_last(flow, b)];
		if (last->op == HD_OP_BRA && last->guard != HD_PT && meets[b] != HD_NO_NODE)
			last->reconv = flow->blocks[meets[b]].first;
	}
}

#endif
