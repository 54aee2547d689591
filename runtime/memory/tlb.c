/*
 * Address translation between L1, whose tags are of virtual addresses, and the crossbar. The second level is one of the
 * whole GPU on cards; here each SM has its own of the same reach, so that SMs do not depend on each other within a
 * window: the first access of each SM to a page waits, where on a card that of the first SM does. Walks through page
 * tables do not meet in a queue.
 *
 * Sources: Jia et al. (arXiv 1804.06826) for the reach of both levels on a V100, gpu-arch-microbenchmark for times.
 *
 * Needs nothing else. Cost: O(1) a look-up: pages are found by a hash, and entries are in a list by their use.
 */
#include "runtime/memory/tlb.h"

#include "heddle/config.h"
#include "lib/hash.h"
#include "runtime/core/cycle.h"
#include "runtime/memory/packet.h"

static void init_level(struct hd_tlb_level *level, int64_t entries, int64_t page, int64_t miss, struct hd_arena *arena)
{
	level->count = (uint32_t)entries;
	level->shift = (uint32_t)__builtin_ctzll((uint64_t)page);
	level->miss = (uint64_t)miss;
	uint32_t buckets = hd_power_above(level->count + 1);
	level->bucket_shift = 64 - (uint32_t)__builtin_ctz(buckets);
	level->entries = HD_ARENA_NEW(arena, struct hd_tlb_entry, level->count + 1);
	level->buckets = HD_ARENA_NEW(arena, uint16_t, buckets);
}

void hd_tlb_init(struct hd_tlb *tlb, const struct hd_config *config, struct hd_arena *arena)
{
	*tlb = (struct hd_tlb){0};
	assert(config->tlb_entries < UINT16_MAX && config->tlb2_entries < UINT16_MAX);
	init_level(&tlb->near, config->tlb_entries, config->tlb_page, config->tlb_miss, arena);
	init_level(&tlb->far, config->tlb2_entries, config->tlb2_page, config->tlb2_miss, arena);
}

static uint16_t *bucket_of(const struct hd_tlb_level *level, uint64_t page)
{
	return &level->buckets[hd_hash_mix(0, page) >> level->bucket_shift];
}

static uint16_t find(const struct hd_tlb_level *level, uint64_t page)
{
	uint16_t index = *bucket_of(level, page);
	while (index && level->entries[index].page != page)
		index = level->entries[index].next;
	return index;
}

static void unlink_used(struct hd_tlb_level *level, uint16_t index)
{
	const struct hd_tlb_entry *entry = &level->entries[index];
	*(entry->newer ? &level->entries[entry->newer].older : &level->newest) = entry->older;
	*(entry->older ? &level->entries[entry->older].newer : &level->oldest) = entry->newer;
}

static void link_newest(struct hd_tlb_level *level, uint16_t index)
{
	struct hd_tlb_entry *entry = &level->entries[index];
	entry->newer = 0;
	entry->older = level->newest;
	*(entry->older ? &level->entries[entry->older].newer : &level->oldest) = index;
	level->newest = index;
}

/* A free entry, or the one that was used longest ago, out of its lists. */
static uint16_t take_entry(struct hd_tlb_level *level)
{
	if (level->used < level->count)
		return ++level->used;
	uint16_t index = level->oldest, *link = bucket_of(level, level->entries[index].page);
	while (*link != index)
		link = &level->entries[*link].next;
	*link = level->entries[index].next;
	unlink_used(level, index);
	return index;
}

/* When the level has the address's page, which it asks for in cycle `now` where it has not. */
static uint64_t look_up(struct hd_tlb_level *level, uint64_t address, uint64_t now, uint64_t *misses)
{
	uint64_t page = address >> level->shift;
	uint16_t index = level->newest;
	if (!index || level->entries[index].page != page) {
		index = find(level, page);
		if (index) {
			unlink_used(level, index);
		} else {
			uint16_t *bucket = bucket_of(level, page);
			index = take_entry(level);
			level->entries[index].page = page;
			level->entries[index].ready = now + level->miss;
			level->entries[index].next = *bucket;
			*bucket = index;
			++*misses;
		}
		link_newest(level, index);
	}
	return hd_later(level->entries[index].ready, now);
}

uint64_t hd_tlb_ready(struct hd_tlb *tlb, uint64_t address, uint64_t now, struct hd_counters *counters)
{
	uint64_t before = counters->tlb_misses, there;
	if (!tlb->near.count)
		return now;
	there = look_up(&tlb->near, address, now, &counters->tlb_misses);
	if (counters->tlb_misses == before || !tlb->far.count)
		return there;
	there = look_up(&tlb->far, address, there, &counters->tlb2_misses);
	tlb->near.entries[tlb->near.newest].ready = there;
	return there;
}
