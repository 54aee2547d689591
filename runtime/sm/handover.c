/*
 * A suspended block goes from one SM to another (context.h): both get other structs for it and its warps, and these
 * change places with unused ones, so that what they own (stacks, the state of --verify, --check and of policies) goes
 * along. Done between windows, when no SM is at work (runtime/gpu/gpu.c), in the order of SMs and of their asking: what
 * comes out does not depend on the host's threads.
 *
 * Only a block of which nothing is under way leaves: what is keyed by a warp's number in its SM (results, timers,
 * stores, accesses) has no other way to find it. Its local memory stays where it is, and has the same addresses; what
 * the SM's L1 has of it is written back when it has to make room.
 *
 * Cost: the bytes of registers and shared memory that move, O(warps of a block).
 */
#include <assert.h>

#include "runtime/exec/exec.h"
#include "runtime/sm/context.h"
#include "runtime/sm/dispatch.h"
#include "runtime/sm/drain.h"
#include "runtime/sm/handover.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/places.h"
#include "runtime/sm/sm.h"

/* Its SM will not hear of it again: nothing under way, and no timer that is still to fire. */
static bool is_at_rest(const struct hd_sm *sm, const struct hd_warp *warp)
{
	uint64_t now = hd_sm_now(sm);
	bool waits = warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER;
	return waits && hd_warp_is_away(warp) && warp->away & HD_PART_REGISTERS && !hd_warp_pending(sm, warp) &&
	       !warp->awaits && !warp->stream && warp->next_issue <= now && warp->wake_at <= now &&
	       sm->two_level.warps[warp->id].active_at <= now;
}

bool hd_cta_can_leave(const struct hd_sm *sm, const struct hd_cta *cta)
{
	const struct hd_sm_grid *mine = &sm->grids[cta->grid->slot];
	const uint32_t parts = HD_PART_SLOT | HD_PART_SHARED;
	/* What linear streams and ranges of registers hold is the SM's. */
	if (!cta->used || cta->killed || cta->sent || (cta->away & parts) != parts || mine->parts || mine->range.rows)
		return false;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		const struct hd_warp *warp = hd_cta_warp(cta, i);
		if (warp && !is_at_rest(sm, warp))
			return false;
	}
	return true;
}

void hd_cta_send(struct hd_sm *sm, struct hd_cta *cta, uint32_t to)
{
	assert(hd_cta_can_leave(sm, cta) && to < sm->gpu->sm_count && sm->handover.count < 2 * sm->cta_count);
	cta->sent = true;
	sm->handover.sent[sm->handover.count].cta = (uint32_t)(cta - sm->ctas);
	sm->handover.sent[sm->handover.count++].to = to;
	hd_sm_request_dispatch(sm);
}

/* ---- structs that change places */

static void swap_warps(struct hd_warp *a, struct hd_warp *b)
{
	struct hd_warp other = *a;
	uint32_t id = a->id;
	*a = *b;
	other.id = b->id;
	*b = other;
	a->id = id;
}

static void swap_ctas(struct hd_cta *a, struct hd_cta *b)
{
	struct hd_cta other = *a;
	struct hd_warp **warps = a->warps;
	*a = *b;
	other.warps = b->warps;
	*b = other;
	a->warps = warps;
}

/* `to` does not know the warp yet. */
static void move_warp(struct hd_sm *from, struct hd_sm *to, struct hd_warp *warp, struct hd_cta *cta, uint64_t now)
{
	struct hd_warp *there = &to->warps[hd_take_lowest(to->dispatch.free_warps)];
	uint32_t old = warp->id, new = there->id, place = from->places.local_of[old];
	hd_sm_count_active(from, warp, now);
	swap_warps(warp, there);
	warp->state = HD_WARP_FREE;
	warp->slot = there->slot = HD_NO_SLOT;
	warp->next_issue = warp->wake_at = 0;
	warp->regfile = from->operands.regfiles[0];
	there->regfile = to->operands.regfiles[0];
	there->cta = cta;
	cta->warps[there->index] = there;
	from->places.local_of[old] = to->places.local_of[new];
	to->places.local_of[new] = place;
	to->grid_of[new] = cta->grid->slot;
	to->next[new] = from->next[old];
	to->barriers.parked[new] = from->barriers.parked[old];
	to->loads.unused[new] = from->loads.unused[old];
	to->two_level.warps[new].missed = from->two_level.warps[old].missed;
	uint32_t(*rows)[HD_WARP_LANES] = there->regs;
	there->regs = hd_warp_saved_rows(to, there);
	memcpy(there->regs, rows, cta->grid->register_rows * HD_ROW_BYTES);
	there->age = to->dispatch.launches++;
	to->drain.stopping |= there->stops != 0;
	HD_TELL(from->gpu, warp_moved, from, old, there);
	hd_give_back(from->dispatch.free_warps, old);
	from->resident_warps--;
	from->contexts.unplaced -= there->unplaced;
	to->contexts.unplaced += there->unplaced;
	if (!to->resident_warps++)
		to->active_since = now;
}

