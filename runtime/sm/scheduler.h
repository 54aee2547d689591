/*
 * Warp schedulers, and the states of warps: scheduler.c.
 *
 * Every resident warp is in exactly one state: ready at a port, or waiting for one named reason. Events (a write-back,
 * a branch target reached, a barrier release) move a warp between states and wake its scheduler. A scheduler with
 * nothing to do sleeps, and its lost slots are attributed in one addition when it is next visited: between two visits
 * its reason cannot change.
 *
 * A scheduler's warps have positions in launch order, so "the oldest of a set" is the lowest bit of a mask.
 */
#ifndef HD_RUNTIME_SM_SCHEDULER_H
#define HD_RUNTIME_SM_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/stats.h"
#include "lib/api.h"
#include "runtime/core/program.h"
#include "runtime/sm/limits.h"

struct hd_regfile;
struct hd_sm;
struct hd_warp;

#define HD_SCHEDULER_WARPS 64 /* positions of one scheduler: bits of a mask */

/* Where a ready warp's next instruction goes. Memory instructions also need room in the load/store queue; multiply-adds
 * of integers the first unit of single precision, where that one does them. */
enum hd_port { HD_PORT_MEMORY = HD_PIPE_COUNT, HD_PORT_MULTIPLY, HD_PORT_COUNT };

/* hd_warp.wait_reason of a warp that can issue; a waiting warp has one of enum hd_stall's later values there. */
#define HD_WAIT_READY HD_STALL_issued
#define HD_WAIT_NOT_RESIDENT 0xff

struct hd_scheduler {
	uint64_t ready[HD_PORT_COUNT]; /* positions */
	uint64_t active;	       /* two-level: who may issue; all ones otherwise */
	uint64_t coming;	       /* two-level: in the active set, but not there yet (hook activate) */
	uint64_t resident;
	uint64_t eligible;    /* two-level: resident and not in a long wait */
	uint64_t quiet;	      /* greedy: ready at the last look and not issued since */
	uint64_t look_at;     /* greedy: the next look for warps that others keep from issuing */
	uint64_t turns_until; /* greedy: warps take turns before this cycle */
	uint64_t charged;     /* slots before this cycle are attributed */
	uint32_t ports;	      /* bit a port with ready warps */
	uint32_t reasons;     /* bit an enum hd_stall with waiting warps */
	uint32_t blocked;     /* what the last visit found in the way of ready warps: bit an enum hd_stall */
	uint32_t held_ports;  /* and the ports of these; 0 where anything may change it */
	uint8_t reason;	      /* of the slots from `charged` on */
	uint8_t last;	      /* position of the last issue */
	uint8_t top;	      /* next free position */
	uint8_t waiting[HD_STALL_COUNT];
	uint8_t warp_at[HD_SCHEDULER_WARPS]; /* hd_warp.id */
	uint16_t unit_first[HD_PORT_COUNT];  /* in hd_units.units: those that take what comes to each port */
	uint8_t unit_count[HD_PORT_COUNT];
	struct hd_regfile *regfile;
};

/* The schedulers of an SM. */
struct hd_scheduling {
	uint8_t count;
	uint8_t rule;				/* HD_SCHED_* */
	bool goes_on;				/* the warp that issued last does if it can, and nobody is asked */
	bool dual;				/* two instructions of a warp may share an issue slot */
	uint32_t memory_waits;			/* schedulers that found no room in the load/store unit, a bit each */
	uint64_t next_visit[HD_MAX_SCHEDULERS]; /* cycle at which each must look again; HD_NEVER until an event */
	uint64_t visit_next;	 /* not after the first of these; behind them, so that clang finds it with scalars */
	uint64_t greedy_quantum; /* as configured */
	uint64_t stalls[HD_STALL_COUNT]; /* slots by reason, before `charged` of their scheduler */
	struct hd_scheduler schedulers[HD_MAX_SCHEDULERS];
	/* By hd_warp.id; the first two of warps in a slot. */
	uint8_t scheduler_of[HD_MAX_CONTEXTS], position[HD_MAX_CONTEXTS];
	uint8_t ready_port[HD_MAX_CONTEXTS]; /* enum hd_port of a ready warp */
};

/* ---- schedulers */

void hd_scheduler_visit(struct hd_sm *sm, uint32_t index, uint64_t now);
/* The scheduler looks again at once. */
static inline void hd_scheduler_wake(struct hd_scheduling *scheduling, uint32_t index)
{
	scheduling->next_visit[index] = scheduling->visit_next = 0;
}
/* Attributes the slots of all schedulers up to `now`, exclusive. */
void hd_sm_charge(struct hd_sm *sm, uint64_t now);
/* Before the first grid for some time, and by hd_sm_schedule_by. */
void hd_scheduler_set_rule(struct hd_sm *sm, uint8_t rule);
/* For policies: the SM's schedulers go by this rule (HD_SCHED_*) from now on, until no grid runs any more; then by that
 * of the configuration. */
HD_API void hd_sm_schedule_by(struct hd_sm *sm, uint8_t rule);

static inline uint8_t hd_inst_port(const struct hd_dinst *inst)
{
	bool memory = inst->pipe == HD_PIPE_LSU && inst->lat_class == HD_LAT_MEM && !(inst->effects & HD_FX_FENCE);
	return memory ? (uint8_t)HD_PORT_MEMORY : inst->on_fma ? (uint8_t)HD_PORT_MULTIPLY : inst->pipe;
}

/* ---- warps */

/* The warp, which has a slot, gets a position of that slot's scheduler. */
void hd_scheduler_add(struct hd_sm *sm, struct hd_warp *warp);
/* Into the care of its slot's scheduler, with the wait that it had, and out of it with that kept; no hook is told. */
void hd_scheduler_enter(struct hd_sm *sm, struct hd_warp *warp, uint8_t reason);
void hd_scheduler_leave(struct hd_sm *sm, const struct hd_warp *warp);
/* The warp waits for nothing any more. */
void hd_warp_gone(struct hd_sm *sm, struct hd_warp *warp);
/* The warp's state becomes HD_WAIT_READY or a reason; its scheduler looks again. */
void hd_warp_set_wait(struct hd_sm *sm, struct hd_warp *warp, uint8_t reason);

#endif
