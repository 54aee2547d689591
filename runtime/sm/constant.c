/*
 * Loads of __constant__ variables. The cache delivers one address a pass to all lanes that want it; a warp with several
 * distinct ones is served in as many passes, constant_busy cycles each, in the order of its lanes, and the passes of
 * different warps follow each other. A line that is not there comes from the instruction cache of the SM, which is
 * shared with it (the "L1.5" of Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 3.3),
 * and what that does not have from L2, as late as an instruction (l1i_miss_latency).
 *
 * Needs the instruction cache (fetch.c). Hits on lines under way wait for them. A miss does not stop what follows.
 *
 * Cost: O(distinct addresses * lanes), and O(ways) an address.
 */
#include <assert.h>

#include "heddle/config.h"
#include "heddle/stats.h"
#include "runtime/sm/constant.h"
#include "runtime/sm/fetch.h"

/* Lines of constants in the instruction cache: no code stands there. */
#define CONSTANT_LINES (UINT64_C(1) << 62)

void hd_constant_init(struct hd_constants *constants, const struct hd_config *config, struct hd_arena *arena)
{
	if (!config->constant_bytes)
		return;
	hd_icache_init(&constants->l1, config->constant_bytes, config->constant_line, config->constant_ways, arena);
	constants->line_shift = (uint32_t)__builtin_ctzll(config->constant_line);
	constants->behind_shift = (uint32_t)__builtin_ctzll(config->l1i_line);
	constants->latency = (uint32_t)config->constant_latency;
	constants->miss_latency = (uint32_t)config->constant_l15_latency;
	constants->busy = (uint32_t)config->constant_busy;
}

/* Looks one address up in cycle `now`: the cycle at which its data are there. */
static uint64_t look_up(struct hd_constants *constants, struct hd_fetch *fetch, struct hd_counters *counters,
			uint64_t address, uint64_t now)
{
	struct hd_icache *cache = &constants->l1;
	uint64_t line = address >> constants->line_shift, done = now + constants->latency;
	size_t way = hd_icache_find(cache, line);
	if (cache->tags[way] != line) {
		bool missed;
		uint64_t behind = CONSTANT_LINES | address >> constants->behind_shift;
		uint64_t ready = hd_fetch_shared(fetch, behind, now, &missed);
		counters->constant_misses++;
		counters->constant_l15_misses += missed;
		cache->tags[way] = line;
		cache->ready[way] = ready + constants->miss_latency;
	}
	cache->used[way] = now + 1;
	return done > cache->ready[way] ? done : cache->ready[way];
}

uint64_t hd_constant_load(struct hd_constants *constants, struct hd_fetch *fetch, struct hd_counters *counters,
			  uint32_t mask, const uint64_t address[32], uint64_t start)
{
	uint64_t now = start > constants->free ? start : constants->free, done = 0;
	assert(mask && constants->l1.ways);
	counters->constant_accesses++;
	while (mask) {
		uint64_t wanted = address[__builtin_ctz(mask)];
		uint64_t ready = look_up(constants, fetch, counters, wanted, now);
		for (uint32_t left = mask; left; left &= left - 1)
			if (address[__builtin_ctz(left)] == wanted)
				mask &= ~(left & -left);
		done = ready > done ? ready : done;
		now += constants->busy;
		counters->constant_passes++;
	}
	constants->free = now;
	return done;
}
