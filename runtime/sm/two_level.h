/*
 * The active set of the two-level scheduler: two_level.c.
 */
#ifndef HD_RUNTIME_SM_TWO_LEVEL_H
#define HD_RUNTIME_SM_TWO_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/hazard.h"

struct hd_dinst;
struct hd_scheduler;
struct hd_sm;
struct hd_warp;

/* What it keeps of a warp. The times are of one in a slot. */
struct hd_two_level_warp {
	uint64_t eligible_at;	 /* since when it may come into the active set */
	uint64_t active_at;	 /* from when on it may issue, when it was last taken into the set */
	struct hd_hazard missed; /* under `leaves_on_miss`: results under way of loads that missed L1 */
};

struct hd_two_level {
	uint64_t next;			 /* cycle at which warps may have to make way */
	uint64_t quantum;		 /* as configured */
	bool leaves_on_miss;		 /* for memory only when L1 was missed */
	struct hd_two_level_warp *warps; /* by hd_warp.id */
};

/* Whether a wait for this reason takes the warp out of the active set. */
bool hd_active_leaves(const struct hd_sm *sm, const struct hd_warp *warp, uint8_t reason);
/* The warp has begun to wait for `reason`, or is ready: it leaves the set or may come in. */
void hd_active_update(struct hd_sm *sm, struct hd_scheduler *scheduler, uint64_t bit, uint8_t reason);
/* Warps come in, as far as there is room. */
void hd_active_fill(struct hd_sm *sm, struct hd_scheduler *scheduler);
/* A load of the warp has missed L1. */
void hd_active_missed(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *load);
/* The delay of a warp that came into the active set is over. */
void hd_scheduler_activated(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/* At the start of a grid or a change of the rule. */
void hd_active_begin(struct hd_sm *sm, uint64_t now);
/* At hd_two_level.next. */
void hd_active_turn(struct hd_sm *sm, uint64_t now);

#endif
