/*
 * Warps and blocks leave what they have in an SM and come back (context.h). What a warp has left lies in a store of the
 * SM's under its number, where warp->regs and cta->shared point meanwhile: whatever happens to a warp that is away
 * happens there. Nothing but places changes hands, so that results, timers, requests and stores, which name the warp by
 * its number, need no care.
 *
 * Cost: the bytes that move.
 */
#include "runtime/sm/context.h"

#include <assert.h>

#include "heddle/figures.h"
#include "runtime/sm/dispatch.h"
#include "runtime/sm/drain.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/places.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"

#define NOTHING 0xa5 /* what comes back of what was not saved */

static struct hd_sm_grid *grid_of(struct hd_sm *sm, const struct hd_cta *cta)
{
	return &sm->grids[cta->grid->slot];
}

struct hd_warp *hd_cta_warp(const struct hd_cta *cta, uint32_t index)
{
	struct hd_warp *warp = cta->warps[index];
	bool lives = warp->state != HD_WARP_FREE && warp->state != HD_WARP_KILLED;
	return lives && warp->cta == cta && warp->index == index ? warp : NULL;
}

static void move_rows(const struct hd_sm *sm, struct hd_warp *warp, uint32_t (*to)[HD_WARP_LANES])
{
	size_t bytes = warp->cta->grid->register_rows * HD_ROW_BYTES;
	memcpy(to, warp->regs, bytes);
	HD_TELL(sm->gpu, left, warp->regs, bytes);
	warp->regs = to;
}

/* What is under way is written when it comes, wherever the register is then. */
static void lose_registers(const struct hd_sm *sm, struct hd_warp *warp, const struct hd_registers *saved)
{
	struct hd_registers kept = *saved;
	for (uint32_t word = 0; word < 4; word++)
		kept.bits[word] |= warp->pending.bits[word];
	for (uint32_t reg = 0; reg < warp->cta->grid->register_rows; reg++)
		if (!(kept.bits[reg / 64] >> reg % 64 & 1))
			memset(warp->regs[reg], NOTHING, HD_ROW_BYTES);
	HD_TELL(sm->gpu, registers_lost, warp, kept.bits);
}

static void save_registers(struct hd_sm *sm, struct hd_warp *warp, const struct hd_registers *saved)
{
	move_rows(sm, warp, hd_warp_saved_rows(sm, warp));
	hd_warp_leave_rows(sm, warp);
	warp->away |= HD_PART_REGISTERS;
	warp->cta->registers_away++;
	grid_of(sm, warp->cta)->registers_away++;
	if (saved)
		lose_registers(sm, warp, saved);
}

static void restore_registers(struct hd_sm *sm, struct hd_warp *warp)
{
	uint32_t(*from)[HD_WARP_LANES] = warp->regs;
	hd_warp_take_rows(sm, warp);
	uint32_t(*to)[HD_WARP_LANES] = warp->regs;
	warp->regs = from;
	move_rows(sm, warp, to);
	warp->away &= ~HD_PART_REGISTERS;
	warp->cta->registers_away--;
	grid_of(sm, warp->cta)->registers_away--;
}

/* Slots are lost for other reasons while warps are away. */
static void wake_schedulers(struct hd_sm *sm)
{
	for (uint32_t i = 0; i < sm->scheduling.count; i++)
		hd_scheduler_wake(&sm->scheduling, i);
}

void hd_warp_suspend(struct hd_sm *sm, struct hd_warp *warp, uint32_t parts, const struct hd_registers *saved)
{
	assert(grid_of(sm, warp->cta)->saved && warp->state != HD_WARP_FREE);
	if (!hd_warp_is_away(warp)) {
		HD_TELL(sm->gpu, noted, sm, HD_NOTE_WARP_OUT, warp->cta->grid, warp->cta, warp, 0, sm->now);
		hd_warp_leave_slot(sm, warp);
		wake_schedulers(sm);
	}
	if (parts & HD_PART_REGISTERS && !(warp->away & HD_PART_REGISTERS))
		save_registers(sm, warp, saved);
	warp->away |= parts & HD_PART_STACK;
}

/* A warp whose stream has ended begins its body when what that started is there. */
static bool is_over(const struct hd_warp *warp)
{
	return warp->state == HD_WARP_KILLED || (warp->state == HD_WARP_DONE && !warp->stream);
}

bool hd_warp_can_return(const struct hd_sm *sm, const struct hd_warp *warp)
{
	if (!hd_warp_is_away(warp) || warp->cta->away || is_over(warp))
		return false;
	return !hd_warps_lack(sm, warp->cta->grid, warp->away & (HD_PART_SLOT | HD_PART_REGISTERS), 1);
}

