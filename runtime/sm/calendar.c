/* Requests that are served before others, which are reserved already: see calendar.h. */
#include "runtime/sm/calendar.h"

#include <string.h>

static void drop_gap(struct hd_calendar *calendar, uint32_t index)
{
	calendar->count--;
	memmove(calendar->gaps + index, calendar->gaps + index + 1,
		(calendar->count - index) * sizeof(*calendar->gaps));
}

static void add_gap(struct hd_calendar *calendar, uint32_t index, uint64_t from, uint64_t to)
{
	if (from >= to || !calendar->capacity)
		return;
	if (calendar->count == calendar->capacity) {
		if (!index)
			return; /* it is the first itself */
		drop_gap(calendar, 0);
		index--;
	}
	memmove(calendar->gaps + index + 1, calendar->gaps + index,
		(calendar->count - index) * sizeof(*calendar->gaps));
	calendar->gaps[index] = (struct hd_gap){from, to};
	calendar->count++;
}

static void take_gap(struct hd_calendar *calendar, uint32_t index, uint64_t at, uint64_t length)
{
	struct hd_gap gap = calendar->gaps[index];
	drop_gap(calendar, index);
	add_gap(calendar, index, at + length, gap.to);
	add_gap(calendar, index, gap.from, at);
}

uint64_t hd_calendar_take_slowly(struct hd_calendar *calendar, uint64_t now, uint64_t from, uint64_t length)
{
	while (calendar->count && calendar->gaps[0].to <= now)
		drop_gap(calendar, 0);
	for (uint32_t i = 0; i < calendar->count; i++) {
		const struct hd_gap *gap = &calendar->gaps[i];
		uint64_t at = gap->from > from ? gap->from : from;
		if (at + length <= gap->to) {
			take_gap(calendar, i, at, length);
			return at;
		}
	}
	uint64_t at = from > calendar->end ? from : calendar->end;
	add_gap(calendar, calendar->count, calendar->end > now ? calendar->end : now, at);
	calendar->end = at + length;
	return at;
}
