/*
 * Warps that stop at chosen instructions, and that are told of when they have nothing under way any more: what a policy
 * waits for before it takes a context away (context.h).
 *
 * Cost: a test an instruction on SMs where some warp is to stop; O(warps) in visited cycles of SMs where one is
 * awaited.
 */
#include "runtime/sm/drain.h"
#include "runtime/sm/inject.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/timers.h"

/* ---- under way */

uint32_t hd_warp_pending(const struct hd_sm *sm, const struct hd_warp *warp)
{
	uint32_t pending = 0;
	if (hd_hazard_any(&warp->pending) || warp->flights)
		pending |= HD_PENDING_RESULTS;
	pending |= warp->range_writes ? HD_PENDING_RESULTS : 0;
	pending |= warp->outstanding ? HD_PENDING_LOADS : 0;
	pending |= warp->late || warp->collected || warp->dispatched > hd_sm_now(sm) ? HD_PENDING_OPERANDS : 0;
	pending |= warp->injection.count || warp->injection.outstanding ? HD_PENDING_INJECTED : 0;
	pending |= hd_warp_is_suspended(warp) ? HD_PENDING_FENCE : 0;
	pending |= hd_lsu_pending_stores(sm->lsu, warp->id) ? HD_PENDING_STORES : 0;
	return pending;
}

/* A timer for the SM to look, which lets nothing go on. */
static void look_at(struct hd_sm *sm, const struct hd_warp *warp, uint64_t cycle)
{
	uint64_t now = hd_sm_now(sm);
	hd_warp_timer(&sm->wheel, warp, HD_TIMER_WAKE, now, cycle > now ? cycle : now + 1);
}

void hd_warp_await(struct hd_sm *sm, struct hd_warp *warp, uint32_t what)
{
	sm->drain.awaited += !warp->awaits;
	warp->awaits = (uint8_t)what;
	look_at(sm, warp, warp->dispatched);
	sm->stirred = true;
}

void hd_warp_forget(struct hd_sm *sm, struct hd_warp *warp)
{
	sm->drain.awaited -= warp->awaits != 0;
	warp->awaits = warp->stops = 0;
}

void hd_sm_tell_drained(struct hd_sm *sm, uint64_t now)
{
	for (uint32_t id = 0; id < sm->warp_count && sm->drain.awaited; id++) {
		struct hd_warp *warp = &sm->warps[id];
		if (!warp->awaits || hd_warp_pending(sm, warp) & warp->awaits)
			continue;
		warp->awaits = 0;
		sm->drain.awaited--;
		HD_HOOKED (sm->gpu, self, contexts.drained)
			self->hooks->contexts.drained(self, warp, now);
	}
}

/* ---- stops */

void hd_warp_arrive(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	if (warp->held & HD_HELD_STOPPED || !(sm->next[warp->id]->stops & (sm->drain.stops | warp->stops)))
		return;
	warp->held |= HD_HELD_STOPPED;
	hd_warp_set_wait(sm, warp, HD_STALL_suspended);
	HD_HOOKED (sm->gpu, self, contexts.stopped)
		self->hooks->contexts.stopped(self, warp, now);
}

/* It may be there already. */
static void look_where(struct hd_sm *sm, struct hd_warp *warp)
{
	bool there = warp->state == HD_WARP_RUNNING && !warp->fresh && !hd_warp_is_suspended(warp);
	if (there && !warp->injection.count && !warp->injection.outstanding)
		hd_warp_arrive(sm, warp, hd_sm_now(sm));
}

void hd_warp_stop(struct hd_sm *sm, struct hd_warp *warp, uint8_t kinds)
{
	warp->stops = kinds;
	sm->drain.stopping |= kinds != 0;
	look_where(sm, warp);
}

void hd_sm_stop(struct hd_sm *sm, uint8_t kinds)
{
	sm->drain.stops = kinds;
	sm->drain.stopping |= kinds != 0;
	for (uint32_t id = 0; id < sm->warp_count && kinds; id++)
		if (sm->warps[id].state == HD_WARP_RUNNING)
			look_where(sm, &sm->warps[id]);
}

const struct hd_dinst *hd_warp_at(const struct hd_sm *sm, const struct hd_warp *warp)
{
	if (warp->state == HD_WARP_BARRIER || warp->fence_wait)
		return sm->barriers.parked[warp->id].inst;
	if (warp->sync_wait)
		return sm->mbarriers.suspended[warp->id].inst;
	if (warp->bulk_wait)
		return hd_bulk_awaited(sm, warp);
	if (warp->product_wait)
		return sm->products.warps[warp->id].inst;
	return &sm->gpu->program.code.data[warp->pc];
}

/* ---- all of them */

void hd_sm_halt(struct hd_sm *sm)
{
	for (uint32_t id = 0; id < sm->warp_count; id++)
		if (sm->warps[id].state == HD_WARP_RUNNING || sm->warps[id].state == HD_WARP_BARRIER)
			hd_warp_hold(sm, &sm->warps[id]);
}

static void go_on(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	warp->held = 0;
	warp->fresh = false;
	if (warp->state == HD_WARP_RUNNING)
		hd_warp_continue(sm, warp, now, now + 1, HD_STALL_fetch);
	else
		hd_warp_set_wait(sm, warp, HD_STALL_barrier);
}

void hd_sm_go_on(struct hd_sm *sm, uint64_t now)
{
	sm->now = now;
	for (uint32_t id = 0; id < sm->warp_count; id++)
		if (sm->warps[id].state == HD_WARP_RUNNING || sm->warps[id].state == HD_WARP_BARRIER)
			go_on(sm, &sm->warps[id], now);
	sm->stirred = true;
}