void hd_warp_bring_back(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	if (warp->away & HD_PART_REGISTERS)
		restore_registers(sm, warp);
	sm->contexts.unplaced -= warp->unplaced;
	HD_TELL(sm->gpu, noted, sm, HD_NOTE_WARP_IN, warp->cta->grid, warp->cta, warp, 0, now);
	warp->unplaced = false;
	uint8_t reason = warp->wait_reason;
	hd_warp_take_slot(sm, warp);
	wake_schedulers(sm);
	hd_scheduler_enter(sm, warp, reason == HD_WAIT_READY ? (uint8_t)HD_STALL_suspended : reason);
	warp->away = 0;
	sm->stirred = true;
	hd_warp_return(sm, warp, now);
}

/* ---- blocks */

static void move_shared(const struct hd_sm *sm, const struct hd_cta *cta, uint8_t *to, uint8_t *from)
{
	memcpy(to, from, cta->grid->shared_bytes);
	HD_TELL(sm->gpu, left, from, cta->grid->shared_bytes);
}

void hd_cta_suspend(struct hd_sm *sm, struct hd_cta *cta, uint32_t parts)
{
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (warp)
			hd_warp_suspend(sm, warp, parts, NULL);
	}
	if (!(cta->away & HD_PART_SLOT)) {
		HD_TELL(sm->gpu, noted, sm, HD_NOTE_BLOCK_OUT, cta->grid, cta, NULL, 0, sm->now);
		hd_cta_leave_slot(sm, cta);
	}
	if (parts & HD_PART_SHARED && !(cta->away & HD_PART_SHARED)) {
		uint8_t *from = cta->shared;
		cta->shared = hd_cta_saved_shared(sm, cta);
		cta->away |= HD_PART_SHARED;
		move_shared(sm, cta, cta->shared, from);
	}
}

static bool has_place(struct hd_sm *sm, const struct hd_cta *cta)
{
	const struct hd_sm_grid *mine = grid_of(sm, cta);
	return !cta->sent && mine->placed < mine->limit && !hd_cta_lacks(sm, cta->grid, cta->away);
}

bool hd_cta_return(struct hd_sm *sm, struct hd_cta *cta)
{
	if (!(cta->away & HD_PART_SLOT))
		return true;
	if (!has_place(sm, cta))
		return false;
	if (cta->away & HD_PART_SHARED) {
		uint8_t *from = cta->shared;
		hd_cta_take_shared(sm, cta);
		move_shared(sm, cta, cta->shared, from);
	}
	hd_cta_take_slot(sm, cta);
	HD_TELL(sm->gpu, noted, sm, HD_NOTE_BLOCK_IN, cta->grid, cta, NULL, 0, sm->now);
	return true;
}

/* Those that are away and have something to do; what they need in *parts. */
static uint32_t count_away(const struct hd_cta *cta, uint32_t *registers)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		const struct hd_warp *warp = hd_cta_warp(cta, i);
		if (!warp || !hd_warp_is_away(warp) || is_over(warp))
			continue;
		count++;
		*registers += (warp->away & HD_PART_REGISTERS) != 0;
	}
	return count;
}

bool hd_cta_can_return(struct hd_sm *sm, const struct hd_cta *cta)
{
	uint32_t registers = 0, slots = count_away(cta, &registers);
	return !hd_warps_lack(sm, cta->grid, HD_PART_SLOT, slots) &&
	       !hd_warps_lack(sm, cta->grid, HD_PART_REGISTERS, registers) &&
	       (!(cta->away & HD_PART_SLOT) || has_place(sm, cta));
}

bool hd_cta_resume(struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	if (!hd_cta_can_return(sm, cta) || !hd_cta_return(sm, cta))
		return false;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (warp && hd_warp_is_away(warp) && !is_over(warp))
			hd_warp_bring_back(sm, warp, now);
	}
	return true;
}

/* ---- warps that wait for their first slot */

static struct hd_warp *oldest_unplaced(const struct hd_sm *sm)
{
	struct hd_warp *oldest = NULL;
	for (uint32_t id = 0; id < sm->warp_count; id++) {
		struct hd_warp *warp = &sm->warps[id];
		if (warp->state == HD_WARP_RUNNING && warp->unplaced && !warp->held && !warp->cta->away &&
		    (!oldest || warp->age < oldest->age))
			oldest = warp;
	}
	return oldest;
}

void hd_sm_fill_slots(struct hd_sm *sm, uint64_t now)
{
	struct hd_warp *warp;
	sm->contexts.wants_fill = false;
	while (sm->contexts.unplaced && (warp = oldest_unplaced(sm)) && hd_warp_can_return(sm, warp))
		hd_warp_bring_back(sm, warp, now);
}

