/*
 * Movable warps and blocks, for policies: what they have in an SM leaves it and comes back, to the same places or to
 * others, bit for bit; blocks are killed and run again from their start (context.c). Warps stop at chosen instructions,
 * and a policy hears when one has nothing under way any more: drain.h. Blocks go to other SMs: handover.h.
 *
 * A warp and a block are known by their struct from launch to end, whatever they are in: hd_warp.id and the index in
 * hd_sm.ctas never change on an SM. A warp without a slot is asleep for the schedulers; everything else goes on as if
 * it were there: results and replies arrive in its registers wherever these are, barriers let it go, and its stall
 * reason says what it would wait for (HD_WAIT_READY: nothing). How long it takes to bring a context somewhere is the
 * policy's to say: here things move at once.
 *
 * All of this is for hooks about an SM and that SM's warps, but not for `prefer` and those hooks that may only look;
 * can_issue and choose_collector may suspend the warp that they are asked about, if they refuse it. What a policy does
 * stays in one SM, but for hd_cta_send. A policy that moves anything says so (hd_policy_hooks.moves).
 */
#ifndef HD_RUNTIME_SM_CONTEXT_H
#define HD_RUNTIME_SM_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/api.h"
#include "runtime/core/warp.h"

struct hd_requeued {
	struct hd_grid *grid;
	uint64_t linear;
};

struct hd_contexts {
	bool wants_fill;   /* a slot has become free */
	uint32_t unplaced; /* warps that have had no slot yet */
	uint32_t requeued_count;
	struct hd_requeued *requeued; /* CTAs, until the dispatcher takes note: as many as the SM can know */
};

/* Registers, a bit each. */
struct hd_registers {
	uint64_t bits[4];
};

/* ---- warps */

/*
 * The warp leaves its slot and the parts named, of HD_PART_REGISTERS and HD_PART_STACK; what it has left before stays
 * left. Of its registers those in `saved` are kept (NULL: all), and those with results under way; the others come back
 * with nothing in them, and under --verify reading one is an error. Its stack, predicates and uniform registers have no
 * place of their own in this model: the part says for others where they are (hd_warp.away). In any state; a warp that
 * has ended and waits for what it started may leave, too, and ends where it is.
 */
HD_API void hd_warp_suspend(struct hd_sm *sm, struct hd_warp *warp, uint32_t parts, const struct hd_registers *saved);
/* Would hd_warp_resume bring it back? Not while its block is away, without a slot and registers, or when it has ended.
 */
HD_API bool hd_warp_can_return(const struct hd_sm *sm, const struct hd_warp *warp);
static inline bool hd_warp_is_away(const struct hd_warp *warp)
{
	return warp->slot == HD_NO_SLOT;
}
/* The warp of this index of the block; NULL: it has ended. */
HD_API struct hd_warp *hd_cta_warp(const struct hd_cta *cta, uint32_t index);

/* ---- blocks */

/* The block leaves its slot, and of HD_PART_SHARED, HD_PART_REGISTERS and HD_PART_STACK those named; its warps that are
 * still there leave with all of their registers. Of single warps a mask is given before. */
HD_API void hd_cta_suspend(struct hd_sm *sm, struct hd_cta *cta, uint32_t parts);
/* Would hd_cta_resume bring it back? */
HD_API bool hd_cta_can_return(struct hd_sm *sm, const struct hd_cta *cta);
/* It comes back with its shared memory, and so do its warps, or all of it stays away: false. */
HD_API bool hd_cta_resume(struct hd_sm *sm, struct hd_cta *cta, uint64_t now);
/* The same without the warps, which come back one by one. */
HD_API bool hd_cta_return(struct hd_sm *sm, struct hd_cta *cta);

/* ---- killed and run again */

/* Whether the kernel's blocks can be run again from their start at any time, as far as the compiler knows. */
HD_API bool hd_grid_restarts(const struct hd_grid *grid);
/*
 * All that the block has done is dropped, and its places are free; what it has under way goes on to where nobody
 * waits. It is launched again, from its start, before blocks of its grid that have not begun: on any SM, as soon as the
 * dispatcher finds room. The caller sees to it that it can be (hd_grid_restarts). Hook cta_kill.
 */
HD_API void hd_cta_requeue(struct hd_sm *sm, struct hd_cta *cta, uint64_t now);
/* The same of a warp that has met no others of its block at a barrier yet: it begins again as soon as there is a slot.
 * It is another struct from now on, which is returned; NULL: the SM cannot know that many, nothing was done. */
HD_API struct hd_warp *hd_warp_requeue(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);

/* ---- for the SM */

/* A killed warp has nothing under way any more. */
void hd_warp_bury(struct hd_sm *sm, struct hd_warp *warp);
void hd_warp_bring_back(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/* Warps that have not had a slot yet get those that are free, the oldest first. */
void hd_sm_fill_slots(struct hd_sm *sm, uint64_t now);

#endif
