/*
 * Warp schedulers: greedy-then-oldest, greedy-then-youngest, loose round-robin and two-level. A visit issues at most
 * one instruction; ready warps are bit masks by the port that they need, so a visit looks at the ports with ready warps
 * (at most nine) and never at warps. Also here: the states of warps (ready or one reason), and the reason of a lost
 * slot (the first in the order of stalls.def that any warp has).
 *
 * Cost: O(1) for each state change and each visit; removing gaps from the positions of a scheduler is O(its warps) and
 * happens at most once in (64 - resident warps) warp launches.
 */
#include <assert.h>

#include "heddle/config.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/stage.h"
#include "runtime/sm/two_level.h"
#include "runtime/sm/units.h"

#define NO_POSITION HD_SCHEDULER_WARPS
/* Policies that may refuse an issue. */
#define ASKED (HD_HOOK(can_issue) | HD_HOOK(choose_collector))

static bool has_bit(uint64_t mask, uint32_t position)
{
	return position < HD_SCHEDULER_WARPS && (mask >> position & 1);
}

static uint32_t index_of(const struct hd_sm *sm, const struct hd_scheduler *scheduler)
{
	return (uint32_t)(scheduler - sm->scheduling.schedulers);
}

static void charge(struct hd_sm *sm, struct hd_scheduler *scheduler, uint64_t now)
{
	sm->scheduling.stalls[scheduler->reason] += now - scheduler->charged;
	HD_TELL(sm->gpu, slots, sm, index_of(sm, scheduler), scheduler->reason, scheduler->charged,
		now - scheduler->charged);
	scheduler->charged = now;
}

void hd_sm_charge(struct hd_sm *sm, uint64_t now)
{
	for (uint32_t i = 0; i < sm->scheduling.count; i++)
		charge(sm, &sm->scheduling.schedulers[i], now);
}

static bool is_greedy(const struct hd_sm *sm)
{
	return sm->scheduling.rule == HD_SCHED_GTO || sm->scheduling.rule == HD_SCHED_CGGTY;
}

/* The bits of `mask` at the places where `keep` has ones, moved together. */
static uint64_t gather(uint64_t mask, uint64_t keep)
{
	uint64_t out = 0;
	for (uint32_t to = 0; keep; to++, keep &= keep - 1)
		out |= (mask >> __builtin_ctzll(keep) & 1) << to;
	return out;
}

static uint8_t moved_last(const struct hd_scheduler *scheduler)
{
	if (scheduler->last == NO_POSITION)
		return NO_POSITION;
	uint64_t below = scheduler->resident & ((UINT64_C(1) << scheduler->last) - 1);
	uint8_t rank = (uint8_t)__builtin_popcountll(below);
	if (has_bit(scheduler->resident, scheduler->last))
		return rank;
	return rank ? (uint8_t)(rank - 1) : NO_POSITION;
}

/* Moves the warps to the lowest positions, in the same order. */
static void scheduler_compact(struct hd_sm *sm, struct hd_scheduler *scheduler)
{
	uint64_t keep = scheduler->resident;
	scheduler->last = moved_last(scheduler);
	for (uint32_t port = 0; port < HD_PORT_COUNT; port++)
		scheduler->ready[port] = gather(scheduler->ready[port], keep);
	if (sm->scheduling.rule == HD_SCHED_TWO_LEVEL)
		scheduler->active = gather(scheduler->active, keep);
	scheduler->coming = gather(scheduler->coming, keep);
	scheduler->eligible = gather(scheduler->eligible, keep);
	scheduler->quiet = gather(scheduler->quiet, keep);
	scheduler->resident = gather(keep, keep);
	scheduler->top = 0;
	for (uint64_t rest = keep; rest; rest &= rest - 1) {
		uint8_t id = scheduler->warp_at[__builtin_ctzll(rest)];
		scheduler->warp_at[scheduler->top] = id;
		sm->scheduling.position[id] = scheduler->top++;
	}
}

void hd_scheduler_add(struct hd_sm *sm, struct hd_warp *warp)
{
	struct hd_scheduler *scheduler = &sm->scheduling.schedulers[sm->scheduling.scheduler_of[warp->id]];
	if (scheduler->top == HD_SCHEDULER_WARPS)
		scheduler_compact(sm, scheduler);
	assert(scheduler->top < HD_SCHEDULER_WARPS);
	uint8_t position = scheduler->top++;
	scheduler->warp_at[position] = (uint8_t)warp->id;
	sm->scheduling.position[warp->id] = position;
	scheduler->resident |= UINT64_C(1) << position;
	warp->wait_reason = HD_WAIT_NOT_RESIDENT;
	HD_TELL(sm->gpu, scheduled, sm, warp);
}

