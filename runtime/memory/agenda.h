/*
 * When units want to work: a calendar of the next cycles with a set of units for each. Adding costs a bit, finding the
 * next cycle a few words, whatever the number of units. A unit that wants to work further ahead than the calendar
 * reaches is entered on its last page; who visits a unit checks its time.
 */
#ifndef HD_RUNTIME_MEMORY_AGENDA_H
#define HD_RUNTIME_MEMORY_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"
#include "runtime/memory/clock.h"

enum { HD_AGENDA_PAGES = 512, HD_AGENDA_WORDS = HD_AGENDA_PAGES / 64 };

struct hd_agenda {
	uint32_t words;			 /* of a set of units */
	uint32_t filled;		 /* words of `pages` that are not 0, a bit each */
	uint64_t *units;		 /* page x words */
	uint64_t pages[HD_AGENDA_WORDS]; /* with units */
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
	agenda->filled |= 1u << page / 64;
}

/* Whether the page of `now` has units. */
static inline bool hd_agenda_has(const struct hd_agenda *agenda, uint64_t now)
{
	return agenda->pages[now % HD_AGENDA_PAGES / 64] >> now % 64 & 1;
}

/* Tears out the page of `now`: its units, a word at a time. */
static inline uint64_t hd_agenda_take(struct hd_agenda *agenda, uint64_t now, uint32_t word)
{
	uint64_t page = now % HD_AGENDA_PAGES, units = agenda->units[page * agenda->words + word];
	agenda->units[page * agenda->words + word] = 0;
	if (word + 1 < agenda->words)
		return units;
	agenda->pages[page / 64] &= ~(UINT64_C(1) << page % 64);
	if (!agenda->pages[page / 64])
		agenda->filled &= ~(1u << page / 64);
	return units;
}

/* The first cycle after `now` with units, or HD_NEVER. */
static inline uint64_t hd_agenda_next(const struct hd_agenda *agenda, uint64_t now)
{
	uint64_t first = now + 1, word = first % HD_AGENDA_PAGES / 64;
	uint64_t bits = agenda->pages[word] & UINT64_MAX << first % 64;
	if (bits)
		return first / 64 * 64 + (uint64_t)__builtin_ctzll(bits);
	if (!agenda->filled)
		return HD_NEVER;
	/* The words behind it, from the next one to itself. */
	uint32_t turned = (agenda->filled | agenda->filled << HD_AGENDA_WORDS) >> (word + 1);
	uint64_t ahead = 1 + (uint64_t)__builtin_ctz(turned);
	bits = agenda->pages[(word + ahead) % HD_AGENDA_WORDS];
	return (first / 64 + ahead) * 64 + (uint64_t)__builtin_ctzll(bits);
}

#endif
