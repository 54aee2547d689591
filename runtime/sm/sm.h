/*
 * The timing model of one SM. Each of its units has a header of its own with the structure of its state, which struct
 * hd_sm holds by value; sm.c goes through them cycle by cycle. Private to runtime/ and to policies.
 *
 * Nothing is scanned per cycle: each unit says when it next has something to do. An SM touches only its own state, its
 * load/store unit and, through the executor, memory contents.
 */
#ifndef HD_RUNTIME_SM_SM_H
#define HD_RUNTIME_SM_SM_H

#include "lib/api.h"
#include "runtime/core/effect.h"
#include "runtime/core/gpu.h"
#include "runtime/core/warp.h"
#include "runtime/exec/execute.h"
#include "runtime/sm/accelsim.h"
#include "runtime/sm/access.h"
#include "runtime/sm/alarms.h"
#include "runtime/sm/barrier.h"
#include "runtime/sm/bulk.h"
#include "runtime/sm/constant.h"
#include "runtime/sm/context.h"
#include "runtime/sm/dispatch.h"
#include "runtime/sm/drain.h"
#include "runtime/sm/fetch.h"
#include "runtime/sm/forward.h"
#include "runtime/sm/handover.h"
#include "runtime/sm/inflight.h"
#include "runtime/sm/inject.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/limits.h"
#include "runtime/sm/loads.h"
#include "runtime/sm/mbarrier.h"
#include "runtime/sm/memory_queue.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/places.h"
#include "runtime/sm/results.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/stage.h"
#include "runtime/sm/stream.h"
#include "runtime/sm/texture.h"
#include "runtime/sm/timers.h"
#include "runtime/sm/transfer.h"
#include "runtime/sm/two_level.h"
#include "runtime/sm/units.h"
#include "runtime/sm/wgmma.h"

struct hd_sm {
	/* What each cycle looks at, together: with many SMs each line of it is one that the host's caches do not hold.
	 */
	struct hd_gpu *gpu;
	struct hd_exec *exec;
	struct hd_lsu *lsu;
	struct hd_warp *warps;
	struct hd_units units;
	struct hd_accelsim accelsim;
	uint64_t hooks; /* HD_HOOK of each that some policy has */
	uint64_t now;
	bool every_cycle;
	bool by_control;			/* core = modern */
	bool lsu_ticked;			/* in this cycle: the memory may have been given work */
	bool stirred;				/* from outside, so that it has work now */
	uint32_t grid_mask;			/* bit a grid with resident CTAs */
	uint32_t resident_warps, resident_ctas; /* that it knows */
	struct {
		uint64_t lsu;	     /* hd_lsu_tick */
		uint64_t completion; /* the first that was not taken yet */
		uint64_t alarm;
		uint64_t transfer;
	} due; /* the cycle at which each is to be called */
	struct {
		uint8_t *space;	  /* hd_policy_sm */
		uint64_t *counts; /* hd_policy_counts: by policy, grid and row */
	} policies;
	uint32_t id;
	struct hd_stage stage;
	struct hd_contexts contexts;
	struct hd_barriers barriers;
	struct hd_mbarriers mbarriers;
	struct hd_bulk_unit *bulk; /* NULL: it has made no copies in bulk */
	struct hd_wgmma products;
	struct hd_forwarding forwarding;
	struct hd_transfers transfers;
	struct hd_issue issue;
	struct hd_drain drain;
	struct hd_inflights inflight;
	struct hd_memory_queues memory_queues;
	struct hd_dispatch dispatch;
	struct hd_two_level two_level;
	struct hd_scheduling scheduling;
	struct hd_wheel wheel;
	struct hd_results results;
	/* By hd_warp.id. */
	uint8_t grid_of[HD_MAX_CONTEXTS];	      /* hd_grid.slot of each warp */
	const struct hd_dinst *next[HD_MAX_CONTEXTS]; /* the instruction that each warp issues next */
	struct hd_effect effect;		      /* of the last instruction */
	struct hd_sm_access access;
	struct hd_fetch fetch;
	struct hd_constants constants;
	struct hd_textures textures;
	struct hd_counters counted[HD_MAX_GRIDS]; /* of each grid, by hd_grid.slot */
	/* What only some do. */
	uint32_t warp_count, cta_count; /* that it can know at a time; those without a slot included */
	uint32_t stages;		/* that policies add between issue and execution */
	uint64_t active_since;		/* the cycle from which active_sm_cycles are not counted yet */
	uint64_t linear_grid;		/* id + 1 of the last grid whose linear streams it has run (linear.c) */
	struct hd_operands operands;
	struct hd_handover handover;
	struct hd_streams streams;
	struct hd_loads loads;
	struct hd_cta *ctas;
	struct hd_sm_grid grids[HD_MAX_GRIDS]; /* by hd_grid.slot */
	struct hd_sm_places places;
	struct hd_injector injector;
	struct hd_alarms alarms;
	uint64_t policy_spent[HD_MAX_GRIDS][HD_MAX_ENERGY]; /* events of each grid that take energy */
	struct hd_arena arena; /* of what is allocated while it works: the GPU's is not for several host threads */
};

