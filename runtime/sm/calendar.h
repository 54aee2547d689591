/*
 * The calendar of something that serves one request at a time: an execution unit, a link of a policy. A request names
 * the time from which it could be served and gets the first free time from there on, be it before what others have
 * reserved further on: who comes late holds up nobody else. Times are cycles or ticks (HD_TICKS), as the owner likes.
 *
 * Cost: O(1) while requests come in the order of their times; else O(gaps).
 */
#ifndef HD_RUNTIME_SM_CALENDAR_H
#define HD_RUNTIME_SM_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/api.h"

/* A time in which nothing is reserved, before the last reservation. */
struct hd_gap {
	uint64_t from, to;
};

/* When there are more gaps than it has room for, the first is forgotten. */
struct hd_calendar {
	uint64_t end; /* of the last reservation */
	struct hd_gap *gaps;
	uint32_t count, capacity;
};

HD_API uint64_t hd_calendar_take_slowly(struct hd_calendar *calendar, uint64_t now, uint64_t from, uint64_t length);

static inline void hd_calendar_init(struct hd_calendar *calendar, struct hd_gap *gaps, uint32_t capacity)
{
	*calendar = (struct hd_calendar){.gaps = gaps, .capacity = capacity};
}

/* Whether a reservation from `from` on leaves a time before it that others can use. One that ends with the next cycle
 * is of no use to requests that are made from then on. */
static inline bool hd_calendar_leaves_gap(uint64_t end, uint64_t now, uint64_t from)
{
	return from > now + 1 && from > end;
}

/* Reserves `length` from `from` on, which is not before `now`; returns where it begins. */
static inline uint64_t hd_calendar_take(struct hd_calendar *calendar, uint64_t now, uint64_t from, uint64_t length)
{
	if (__builtin_expect(calendar->count || hd_calendar_leaves_gap(calendar->end, now, from), 0))
		return hd_calendar_take_slowly(calendar, now, from, length);
	uint64_t at = from > calendar->end ? from : calendar->end;
	calendar->end = at + length;
	return at;
}

#endif
