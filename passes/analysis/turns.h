/*
 * Which code each turn of a loop comes to, for some thread. A branch may pass it by only on the thread's number, or on
 * the loop's own bound, which does so in the last turns.
 */
#ifndef HD_PASSES_ANALYSIS_TURNS_H
#define HD_PASSES_ANALYSIS_TURNS_H

#include "passes/analysis/writers.h"

struct hd_turns {
	struct hd_writers_search *search;
	uint32_t *ends, *end_depth; /* post-dominators of the flow's blocks */
};

/* Whether the predicate is as `truth` says before the instruction, in all turns but the loop's last ones, at least for
 * some thread. */
bool hd_turns_hold(struct hd_turns *turns, uint32_t inst, unsigned pred, bool truth, uint32_t loop);

/* Whether all turns but the last ones come to the block, which is in the loop, for some thread. Branches that leave the
 * loop do not count. */
bool hd_turns_come_to(struct hd_turns *turns, uint32_t block, uint32_t loop);

#endif
