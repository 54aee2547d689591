/*
 * Where registers are short (shortage.c).
 */
#ifndef HD_PASSES_OPT_SHORTAGE_H
#define HD_PASSES_OPT_SHORTAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"

struct hd_mfunc;

/*
 * As many words as should be live at once, where `most` are. Where a limit is crossed, that limit; else, of a kernel
 * that leaves an SM few threads, as many as let it have four warps more. 0: as many as there are. `must`: there is a
 * limit.
 */
int32_t hd_shortage_target(const struct hd_mfunc *func, int32_t most, bool *must);

/*
 * Sets the limit that `most` words live at once could do with, of a function without one, where allocation leaves holes
 * between ranges, so that it would take more and an SM hold fewer warps. How many threads a block has is not known: it
 * may not fit at all, or never have more warps. So the function's deepest loops may spill no word more for it, and a
 * fifth of the instructions may be executed in addition, spills elsewhere included. Else it does nothing. Costs one or
 * two trials.
 */
void hd_shortage_limit(struct hd_mfunc *func, int32_t most);

/* Whether registers may be short: not, without liveness, where so many cannot be live. */
bool hd_shortage_may_be(struct hd_mfunc *func, struct hd_arena *arena);

#endif
