/*
 * When units want to work: a calendar of the next cycles with a set of units for each. Adding costs a bit, finding the
 * next cycle a few words, whatever the number of units. A unit that wants to work further ahead than the calendar
 * reaches is entered on its last page; who visits a unit checks its time.
 */
#ifndef HD_RUNTIME_MEMORY_AGENDA_H
#define HD_RUNTIME_MEMORY_AGENDA_H

#include <stdint.h>

#include "lib/arena.h"
#include "runtime/memory/clock.h"

enum { HD_AGENDA_PAGES = 512 };

struct hd_agenda {
	uint32_t words;			      /* of a set of units */
	uint64_t *units;		      /* page x words */
	uint64_t pages[HD_AGENDA_PAGES / 64]; /* with units */
};

static inline void hd_agenda_init(struct hd_agenda *agenda, uint32_t units, struct hd_arena *arena)
{
	*agenda = (struct hd_agenda){.words = (units + 63) / 64};
	agenda->units = HD_ARENA_NEW(arena, uint64_t, (size_t)HD_AGENDA_PAGES * agenda->words);
}

/* `now`: the cycle being worked on; `cycle` is not before it. */
static inline void hd_agenda_add(struct hd_agenda *agenda, uint64_t now, uint32_t unit, uint64_t cycle)
{
	uint64_t page = (cycle - now < HD_AGENDA_PAGES ? cycle : now + HD_AGENDA_PAGES - 1) % HD_AGENDA_PAGES;
	agenda->units[page * agenda->words + unit / 64] |= UINT64_C(1) << unit % 64;
	agenda->pages[page / 64] |= UINT64_C(1) << page % 64;
}

/* Tears out the page of `now`: its units, a word at a time. */
static inline uint64_t hd_agenda_take(struct hd_agenda *agenda, uint64_t now, uint32_t word)
{
	uint64_t page = now % HD_AGENDA_PAGES, units = agenda->units[page * agenda->words + word];
	agenda->units[page * agenda->words + word] = 0;
	if (word + 1 == agenda->words)
		agenda->pages[page / 64] &= ~(UINT64_C(1) << page % 64);
	return units;
}

/* The first cycle after `now` with units, or HD_NEVER. */
static inline uint64_t hd_agenda_next(const struct hd_agenda *agenda, uint64_t now)
{
	uint64_t first = now + 1, base = first / 64 * 64;
	uint64_t bits = agenda->pages[first % HD_AGENDA_PAGES / 64] & UINT64_MAX << first % 64;
	for (uint32_t word = 0; word <= HD_AGENDA_PAGES / 64; word++) {
		if (bits)
			return base + (uint64_t)__builtin_ctzll(bits);
		base += 64;
		bits = agenda->pages[base % HD_AGENDA_PAGES / 64];
	}
	return HD_NEVER;
}

#endif
