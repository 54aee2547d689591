/*
 * The timing model of one SM: what its units (scheduler.c, operands.c, units.c, issue.c, fetch.c, barrier.c,
 * timers.c, dispatch.c, inject.c) share. Private to runtime/; policies include it through hooks.
 *
 * Nothing is scanned per cycle. Every resident warp is in exactly one state: ready at a port, or waiting for
 * one named reason. Events (a write-back, a branch target reached, a barrier release) move a warp between
 * states and wake its scheduler. A scheduler with nothing to do sleeps, and its lost slots are attributed in
 * one addition when it is next visited: between two visits its reason cannot change.
 *
 * A scheduler's warps have positions in launch order, so "the oldest of a set" is the lowest bit of a mask.
 * An SM touches only its own state, its load/store unit and, through the executor, memory contents.
 */
#ifndef HD_RUNTIME_SM_SM_H
#define HD_RUNTIME_SM_SM_H

#include "lib/api.h"
#include "runtime/core/effect.h"
#include "runtime/core/gpu.h"
#include "runtime/core/warp.h"
#include "runtime/exec/execute.h"
#include "runtime/sm/access.h"
#include "runtime/sm/alarms.h"
#include "runtime/sm/barrier.h"
#include "runtime/sm/constant.h"
#include "runtime/sm/drain.h"
#include "runtime/sm/fetch.h"
#include "runtime/sm/forward.h"
#include "runtime/sm/inflight.h"
#include "runtime/sm/inject.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/limits.h"
#include "runtime/sm/memory_queue.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/stage.h"
#include "runtime/sm/texture.h"
#include "runtime/sm/timers.h"
#include "runtime/sm/two_level.h"
#include "runtime/sm/units.h"

/* What an SM keeps of a grid that runs. */
struct hd_sm_grid {
	const struct hd_grid *grid;  /* NULL: it has ended */
	uint32_t late;		     /* of hd_sm_access.late_count */
	uint32_t transfers;	     /* of hd_sm.transfer_count */
	uint32_t limit;		     /* CTAs of it that the SM has room for when nothing else is there */
	uint32_t resident, placed;   /* CTAs that the SM knows; of these, in a slot */
	uint32_t retired;	     /* since the GPU last looked */
	uint32_t registers_per_warp; /* as allocated */
	uint32_t shared_per_cta;     /* bytes, as allocated */
	uint32_t registers_away;     /* warps of resident CTAs that have no place in the register file */
	uint8_t *registers;	     /* backing store of hd_warp.regs */
	uint8_t *saved;		     /* the same of warps without a place, by hd_warp.id; NULL: no policy moves any */
	size_t saved_bytes;
	size_t register_bytes;
	size_t warp_register_bytes; /* rows of one warp, the hidden ones first */
	uint8_t *local;		    /* backing store of hd_warp.local */
	size_t local_bytes;
	uint32_t range_first, range_rows; /* warp registers of all its warps (range.c) */
	uint32_t (*range)[HD_WARP_LANES]; /* their values */
	struct hd_linear_parts *parts;	  /* what linear streams have left, where they run in time; else NULL */
};

struct hd_transfers; /* transfer.c */

