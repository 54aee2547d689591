/*
 * Address translation between L1, whose tags are of virtual addresses, and the crossbar. The second level is one of the
 * whole GPU on cards; here each SM has its own of the same reach, so that SMs do not depend on each other within a
 * window: the first access of each SM to a page waits, where on a card that of the first SM does. Walks through page
 * tables do not meet in a queue.
 *
 * Sources: Jia et al. (arXiv 1804.06826) for the reach of both levels on a V100, gpu-arch-microbenchmark for times.
 *
 * Needs nothing else. Cost: O(1) for the page that was there last, else a walk over the level's entries.
 */
#include "runtime/memory/tlb.h"

#include "heddle/config.h"
#include "lib/arena.h"

static void init_level(struct hd_tlb_level *level, int64_t entries, int64_t page, int64_t miss, struct hd_arena *arena)
{
	level->count = (uint32_t)entries;
	level->shift = (uint32_t)__builtin_ctzll((uint64_t)page);
	level->miss = (uint64_t)miss;
	level->entries = HD_ARENA_NEW(arena, struct hd_tlb_entry, level->count + 1);
}

void hd_tlb_init(struct hd_tlb *tlb, const struct hd_config *config, struct hd_arena *arena)
{
	*tlb = (struct hd_tlb){0};
	init_level(&tlb->near, config->tlb_entries, config->tlb_page, config->tlb_miss, arena);
	init_level(&tlb->far, config->tlb2_entries, config->tlb2_page, config->tlb2_miss, arena);
}

/* The page's entry, or that which it takes: `page` is then another one. */
static struct hd_tlb_entry *find(struct hd_tlb_level *level, uint64_t page)
{
	uint32_t oldest = 0;
	if (level->entries[level->last].page == page && level->entries[level->last].used)
		return &level->entries[level->last];
	for (uint32_t i = 0; i < level->count; i++) {
		if (level->entries[i].page == page && level->entries[i].used) {
			oldest = i;
			break;
		}
		if (level->entries[i].used < level->entries[oldest].used)
			oldest = i;
	}
	level->last = oldest;
	return &level->entries[oldest];
}

/* When the level has the address's page, which it asks for in cycle `now` where it has not. */
static uint64_t look_up(struct hd_tlb *tlb, struct hd_tlb_level *level, uint64_t address, uint64_t now,
			uint64_t *misses)
{
	uint64_t page = address >> level->shift;
	struct hd_tlb_entry *entry = find(level, page);
	if (!entry->used || entry->page != page) {
		*entry = (struct hd_tlb_entry){.page = page, .ready = now + level->miss};
		++*misses;
	}
	entry->used = ++tlb->lookups;
	return entry->ready > now ? entry->ready : now;
}

uint64_t hd_tlb_ready(struct hd_tlb *tlb, uint64_t address, uint64_t now, struct hd_counters *counters)
{
	uint64_t before = counters->tlb_misses, there;
	if (!tlb->near.count)
		return now;
	there = look_up(tlb, &tlb->near, address, now, &counters->tlb_misses);
	if (counters->tlb_misses == before || !tlb->far.count)
		return there;
	there = look_up(tlb, &tlb->far, address, there, &counters->tlb2_misses);
	find(&tlb->near, address >> tlb->near.shift)->ready = there;
	return there;
}