static void begin_rule(struct hd_sm *sm, struct hd_scheduler *scheduler)
{
	bool two_level = sm->scheduling.rule == HD_SCHED_TWO_LEVEL;
	scheduler->active = two_level ? 0 : ~UINT64_C(0);
	scheduler->eligible = scheduler->coming = 0;
	for (uint64_t left = two_level ? scheduler->resident : 0; left; left &= left - 1) {
		const struct hd_warp *warp = &sm->warps[scheduler->warp_at[__builtin_ctzll(left)]];
		if (!hd_active_leaves(sm, warp, warp->wait_reason))
			scheduler->eligible |= left & -left;
	}
	if (two_level)
		hd_active_fill(sm, scheduler);
}

void hd_scheduler_set_rule(struct hd_sm *sm, uint8_t rule)
{
	sm->scheduling.rule = rule;
	sm->scheduling.goes_on = is_greedy(sm) && !(sm->hooks & (ASKED | HD_HOOK(prefer)));
}

void hd_sm_schedule_by(struct hd_sm *sm, uint8_t rule)
{
	if (rule == sm->scheduling.rule)
		return;
	hd_scheduler_set_rule(sm, rule);
	hd_active_begin(sm, hd_sm_now(sm));
	for (uint32_t i = 0; i < sm->scheduling.count; i++) {
		begin_rule(sm, &sm->scheduling.schedulers[i]);
		hd_scheduler_wake(&sm->scheduling, i);
	}
}

static void leave_state(struct hd_sm *sm, struct hd_scheduler *scheduler, uint32_t id, uint8_t reason, uint64_t bit)
{
	if (reason == HD_WAIT_READY) {
		uint32_t port = sm->scheduling.ready_port[id];
		scheduler->ready[port] &= ~bit;
		if (!scheduler->ready[port])
			scheduler->ports &= ~(1u << port);
	} else if (reason != HD_WAIT_NOT_RESIDENT && !--scheduler->waiting[reason]) {
		scheduler->reasons &= ~(1u << reason);
	}
}

static void enter_state(struct hd_sm *sm, struct hd_scheduler *scheduler, uint32_t id, uint8_t reason, uint64_t bit)
{
	if (reason == HD_WAIT_READY) {
		uint8_t port = hd_inst_port(sm->next[id]);
		sm->scheduling.ready_port[id] = port;
		scheduler->ready[port] |= bit;
		scheduler->ports |= 1u << port;
	} else if (reason != HD_WAIT_NOT_RESIDENT) {
		scheduler->waiting[reason]++;
		scheduler->reasons |= 1u << reason;
	}
}

static uint8_t lost_reason(const struct hd_sm *sm, const struct hd_scheduler *scheduler, uint32_t blocked)
{
	uint32_t reasons = scheduler->reasons | blocked;
	if (reasons)
		return (uint8_t)__builtin_ctz(reasons);
	return scheduler->resident			      ? HD_STALL_policy
	       : sm->places.placed_warps < sm->resident_warps ? HD_STALL_suspended
							      : HD_STALL_idle;
}

static bool one_grid(const struct hd_sm *sm)
{
	return !(sm->grid_mask & (sm->grid_mask - 1));
}

/* Whether a ready warp of the scheduler may issue before the cycle of its next visit. */
static bool may_free(const struct hd_sm *sm, const struct hd_scheduler *scheduler)
{
	return scheduler->ports & ~scheduler->held_ports || !one_grid(sm);
}

