/*
 * What lanes that wait need, carried to the blocks that others run meanwhile: from both sides of divergent branches on
 * to their reconvergence points (gpu-multiprogramming-lin, Figure 2.5).
 */
#ifndef HD_PASSES_ANALYSIS_SPREAD_H
#define HD_PASSES_ANALYSIS_SPREAD_H

#include "passes/analysis/flow.h"

/* Who asks. */
struct hd_spread {
	/* What lanes need that wait while others take `side` of the branch at the end of `block`; `reconv` is the block
	 * in which they reconverge, or HD_NO_NODE. */
	struct hd_regset (*needed)(void *context, uint32_t block, uint32_t side, uint32_t reconv);
	/* For each reconvergence point: the blocks between its branches and itself, and what is needed in each, in
	 * `sets` by block. */
	void (*collect)(void *context, const uint32_t *region, uint32_t count, const struct hd_regset *sets);
	void *context;
};

/* The block in which the lanes reconverge that the end of `block` parts, or HD_NO_NODE. */
uint32_t hd_reconvergence_block(const struct hd_flow *flow, uint32_t block);

/* For the branches at the ends of the blocks in `which`. The sets of one reconvergence point flow together, so that a
 * chain of early exits costs one walk. Cost: the blocks between, for each reconvergence point. */
void hd_spread(const struct hd_flow *flow, const bool *which, const struct hd_spread *who);

#endif
