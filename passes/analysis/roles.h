/*
 * Warps with roles: a thread that brings pieces to a ring of slots when it is told that there is room, and others that
 * wait for a piece, work on it, and then tell that its slot is free.
 *
 * In its turn t the first one waits for room in slot t % slots, and nothing else. The others arrive there only behind
 * their wait of a turn t, t - slots, t - 2 slots and so on. For an arrival of turn t it cannot wait, since that comes
 * behind the copy. So it needs what the others did in turns up to t - slots: with two slots or more, while they work in
 * turn t, the copy of turn t + 1 may have been started. They have not waited for it, since no wait of theirs before
 * the work is for another slot.
 */
#ifndef HD_PASSES_ANALYSIS_ROLES_H
#define HD_PASSES_ANALYSIS_ROLES_H

#include "passes/analysis/sums.h"
#include "passes/analysis/turns.h"

enum hd_copy_step { HD_COPY_NOTHING, HD_COPY_START, HD_COPY_WAIT, HD_COPY_WORK, HD_COPY_SYNC, HD_COPY_CALL };

struct hd_copy_site {
	uint32_t inst, block;
	struct hd_sum address; /* of the barrier */
	uint32_t loop;	       /* of a wait: the one around the loop that repeats it; HD_NO_NODE: none */
	bool clean;	       /* of a wait: behind it, the barrier's phase is over */
	uint64_t kills;	       /* of a wait: copies that it waits for */
	bool in_line;	       /* of a start: its thread comes to all waits */
};

struct hd_roles {
	struct hd_turns *turns;
	const uint8_t *steps; /* by instruction, enum hd_copy_step */
	const struct hd_copy_site *starts, *waits;
	uint32_t start_count, wait_count;
};

/* Whether the wait is such a one for pieces, and work stands behind it. All else is false: other ways to tell of room,
 * loops in loops, rings that begin elsewhere, more waits or branches on data where pieces are brought. */
bool hd_roles_feed(struct hd_roles *roles, const struct hd_copy_site *wait);

#endif
