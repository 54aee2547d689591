/*
 * Instruction fetch. A warp looks its line up when it crosses into another one; inside a line fetch is never the
 * bottleneck (the fetch unit delivers more than the schedulers issue). What it looks up is the instruction cache of the
 * SM, or that of its scheduler (L0) and the SM's behind it. A line that is not there comes l1i_miss_latency later;
 * other warps that want it wait for the same fill. Behind a miss of L0 a stream buffer asks for the lines that follow
 * it (fetch_ahead), and goes on where the warps find what they miss in it: after Huerta et al., MICRO 2025.
 *
 * Where a profiler has emptied L2 of code as well (l2_empty_code), each SM waits for DRAM at its own first access to a
 * line: SMs begin together, so that the others' reads are of no help.
 *
 * A policy may say that instructions stand at other addresses and are longer (`code_place`): an instruction is there
 * when all of its lines are.
 *
 * Cost: O(ways) for each line crossing, one in eight instructions of straight code.
 */
#include "runtime/sm/fetch.h"
#include "heddle/config.h"
#include "lib/map.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"

void hd_icache_forget(struct hd_icache *cache)
{
	if (cache->tags)
		memset(cache->tags, 0xff, (size_t)cache->sets * cache->ways * sizeof(*cache->tags));
}

void hd_icache_init(struct hd_icache *cache, uint64_t bytes, uint64_t line, uint64_t ways, struct hd_arena *arena)
{
	uint64_t lines = bytes / line;
	cache->ways = (uint32_t)(ways < lines ? ways : lines);
	cache->sets = (uint32_t)(lines / cache->ways);
	size_t entries = (size_t)cache->sets * cache->ways;
	cache->tags = HD_ARENA_NEW(arena, uint64_t, entries);
	cache->ready = HD_ARENA_NEW(arena, uint64_t, entries);
	cache->used = HD_ARENA_NEW(arena, uint64_t, entries);
	hd_icache_forget(cache);
}

void hd_fetch_init(struct hd_fetch *fetch, const struct hd_config *config, struct hd_arena *arena)
{
	fetch->read = HD_ARENA_NEW(arena, struct hd_map, 1);
	fetch->line_shift = (uint32_t)__builtin_ctzll(config->l1i_line);
	fetch->pc_shift = fetch->line_shift - (uint32_t)__builtin_ctzll(config->inst_bytes);
	fetch->inst_bytes = (uint32_t)config->inst_bytes;
	fetch->latency = (uint32_t)config->l1i_latency;
	fetch->miss_latency = (uint32_t)config->l1i_miss_latency;
	if (config->l2_empty_launches && config->l2_empty_code)
		fetch->first_latency = (uint32_t)config->dram_latency;
	fetch->busy = (uint32_t)config->l1i_busy;
	fetch->ahead = (uint32_t)config->fetch_ahead;
	hd_icache_init(&fetch->l1, config->l1i_bytes, config->l1i_line, config->l1i_ways, arena);
	for (uint32_t i = 0; config->l0i_bytes && i < config->schedulers; i++)
		hd_icache_init(&fetch->l0[i], config->l0i_bytes, config->l1i_line, config->l0i_ways, arena);
}

void hd_fetch_forget(struct hd_fetch *fetch)
{
	hd_icache_forget(&fetch->l1);
	for (uint32_t i = 0; i < HD_MAX_SCHEDULERS; i++) {
		hd_icache_forget(&fetch->l0[i]);
		fetch->streams[i].count = 0;
	}
	hd_map_clear(fetch->read);
}

void hd_fetch_release(struct hd_fetch *fetch)
{
	hd_map_release(fetch->read);
}

size_t hd_icache_find(const struct hd_icache *cache, uint64_t line)
{
	size_t first = (size_t)(line % cache->sets) * cache->ways, victim = first;
	for (size_t way = first; way < first + cache->ways; way++) {
		if (cache->tags[way] == line)
			return way;
		if (cache->used[way] < cache->used[victim])
			victim = way;
	}
	return victim;
}

/* The cycles that a line takes which the SM's cache does not have: it is in L2 when the SM has read it before. */
static uint64_t from_l2(struct hd_fetch *fetch, uint64_t line)
{
	const void *key = (const void *)(uintptr_t)(line + 1);
	if (!fetch->first_latency || hd_map_get(fetch->read, key))
		return fetch->miss_latency;
	hd_map_put(fetch->read, key, 0, 0);
	return fetch->miss_latency + fetch->first_latency;
}