void hd_warp_set_wait(struct hd_sm *sm, struct hd_warp *warp, uint8_t reason)
{
	uint32_t id = warp->id;
	uint8_t before = warp->wait_reason;
	if (__builtin_expect(warp->slot == HD_NO_SLOT, 0)) {
		warp->wait_reason = reason;
		return;
	}
	if (before == reason && reason != HD_WAIT_READY && sm->scheduling.rule != HD_SCHED_TWO_LEVEL)
		return;
	struct hd_scheduler *scheduler = &sm->scheduling.schedulers[sm->scheduling.scheduler_of[id]];
	uint64_t bit = UINT64_C(1) << sm->scheduling.position[id];
	bool held = before != HD_WAIT_READY && !may_free(sm, scheduler);
	leave_state(sm, scheduler, id, before, bit);
	enter_state(sm, scheduler, id, reason, bit);
	warp->wait_reason = reason;
	if (!held || HD_WATCHED(sm->gpu, slots) || may_free(sm, scheduler) ||
	    lost_reason(sm, scheduler, scheduler->blocked) != scheduler->reason)
		hd_scheduler_wake(&sm->scheduling, sm->scheduling.scheduler_of[id]);
	if (sm->scheduling.rule == HD_SCHED_TWO_LEVEL)
		hd_active_update(sm, scheduler, bit, reason);
}

static void change_state(struct hd_sm *sm, const struct hd_warp *warp, uint8_t before, uint8_t after)
{
	struct hd_scheduler *scheduler = &sm->scheduling.schedulers[sm->scheduling.scheduler_of[warp->id]];
	uint64_t bit = UINT64_C(1) << sm->scheduling.position[warp->id];
	leave_state(sm, scheduler, warp->id, before, bit);
	enter_state(sm, scheduler, warp->id, after, bit);
	hd_scheduler_wake(&sm->scheduling, sm->scheduling.scheduler_of[warp->id]);
	if (sm->scheduling.rule == HD_SCHED_TWO_LEVEL)
		hd_active_update(sm, scheduler, bit, after);
}

void hd_scheduler_leave(struct hd_sm *sm, const struct hd_warp *warp)
{
	struct hd_scheduler *scheduler = &sm->scheduling.schedulers[sm->scheduling.scheduler_of[warp->id]];
	uint8_t position = sm->scheduling.position[warp->id];
	change_state(sm, warp, warp->wait_reason, HD_WAIT_NOT_RESIDENT);
	scheduler->resident &= ~(UINT64_C(1) << position);
	if (scheduler->last == position && is_greedy(sm))
		scheduler->last = NO_POSITION;
}

void hd_scheduler_enter(struct hd_sm *sm, struct hd_warp *warp, uint8_t reason)
{
	hd_scheduler_add(sm, warp);
	change_state(sm, warp, HD_WAIT_NOT_RESIDENT, reason);
	warp->wait_reason = reason;
}

void hd_warp_gone(struct hd_sm *sm, struct hd_warp *warp)
{
	hd_warp_set_wait(sm, warp, HD_WAIT_NOT_RESIDENT);
}

/* What stands in the way of ready warps, and when that may change. */
struct blocked {
	uint32_t reasons;
	uint64_t until;
};

static void block(struct blocked *blocked, uint8_t reason, uint64_t until)
{
	blocked->reasons |= 1u << reason;
	if (until < blocked->until)
		blocked->until = until;
}

/* Of ready warps with memory instructions those for which the load/store unit has a place. */
static uint64_t accepted(const struct hd_sm *sm, const struct hd_scheduler *scheduler, uint64_t ready)
{
	if (!sm->inflight.left)
		return 0;
	if (one_grid(sm))
		return hd_lsu_can_accept(sm->lsu, sm->grid_of[scheduler->warp_at[__builtin_ctzll(ready)]],
					 sm->access.late_count)
			       ? ready
			       : 0;
	uint64_t found = 0;
	for (; ready; ready &= ready - 1) {
		uint32_t grid = sm->grid_of[scheduler->warp_at[__builtin_ctzll(ready)]];
		if (hd_lsu_can_accept(sm->lsu, grid, sm->grids[grid].late))
			found |= ready & -ready;
	}
	return found;
}

/* When a scheduler whose memory instructions find no room looks again. It is woken when there is some; with a register
 * file that others take collectors of, too, what it waits for may change before. */
static uint64_t memory_until(const struct hd_sm *sm, uint64_t now)
{
	if (sm->gpu->shape.parts > 1 && one_grid(sm))
		return HD_NEVER;
	return sm->due.lsu > now ? sm->due.lsu : now + 1;
}

static void block_memory(struct hd_sm *sm, const struct hd_scheduler *scheduler, uint64_t now, struct blocked *blocked)
{
	block(blocked, HD_STALL_unit, memory_until(sm, now));
	sm->scheduling.memory_waits |= 1u << (scheduler - sm->scheduling.schedulers);
}

