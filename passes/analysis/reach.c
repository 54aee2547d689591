/*
 * Sums over what functions may call.
 */
#include <string.h>

#include "lib/bitset.h"
#include "passes/analysis/callgraph.h"
#include "passes/analysis/chain.h"

struct reach {
	const struct hd_callgraph *calls;
	const uint32_t *own;
	uint32_t width;
	uint32_t *queue;
	struct hd_bitset seen;
};

/* Appends the callees of a function that are new; returns how many are in the queue now. */
static uint32_t push_callees(struct reach *reach, uint32_t function, uint32_t count)
{
	const struct hd_callgraph *calls = reach->calls;
	for (uint32_t s = calls->site_start[function]; s < calls->site_start[function + 1]; s++)
		for (uint32_t c = 0; c < calls->sites[s].callee_count && !calls->sites[s].helper; c++) {
			uint32_t callee = calls->sites[s].callees[c];
			if (hd_bitset_has(&reach->seen, callee))
				continue;
			hd_bitset_add(&reach->seen, callee);
			reach->queue[count++] = callee;
		}
	return count;
}

static void sum_up(struct reach *reach, uint32_t root, uint32_t *sum)
{
	uint32_t count = 1;
	hd_bitset_clear(&reach->seen);
	hd_bitset_add(&reach->seen, root);
	reach->queue[0] = root;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *own = &reach->own[(size_t)reach->queue[i] * reach->width];
		for (uint32_t k = 0; k < reach->width; k++)
			sum[k] += own[k];
		count = push_callees(reach, reach->queue[i], count);
	}
}

/* For each function, whether something that it reaches has anything to add. */
static uint32_t *find_any(const struct reach *reach, uint32_t count, struct hd_arena *arena)
{
	uint32_t *any = HD_ARENA_NEW(arena, uint32_t, count);
	for (uint32_t f = 0; f < count; f++)
		for (uint32_t k = 0; k < reach->width; k++)
			any[f] |= reach->own[(size_t)f * reach->width + k] != 0;
	return hd_chain_reachable_max(&reach->calls->graph, any, arena);
}

uint32_t *hd_callgraph_sums(const struct hd_callgraph *calls, uint32_t count, const uint32_t *own, uint32_t width,
			    struct hd_arena *arena)
{
	uint32_t *sums = HD_ARENA_NEW(arena, uint32_t, (size_t)count *width);
	struct reach reach = {calls, own, width, HD_ARENA_NEW(arena, uint32_t, count), hd_bitset_new(arena, count)};
	const uint32_t *any = find_any(&reach, count, arena);
	for (uint32_t f = 0; f < count; f++)
		if (any[f])
			sum_up(&reach, f, &sums[(size_t)f * width]);
	return sums;
}
