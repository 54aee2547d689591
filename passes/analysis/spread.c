/*
 * Spreading to reconvergence points (spread.h): work lists of blocks, one reconvergence point after the other, by
 * number. Needs the function's flow.
 */
#include "passes/analysis/spread.h"

#include <stdlib.h>

#include "lib/vec.h"

struct spread {
	const struct hd_graph *graph;
	struct hd_regset *sets; /* of each block: for the reconvergence point at hand */
	bool *queued, *reached;
	HD_VEC(uint32_t) queue, region;
};

uint32_t hd_reconvergence_block(const struct hd_flow *flow, uint32_t block)
{
	uint32_t reconv = flow->function->insts[hd_flow_last(flow, block)].reconv;
	return reconv < flow->function->inst_count ? flow->block_of[reconv] : HD_NO_NODE;
}

static void arrive(struct spread *spread, uint32_t block, uint32_t reconv, const struct hd_regset *set)
{
	if (block == reconv)
		return;
	bool grew = hd_regset_union(&spread->sets[block], set);
	if (!spread->reached[block])
		hd_vec_push(&spread->region, block);
	if ((grew || !spread->reached[block]) && !spread->queued[block]) {
		spread->queued[block] = true;
		hd_vec_push(&spread->queue, block);
	}
	spread->reached[block] = true;
}

static void run(struct spread *spread, uint32_t reconv)
{
	const struct hd_graph *graph = spread->graph;
	for (uint32_t next = 0; next < spread->queue.len; next++) {
		uint32_t block = spread->queue.data[next];
		struct hd_regset set = spread->sets[block];
		spread->queued[block] = false;
		for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++)
			arrive(spread, graph->succ[e], reconv, &set);
	}
	hd_vec_clear(&spread->queue);
}

static int compare_ranks(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;
	return *left < *right ? -1 : *left > *right;
}

/* The branches in `which` by reconvergence point and block, as reconvergence point << 32 | block. */
static uint32_t list_branches(const struct hd_flow *flow, const bool *which, uint64_t *branches)
{
	uint32_t count = 0;
	for (uint32_t b = 0; b < flow->block_count; b++)
		if (which[b])
			branches[count++] = (uint64_t)hd_reconvergence_block(flow, b) << 32 | b;
	qsort(branches, count, sizeof(*branches), compare_ranks);
	return count;
}

void hd_spread(const struct hd_flow *flow, const bool *which, const struct hd_spread *who)
{
	const struct hd_graph *graph = &flow->graph;
	struct spread spread = {.graph = graph};
	uint64_t *branches = hd_xcalloc(flow->block_count + 1, sizeof(*branches));
	uint32_t count = list_branches(flow, which, branches);
	spread.sets = hd_xcalloc(flow->block_count + 1, sizeof(*spread.sets));
	spread.queued = hd_xcalloc(flow->block_count + 1, sizeof(*spread.queued));
	spread.reached = hd_xcalloc(flow->block_count + 1, sizeof(*spread.reached));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t block = (uint32_t)branches[i], reconv = (uint32_t)(branches[i] >> 32);
		for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++) {
			struct hd_regset set = who->needed(who->context, block, graph->succ[e], reconv);
			arrive(&spread, graph->succ[e], reconv, &set);
		}
		if (i + 1 < count && branches[i + 1] >> 32 == reconv)
			continue;
		run(&spread, reconv);
		who->collect(who->context, spread.region.data, spread.region.len, spread.sets);
		for (uint32_t r = 0; r < spread.region.len; r++) {
			spread.sets[spread.region.data[r]] = (struct hd_regset){0};
			spread.reached[spread.region.data[r]] = false;
		}
		hd_vec_clear(&spread.region);
	}
	free(spread.sets);
	free(spread.queued);
	free(spread.reached);
	free(branches);
	hd_vec_release(&spread.queue);
	hd_vec_release(&spread.region);
}