/* Whether the operand stage takes nothing from that port now, or no timer is left for what would be issued. */
static bool is_held(const struct hd_sm *sm, uint32_t port, uint64_t open, uint64_t now, struct blocked *blocked)
{
	if (open > now && (port != HD_PIPE_BRU || sm->gpu->shape.modern))
		block(blocked, HD_STALL_collector, open);
	else if (sm->wheel.free_count < sm->wheel.kept)
		block(blocked, HD_STALL_collector, now + 1);
	else
		return false;
	return true;
}

/* The active ready warps whose port takes an instruction now. */
static inline uint64_t scheduler_candidates(struct hd_sm *sm, const struct hd_scheduler *scheduler, uint64_t now,
					    struct blocked *blocked)
{
	uint64_t candidates = 0, open = scheduler->regfile->open;
	bool may_hold = open > now || sm->wheel.free_count < sm->wheel.kept;
	for (uint32_t ports = scheduler->ports; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctz(ports);
		uint64_t ready = scheduler->ready[port] & scheduler->active, unit;
		if (!ready || (__builtin_expect(may_hold, 0) && is_held(sm, port, open, now, blocked)))
			continue;
		unit = hd_units_free(&sm->units, scheduler, port);
		if (unit > now) {
			block(blocked, HD_STALL_unit, unit);
		} else if (port == HD_PORT_MEMORY) {
			uint64_t taken = accepted(sm, scheduler, ready);
			if (taken != ready)
				block_memory(sm, scheduler, now, blocked);
			candidates |= taken;
		} else {
			candidates |= ready;
		}
	}
	return candidates;
}

/* Warps that spin would keep those for which they wait from issuing for ever. */
static bool take_turns(const struct hd_sm *sm, struct hd_scheduler *scheduler, uint64_t now)
{
	uint64_t quantum = sm->scheduling.greedy_quantum, ready = 0;
	if (!quantum)
		return false;
	if (__builtin_expect(now >= scheduler->look_at, 0)) {
		for (uint32_t port = 0; port < HD_PORT_COUNT; port++)
			ready |= scheduler->ready[port];
		if (scheduler->quiet & ready)
			scheduler->turns_until = now + (quantum + 9) / 10;
		scheduler->quiet = ready;
		scheduler->look_at = now + quantum;
	}
	return now < scheduler->turns_until;
}

static uint32_t scheduler_pick(const struct hd_sm *sm, struct hd_scheduler *scheduler, uint64_t candidates,
			       uint64_t now)
{
	if (is_greedy(sm) && !take_turns(sm, scheduler, now)) {
		if (has_bit(candidates, scheduler->last))
			return scheduler->last;
		if (sm->scheduling.rule == HD_SCHED_CGGTY)
			return 63 - (uint32_t)__builtin_clzll(candidates);
	} else if (scheduler->last + 1 < HD_SCHEDULER_WARPS) {
		uint64_t after = candidates & ~UINT64_C(0) << (scheduler->last + 1);
		candidates = after ? after : candidates;
	}
	return (uint32_t)__builtin_ctzll(candidates);
}

/* Those of the candidates that the policy puts first. */
static uint64_t preferred(struct hd_sm *sm, const struct hd_scheduler *scheduler, uint64_t candidates, uint64_t now)
{
	uint64_t least = UINT64_MAX, first = 0;
	for (uint64_t left = candidates; left; left &= left - 1) {
		uint32_t id = scheduler->warp_at[__builtin_ctzll(left)];
		uint64_t value = hd_policy_prefer(sm, &sm->warps[id], sm->next[id], now);
		if (value < least)
			first = 0;
		if (value <= least)
			first |= left & -left;
		least = value < least ? value : least;
	}
	return first;
}

static bool may_issue(struct hd_sm *sm, const struct hd_scheduler *scheduler, uint32_t id, uint64_t now,
		      uint8_t *reason)
{
	struct hd_warp *warp = &sm->warps[id];
	if (sm->hooks & HD_HOOK(can_issue) && !hd_policy_can_issue(sm, warp, sm->next[id], now))
		return false;
	return !(sm->hooks & HD_HOOK(choose_collector)) || hd_stage_choose(sm, scheduler, warp, now, reason);
}

/* Whether the warp that issued last goes on, whatever others can do, under `goes_on`. Not for the load/store unit.
 * Apart, so that it does not make others longer. */
