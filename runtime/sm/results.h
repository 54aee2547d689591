/*
 * Results of fixed latency that nobody is told of: results.c.
 */
#ifndef HD_RUNTIME_SM_RESULTS_H
#define HD_RUNTIME_SM_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"
#include "runtime/sm/limits.h"

struct hd_dinst;
struct hd_hazard;
struct hd_sm;
struct hd_warp;

#define HD_RESULTS 32 /* of a scheduler at a time, a power of two; more get timers */

/* Those of a scheduler in the order of their cycles, and in one cycle in that of issue. Indices go on for ever. */
struct hd_result_ring {
	uint32_t head; /* the ports of those before it have been taken */
	uint32_t told; /* the scoreboard knows of those before it */
	uint32_t tail;
	uint64_t *ports;	    /* for writes, of the scheduler's register file */
	uint32_t order[HD_RESULTS]; /* of issue */
	uint64_t cycle[HD_RESULTS]; /* in which each is written */
	const struct hd_dinst *inst[HD_RESULTS];
	uint8_t warp[HD_RESULTS]; /* hd_warp.id */
};

struct hd_results {
	bool used;
	bool ordered; /* results with timers are written one by one in this cycle: others take their ports in between */
	bool behind;  /* the scoreboard may be behind for warps that do not meet what is under way */
	uint64_t next[HD_MAX_SCHEDULERS]; /* cycle of the first that the scoreboard does not know of; HD_NEVER */
	struct hd_result_ring *of;	  /* by scheduler */
};

void hd_results_init(struct hd_sm *sm, struct hd_arena *arena);
/* Before the first grid for some time: finds out whether they are used. */
void hd_results_begin(struct hd_sm *sm);
/* Forgets those under way. */
void hd_results_drop(struct hd_sm *sm);
/* Takes a result of the instruction that the warp issues, which is arithmetic, in cycle `at`, after this one. False:
 * it needs a timer. Only where they are used. */
bool hd_results_take(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t at);
/* The scoreboard of the warp's scheduler is as of now. Only where some are due (hd_results_due). */
void hd_results_tell(struct hd_sm *sm, const struct hd_warp *warp);
/* The write ports of the warp's register file are as before the result of an instruction that was issued as number
 * `order` is written now. */
void hd_results_take_ports(struct hd_sm *sm, const struct hd_warp *warp, uint64_t now, uint32_t order);
/* Counts all of the SM that are written before cycle `now`. Ahead of whoever looks at its counters. */
void hd_results_count(struct hd_sm *sm, uint64_t now);
/* The cycle in which the last result under way is written that meets these hazards of the warp (NULL: any). 0: there is
 * none. Behind hd_results_tell. */
uint64_t hd_results_last(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_hazard *hazards);

#endif
