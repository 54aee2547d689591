/*
 * CTA barriers and memory fences. A CTA has sixteen named barriers; a warp arrives with all its threads, as the
 * hardware counts them. A barrier without a thread count waits for all warps of the CTA that have not ended; one with
 * a count for that many threads, rounded up to whole warps. ARV arrives without waiting; the RED modes give each
 * waiting warp the reduction of the predicate over all who arrived. An SM takes one arrival in barrier_busy cycles, of
 * whichever CTA, as measurements show: a barrier of many warps takes longer by that for each of them. What is behind it
 * issues barrier_latency cycles after the last arrival was taken.
 *
 * A fence of GPU or system scope holds the warp until its loads are back and the stores of its SM have reached their
 * point of coherence; one of CTA scope only until its loads are back, because an SM's accesses stay in order.
 *
 * Zhang et al., IPDPS 2020, and the results of github.com/burtscher/SyncPerformance for the measurements.
 *
 * Cost: O(1) an arrival, O(waiting warps) a release; fences look at the SM's warps only while one of them waits.
 */
#include <assert.h>

#include "runtime/sm/barrier.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"

#define BARRIERS 16

/* Without timing nobody waits for a cycle. */
static void go_on(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t at, uint8_t reason)
{
	if (!sm->gpu->functional)
		hd_warp_continue(sm, warp, now, at, reason);
}

static uint32_t barrier_mode(const struct hd_dinst *inst)
{
	return hd_mod_get(inst->inst.mods, HD_MOD_BARMODE);
}

static bool barrier_complete(const struct hd_cta *cta, uint32_t id)
{
	uint32_t expected = cta->barriers[id].expected;
	if (!expected) /* the whole CTA */
		expected = (cta->warp_count - cta->warps_done) * HD_WARP_LANES;
	return cta->barriers[id].arrived && cta->barriers[id].arrived >= expected;
}

static void release_warp(const struct hd_sm *sm, const struct hd_cta *cta, uint32_t id, struct hd_warp *warp)
{
	const struct hd_parked *parked = &sm->barriers.parked[warp->id];
	if (barrier_mode(parked->inst) >= HD_BAR_RED_POPC) {
		HD_TELL(sm->gpu, vote_result, sm->gpu, warp, parked->inst, parked->mask,
			cta->barriers[id].votes << 16 | (cta->barriers[id].participants & 0xffff));
		hd_warp_barrier_result(warp, parked->inst, parked->mask, cta->barriers[id].votes,
				       cta->barriers[id].participants);
	}
	warp->state = HD_WARP_RUNNING;
}

/* A vote is a result like others: it is written when its latency is over, and who needs it waits for that. */
static void write_vote(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes,
		       uint64_t now)
{
	if (!sm->gpu->functional)
		hd_sm_result_at(sm, warp, inst, lanes, now, now + inst->latency);
}

/* Whose last arrival counts from cycle `taken` on. */
static void resume_warp(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t taken)
{
	write_vote(sm, warp, sm->barriers.parked[warp->id].inst, sm->barriers.parked[warp->id].mask, taken);
	HD_SM_HOOKED (sm, self, issue, barrier_resume)
		self->hooks->issue.barrier_resume(self, warp, now);
	go_on(sm, warp, now, taken + sm->barriers.parked[warp->id].inst->latency, HD_STALL_barrier);
}

static void barrier_release(struct hd_sm *sm, struct hd_cta *cta, uint32_t id, uint64_t now)
{
	uint64_t waiting[2] = {cta->barriers[id].waiting[0], cta->barriers[id].waiting[1]};
	uint64_t taken = cta->barriers[id].taken > now ? cta->barriers[id].taken : now;
	for (uint32_t word = 0; word < 2; word++)
		for (uint64_t rest = waiting[word]; rest; rest &= rest - 1)
			release_warp(sm, cta, id, cta->warps[word * 64 + (uint32_t)__builtin_ctzll(rest)]);
	HD_TELL(sm->gpu, barrier_release, cta, id);
	memset(&cta->barriers[id], 0, sizeof(cta->barriers[id]));
	for (uint32_t word = 0; word < 2; word++)
		for (uint64_t rest = waiting[word]; rest; rest &= rest - 1)
			resume_warp(sm, cta->warps[word * 64 + (uint32_t)__builtin_ctzll(rest)], now, taken);
}

