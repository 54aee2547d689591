/*
 * Execution units: units.c.
 */
#ifndef HD_RUNTIME_SM_UNITS_H
#define HD_RUNTIME_SM_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"
#include "runtime/core/program.h"
#include "runtime/sm/scheduler.h"

struct hd_calendar;
struct hd_config;
struct hd_sm;

/* Its calendar is hd_units.calendars' of the same index as long as that has gaps, else `end` alone. */
struct hd_unit {
	uint64_t issue;		     /* cycle from which it can be issued to */
	uint64_t end;		     /* twice the end of the calendar's last reservation, 1 more when there are gaps */
	const struct hd_dinst *last; /* what was issued to it */
};

/* All units of an SM, those of one pipe side by side. */
struct hd_units {
	struct hd_unit *units;
	uint32_t total;
	struct hd_calendar *calendars;
	uint64_t *behind; /* operands = accelsim: tick from which the place in front of each unit is free */
};

/* Goes through a unit of arithmetic: its latency is known at issue. */
static inline bool hd_is_arithmetic(const struct hd_dinst *inst)
{
	return inst->pipe == HD_PIPE_INT || inst->pipe == HD_PIPE_FP32 || inst->pipe == HD_PIPE_FP64;
}

void hd_units_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena);
/* The unit of that port that takes an instruction first; the last of those that are free first: the first one has work
 * that others cannot do. */
static inline struct hd_unit *hd_unit_first_free(const struct hd_units *all, const struct hd_scheduler *scheduler,
						 uint32_t port)
{
	struct hd_unit *units = &all->units[scheduler->unit_first[port]], *best = units;
	for (uint32_t i = 1, count = scheduler->unit_count[port]; __builtin_expect(i < count, 0); i++)
		if (units[i].issue <= best->issue)
			best = &units[i];
	return best;
}
/* Cycle from which a unit of that port can be issued to by this scheduler. */
static inline uint64_t hd_units_free(const struct hd_units *all, const struct hd_scheduler *scheduler, uint32_t port)
{
	return hd_unit_first_free(all, scheduler, port)->issue;
}
/* Issues to it in cycle `now`; returns the dispatch cycle, not before `ready`. */
uint64_t hd_units_dispatch(struct hd_sm *sm, const struct hd_scheduler *scheduler, const struct hd_dinst *inst,
			   uint64_t now, uint64_t ready);

#endif
