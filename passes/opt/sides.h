/*
 * Sides of branches that may run under a predicate in place of the branch: what if-conversion (if_conversion.c), behind
 * allocation, and predication (predicated_constants.c), in front of the schedule, agree on.
 */
#ifndef HD_PASSES_OPT_SIDES_H
#define HD_PASSES_OPT_SIDES_H

#include "passes/mir/mir.h"

/* The guarded branch of a block that ends in two branches; NULL: it ends otherwise. */
struct hd_minst *hd_side_fork(struct hd_mblock *block);
/* Edges into each block, on the heap, the caller's. */
uint32_t *hd_side_ways_in(const struct hd_mfunc *func);
/* The block behind a side that is short, entered from one place and left by a branch; HD_NO_BLOCK: it is no such side.
 * Its instructions are all but the last one. */
uint32_t hd_side_behind(const struct hd_mfunc *func, const uint32_t *ways_in, uint32_t side);
/* Whether the instruction has no guard yet, and does nothing to or with other lanes, so that it may have one. */
bool hd_side_may_guard(const struct hd_minst *inst);

#endif