/* ---- killed and run again */

bool hd_grid_restarts(const struct hd_grid *grid)
{
	const struct hd_meta_function *meta = grid->kernel->meta;
	return meta && meta->idempotence && meta->idempotence->why == HD_BREAK_NONE && !grid->cooperative;
}

static void free_killed(struct hd_sm *sm, struct hd_cta *cta)
{
	cta->used = false;
	sm->resident_ctas--;
	if (!--grid_of(sm, cta)->resident)
		hd_sm_share_queues(sm, sm->grid_mask & ~(UINT32_C(1) << cta->grid->slot));
	grid_of(sm, cta)->registers_away -= cta->registers_away;
	hd_sm_request_dispatch(sm);
}

void hd_warp_bury(struct hd_sm *sm, struct hd_warp *warp)
{
	struct hd_cta *cta = warp->cta;
	hd_sm_count_active(sm, warp, sm->now);
	warp->state = HD_WARP_FREE;
	hd_give_back(sm->dispatch.free_warps, warp->id);
	sm->resident_warps--;
	if (--cta->killed_warps == 0 && cta->killed)
		free_killed(sm, cta);
}

static void kill_warp(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	sm->barriers.fences -= warp->fence_wait;
	hd_mbarrier_forget(sm, warp);
	hd_bulk_forget(sm, warp);
	warp->product_wait = false;
	sm->contexts.unplaced -= warp->unplaced;
	warp->fence_wait = warp->unplaced = false;
	warp->held = 0;
	hd_warp_forget(sm, warp);
	hd_warp_gone(sm, warp);
	if (!hd_warp_is_away(warp))
		hd_warp_leave_slot(sm, warp);
	if (!(warp->away & HD_PART_REGISTERS))
		hd_warp_leave_rows(sm, warp);
	warp->away = HD_PART_SLOT | HD_PART_REGISTERS;
	warp->regs = hd_warp_saved_rows(sm, warp); /* results of atomics may still come */
	warp->stream = false;
	warp->injection.count = 0;
	warp->state = HD_WARP_KILLED;
	warp->cta->killed_warps++;
	sm->contexts.wants_fill = sm->contexts.unplaced > 0;
	hd_sm_counters(sm, warp)->resident_warp_cycles += now - warp->cta->start_cycle;
}

static void kill_cta(struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	struct hd_sm_grid *mine = grid_of(sm, cta);
	HD_SM_HOOKED (sm, self, contexts, cta_kill)
		self->hooks->contexts.cta_kill(self, sm, cta);
	cta->killed = true;
	cta->killed_warps++; /* until all are under way to their end */
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (!warp)
			continue;
		kill_warp(sm, warp, now);
		hd_warp_finish(sm, warp, now);
	}
	memset(cta->barriers, 0, sizeof(cta->barriers));
	if (!(cta->away & HD_PART_SLOT))
		hd_cta_leave_slot(sm, cta);
	cta->away = HD_PART_SLOT | HD_PART_SHARED;
	mine->registers_away += cta->warp_count - cta->registers_away;
	cta->registers_away = cta->warp_count;
	if (--cta->killed_warps == 0)
		free_killed(sm, cta);
}

void hd_cta_requeue(struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	assert(cta->used && !cta->killed && !cta->sent && sm->contexts.requeued_count < sm->cta_count);
	assert(sm->gpu->kills || !sm->exec->later); /* others would not expect it in a window */
	sm->contexts.requeued[sm->contexts.requeued_count].grid = cta->grid;
	sm->contexts.requeued[sm->contexts.requeued_count++].linear = cta->linear;
	HD_TELL(sm->gpu, noted, sm, HD_NOTE_BLOCK_KILLED, cta->grid, cta, NULL, 0, now);
	kill_cta(sm, cta, now);
	hd_sm_request_dispatch(sm);
}

struct hd_warp *hd_warp_requeue(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct hd_cta *cta = warp->cta;
	if (sm->resident_warps == sm->warp_count)
		return NULL;
	HD_TELL(sm->gpu, noted, sm, HD_NOTE_WARP_KILLED, cta->grid, cta, warp, 0, now);
	if (!(warp->away & HD_PART_REGISTERS)) {
		cta->registers_away++;
		grid_of(sm, cta)->registers_away++;
	}
	kill_warp(sm, warp, now);
	hd_cta_start_warp(sm, cta, warp->index, HD_PART_SLOT | HD_PART_REGISTERS, now);
	hd_warp_finish(sm, warp, now);
	sm->stirred = true;
	return cta->warps[warp->index];
}