static bool can_know(const struct hd_sm *sm, uint32_t warps)
{
	return sm->resident_ctas < sm->cta_count && sm->resident_warps + warps <= sm->warp_count;
}

static struct hd_cta *unused_cta(const struct hd_sm *sm)
{
	uint32_t i = 0;
	while (sm->ctas[i].used)
		i++;
	return &sm->ctas[i];
}

/* The counts of both SMs. */
static void change_residence(struct hd_sm *from, struct hd_sm *to, const struct hd_cta *cta)
{
	uint32_t slot = cta->grid->slot;
	from->resident_ctas--;
	from->grids[slot].registers_away -= cta->registers_away;
	if (!--from->grids[slot].resident)
		hd_sm_share_queues(from, from->grid_mask & ~(UINT32_C(1) << slot));
	to->resident_ctas++;
	to->grids[slot].registers_away += cta->registers_away;
	if (!to->grids[slot].resident++)
		hd_sm_share_queues(to, to->grid_mask | UINT32_C(1) << slot);
}

static struct hd_cta *move_cta(struct hd_sm *from, struct hd_cta *cta, struct hd_sm *to, uint64_t now)
{
	struct hd_cta *there = unused_cta(to);
	struct hd_warp *warps[HD_MAX_CONTEXTS];
	for (uint32_t i = 0; i < cta->warp_count; i++)
		warps[i] = hd_cta_warp(cta, i);
	swap_ctas(cta, there);
	cta->used = false;
	cta->sm = from;
	cta->exec = from->exec;
	there->sm = to;
	there->exec = to->exec;
	there->sent = false;
	const uint8_t *shared = there->shared;
	there->shared = hd_cta_saved_shared(to, there);
	memcpy(there->shared, shared, there->grid->shared_bytes);
	there->start_age = to->dispatch.launches;
	change_residence(from, to, there);
	HD_TELL(from->gpu, block_moved, cta, there);
	for (uint32_t i = 0; i < there->warp_count; i++) {
		there->warps[i] = &to->warps[0]; /* of those that have ended: nobody's of this index */
		if (warps[i])
			move_warp(from, to, warps[i], there, now);
	}
	return there;
}

/* ---- those that are to go */

static bool living_fit(const struct hd_sm *to, const struct hd_cta *cta)
{
	uint32_t living = 0;
	for (uint32_t i = 0; i < cta->warp_count; i++)
		living += hd_cta_warp(cta, i) != NULL;
	return can_know(to, living);
}

static bool hand_over(struct hd_sm *from, struct hd_cta *cta, struct hd_sm *to, uint64_t now)
{
	if (from != to && !living_fit(to, cta))
		return false;
	struct hd_cta *there = cta;
	cta->sent = false;
	to->now = from->now = now;
	if (from != to)
		there = move_cta(from, cta, to, now);
	to->stirred = from->stirred = true;
	HD_TELL(to->gpu, block_arrived, to, there, now);
	HD_SM_HOOKED (to, self, contexts, cta_arrive)
		self->hooks->contexts.cta_arrive(self, from, to, there, now);
	return true;
}

bool hd_sm_hand_over(struct hd_sm *sm, uint64_t now)
{
	uint32_t left = 0, count = sm->handover.count;
	for (uint32_t i = 0; i < count; i++) {
		struct hd_sm *to = sm->gpu->sms[sm->handover.sent[i].to];
		if (!hand_over(sm, &sm->ctas[sm->handover.sent[i].cta], to, now))
			sm->handover.sent[left++] = sm->handover.sent[i];
	}
	/* A hook may have sent some on. */
	for (uint32_t i = count; i < sm->handover.count; i++)
		sm->handover.sent[left++] = sm->handover.sent[i];
	sm->handover.count = left;
	return left != 0;
}
