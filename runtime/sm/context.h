/*
 * Movable warps and blocks, for policies: what they have in an SM leaves it and comes back, to the same places or to
 * others, bit for bit; blocks are killed and run again from their start; warps stop at chosen instructions, and a
 * policy hears when one has nothing under way any more.
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

#include "runtime/sm/sm.h"

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

/* ---- what is under way */

enum {
	HD_PENDING_RESULTS = 1,	  /* registers that are still to be written, by whatever */
	HD_PENDING_LOADS = 2,	  /* loads and atomics in the memory */
	HD_PENDING_OPERANDS = 4,  /* instructions that have not got all operands, or are in a collector */
	HD_PENDING_STORES = 8,	  /* stores and reductions that are not known to have arrived */
	HD_PENDING_INJECTED = 16, /* hd_warp_inject */
	HD_PENDING_FENCE = 32,	  /* it waits at a memory fence */
	HD_PENDING_ALL = 63
};
/* Those that the warp has; nothing of these: it is drained. */
HD_API uint32_t hd_warp_pending(const struct hd_sm *sm, const struct hd_warp *warp);
/* Has the hook `drained` called once, in a later cycle, when the warp has nothing of these under way. It is not kept
 * from starting more. Forgotten when the warp ends. */
HD_API void hd_warp_await(struct hd_sm *sm, struct hd_warp *warp, uint32_t what);

/* ---- stops */

/*
 * The warp, or all of the SM including those to come, stop before an instruction whose hd_dinst.stops (hook decode) has
 * one of these bits: it is fetched, but does not issue, the hook `stopped` is called, and hd_warp_resume has the warp
 * go on past it. A warp whose next instruction it is already stops at once. 0: none from now on; who stands stays.
 */
HD_API void hd_warp_stop(struct hd_sm *sm, struct hd_warp *warp, uint8_t kinds);
HD_API void hd_sm_stop(struct hd_sm *sm, uint8_t kinds);
/* The barrier or fence that it waits at, else its next instruction. */
HD_API const struct hd_dinst *hd_warp_at(const struct hd_sm *sm, const struct hd_warp *warp);

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

/* ---- to other SMs */

/* Whether the block can be sent to another SM now: it has been suspended with shared memory, and its warps with their
 * registers; these have nothing under way (hd_warp_pending) and are not awaited; and it has nothing in the SM that is
 * not its own: ranges of registers, what linear streams left there. */
HD_API bool hd_cta_can_leave(const struct hd_sm *sm, const struct hd_cta *cta);
/*
 * Such a block goes to SM number `to`: when no SM is at work next, and as soon as that SM can know it (spare_ctas,
 * spare_warps). There it is suspended as before, with the policies' state of it and of its warps, as other structs, and
 * the hook cta_arrive is called; hd_cta_resume then. Until that it is on its way, and is neither resumed nor requeued.
 * `to` may be its own SM. Which cycle that is does not depend on the host's threads.
 */
HD_API void hd_cta_send(struct hd_sm *sm, struct hd_cta *cta, uint32_t to);

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

#endif