static __attribute__((noinline)) bool last_goes_on(const struct hd_sm *sm, struct hd_scheduler *scheduler, uint64_t now)
{
	uint32_t last = scheduler->last;
	if (last == NO_POSITION)
		return false;
	uint32_t port = sm->scheduling.ready_port[scheduler->warp_at[last]];
	return has_bit(scheduler->ready[port], last) && port != HD_PORT_MEMORY && scheduler->regfile->open <= now &&
	       sm->wheel.free_count >= sm->wheel.kept && hd_units_free(&sm->units, scheduler, port) <= now &&
	       !take_turns(sm, scheduler, now);
}

/* The position that issues, or NO_POSITION. */
static uint32_t scheduler_choose(struct hd_sm *sm, struct hd_scheduler *scheduler, uint64_t now,
				 struct blocked *blocked)
{
	if (sm->scheduling.goes_on && last_goes_on(sm, scheduler, now))
		return scheduler->last;
	uint64_t candidates = scheduler_candidates(sm, scheduler, now, blocked);
	while (candidates) {
		uint64_t from = sm->hooks & HD_HOOK(prefer) ? preferred(sm, scheduler, candidates, now) : candidates;
		uint32_t position = scheduler_pick(sm, scheduler, from, now);
		uint8_t reason = HD_STALL_policy;
		if (!(sm->hooks & ASKED) || may_issue(sm, scheduler, scheduler->warp_at[position], now, &reason))
			return position;
		block(blocked, reason, now + 1);
		candidates &= ~(UINT64_C(1) << position);
	}
	return NO_POSITION;
}

/* Whether what a visit finds changes with the cycles that it names and with what warps, the unit of memory and the
 * scheduler itself do, alone. */
static bool knows_all(const struct hd_sm *sm)
{
	return sm->gpu->shape.parts > 1 && sm->scheduling.rule != HD_SCHED_TWO_LEVEL && !(sm->hooks & ASKED);
}

/* Whether what is in the way of the ready warps of a port now is `reason`. */
static bool keeps_lost(const struct hd_sm *sm, const struct hd_scheduler *scheduler, uint32_t port, uint8_t reason,
		       uint64_t now)
{
	struct blocked blocked = {0, HD_NEVER};
	if (is_held(sm, port, scheduler->regfile->open, now, &blocked))
		return reason == HD_STALL_collector;
	if (hd_units_free(&sm->units, scheduler, port) > now)
		return reason == HD_STALL_unit;
	return reason != HD_STALL_unit || port == HD_PORT_MEMORY;
}

/* The positions of the warps that have the reason, or those of ready ones that it keeps from issuing. */
static uint64_t lost_positions(const struct hd_sm *sm, const struct hd_scheduler *scheduler, uint8_t reason,
			       uint64_t now)
{
	uint64_t waiting = 0, kept = 0, ready = 0;
	for (uint64_t left = scheduler->resident; left; left &= left - 1)
		if (sm->warps[scheduler->warp_at[__builtin_ctzll(left)]].wait_reason == reason)
			waiting |= left & -left;
	if (waiting)
		return waiting;
	for (uint32_t ports = scheduler->ports; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctz(ports);
		ready |= scheduler->ready[port];
		if (keeps_lost(sm, scheduler, port, reason, now))
			kept |= scheduler->ready[port];
	}
	return kept ? kept : ready;
}

/* Whom the slots that a scheduler loses from `now` on are blamed on: the oldest warp with the reason. NULL: none. */
static const struct hd_warp *to_blame(const struct hd_sm *sm, const struct hd_scheduler *scheduler, uint64_t now)
{
	uint64_t positions = lost_positions(sm, scheduler, scheduler->reason, now);
	return positions ? &sm->warps[scheduler->warp_at[__builtin_ctzll(positions)]] : NULL;
}

/* Apart, so that it does not make what follows longer. */
static __attribute__((noinline)) void tell_lost(const struct hd_sm *sm, uint32_t index)
{
	const struct hd_scheduler *scheduler = &sm->scheduling.schedulers[index];
	HD_TELL(sm->gpu, lost, sm, index, to_blame(sm, scheduler, scheduler->charged), scheduler->reason);
}

static void sleep_until(struct hd_sm *sm, uint32_t index, const struct blocked *blocked)
{
	struct hd_scheduler *scheduler = &sm->scheduling.schedulers[index];
	scheduler->reason = lost_reason(sm, scheduler, blocked->reasons);
	scheduler->blocked = blocked->reasons;
	if (HD_WATCHED(sm->gpu, lost))
		tell_lost(sm, index);
	scheduler->held_ports = knows_all(sm) ? scheduler->ports : 0;
	sm->scheduling.next_visit[index] = blocked->until;
}

