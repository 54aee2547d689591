/*
 * Barriers in shared memory (mbarrier), in time. Their state is in the block's bytes and is changed at issue
 * (runtime/exec/exec_sync.c); here are those who wait. An SM takes an operation every mbarrier_busy cycles. An arrival
 * counts mbarrier_arrive cycles after it was taken, and a warp that waited for it goes on mbarrier_wake cycles later; a
 * wait whose phase is over has its answer after mbarrier_wake cycles. In between a waiting warp is suspended and takes
 * no issue slots, until its limit. A warp with other paths that can run is not: it is told that the phase is not over,
 * and they run (runtime/exec/yield.c).
 *
 * Arrivals of copies (ARRIVES) have numbers, and copies that of the next one: an arrival is made when its copies and
 * those of earlier ones are done.
 *
 * FlashGPU-Sim, docs/cluster_noc/calibration.md (H200): 6 cycles an arrival, 43 a wait, 7,755 to 7,776 until a wait
 * without a limit of its own says no, an operation every 2 cycles.
 *
 * Cost: O(1) an operation and what waits in its block.
 */
#include <assert.h>

#include "heddle/config.h"
#include "heddle/mbarrier.h"
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/sync.h"
#include "runtime/memory/dsm.h"
#include "runtime/sm/copies.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/mbarrier.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"

void hd_mbarriers_init(struct hd_mbarriers *barriers, const struct hd_config *config, uint32_t warps,
		       struct hd_arena *arena)
{
	barriers->arrive = (uint32_t)config->mbarrier_arrive;
	barriers->wake = (uint32_t)config->mbarrier_wake;
	barriers->busy = (uint32_t)config->mbarrier_busy;
	barriers->limit = (double)config->mbarrier_limit;
	barriers->suspended = HD_ARENA_NEW_SPARSE(arena, struct hd_suspended, warps);
}

void hd_mbarriers_release(struct hd_mbarriers *barriers)
{
	hd_vec_release(&barriers->arrivals);
}

void hd_mbarriers_clear(struct hd_mbarriers *barriers)
{
	barriers->waiting = 0;
	hd_vec_clear(&barriers->arrivals);
}

/* The cycle in which an operation of this one is taken. */
static uint64_t take(struct hd_mbarriers *barriers, uint64_t now)
{
	uint64_t taken = barriers->free > now ? barriers->free : now;
	barriers->free = taken + barriers->busy;
	return taken;
}

/* ---- waiting */

static void go_on(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t at)
{
	struct hd_suspended *suspended = &sm->mbarriers.suspended[warp->id];
	warp->sync_wait = false;
	sm->mbarriers.waiting--;
	hd_sm_counters(sm, warp)->mbarrier_wait_cycles += at - suspended->since;
	hd_sm_result_at(sm, warp, suspended->inst, suspended->mask, now, at);
	hd_warp_continue(sm, warp, now, at, HD_STALL_async);
}

static bool try_again(struct hd_sm *sm, struct hd_warp *warp)
{
	const struct hd_suspended *suspended = &sm->mbarriers.suspended[warp->id];
	uint32_t over = hd_sync_over(warp, suspended->inst, suspended->mask);
	if (!over)
		return false;
	HD_TELL(sm->gpu, wait_result, sm->gpu, warp, suspended->inst, suspended->mask, over);
	hd_sync_answer(warp, suspended->inst, suspended->mask, over);
	return true;
}

void hd_mbarrier_look(struct hd_sm *sm, const struct hd_cta *cta, uint64_t now, uint64_t at)
{
	hd_mbarrier_release(sm, cta, now, (at > now ? at : now) + sm->mbarriers.wake);
}

void hd_mbarrier_release(struct hd_sm *sm, const struct hd_cta *cta, uint64_t now, uint64_t woken)
{
	if (!sm->mbarriers.waiting)
		return;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = cta->warps[i];
		if (warp->cta == cta && warp->sync_wait && try_again(sm, warp))
			go_on(sm, warp, now, woken > now ? woken : now + 1);
	}
}

/* The lanes whose barriers are in other blocks. */
static void send(struct hd_sm *sm, const struct hd_warp *warp, uint64_t at)
{
	const struct hd_effect *effect = &sm->effect;
	struct hd_mem_request request = {.space = HD_MEM_REMOTE,
					 .kind = HD_MEM_REDUCTION,
					 .bytes = HD_MBARRIER_BYTES,
					 .grid = warp->cta->grid->slot,
					 .mask = effect->elsewhere,
					 .remote = effect->remote};
	memcpy(request.address, effect->address, sizeof request.address);
	hd_dsm_sync(hd_lsu_port(sm->lsu), sm->id, &request, at);
	hd_sm_counters(sm, warp)->dsm_requests++;
}

void hd_mbarrier_told(struct hd_sm *sm, const struct hd_warp *warp, uint64_t now)
{
	hd_mbarrier_look(sm, warp->cta, now, now + sm->mbarriers.arrive);
}

/* Stages of pipelines that are filled. */
static void count_expected(struct hd_counters *counters, const struct hd_effect *effect, const struct hd_inst *inst)
{
	if (!hd_syncs_expects((enum hd_syncsop)hd_mod_get(inst->mods, HD_MOD_SYNCSOP)))
		return;
	counters->mbarrier_expects += (unsigned)__builtin_popcount(hd_effect_lanes(effect));
	counters->mbarrier_bytes += effect->expected;
}

