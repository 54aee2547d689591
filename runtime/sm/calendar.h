/*
 * The calendar of something that serves one request at a time: an execution unit, a link of a policy. A request names
 * the time from which it could be served and gets the first free time from there on, be it before what others have
 * reserved further on: who comes late holds up nobody else. Times are cycles or ticks (HD_TICKS), as the owner likes.
 *
 * Cost: O(1) while requests come in the order of their times; else O(gaps).
 */
#ifndef HD_RUNTIME_SM_CALENDAR_H
#define HD_RUNTIME_SM_CALENDAR_H

#include <stdint.h>

/* A time in which nothing is reserved, before the last reservation. */
struct hd_gap {
	uint64_t from, to;
};

/* All zero but for `gaps` and `capacity` is an empty one. When there are more gaps the first is forgotten. */
struct hd_calendar {
	uint64_t end; /* of the last reservation */
	struct hd_gap *gaps;
	uint32_t count, capacity;
};

uint64_t hd_calendar_take_slowly(struct hd_calendar *calendar, uint64_t now, uint64_t from, uint64_t length);

/* Reserves `length` from `from` on, which is not before `now`; returns where it begins. */
static inline uint64_t hd_calendar_take(struct hd_calendar *calendar, uint64_t now, uint64_t from, uint64_t length)
{
	/* A gap that ends with the next cycle is of no use to requests that are made from then on. */
	if (__builtin_expect(calendar->count || (from > now + 1 && from > calendar->end), 0))
		return hd_calendar_take_slowly(calendar, now, from, length);
	uint64_t at = from > calendar->end ? from : calendar->end;
	calendar->end = at + length;
	return at;
}

#endif
