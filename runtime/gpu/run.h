/*
 * The main loop's own state and steps, as gpu.c and window.c share them.
 */
#ifndef HD_RUNTIME_GPU_RUN_H
#define HD_RUNTIME_GPU_RUN_H

#include "runtime/gpu/clusters.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/progress.h"
#include "runtime/gpu/shares.h"
#include "runtime/sm/sm.h"

#define HD_MAX_SMS 1024

/* What the loop keeps beside the GPU. */
struct hd_run {
	struct hd_gpu *gpu;
	uint32_t sm_count;
	uint32_t busy_count;
	uint32_t working_count; /* of these: with warps or memory accesses, not alarms alone */
	uint32_t ending;	/* grids that run and have no block left */
	bool all;		/* SMs are touched, not only used ones */
	bool sends;		/* blocks are to go to other SMs */
	bool quotas;		/* policies limit the blocks of grids on an SM */
	bool across;		/* and look at other SMs for that */
	uint64_t began;		/* cycle since which some grid has been running */
	uint64_t memory_next, dispatch_next, policy_next;
	bool finished; /* by a checkpoint: a grid has ended already in this step */
	bool apart;    /* SMs or the memory have done something that the others have not learnt of */
	uint64_t policy_tick[HD_MAX_POLICIES];
	uint32_t first; /* SM that gets the next CTA */
	struct hd_progress progress;
	uint64_t due[HD_MAX_SMS];  /* cycle at which each SM wants to be visited */
	uint16_t busy[HD_MAX_SMS]; /* SMs with warps or memory accesses, ascending */
	uint64_t woken[HD_MAX_SMS / 64];
	/* SMs that the dispatcher came to since the GPU was last at rest, a bit each. All of them where something else
	 * may touch one (`all`). Launches leave the others alone: their schedulers are idle since `idle_since`. */
	uint64_t used[HD_MAX_SMS / 64];
	uint32_t used_count;
	uint64_t idle_since;
	/* By slot of a grid: SMs that the grid was prepared on, and only these count something for it. When it has
	 * ended that is moved to `settled`; slots of schedulers, when the GPU comes to rest. */
	uint64_t counting[HD_MAX_GRIDS][HD_MAX_SMS / 64];
	struct hd_counters settled[HD_MAX_GRIDS];
	uint64_t settled_stalls[HD_STALL_COUNT];
	uint16_t lasting[HD_MAX_GRIDS]; /* by slot: SM of a warp that had some way to go (ends.c) */
	struct hd_clusters *clusters;	/* NULL: there has been none */
	uint32_t cluster_grids;		/* that run, of those whose blocks are in clusters */
	struct hd_window *window;
	struct hd_shares *shares; /* under options.shares; else NULL */
};

static inline bool hd_sm_busy(const struct hd_sm *sm)
{
	return sm->resident_warps || sm->transfers.count || (hd_sm_is_built(sm) && !hd_lsu_idle(sm->lsu));
}

/* For each SM of a set, in ascending order; for each that is used; for each that may have counted something for the
 * grid in a slot. */
