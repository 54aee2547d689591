/*
 * How far away the next read of each live word is, at the beginning and the end of each block.
 */
#ifndef HD_PASSES_REGALLOC_NEXT_USE_H
#define HD_PASSES_REGALLOC_NEXT_USE_H

#include "passes/mir/live.h"

#define HD_NEVER UINT32_MAX
#define HD_LOOP_EXIT 100000u /* instructions that leaving a loop counts for */

/* Instructions up to the next read, HD_NEVER unknown: beside intervals->live.in and live.out, by the same index. */
struct hd_next_uses {
	uint32_t *at_in, *at_out;
};

void hd_next_uses_compute(struct hd_mfunc *func, const struct hd_live_intervals *intervals, struct hd_arena *arena,
			  struct hd_next_uses *out);

#endif