/* An SM may be ahead of the others; between its cycles it is where the GPU is. */
static inline uint64_t hd_sm_now(const struct hd_sm *sm)
{
	return sm->now > sm->gpu->now ? sm->now : sm->gpu->now;
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

/* Whether the scoreboard of the warp's scheduler does not know of a result that has been written; of some result. */
static inline bool hd_results_due(const struct hd_sm *sm, const struct hd_warp *warp)
{
	return sm->results.next[sm->scheduling.scheduler_of[warp->id]] <= sm->now;
}
static inline bool hd_results_under_way(const struct hd_sm *sm, const struct hd_warp *warp)
{
	return sm->results.next[sm->scheduling.scheduler_of[warp->id]] != HD_NEVER;
}

/* sm.c */
/* An SM without a load/store unit, warps and blocks: one that has none yet looks idle to whoever asks. */
struct hd_sm *hd_sm_new(struct hd_gpu *gpu, uint32_t id);
/* Before its first block: makes what an SM works with, and clears it. Others cost next to no memory. */
void hd_sm_build(struct hd_sm *sm);
static inline bool hd_sm_is_built(const struct hd_sm *sm)
{
	return sm->lsu != NULL;
}
void hd_sm_free(struct hd_sm *sm);
/* Sets aside what watchers keep of warps and blocks, zeroed, where it has any. */
void hd_sm_place_watched(struct hd_sm *sm);
/* Before the first grid: it can know so many more warps and CTAs than it has slots for. */
void hd_sm_spare(struct hd_sm *sm, uint32_t warps, uint32_t ctas);
/* Start to bring what its cycle `due` will look at into the host's cache: what lies in the SM, and what that leads to.
 */
void hd_sm_fetch(const struct hd_sm *sm, uint64_t due);
void hd_sm_fetch_further(const struct hd_sm *sm, uint64_t due);
/* One cycle. Returns the next cycle at which this SM has something to do (HD_NEVER: only after a reply). */
uint64_t hd_sm_tick(struct hd_sm *sm, uint64_t now);
/* Empties schedulers, places and queues; calendars carry on. Called when no grid runs, for an SM that had a block. */
void hd_sm_clear(struct hd_sm *sm);
/* The first grid for some time has begun in cycle `began`. The SM is clear, and its slots are attributed up to cycle
 * `charged`, exclusive. */
void hd_sm_begin(struct hd_sm *sm, uint64_t began, uint64_t charged);
/* Drops every warp, after a fault. */
void hd_sm_abandon(struct hd_sm *sm);
void hd_sm_dump(const struct hd_sm *sm, FILE *out);

#endif
