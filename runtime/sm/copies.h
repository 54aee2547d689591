/*
 * Asynchronous copies of a warp, and their groups: copies.c.
 */
#ifndef HD_RUNTIME_SM_COPIES_H
#define HD_RUNTIME_SM_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/program.h"
#include "runtime/core/warp.h"

/* Groups that have ended and are not done. */
static inline uint8_t hd_copies_pending(const struct hd_copies *copies)
{
	return (uint8_t)(copies->open - copies->oldest);
}
/* The warp issues a copy. Returns the group that the copy joins. */
uint8_t hd_copies_start(struct hd_warp *warp);
/* The warp ends its group. */
void hd_copies_commit(struct hd_warp *warp);
/* A copy of the group is done. */
void hd_copies_done(struct hd_warp *warp, uint8_t group);
/* Whether groups that are under way keep the instruction from issuing: it waits for them, or it ends one group more
 * than the warp has numbers for. */
bool hd_copies_keep(const struct hd_warp *warp, const struct hd_inst *inst);
/* hd_copies_keep for a warp that may have no groups at all. */
static inline bool hd_copies_hold(const struct hd_warp *warp, const struct hd_dinst *inst)
{
	return __builtin_expect(warp->copies.oldest != warp->copies.open, 0) && hd_copies_keep(warp, &inst->inst);
}

#endif