#define HD_FOR_SMS(run, set, id)                                                                      \
	for (uint32_t id##_word = 0, id = 0; id##_word < ((run)->sm_count + 63) / 64; id##_word++)    \
		for (uint64_t id##_left = (set)[id##_word];                                           \
		     id##_left && (id = 64 * id##_word + (uint32_t)__builtin_ctzll(id##_left), true); \
		     id##_left &= id##_left - 1)
#define HD_FOR_USED(run, id) HD_FOR_SMS (run, (run)->used, id)
#define HD_FOR_COUNTING(run, slot, id) HD_FOR_SMS (run, (run)->counting[slot], id)

static inline bool hd_run_uses(const struct hd_run *run, uint32_t id)
{
	return run->used[id / 64] >> id % 64 & 1;
}

/* gpu.c */
/* The dispatcher comes to an SM for a block of a grid that runs. False: no host memory for it, hd_gpu.error says so. */
bool hd_run_use(struct hd_run *run, uint32_t id, const struct hd_grid *grid);
void hd_run_find_busy(struct hd_run *run);
/* SMs and the memory learn what the others have done; the SMs go on from `now`. Returns the next cycle in which the
 * memory had work without what it learns. Nothing is done where there is nothing to learn. */
uint64_t hd_run_meet(struct hd_run *run, uint64_t now);
/* The memory's cycles up to and including this one. */
void hd_run_memory(struct hd_run *run, uint64_t now);
/* alone.c: one SM has work, and the memory. */
bool hd_run_is_alone(const struct hd_run *run, uint64_t now);
/* Its work from `now` on, as long as it stays alone and nobody else wants anything; `*last` becomes the last cycle in
 * which there was some. Returns the next cycle with work. */
uint64_t hd_run_alone(struct hd_run *run, uint64_t now, uint64_t *last);
/* All blocks that begin with time have ended, more are to come, and nothing is under way. */
bool hd_run_has_drained(const struct hd_run *run);
/* blocks.c. Gives SMs blocks that have no place yet; returns the cycle at which it is to be tried again, HD_NEVER: when
 * a block has ended. */
uint64_t hd_run_dispatch(struct hd_run *run, uint64_t now);
/* Whose blocks are next: NULL when all have a place. */
struct hd_grid *hd_run_head(const struct hd_gpu *gpu);
/* Where policies give quotas: the most urgent grid of which the SM may have another block, or NULL. */
struct hd_grid *hd_run_candidate(struct hd_sm *sm);
/* Where policies move blocks, too: whether the SM may have one if the dispatcher comes by, now or when a block has been
 * killed; whether there is such a block, or may be. */
bool hd_run_may_take(struct hd_sm *sm);
bool hd_run_may_wait(const struct hd_run *run);
/* snapshot.c. What SMs have counted for a grid that has ended goes to run->settled; of schedulers, where none runs. */
void hd_run_settle(struct hd_run *run, uint32_t slot);
void hd_run_settle_stalls(struct hd_run *run);
/* A grid that runs has blocks without a place; some grid has. */
bool hd_grid_waits_for_room(const struct hd_grid *grid);
bool hd_run_waits_for_room(const struct hd_run *run);
/* ends.c. Of the next `most` cycles, at least 1, how many several grids run beside each other for certain, but that
 * some may end in the last one, without a grid's place in the line for room becoming another's. */
uint64_t hd_run_lasts(struct hd_run *run, uint64_t most);
/* In so many cycles the dispatcher changes no answer to the question whether a grid has blocks left, and as many as an
 * SM may have (hd_gpu.counts_blocks). */
bool hd_run_keeps_blocks(const struct hd_run *run, uint64_t cycles);
/* Tells the event `look`; the SMs have come so far, and the memory is brought there. */
void hd_run_look(struct hd_run *run, uint64_t now);
/* Takes notice of blocks that have ended on an SM in cycle `now`. */
void hd_run_collect(struct hd_run *run, struct hd_sm *sm, uint64_t now);

/*
 * window.c: several cycles of each SM at a time.
 */
struct hd_window;
struct hd_window *hd_window_new(struct hd_run *run);
void hd_window_release(struct hd_window *window);
/* The SM may have work from now on. */
void hd_window_use(struct hd_window *window, uint32_t id);
/* The first grid for some time begins; or a grid that runs beside others does, or ends. */
void hd_window_begin(struct hd_window *window);
/* In a process that goes on from a checkpoint. */
void hd_window_resume(struct hd_window *window);
/* SMs look at each other's work at windows' ends alone, and nobody watches each step. */
bool hd_window_allowed(const struct hd_window *window);
/* Cycles of a window at most, for the grids that ran last. */
uint64_t hd_window_most(const struct hd_window *window);
/* The cycle behind the last that the SMs may work through from `now` on without looking at each other: now + 1 where
 * they have to. */
uint64_t hd_window_end(const struct hd_window *window, uint64_t now);
/* Where each step is watched the SMs work through single cycles, and a window is what their loads see: before those of
 * cycle `now`, and after them with the next cycle in which somebody has work, which becomes the next one to visit. */
void hd_window_watch(struct hd_window *window, uint64_t now);
uint64_t hd_window_watched(struct hd_window *window, uint64_t now, uint64_t next);
/* Whether such a window goes on in cycle `now`. */
bool hd_window_is_open(const struct hd_window *window, uint64_t now);
/* The SMs do not go on by cycles. */
void hd_window_leave(struct hd_window *window);
/* The SMs' work in [now, end); `*last` becomes the cycle in which the last of it was done, also by the memory where the
 * only grid has ended. Returns the next cycle at which one of them has some. */
uint64_t hd_window_run(struct hd_window *window, uint64_t now, uint64_t end, uint64_t *last);
/* The cycle that an SM has come to when the dispatcher looks at it in cycle `now`: inside a window others may have gone
 * further, HD_NEVER: to its end. */
uint64_t hd_window_stands(const struct hd_window *window, uint32_t sm, uint64_t now);

#endif
