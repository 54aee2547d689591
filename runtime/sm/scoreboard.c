/*
 * The scoreboard: whether a warp's next instruction has its operands, and for what it waits if not. The results that a
 * warp waits for are hd_warp.pending; those without events are in rings (results.c).
 *
 * Under `core = modern` the compiler's control bits say so (control.c).
 *
 * Cost: O(1) for a look.
 */
#include "runtime/sm/scoreboard.h"

#include "runtime/sm/control.h"
#include "runtime/sm/copies.h"
#include "runtime/sm/elide.h"
#include "runtime/sm/forward.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/loads.h"
#include "runtime/sm/results.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"

static uint8_t hazard_reason(const struct hd_warp *warp, const struct hd_hazard *hazards)
{
	uint64_t memory = 0, shared = 0;
	for (uint32_t i = 0; i < 5; i++) {
		memory |= hazards->bits[i] & warp->pending_memory.bits[i];
		shared |= hazards->bits[i] & warp->pending_shared.bits[i];
	}
	return memory ? HD_STALL_data_memory : shared ? HD_STALL_data_shared : HD_STALL_data_alu;
}

/* What results without events leave of the hazards of a warp's next instruction. */
enum { NO_HAZARD, HAZARD, AWAITED };

/* AWAITED: the warp waits for one of them, and has a timer. Apart, so that it does not make what follows longer. */
static __attribute__((noinline)) int look_at_results(struct hd_sm *sm, struct hd_warp *warp,
						     const struct hd_hazard *hazards)
{
	if (hd_results_due(sm, warp))
		hd_results_tell(sm, warp);
	if (!hd_hazards_meet(hazards, &warp->pending))
		return NO_HAZARD;
	uint64_t at = hd_results_last(sm, warp, hazards);
	if (!at)
		return HAZARD;
	hd_warp_wake_at(sm, warp, sm->now, at, hazard_reason(warp, hazards));
	return AWAITED;
}

/* With thousands of resident warps their registers do not fit into the host's caches. */
void hd_warp_prefetch(const struct hd_warp *warp, const struct hd_dinst *inst)
{
	__builtin_prefetch(&hd_vec_last(&warp->stack));
	for (uint32_t i = 0, count = inst->read_count; i < count; i++) {
		const uint32_t *row = warp->regs[inst->read_regs[i]];
		__builtin_prefetch(row);
		__builtin_prefetch(row + HD_WARP_LANES / 2);
	}
}

void hd_warp_evaluate(struct hd_sm *sm, struct hd_warp *warp)
{
	if (__builtin_expect(warp->held, 0)) {
		hd_warp_set_wait(sm, warp, warp->held == HD_HELD_PAUSED ? HD_STALL_policy : HD_STALL_suspended);
		return;
	}
	if (__builtin_expect(sm->by_control, 0)) {
		hd_control_evaluate(sm, warp);
		return;
	}
	const struct hd_dinst *inst = sm->next[warp->id];
	const struct hd_hazard *hazards = &inst->hazards;
	bool hit = hd_hazards_meet(hazards, &warp->pending);
	if (sm->results.used && (hit || !sm->results.behind) && hd_results_under_way(sm, warp)) {
		int left = look_at_results(sm, warp, hazards);
		if (left == AWAITED)
			return;
		hit = left == HAZARD;
	}
	if (__builtin_expect(warp->forward_until > sm->now, 0) && !hit && hd_forward_wait(sm, warp))
		return;
	if (!hit && hd_copies_hold(warp, inst)) {
		hd_warp_set_wait(sm, warp, HD_STALL_data_memory);
		return;
	}
	if (__builtin_expect(warp->unfetched, 0) && !hit) {
		hd_elide(sm, warp, sm->now);
		return;
	}
	if (!hit)
		hd_warp_prefetch(warp, inst);
	hd_warp_set_wait(sm, warp, hit ? hazard_reason(warp, hazards) : HD_WAIT_READY);
	if (sm->hooks & HD_HOOK(first_use) && warp->wait_reason == HD_STALL_data_memory)
		hd_loads_awaited(sm, warp);
}