uint64_t hd_fetch_shared(struct hd_fetch *fetch, uint64_t line, uint64_t now, bool *missed)
{
	struct hd_icache *cache = &fetch->l1;
	size_t way = hd_icache_find(cache, line);
	if (fetch->busy) {
		now = now > fetch->free ? now : fetch->free;
		fetch->free = now + fetch->busy;
	}
	*missed = cache->tags[way] != line;
	if (*missed) {
		cache->tags[way] = line;
		cache->ready[way] = now + from_l2(fetch, line);
	}
	cache->used[way] = now + 1;
	return cache->ready[way] > now ? cache->ready[way] : now;
}

/* The cycle at which the SM's cache has delivered a line; `now`: when it is asked. */
static uint64_t from_l1(struct hd_fetch *fetch, struct hd_counters *counters, uint64_t line, uint64_t now)
{
	bool missed;
	uint64_t ready = hd_fetch_shared(fetch, line, now, &missed);
	counters->l1i_accesses++;
	counters->l1i_misses += missed;
	return ready + fetch->latency;
}

/* Asks for lines until the buffer holds as many as it can, none of them behind the end of the code. */
static void fill_stream(struct hd_sm *sm, struct hd_code_stream *stream, struct hd_counters *counters, uint64_t now)
{
	struct hd_fetch *fetch = &sm->fetch;
	bool placed = sm->hooks & HD_HOOK(code_place); /* by a policy, who knows where */
	uint64_t end = placed ? UINT64_MAX : ((sm->gpu->program.code.len - 1) >> fetch->pc_shift) + 1;
	while (stream->count < fetch->ahead && stream->first + stream->count < end) {
		counters->l1i_prefetches++;
		stream->ready[(stream->head + stream->count) % HD_MAX_AHEAD] =
			from_l1(fetch, counters, stream->first + stream->count, now);
		stream->count++;
	}
}

/* What L0 does not have: the head of the stream is where warps are when they follow the code. */
static uint64_t from_stream(struct hd_sm *sm, uint32_t scheduler, struct hd_counters *counters, uint64_t line,
			    uint64_t now)
{
	struct hd_code_stream *stream = &sm->fetch.streams[scheduler];
	uint64_t ready, past = line - stream->first;
	if (past < stream->count) {
		ready = stream->ready[(stream->head + past) % HD_MAX_AHEAD];
		stream->head = (uint32_t)((stream->head + past + 1) % HD_MAX_AHEAD);
		stream->count -= (uint32_t)past + 1;
	} else {
		ready = from_l1(&sm->fetch, counters, line, now);
		stream->count = 0;
	}
	stream->first = line + 1;
	fill_stream(sm, stream, counters, now);
	return ready;
}

static uint64_t fetch_line(struct hd_sm *sm, const struct hd_warp *warp, uint64_t line, uint64_t now)
{
	struct hd_counters *counters = hd_sm_counters(sm, warp);
	uint32_t scheduler = sm->scheduling.scheduler_of[warp->id];
	struct hd_icache *cache = &sm->fetch.l0[scheduler];
	if (!cache->ways)
		return from_l1(&sm->fetch, counters, line, now);
	size_t way = hd_icache_find(cache, line);
	counters->l0i_accesses++;
	if (cache->tags[way] != line) {
		counters->l0i_misses++;
		cache->tags[way] = line;
		cache->ready[way] = from_stream(sm, scheduler, counters, line, now);
	}
	cache->used[way] = now + 1;
	return cache->ready[way];
}

uint64_t hd_fetch_next(struct hd_sm *sm, const struct hd_warp *warp, uint64_t line, uint64_t now)
{
	sm->fetch.line[warp->id] = line;
	return fetch_line(sm, warp, line, now);
}

uint64_t hd_fetch_placed(struct hd_sm *sm, const struct hd_warp *warp, uint64_t now)
{
	uint32_t bytes = sm->fetch.inst_bytes, shift = sm->fetch.line_shift;
	uint64_t address = hd_policy_code_place(sm, warp, &bytes), ready = 0;
	uint64_t last = (address + (bytes ? bytes - 1 : 0)) >> shift;
	for (uint64_t line = address >> shift; line <= last; line++) {
		if (line == sm->fetch.line[warp->id])
			continue;
		uint64_t arrives = fetch_line(sm, warp, line, now);
		ready = arrives > ready ? arrives : ready;
	}
	sm->fetch.line[warp->id] = last;
	return ready;
}
