/*
 * Packets and what else is due in cycles to come, in the order of these; in the order in which they came within one. A
 * wheel of lists: adding and taking cost a few loads, whatever is in it. What is due further ahead than the wheel
 * reaches waits in its last page and is entered anew.
 */
#ifndef HD_RUNTIME_MEMORY_WHEEL_H
#define HD_RUNTIME_MEMORY_WHEEL_H

#include "runtime/core/cycle.h"
#include "runtime/memory/packet.h"

enum { HD_WHEEL_PAGES = 4096 };

/* Numbers of entries count from 1; 0: none. */
struct hd_wheel_entry {
	struct hd_packet packet;
	uint64_t cycle;
	uint32_t next;
	uint32_t what; /* the owner's */
};

struct hd_wheel {
	struct hd_wheel_entry *entries;
	uint32_t used, free, capacity; /* as struct hd_packet_pool */
	uint32_t taken;		       /* entries that are due */
	uint32_t first[HD_WHEEL_PAGES], last[HD_WHEEL_PAGES];
	uint64_t pages[HD_WHEEL_PAGES / 64], words; /* with entries; words of these with some */
};

static inline void hd_wheel_init(struct hd_wheel *wheel, uint32_t capacity, struct hd_arena *arena)
{
	static_assert(HD_WHEEL_PAGES == 64 * 64, "a bit a word");
	wheel->entries = HD_ARENA_NEW_SPARSE(arena, struct hd_wheel_entry, capacity + 1);
	wheel->capacity = capacity;
}

static inline bool hd_wheel_has_room(const struct hd_wheel *wheel, uint32_t entries)
{
	return wheel->capacity - wheel->taken >= entries;
}

static inline void hd_wheel_put(struct hd_wheel *wheel, uint64_t now, uint32_t number)
{
	uint64_t cycle = wheel->entries[number].cycle;
	uint32_t page = (uint32_t)((cycle - now < HD_WHEEL_PAGES ? cycle : now + HD_WHEEL_PAGES - 1) % HD_WHEEL_PAGES);
	wheel->entries[number].next = 0;
	*(wheel->first[page] ? &wheel->entries[wheel->last[page]].next : &wheel->first[page]) = number;
	wheel->last[page] = number;
	wheel->pages[page / 64] |= UINT64_C(1) << page % 64;
	wheel->words |= UINT64_C(1) << page / 64;
}

/* A free entry, whose owner fills it and puts it into the wheel. */
static inline uint32_t hd_wheel_new(struct hd_wheel *wheel)
{
	uint32_t number = wheel->free ? wheel->free : ++wheel->used;
	assert(number <= wheel->capacity);
	wheel->free = wheel->free ? wheel->entries[number].next : 0;
	wheel->taken++;
	return number;
}

/* `now`: the cycle being worked on; `cycle` is after it. */
static inline void hd_wheel_add(struct hd_wheel *wheel, uint64_t now, uint64_t cycle, uint32_t what,
				const struct hd_packet *packet)
{
	uint32_t number = hd_wheel_new(wheel);
	struct hd_wheel_entry *entry = &wheel->entries[number];
	assert(cycle > now);
	entry->packet = *packet;
	entry->cycle = cycle;
	entry->what = what;
	hd_wheel_put(wheel, now, number);
}

/* The first entry of cycle `now`, out of the wheel, or 0. It stays as it is until hd_wheel_give. */
static inline uint32_t hd_wheel_take(struct hd_wheel *wheel, uint64_t now)
{
	uint32_t page = (uint32_t)(now % HD_WHEEL_PAGES), number;
	while ((number = wheel->first[page])) {
		wheel->first[page] = wheel->entries[number].next;
		if (wheel->entries[number].cycle == now)
			return number;
		hd_wheel_put(wheel, now, number);
	}
	wheel->pages[page / 64] &= ~(UINT64_C(1) << page % 64);
	if (!wheel->pages[page / 64])
		wheel->words &= ~(UINT64_C(1) << page / 64);
	return 0;
}

static inline void hd_wheel_give(struct hd_wheel *wheel, uint32_t number)
{
	wheel->entries[number].next = wheel->free;
	wheel->free = number;
	wheel->taken--;
}

/* The first cycle after `now` with entries (or where some wait that are due later), HD_NEVER. */
static inline uint64_t hd_wheel_next(const struct hd_wheel *wheel, uint64_t now)
{
	uint64_t first = now + 1, word = first / 64 % 64;
	uint64_t bits = wheel->pages[word] & UINT64_MAX << first % 64;
	if (bits)
		return first / 64 * 64 + (uint64_t)__builtin_ctzll(bits);
	if (!wheel->words)
		return HD_NEVER;
	/* From the next word on, round to the lower bits of this one. */
	uint64_t from = (word + 1) % 64;
	uint64_t turned = from ? wheel->words >> from | wheel->words << (64 - from) : wheel->words;
	uint64_t ahead = 1 + (uint64_t)__builtin_ctzll(turned);
	return (first / 64 + ahead) * 64 + (uint64_t)__builtin_ctzll(wheel->pages[(word + ahead) % 64]);
}

#endif
