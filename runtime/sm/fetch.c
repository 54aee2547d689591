/*
 * Instruction fetch: the tags of an SM's instruction cache. A warp looks its line up when it crosses into another one;
 * inside a line fetch is never the bottleneck (the fetch unit delivers more than the schedulers issue). A miss takes
 * l1i_miss_latency; other warps that want the line wait for the same fill. A policy may say that instructions stand at
 * other addresses and are longer (`code_place`): an instruction is there when all of its lines are.
 *
 * Cost: O(ways) for each line crossing, one in eight instructions of straight code.
 */
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"

void hd_icache_init(struct hd_icache *cache, const struct hd_config *config, struct hd_arena *arena)
{
	uint64_t lines = config->l1i_bytes / config->l1i_line;
	cache->line_shift = (uint32_t)__builtin_ctzll(config->l1i_line);
	cache->ways = (uint32_t)(config->l1i_ways < lines ? config->l1i_ways : lines);
	cache->sets = (uint32_t)(lines / cache->ways);
	size_t entries = (size_t)cache->sets * cache->ways;
	cache->tags = HD_ARENA_NEW(arena, uint64_t, entries);
	cache->ready = HD_ARENA_NEW(arena, uint64_t, entries);
	cache->used = HD_ARENA_NEW(arena, uint64_t, entries);
	memset(cache->tags, 0xff, entries * sizeof(*cache->tags)); /* no line */
}

static uint32_t find_way(const uint64_t *tags, const uint64_t *used, uint32_t ways, uint64_t line)
{
	uint32_t victim = 0;
	for (uint32_t way = 0; way < ways; way++) {
		if (tags[way] == line)
			return way;
		if (used[way] < used[victim])
			victim = way;
	}
	return victim;
}

static uint64_t fetch_line(struct hd_sm *sm, struct hd_counters *counters, uint64_t line, uint64_t now)
{
	struct hd_icache *cache = &sm->icache;
	size_t base = (size_t)(line % cache->sets) * cache->ways;
	uint32_t way = find_way(cache->tags + base, cache->used + base, cache->ways, line);
	counters->l1i_accesses++;
	if (cache->tags[base + way] != line) {
		counters->l1i_misses++;
		cache->tags[base + way] = line;
		cache->ready[base + way] = now + sm->miss_latency;
	}
	cache->used[base + way] = now + 1;
	return cache->ready[base + way];
}

uint64_t hd_icache_fetch(struct hd_sm *sm, struct hd_counters *counters, uint32_t pc, uint64_t now)
{
	return fetch_line(sm, counters, (uint64_t)pc * HD_INST_BYTES >> sm->icache.line_shift, now);
}

uint64_t hd_fetch_placed(struct hd_sm *sm, const struct hd_warp *warp, uint64_t now)
{
	uint32_t bytes = HD_INST_BYTES, shift = sm->icache.line_shift;
	uint64_t address = hd_policy_code_place(sm, warp, &bytes), ready = 0;
	uint64_t last = (address + (bytes ? bytes - 1 : 0)) >> shift;
	for (uint64_t line = address >> shift; line <= last; line++) {
		if (line == sm->line[warp->id])
			continue;
		uint64_t arrives = fetch_line(sm, hd_sm_counters(sm, warp), line, now);
		ready = arrives > ready ? arrives : ready;
	}
	sm->line[warp->id] = last;
	return ready;
}
