/*
 * Grids that begin before the one they follow has ended, as an SM sees them (PTX ISA, griddepcontrol). A launch may ask
 * for it (cudaLaunchAttributeProgrammaticStreamSerialization). Its blocks get places as soon as each block of the grid
 * before it has executed PREEXIT, in one thread, or has ended (sim/grids.c). What they do until ACQBULK overlaps with
 * the rest of that grid. At ACQBULK a warp waits until every grid that its own follows has ended, with what that wrote,
 * and goes on dependence_latency later. Such a warp costs no issue slots; its block keeps its places.
 *
 * Whether a grid waits changes between two windows alone, where a grid has ended.
 *
 * Cost: O(1) an instruction; O(warps of the SM) where a grid ends that others wait for.
 */
#include "runtime/sm/dependence.h"

#include "heddle/opcodes.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"

static void allow(struct hd_sm *sm, struct hd_cta *cta)
{
	if (cta->fired)
		return;
	cta->fired = true;
	sm->grids[cta->grid->slot].fired++;
	hd_sm_request_dispatch(sm); /* so that the GPU looks at this SM */
}

void hd_dependence_issue(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask,
			 uint64_t now)
{
	if (mask && inst->inst.op == HD_OP_PREEXIT)
		allow(sm, warp->cta);
	if (!mask || inst->inst.op == HD_OP_PREEXIT || !warp->cta->grid->waits) {
		hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
		return;
	}
	sm->barriers.parked[warp->id] = (struct hd_parked){inst, mask, 0};
	warp->state = HD_WARP_BARRIER;
	hd_warp_set_wait(sm, warp, HD_STALL_barrier);
}

bool hd_dependence_awaited(const struct hd_sm *sm, const struct hd_warp *warp)
{
	return warp->state == HD_WARP_BARRIER && sm->barriers.parked[warp->id].inst->inst.op == HD_OP_ACQBULK;
}

void hd_dependence_over(struct hd_sm *sm, const struct hd_grid *grid, uint64_t now, uint64_t at)
{
	for (uint32_t id = 0; id < sm->warp_count; id++) {
		struct hd_warp *warp = &sm->warps[id];
		if (!hd_dependence_awaited(sm, warp) || warp->cta->grid != grid)
			continue;
		warp->state = HD_WARP_RUNNING;
		hd_warp_continue(sm, warp, now, at, HD_STALL_barrier);
	}
}