/* The cycle from which an arrival of this one counts. */
static uint64_t take_arrival(struct hd_sm *sm, uint64_t now)
{
	if (!sm->barriers.busy || sm->gpu->functional)
		return now;
	sm->barriers.free = (sm->barriers.free > now ? sm->barriers.free : now) + sm->barriers.busy;
	return sm->barriers.free;
}

static uint32_t count_votes(const struct hd_warp *warp, uint8_t psrc, uint32_t mask)
{
	uint32_t lanes = warp->preds[psrc & 7];
	return (uint32_t)__builtin_popcount((psrc & HD_PRED_NOT ? ~lanes : lanes) & mask);
}

void hd_barrier_arrive(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask, uint64_t now)
{
	struct hd_cta *cta = warp->cta;
	assert(mask); /* one that is guarded off has no effect */
	uint32_t id = hd_operand_value(warp, &inst->inst, HD_SLOT_B, mask) % BARRIERS;
	uint32_t threads = hd_operand_value(warp, &inst->inst, HD_SLOT_C, mask);
	hd_sm_counters(sm, warp)->barriers++;
	cta->barriers[id].arrived += HD_WARP_LANES;
	cta->barriers[id].taken = take_arrival(sm, now);
	cta->barriers[id].expected = (threads + HD_WARP_LANES - 1) / HD_WARP_LANES * HD_WARP_LANES;
	cta->barriers[id].mode = (uint8_t)barrier_mode(inst);
	uint32_t votes = count_votes(warp, inst->inst.psrc, mask);
	cta->barriers[id].votes += votes;
	if (barrier_mode(inst) >= HD_BAR_RED_POPC)
		HD_TELL(sm->gpu, vote, sm->gpu, warp, !threads, votes << 16 | (uint32_t)__builtin_popcount(mask));
	cta->barriers[id].participants += (uint32_t)__builtin_popcount(mask);
	HD_TELL(sm->gpu, barrier_arrive, sm, warp, inst, id);
	if (barrier_mode(inst) == HD_BAR_ARV) {
		go_on(sm, warp, now, now + 1, HD_STALL_control);
	} else {
		sm->barriers.parked[warp->id] = (struct hd_parked){inst, mask, (uint8_t)id};
		cta->barriers[id].waiting[warp->index / 64] |= UINT64_C(1) << warp->index % 64;
		warp->state = HD_WARP_BARRIER;
		if (!sm->gpu->functional)
			hd_warp_set_wait(sm, warp, HD_STALL_barrier);
	}
	if (barrier_complete(cta, id))
		barrier_release(sm, cta, id, now);
	else if (warp->state == HD_WARP_BARRIER)
		HD_SM_HOOKED (sm, self, issue, barrier_wait)
			self->hooks->issue.barrier_wait(self, warp, now);
}

void hd_barrier_warp_done(struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	for (uint32_t id = 0; id < BARRIERS; id++)
		if (cta->barriers[id].arrived && !cta->barriers[id].expected && barrier_complete(cta, id))
			barrier_release(sm, cta, id, now);
}

static bool fence_holds(const struct hd_sm *sm, const struct hd_warp *warp)
{
	uint32_t scope = hd_mod_get(sm->barriers.parked[warp->id].inst->inst.mods, HD_MOD_SCOPE);
	/* Copies are waited for by their group or barrier. */
	if (warp->outstanding > warp->copies.under_way + warp->bulks || warp->late)
		return true;
	return scope != HD_SCOPE_CTA && hd_lsu_pending_stores(sm->lsu, warp->id);
}

void hd_fence_wait(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	sm->barriers.parked[warp->id] = (struct hd_parked){inst, 0, 0};
	if (!fence_holds(sm, warp)) {
		hd_warp_continue(sm, warp, now, now + sm->issue.predicated_latency, HD_STALL_fence);
		return;
	}
	warp->fence_wait = true;
	sm->barriers.fences++;
	hd_warp_set_wait(sm, warp, HD_STALL_fence);
}

void hd_fence_check(struct hd_sm *sm, uint64_t now)
{
	for (uint32_t id = 0; id < sm->warp_count && sm->barriers.fences; id++) {
		struct hd_warp *warp = &sm->warps[id];
		if (!warp->fence_wait || fence_holds(sm, warp))
			continue;
		warp->fence_wait = false;
		sm->barriers.fences--;
		hd_warp_continue(sm, warp, now, now, HD_STALL_fence);
	}
}