void hd_mbarrier_changed(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	if (sm->gpu->functional)
		return;
	uint64_t taken = take(&sm->mbarriers, now);
	count_expected(hd_sm_counters(sm, warp), &sm->effect, &inst->inst);
	if (__builtin_expect(sm->effect.elsewhere, 0))
		send(sm, warp, taken + 1);
	hd_sm_result_at(sm, warp, inst, sm->effect.mask, now, taken + sm->mbarriers.arrive + sm->stages);
	hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
	hd_mbarrier_look(sm, warp->cta, now, taken + sm->mbarriers.arrive);
}

static uint64_t limit_of(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask)
{
	uint32_t given = hd_sync_limit(warp, inst, mask);
	double ns = given == UINT32_MAX ? sm->mbarriers.limit : given;
	return (uint64_t)(ns * sm->gpu->config->core_mhz / 1000);
}

/*
 * Timers cannot be taken back, and limits may be long: a warp has one at a time, which is set anew when it has come. A
 * wait that ends early leaves it to the next one.
 */
static void set_alarm(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	enum { MOST = 1024 }; /* cycles: so few are left over that the wheel keeps room for all else */
	struct hd_suspended *suspended = &sm->mbarriers.suspended[warp->id];
	uint64_t at = suspended->until < now + MOST ? suspended->until : now + MOST;
	if (suspended->alarm && suspended->alarm <= at)
		return;
	hd_warp_timer(&sm->wheel, warp, HD_TIMER_SYNC, now, at);
	suspended->alarm = at;
}

void hd_mbarrier_wait(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	const struct hd_effect *effect = &sm->effect;
	bool tries = hd_mod_get(inst->inst.mods, HD_MOD_PATIENCE) == HD_PATIENCE_TRY;
	uint64_t answered = take(&sm->mbarriers, now) + sm->mbarriers.wake;
	hd_sm_counters(sm, warp)->mbarrier_waits++;
	if (effect->elsewhere || !tries || hd_simt_may_yield(sm->gpu, warp)) {
		hd_sm_result_at(sm, warp, inst, effect->mask, now, answered + sm->stages);
		hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
		return;
	}
	uint64_t until = now + limit_of(sm, warp, inst, effect->mask);
	until = until > answered ? until : answered;
	struct hd_suspended *suspended = &sm->mbarriers.suspended[warp->id];
	*suspended = (struct hd_suspended){inst, effect->mask, now, until, suspended->alarm};
	sm->mbarriers.waiting++;
	warp->sync_wait = true;
	set_alarm(sm, warp, now);
	hd_warp_set_wait(sm, warp, HD_STALL_async);
}

void hd_mbarrier_alarm(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct hd_suspended *suspended = &sm->mbarriers.suspended[warp->id];
	if (suspended->alarm == now)
		suspended->alarm = 0;
	if (!warp->sync_wait)
		return;
	if (suspended->until <= now)
		go_on(sm, warp, now, now + 1);
	else
		set_alarm(sm, warp, now);
}

void hd_mbarrier_forget(struct hd_sm *sm, struct hd_warp *warp)
{
	sm->mbarriers.waiting -= warp->sync_wait;
	warp->sync_wait = false;
	for (uint32_t i = sm->mbarriers.arrivals.len; i-- > 0;)
		if (sm->mbarriers.arrivals.data[i].warp == warp->id)
			sm->mbarriers.arrivals.data[i] = sm->mbarriers.arrivals.data[--sm->mbarriers.arrivals.len];
}

/* ---- behind copies */

bool hd_mbarrier_is_full(const struct hd_warp *warp)
{
	return hd_copies_pending(&warp->arrivals) == HD_COPY_GROUPS - 1;
}

uint8_t hd_mbarrier_copy(struct hd_warp *warp)
{
	warp->arrivals.left[warp->arrivals.open % HD_COPY_GROUPS]++;
	return warp->arrivals.open;
}

static void arrive(struct hd_sm *sm, struct hd_warp *warp, uint8_t number, uint64_t now)
{
	struct hd_mbarriers *barriers = &sm->mbarriers;
	for (uint32_t i = 0; i < barriers->arrivals.len; i++) {
		struct hd_arrival arrival = barriers->arrivals.data[i];
		if (arrival.warp != warp->id || arrival.number != number)
			continue;
		barriers->arrivals.data[i] = barriers->arrivals.data[--barriers->arrivals.len];
		hd_sync_arrive(sm->exec, warp, arrival.mask, arrival.address);
		hd_mbarrier_look(sm, warp->cta, now, now + barriers->arrive);
		return;
	}
}

static void retire(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct hd_copies *arrivals = &warp->arrivals;
	while (hd_copies_pending(arrivals) && !arrivals->left[arrivals->oldest % HD_COPY_GROUPS])
		arrive(sm, warp, arrivals->oldest++, now);
}

void hd_mbarrier_copied(struct hd_sm *sm, struct hd_warp *warp, uint8_t number, uint64_t now)
{
	assert(warp->arrivals.left[number % HD_COPY_GROUPS]);
	warp->arrivals.left[number % HD_COPY_GROUPS]--;
	if (__builtin_expect(hd_copies_pending(&warp->arrivals), 0))
		retire(sm, warp, now);
}

void hd_mbarrier_after_copies(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct hd_arrival arrival = {.warp = warp->id, .mask = sm->effect.mask, .number = warp->arrivals.open};
	assert(!hd_mbarrier_is_full(warp));
	hd_sync_addresses(warp, inst, arrival.mask, arrival.address);
	hd_vec_push(&sm->mbarriers.arrivals, arrival);
	warp->arrivals.open++;
	retire(sm, warp, now);
	if (!sm->gpu->functional)
		hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
}