struct hd_sm {
	/* What each cycle looks at, together: with many SMs each line of it is one that the host's caches do not hold.
	 */
	struct hd_gpu *gpu;
	struct hd_exec *exec;
	struct hd_lsu *lsu;
	struct hd_warp *warps;
	struct hd_units units;
	uint64_t hooks; /* HD_HOOK of each that some policy has */
	uint64_t now;
	bool every_cycle;
	bool by_control;			/* core = modern */
	bool lsu_ticked;			/* in this cycle: the memory may have been given work */
	bool wants_fill;			/* a slot has become free */
	bool wants_dispatch;			/* hd_sm_request_dispatch, since the GPU last looked */
	bool stirred;				/* from outside, so that it has work now */
	uint32_t ctas_retired;			/* since the GPU last looked */
	uint32_t grid_mask;			/* bit a grid with resident CTAs */
	uint32_t resident_warps, resident_ctas; /* that it knows */
	uint64_t lsu_next;			/* cycle at which hd_lsu_tick wants to be called */
	uint64_t completion_next;		/* cycle of the first completion not yet taken */
	uint64_t policy_next;			/* earliest policy tick */
	uint64_t alarm_next;			/* and alarm */
	uint64_t transfer_next;			/* cycle at which transfers have something to do */
	struct hd_stage stage;
	struct hd_barriers barriers;
	struct hd_forwarding forwarding;
	struct hd_issue issue;
	struct hd_drain drain;
	struct hd_inflights inflight;
	struct hd_memory_queues memory_queues;
	struct hd_two_level two_level; /* its first line is the last of what each cycle looks at */
	struct hd_scheduling scheduling;
	struct hd_wheel wheel;
	/* By hd_warp.id. */
	uint8_t grid_of[HD_MAX_CONTEXTS];	      /* hd_grid.slot of each warp */
	const struct hd_dinst *next[HD_MAX_CONTEXTS]; /* the instruction that each warp issues next */
	uint8_t rows_of[HD_MAX_CONTEXTS];	      /* which part of hd_sm_grid.registers it has */
	uint32_t local_of[HD_MAX_CONTEXTS];	      /* which part of the grid's local memory, of all SMs' */
	struct hd_effect effect;
	struct hd_sm_access access;
	struct hd_fetch fetch;
	struct hd_constants constants;
	struct hd_textures textures;
	struct hd_counters counted[HD_MAX_GRIDS];    /* of each grid, by hd_grid.slot */
	uint64_t spent[HD_MAX_GRIDS][HD_MAX_ENERGY]; /* events of policies, of each grid */
	/* What only some do. */
	uint32_t id;
	uint32_t warp_slots, cta_slots;
	uint32_t warp_count, cta_count;	    /* that it can know at a time; those without a slot included */
	uint64_t active_since;		    /* the cycle from which active_sm_cycles are not counted yet */
	uint32_t placed_warps, placed_ctas; /* of the resident ones, in a slot */
	uint32_t stages;		    /* that policies add between issue and execution */
	struct hd_operands operands;
	uint32_t transfer_count;
	struct hd_transfers *transfers;
	struct hd_alarms alarms;
	uint64_t policy_tick[HD_MAX_POLICIES];
	uint64_t linear_grid; /* id + 1 of the last grid whose linear streams it has run (linear.c) */
	struct hd_injector injector;
	/* dispatch.c */
	struct hd_cta *ctas;
	uint64_t free_slots[HD_MAX_WARPS / 64];
	uint64_t free_warps[HD_MAX_CONTEXTS / 64], free_rows[HD_MAX_CONTEXTS / 64]; /* ids; register places */
	uint64_t next_launch;	  /* earliest cycle of the next CTA's launch */
	uint64_t launches;	  /* warps started, for ages */
	uint32_t shared_reserved; /* bytes: to where CTAs have had shared memory since the SM was last without grids */
	uint8_t *shared;
	struct {
		struct hd_grid *grid;
		uint64_t linear;
	} *requeued; /* CTAs, until the dispatcher takes note: as many as it can know */
	uint32_t requeued_count;
	struct {
		uint32_t cta, to;
	} *sent; /* CTAs that are to go to other SMs, and to which; twice as many, since a hook may send on what has
		    come */
	uint32_t sent_count;
	uint8_t *saved_shared; /* of CTAs without shared memory in the SM, by their index */
	size_t saved_shared_bytes;
	uint32_t unplaced;		       /* warps that have had no slot yet */
	struct hd_sm_grid grids[HD_MAX_GRIDS]; /* by hd_grid.slot */
	uint8_t *policy_space;		       /* hd_policy_sm */
	uint64_t *policy_counts;	       /* hd_policy_counts: by policy, grid and row */
};

/* A policy's state with the GPU, an SM, a grid, a CTA, a warp. */
static inline void *hd_policy_gpu(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return gpu->policy_space + self->gpu_at;
}
static inline void *hd_policy_sm(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return sm->policy_space + self->sm_at;
}
static inline void *hd_policy_cta(const struct hd_policy_handle *self, const struct hd_cta *cta)
{
	return cta->policy_space + self->cta_at;
}
static inline void *hd_policy_grid(const struct hd_policy_handle *self, const struct hd_grid *grid)
{
	return grid->policy_space + self->grid_at;
}
static inline void *hd_policy_warp(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return warp->policy_space + self->warp_at;
}

/* The value of row `which` of its hooks' settings. */
static inline double hd_policy_setting(const struct hd_policy_handle *self, const struct hd_gpu *gpu, uint32_t which)
{
	return gpu->settings[self->settings_at + which];
}

/* What the policy counts of the grid in slot `grid` on an SM: the struct of its hooks' rows. */
static inline void *hd_policy_counts_of(const struct hd_policy_handle *self, const struct hd_sm *sm, uint32_t grid)
{
	return sm->policy_counts + (size_t)self->counts_at * HD_MAX_GRIDS + (size_t)grid * self->count_rows;
}

/* The same of the warp's grid on its SM. */
static inline void *hd_policy_counts(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts_of(self, warp->cta->sm, warp->cta->sm->grid_of[warp->id]);
}

