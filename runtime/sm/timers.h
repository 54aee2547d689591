/*
 * The timing wheel of an SM: timers.c.
 */
#ifndef HD_RUNTIME_SM_TIMERS_H
#define HD_RUNTIME_SM_TIMERS_H

#include <stdint.h>

#include "lib/arena.h"
#include "runtime/core/program.h"
#include "runtime/core/warp.h"

struct hd_config;
struct hd_sm;

/* A timer: a result is there, or it is written where it had to wait for a port; a warp looks at its next instruction; a
 * memory instruction whose operands were late goes to the load/store unit; an instruction leaves its collector;
 * registers of a range are to be written by `inst`, or, without one, are written; the sources of `inst` have been read
 * (core = modern); the last result of a warp that has ended is written. */
enum hd_timer_kind {
	HD_TIMER_RESULT,
	HD_TIMER_WRITTEN,
	HD_TIMER_WAKE,
	HD_TIMER_ACTIVE,
	HD_TIMER_ACCESS,
	HD_TIMER_DISPATCH,
	HD_TIMER_RANGE,
	HD_TIMER_READ,
	HD_TIMER_DRAINED,
	HD_TIMER_SYNC,
	HD_TIMER_BULK /* of no warp: bulk.c */
};
struct hd_timer {
	uint64_t cycle;
	const struct hd_dinst *inst;
	uint32_t which; /* result: order of issue, or where results go without timers of its start; access: in
			   hd_sm_access.late; dispatch: number of the collector */
	uint32_t lanes; /* result: that executed */
	uint16_t next;
	uint8_t warp, kind; /* warp: hd_warp.id */
};
#define HD_WHEEL_BUCKETS 512
#define HD_TIMER_NONE UINT16_MAX
#define HD_ISSUE_TIMERS (4 + HD_MAX_OPERANDS) /* that an issue starts, at most */
struct hd_wheel {
	uint64_t next; /* earliest cycle with a timer; HD_NEVER */
	struct hd_timer *pool;
	uint16_t free, free_count; /* free: the last one that was given back */
	uint16_t fresh;		   /* the first one that was never started since all were cleared */
	uint32_t kept;		   /* issue stalls when fewer are free */
	uint64_t occupied[HD_WHEEL_BUCKETS / 64];
	uint16_t head[HD_WHEEL_BUCKETS]; /* the last one that was added to each bucket */
};

void hd_wheel_init(struct hd_wheel *wheel, uint32_t timers, struct hd_arena *arena);
void hd_wheel_clear(struct hd_wheel *wheel, uint32_t timers);
/* Starts a timer; the caller fills in the rest of it. */
struct hd_timer *hd_wheel_add(struct hd_wheel *wheel, uint64_t now, uint64_t cycle);
/* Starts a timer of what is to happen to a warp. */
static inline struct hd_timer *hd_warp_timer(struct hd_wheel *wheel, const struct hd_warp *warp,
					     enum hd_timer_kind kind, uint64_t now, uint64_t cycle)
{
	struct hd_timer *timer = hd_wheel_add(wheel, now, cycle);
	timer->warp = (uint8_t)warp->id;
	timer->kind = (uint8_t)kind;
	return timer;
}
/* Fires every timer that is due at `now`. Called at each cycle that hd_wheel.next names. */
void hd_sm_fire(struct hd_sm *sm, uint64_t now);
/* How many timers the SM has. */
uint32_t hd_sm_timers(const struct hd_config *config);

#endif
