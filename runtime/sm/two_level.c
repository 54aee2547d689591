/*
 * The active set of the two-level scheduler (ltrf-asplos18 3.2, Table 3): only warps in it issue. One that begins a
 * long wait leaves it, and another comes in: those that are ready first, then who has stood in line for longest. Each
 * scheduler has a set, or all of an SM share one (`two_level_pool`).
 *
 * A wait for memory is a long one, or only one for what missed L1 (`two_level_miss`): which of them do, the load/store
 * unit tells later than the warp begins to wait. Warps that spin on what is near would keep those out whom they wait
 * for: who has been in the set for a quantum makes way when others could come in (`two_level_quantum`).
 *
 * Cost: O(warps that stand in line) for each change of a warp's state under two-level scheduling; nothing under other
 * rules.
 */
#include "runtime/sm/two_level.h"
#include "heddle/config.h"
#include "runtime/sm/copies.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/timers.h"

static struct hd_warp *warp_of(const struct hd_sm *sm, const struct hd_scheduler *scheduler, uint64_t bit)
{
	return &sm->warps[scheduler->warp_at[__builtin_ctzll(bit)]];
}

static void activate(struct hd_sm *sm, struct hd_scheduler *scheduler, uint64_t bit)
{
	uint64_t now = hd_sm_now(sm);
	uint32_t delay = 0;
	struct hd_warp *warp = warp_of(sm, scheduler, bit);
	HD_SM_HOOKED (sm, self, issue, activate)
		delay += self->hooks->issue.activate(self, warp, now);
	hd_scheduler_wake(&sm->scheduling, (uint32_t)(scheduler - sm->scheduling.schedulers));
	sm->two_level.warps[warp->id].active_at = now + delay;
	if (delay) {
		scheduler->coming |= bit;
		hd_warp_timer(&sm->wheel, warp, HD_TIMER_ACTIVE, now, now + delay);
	} else {
		scheduler->active |= bit;
	}
}

void hd_scheduler_activated(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct hd_scheduler *scheduler = &sm->scheduling.schedulers[sm->scheduling.scheduler_of[warp->id]];
	uint64_t bit = UINT64_C(1) << sm->scheduling.position[warp->id];
	if (warp->slot == HD_NO_SLOT || sm->two_level.warps[warp->id].active_at != now || !(scheduler->coming & bit))
		return; /* it has left the set since */
	scheduler->coming &= ~bit;
	scheduler->active |= bit;
	hd_scheduler_wake(&sm->scheduling, sm->scheduling.scheduler_of[warp->id]);
}

static void deactivate(struct hd_sm *sm, struct hd_scheduler *scheduler, uint64_t bit)
{
	if (!((scheduler->active | scheduler->coming) & bit))
		return;
	scheduler->active &= ~bit;
	scheduler->coming &= ~bit;
	HD_SM_HOOKED (sm, self, issue, deactivate)
		self->hooks->issue.deactivate(self, warp_of(sm, scheduler, bit), hd_sm_now(sm));
}

/* Whether one comes in before the other: who is ready, then who has stood in line for longer, then the older. */
static bool comes_before(const struct hd_sm *sm, const struct hd_warp *a, const struct hd_warp *b)
{
	uint64_t a_since = sm->two_level.warps[a->id].eligible_at, b_since = sm->two_level.warps[b->id].eligible_at;
	bool a_ready = a->wait_reason == HD_WAIT_READY, b_ready = b->wait_reason == HD_WAIT_READY;
	if (a_ready != b_ready)
		return a_ready;
	return a_since != b_since ? a_since < b_since : a->age < b->age;
}

/* Who comes into the scheduler's set next; 0: nobody. */
static uint64_t next_active(const struct hd_sm *sm, const struct hd_scheduler *scheduler)
{
	uint64_t best = 0;
	for (uint64_t left = scheduler->eligible & ~scheduler->active & ~scheduler->coming; left; left &= left - 1) {
		uint64_t bit = left & -left;
		if (!best || comes_before(sm, warp_of(sm, scheduler, bit), warp_of(sm, scheduler, best)))
			best = bit;
	}
	return best;
}

static uint32_t active_count(const struct hd_scheduler *scheduler)
{
	return (uint32_t)__builtin_popcountll(scheduler->active | scheduler->coming);
}

static bool activate_one_of_all(struct hd_sm *sm)
{
	struct hd_scheduler *best = NULL;
	uint64_t best_bit = 0;
	for (uint32_t i = 0; i < sm->scheduling.count; i++) {
		struct hd_scheduler *scheduler = &sm->scheduling.schedulers[i];
		uint64_t bit = next_active(sm, scheduler);
		if (!bit || (best && comes_before(sm, warp_of(sm, best, best_bit), warp_of(sm, scheduler, bit))))
			continue;
		best = scheduler;
		best_bit = bit;
	}
	if (best)
		activate(sm, best, best_bit);
	return best != NULL;
}

/* The SM's schedulers share one set. */
static void fill_shared_pool(struct hd_sm *sm)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < sm->scheduling.count; i++)
		count += active_count(&sm->scheduling.schedulers[i]);
	while (count < sm->gpu->config->two_level_active && activate_one_of_all(sm))
		count++;
}