/* Behind an issue in cycle `now`: whether all ready warps wait for one unit, which is not free in the next cycle. What
 * a visit in the next cycle would find in the way is in *blocked. */
static bool waits_for_unit(const struct hd_sm *sm, const struct hd_scheduler *scheduler, uint64_t now,
			   struct blocked *blocked)
{
	uint32_t port = (uint32_t)__builtin_ctz(scheduler->ports);
	if (scheduler->ports & (scheduler->ports - 1) || sm->wheel.free_count < sm->wheel.kept)
		return false;
	uint64_t unit = hd_units_free(&sm->units, scheduler, port), open = scheduler->regfile->open;
	if (unit <= now + 1)
		return false;
	if (open > now + 1 && (port != HD_PIPE_BRU || sm->gpu->shape.modern))
		block(blocked, HD_STALL_collector, open);
	else
		block(blocked, HD_STALL_unit, unit);
	return true;
}

/* Behind an issue in cycle `now`. */
static void sleep_behind(struct hd_sm *sm, uint32_t index, uint64_t now)
{
	struct hd_scheduler *scheduler = &sm->scheduling.schedulers[index];
	struct blocked blocked = {0, HD_NEVER};
	charge(sm, scheduler, now + 1);
	scheduler->held_ports = 0;
	sm->scheduling.next_visit[index] = now + 1;
	if (!scheduler->ports || (knows_all(sm) && waits_for_unit(sm, scheduler, now, &blocked)))
		sleep_until(sm, index, &blocked);
}

static bool is_beside(const struct hd_dinst *inst)
{
	return inst->pipe == HD_PIPE_SFU || inst->pipe == HD_PIPE_LSU;
}

/* The warp has issued `first`, which may have changed everything; does its next instruction go with it? */
static bool has_second(struct hd_sm *sm, const struct hd_scheduler *scheduler, const struct hd_warp *warp,
		       const struct hd_dinst *first, uint64_t now)
{
	const struct hd_dinst *second = sm->next[warp->id];
	struct blocked blocked = {0, HD_NEVER};
	uint8_t reason;
	if (warp->slot == HD_NO_SLOT || warp->wait_reason != HD_WAIT_READY || warp->injection.count)
		return false;
	if (!(hd_is_arithmetic(first) && is_beside(second)) && !(is_beside(first) && hd_is_arithmetic(second)))
		return false;
	if (!has_bit(scheduler_candidates(sm, scheduler, now, &blocked), sm->scheduling.position[warp->id]))
		return false;
	return !(sm->hooks & ASKED) || may_issue(sm, scheduler, warp->id, now, &reason);
}

/* Maxwell and what was before it, but for the first Fermi. */
static __attribute__((noinline)) void issue_second(struct hd_sm *sm, struct hd_scheduler *scheduler,
						   struct hd_warp *warp, const struct hd_dinst *first, uint64_t now)
{
	if (!has_second(sm, scheduler, warp, first, now))
		return;
	hd_sm_counters(sm, warp)->dual_issued++;
	HD_TELL(sm->gpu, picked, sm, index_of(sm, scheduler), warp, true);
	hd_sm_issue(sm, scheduler, warp, now);
}

void hd_scheduler_visit(struct hd_sm *sm, uint32_t index, uint64_t now)
{
	struct hd_scheduler *scheduler = &sm->scheduling.schedulers[index];
	struct blocked blocked = {0, HD_NEVER};
	charge(sm, scheduler, now);
	uint32_t position = scheduler->ports ? scheduler_choose(sm, scheduler, now, &blocked) : NO_POSITION;
	if (position == NO_POSITION) {
		sleep_until(sm, index, &blocked);
		return;
	}
	struct hd_warp *warp = &sm->warps[scheduler->warp_at[position]];
	const struct hd_dinst *first = sm->next[warp->id];
	scheduler->last = (uint8_t)position;
	scheduler->quiet &= ~(UINT64_C(1) << position);
	HD_TELL(sm->gpu, picked, sm, index, warp, false);
	hd_sm_issue(sm, scheduler, warp, now);
	if (__builtin_expect(sm->scheduling.dual, 0))
		issue_second(sm, scheduler, warp, first, now);
	scheduler->reason = HD_STALL_issued;
	sleep_behind(sm, index, now);
}
