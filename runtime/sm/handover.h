/*
 * Blocks that go from one SM to another: handover.c.
 */
#ifndef HD_RUNTIME_SM_HANDOVER_H
#define HD_RUNTIME_SM_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/api.h"

struct hd_cta;
struct hd_sm;

struct hd_handover {
	struct {
		uint32_t cta, to;
	} *sent; /* CTAs that are to go to other SMs, and to which; twice as many as the SM can know, since a hook may
		    send on what has come */
	uint32_t count;
};

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
/* For the GPU: the blocks that are to go do so, as far as there is room where they go to; true: not all. */
bool hd_sm_hand_over(struct hd_sm *sm, uint64_t now);

#endif