/* In `report`: what that is about, a launch that ends or the run, in all. `sum`: a struct of its rows. */
HD_API void hd_policy_sum(const struct hd_policy_handle *self, const struct hd_gpu *gpu, void *sum);

/* An SM may be ahead of the others; between its cycles it is where the GPU is. */
static inline uint64_t hd_sm_now(const struct hd_sm *sm)
{
	return sm->now > sm->gpu->now ? sm->now : sm->gpu->now;
}

/* Events of a policy that take energy: of row `which` of its hooks' energy, for this grid. */
static inline void hd_policy_spend(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid,
				   uint32_t which, uint64_t events)
{
	sm->spent[grid->slot][self->energy_at + which] += events;
}

/* Where what a warp causes is counted. */
static inline struct hd_counters *hd_sm_counters(struct hd_sm *sm, const struct hd_warp *warp)
{
	return &sm->counted[sm->grid_of[warp->id]];
}

/* The time since this was last called with any warp on the SM is the grid's of the warp. */
static inline void hd_sm_count_active(struct hd_sm *sm, const struct hd_warp *warp, uint64_t now)
{
	if (now > sm->active_since)
		hd_sm_counters(sm, warp)->active_sm_cycles += now - sm->active_since;
	sm->active_since = now;
}

static inline void *hd_policy_collector(const struct hd_policy_handle *self, const struct hd_collector *collector)
{
	return collector->policy_space + self->collector_at;
}

/* sm.c */
struct hd_sm *hd_sm_new(struct hd_gpu *gpu, uint32_t id, struct hd_exec *exec);
void hd_sm_free(struct hd_sm *sm);
/* Sets aside what watchers keep of warps and blocks, zeroed. */
void hd_sm_place_watched(struct hd_sm *sm);
/* Before the first grid: it can know so many more warps and CTAs than it has slots for. */
void hd_sm_spare(struct hd_sm *sm, uint32_t warps, uint32_t ctas);
/* One cycle. Returns the next cycle at which this SM has something to do (HD_NEVER: only after a reply). */
uint64_t hd_sm_tick(struct hd_sm *sm, uint64_t now);
void hd_sm_begin(struct hd_sm *sm, uint64_t now);
/* Drops every warp, after a fault. */
void hd_sm_abandon(struct hd_sm *sm);
void hd_sm_dump(const struct hd_sm *sm, FILE *out);

/* range.c: registers of a grid on an SM */
/* How many warp registers policies reserve, and giving them to the grid, zeroed: HD_SIM_NO_MEMORY or 0. */
uint32_t hd_range_rows(struct hd_sm *sm, const struct hd_grid *grid);
int hd_range_place(struct hd_sm *sm, const struct hd_grid *grid, uint32_t rows);
/* Values of a row, one a lane. */
static inline uint32_t *hd_range_row(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t row)
{
	return sm->grids[grid->slot].range[row];
}
/* As hd_bank_read and hd_bank_write, of the range of the warp's grid. Accesses of fewer lanes are counted by lanes. */
HD_API uint64_t hd_range_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_range_access *access,
			      uint64_t from);
HD_API uint64_t hd_range_write(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_range_access *access,
			       uint64_t from);
/* Reads what the instruction reads of it; the cycle at which that and what is there at `ready` are. */
uint64_t hd_range_operands(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now,
			   uint64_t ready);
/* What the instruction writes of it is there at cycle `at`; and the timer of that: true when the write is done. */
void hd_range_start(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now, uint64_t at);
bool hd_range_result(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);

/* dispatch.c */
/* A grid gets its turn. HD_SIM_TOO_LARGE, HD_SIM_NO_MEMORY or 0. */
int hd_sm_prepare(struct hd_sm *sm, const struct hd_grid *grid);
void hd_sm_release_stores(struct hd_sm *sm);
/* For policies: a quota has risen, so that blocks may find a place in the next cycle. */
static inline void hd_sm_request_dispatch(struct hd_sm *sm)
{
	sm->wants_dispatch = true;
}
/* places.c: also whether there is for a block that may start without some of what it needs. */
bool hd_sm_has_room(struct hd_sm *sm, const struct hd_grid *grid);
/* context.c */
/* A killed warp has nothing under way any more. */
void hd_warp_bury(struct hd_sm *sm, struct hd_warp *warp);
void hd_warp_bring_back(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/* Warps that have not had a slot yet get those that are free, the oldest first. */
void hd_sm_fill_slots(struct hd_sm *sm, uint64_t now);
struct hd_cta *hd_sm_launch_cta(struct hd_sm *sm, struct hd_grid *grid, uint64_t linear, uint64_t now);
void hd_sm_warp_done(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);

#endif