void hd_active_fill(struct hd_sm *sm, struct hd_scheduler *scheduler)
{
	uint32_t limit = (uint32_t)sm->gpu->config->two_level_active;
	uint64_t bit;
	if (sm->gpu->config->two_level_pool) {
		fill_shared_pool(sm);
		return;
	}
	while (active_count(scheduler) < limit && (bit = next_active(sm, scheduler)))
		activate(sm, scheduler, bit);
}

/* Whether the next instruction wants what a load brings that missed L1, or what a policy had loaded. */
static bool wants_missed(const struct hd_sm *sm, const struct hd_warp *warp)
{
	if (hd_copies_hold(warp, sm->next[warp->id])) /* copies past L1 miss it, and the others mostly do */
		return true;
	return warp->injection.outstanding || warp->state >= HD_WARP_DONE ||
	       hd_hazards_meet(&sm->next[warp->id]->hazards, &sm->two_level.warps[warp->id].missed);
}

bool hd_active_leaves(const struct hd_sm *sm, const struct hd_warp *warp, uint8_t reason)
{
	if (reason == HD_STALL_data_memory)
		return !sm->two_level.leaves_on_miss || wants_missed(sm, warp);
	return reason == HD_STALL_barrier || reason == HD_STALL_fence || reason == HD_STALL_async ||
	       reason == HD_STALL_bulk || reason == HD_STALL_registers || reason == HD_STALL_suspended ||
	       reason == HD_WAIT_NOT_RESIDENT || (reason == HD_STALL_tensor && warp->product_wait);
}

/* The warps may come into the set, or stay there. */
static void stand_in_line(struct hd_sm *sm, struct hd_scheduler *scheduler, uint64_t bits)
{
	for (uint64_t left = bits & ~scheduler->eligible; left; left &= left - 1)
		sm->two_level.warps[warp_of(sm, scheduler, left & -left)->id].eligible_at = hd_sm_now(sm);
	scheduler->eligible |= bits;
}

void hd_active_update(struct hd_sm *sm, struct hd_scheduler *scheduler, uint64_t bit, uint8_t reason)
{
	if (hd_active_leaves(sm, warp_of(sm, scheduler, bit), reason)) {
		scheduler->eligible &= ~bit;
		deactivate(sm, scheduler, bit);
	} else {
		stand_in_line(sm, scheduler, bit);
	}
	hd_active_fill(sm, scheduler);
}

void hd_active_missed(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *load)
{
	hd_hazard_add(&sm->two_level.warps[warp->id].missed, &load->writes);
	if (sm->scheduling.rule != HD_SCHED_TWO_LEVEL || warp->slot == HD_NO_SLOT ||
	    warp->wait_reason != HD_STALL_data_memory)
		return;
	struct hd_scheduler *scheduler = &sm->scheduling.schedulers[sm->scheduling.scheduler_of[warp->id]];
	hd_active_update(sm, scheduler, UINT64_C(1) << sm->scheduling.position[warp->id], warp->wait_reason);
}

/* ---- those who never wait for long */

static uint64_t waiting_outside(const struct hd_sm *sm)
{
	uint64_t any = 0;
	for (uint32_t i = 0; i < sm->scheduling.count; i++) {
		const struct hd_scheduler *scheduler = &sm->scheduling.schedulers[i];
		any |= scheduler->eligible & ~scheduler->active & ~scheduler->coming;
	}
	return any;
}

/* Warps of the scheduler that have been in the set for a quantum. */
static uint64_t overdue(const struct hd_sm *sm, const struct hd_scheduler *scheduler, uint64_t now)
{
	uint64_t found = 0;
	for (uint64_t left = scheduler->active & scheduler->resident; left; left &= left - 1)
		if (sm->two_level.warps[warp_of(sm, scheduler, left & -left)->id].active_at + sm->two_level.quantum <=
		    now)
			found |= left & -left;
	return found;
}

/* They leave together, are not looked at while others come in, and then stand in line with the rest. */
static void make_way(struct hd_sm *sm, uint64_t now)
{
	uint64_t left[HD_MAX_SCHEDULERS];
	for (uint32_t i = 0; i < sm->scheduling.count; i++) {
		struct hd_scheduler *scheduler = &sm->scheduling.schedulers[i];
		left[i] = overdue(sm, scheduler, now);
		scheduler->eligible &= ~left[i];
		for (uint64_t rest = left[i]; rest; rest &= rest - 1)
			deactivate(sm, scheduler, rest & -rest);
	}
	for (uint32_t i = 0; i < sm->scheduling.count; i++)
		hd_active_fill(sm, &sm->scheduling.schedulers[i]);
	for (uint32_t i = 0; i < sm->scheduling.count; i++)
		stand_in_line(sm, &sm->scheduling.schedulers[i], left[i]);
	for (uint32_t i = 0; i < sm->scheduling.count; i++)
		hd_active_fill(sm, &sm->scheduling.schedulers[i]);
}

void hd_active_begin(struct hd_sm *sm, uint64_t now)
{
	uint64_t quantum = sm->two_level.quantum;
	sm->two_level.next = sm->scheduling.rule == HD_SCHED_TWO_LEVEL && quantum ? now + quantum : HD_NEVER;
}

void hd_active_turn(struct hd_sm *sm, uint64_t now)
{
	hd_active_begin(sm, now);
	if (sm->two_level.next != HD_NEVER && waiting_outside(sm))
		make_way(sm, now);
}
