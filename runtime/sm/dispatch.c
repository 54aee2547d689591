/*
 * CTA dispatch on one SM: how many CTAs of a grid fit (hd_occupancy_compute, the same function that `heddle info` and
 * the CUDA runtime use) and whether one does beside those of other grids, where their warps, registers, shared and
 * local memory lie, and their retirement.
 *
 * Backing store is reserved from the host once for the largest grid so far of each place among the grids that run
 * together; pages that no warp touches cost nothing.
 *
 * Cost: O(warps) a CTA; where CTAs have shared memory, O(CTAs^2) at worst for a place there.
 */
#include <assert.h>

#include "heddle/config.h"
#include "heddle/occupancy.h"
#include "lib/bits.h"
#include "lib/store.h"
#include "runtime/core/cluster.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/linear.h"
#include "runtime/sm/barrier.h"
#include "runtime/sm/cluster.h"
#include "runtime/sm/control.h"
#include "runtime/sm/dispatch.h"
#include "runtime/sm/drain.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/linear.h"
#include "runtime/sm/places.h"
#include "runtime/sm/range.h"
#include "runtime/sm/registers.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/stream.h"
#include "runtime/sm/texture.h"

/* Grows a mapping to `bytes`; contents are lost. */
static int reserve(uint8_t **memory, size_t *have, size_t bytes)
{
	if (bytes <= *have)
		return 0;
	if (*memory)
		hd_pages_free(*memory, *have);
	*memory = hd_pages_new(bytes);
	*have = *memory ? bytes : 0;
	return *memory ? 0 : HD_SIM_NO_MEMORY;
}

void hd_sm_request_dispatch(struct hd_sm *sm)
{
	sm->dispatch.wanted = true;
}

/* How many CTAs of the grid the SM has room for when nothing else is there. */
static struct hd_occupancy fit_of(struct hd_sm *sm, const struct hd_grid *grid, uint32_t rows)
{
	struct hd_sm_limits limits = hd_sm_limits_of(sm->gpu->config);
	uint32_t registers = grid->registers, reserved = hd_range_share(sm, rows) * (uint32_t)hd_register_parts(sm);
	if (sm->gpu->policy_count) {
		registers = hd_policy_admit(sm, grid, registers);
		limits.registers -= reserved < limits.registers ? reserved : limits.registers;
		limits.max_regs_per_thread = UINT32_MAX; /* a warp may own more than an instruction can name */
	}
	struct hd_occupancy fit = hd_occupancy_compute(&limits, registers, grid->block_threads, grid->shared_bytes);
	if (!fit.ctas) /* the launch was checked: one fits without what the policy adds */
		fit.ctas = 1;
	if (grid->linear && grid->linear->ctas < fit.ctas)
		fit.ctas = grid->linear->ctas;
	if (grid->cooperative && fit.ctas > grid->cta_share) /* evenly: policies count on no more */
		fit.ctas = grid->cta_share;
	fit.ctas = hd_smaller(fit.ctas, sm->places.cta_slots);
	return fit;
}

static void take_fit(struct hd_sm *sm, const struct hd_grid *grid, uint32_t rows, const struct hd_sm *like)
{
	struct hd_sm_grid *mine = &sm->grids[grid->slot];
	if (like) {
		const struct hd_sm_grid *theirs = &like->grids[grid->slot];
		mine->limit = theirs->limit;
		mine->registers_per_warp = theirs->registers_per_warp;
		mine->shared_per_cta = theirs->shared_per_cta;
		return;
	}
	struct hd_occupancy fit = fit_of(sm, grid, rows);
	mine->limit = fit.ctas;
	mine->registers_per_warp = fit.registers_per_warp;
	mine->shared_per_cta = fit.shared_per_cta;
}

int hd_sm_prepare(struct hd_sm *sm, const struct hd_grid *grid, const struct hd_sm *like, bool alone)
{
	struct hd_sm_grid *mine = &sm->grids[grid->slot];
	uint32_t rows = hd_range_rows(sm, grid);
	mine->grid = grid;
	take_fit(sm, grid, rows, like);
	mine->resident = mine->placed = mine->retired = mine->fired = mine->registers_away = 0;
	if (grid->cooperative && mine->limit < grid->cta_share)
		return hd_gpu_refuse(sm->gpu, HD_SIM_TOO_LARGE,
				     "cooperative launch: policy '%s' has room for %u of %u blocks on each SM",
				     sm->gpu->options.policy, mine->limit, grid->cta_share);
	if (alone) {
		sm->places.shared_reserved = 0;
		hd_lsu_set_shared(sm->lsu, 0);
	}
	hd_lsu_prepare(sm->lsu, grid->slot, &sm->gpu->arena);
	if (sm->gpu->program.fetches)
		hd_texture_prepare(sm);
	size_t own = (size_t)grid->register_rows + HD_HIDDEN_ROWS;
	mine->warp_register_bytes = own * HD_ROW_BYTES;
	int error = reserve(&mine->registers, &mine->register_bytes, sm->warp_count * mine->warp_register_bytes);
	if (!error)
		error = reserve(&mine->local, &mine->local_bytes,
				(size_t)sm->warp_count * HD_WARP_LANES * grid->local_bytes);
	if (!error)
		error = hd_range_place(sm, grid, rows);
	hd_linear_place(sm, grid);
	if (!error && sm->gpu->moves)
		error = reserve(&mine->saved, &mine->saved_bytes, sm->warp_count * mine->warp_register_bytes);
	if (!error && sm->gpu->moves)
		error = reserve(&sm->places.saved_shared, &sm->places.saved_shared_bytes,
				sm->cta_count * sm->gpu->config->shared_bytes);
	return error;
}

void hd_sm_release_stores(struct hd_sm *sm)
{
	for (uint32_t i = 0; i < HD_MAX_GRIDS; i++) {
		if (sm->grids[i].registers)
			hd_pages_free(sm->grids[i].registers, sm->grids[i].register_bytes);
		if (sm->grids[i].saved)
			hd_pages_free(sm->grids[i].saved, sm->grids[i].saved_bytes);
		if (sm->grids[i].local)
			hd_pages_free(sm->grids[i].local, sm->grids[i].local_bytes);
		free(sm->grids[i].range.values);
		hd_linear_release(&sm->grids[i]);
	}
	if (sm->places.saved_shared)
		hd_pages_free(sm->places.saved_shared, sm->places.saved_shared_bytes);
}

/* A warp of a block that may start without these parts has a slot, and registers, if there is room. */
static void place_warp(struct hd_sm *sm, struct hd_warp *warp, uint32_t without)
{
	struct hd_cta *cta = warp->cta;
	uint32_t needs = HD_PART_SLOT | (without & HD_PART_REGISTERS);
	warp->away = 0;
	warp->unplaced = without && (cta->away & HD_PART_SLOT || hd_warps_lack(sm, cta->grid, needs, 1));
	if (warp->unplaced) {
		sm->contexts.unplaced++;
		warp->away = (uint8_t)needs;
	}
	if (warp->away & HD_PART_REGISTERS) {
		warp->regs = hd_warp_saved_rows(sm, warp);
	} else {
		hd_warp_take_rows(sm, warp);
		cta->registers_away -= without & HD_PART_REGISTERS ? 1 : 0;
		sm->grids[cta->grid->slot].registers_away -= without & HD_PART_REGISTERS ? 1 : 0;
	}
	if (!warp->unplaced)
		hd_warp_take_slot(sm, warp);
	hd_warp_place_local(sm, warp);
}

static void make_warp(struct hd_sm *sm, struct hd_cta *cta, uint32_t index, uint32_t without, uint64_t now)
{
	struct hd_warp *warp = &sm->warps[hd_take_lowest(sm->dispatch.free_warps)];
	warp->cta = cta;
	warp->index = index;
	cta->warps[index] = warp;
	sm->grid_of[warp->id] = cta->grid->slot;
	place_warp(sm, warp, without);
	hd_warp_start(warp, cta, index);
	memset(&warp->pending, 0, sizeof(warp->pending));
	memset(&warp->pending_memory, 0, sizeof(warp->pending_memory));
	memset(&warp->pending_shared, 0, sizeof(warp->pending_shared));
	memset(&sm->two_level.warps[warp->id].missed, 0, sizeof(struct hd_hazard));
	memset(&sm->loads.unused[warp->id], 0, sizeof(struct hd_hazard));
	warp->outstanding = warp->late = warp->collected = warp->bulks = 0;
	memset(&warp->copies, 0, sizeof(warp->copies));
	warp->cluster_phase = UINT32_MAX;
	warp->cluster_lanes = 0;
	memset(&warp->arrivals, 0, sizeof(warp->arrivals));
	hd_wgmma_begin(&sm->products, warp);
	warp->registers = (uint16_t)(sm->grids[cta->grid->slot].registers_per_warp / HD_WARP_LANES);
	/* A timer of the last warp here finds another limit, and does nothing. */
	sm->mbarriers.suspended[warp->id].alarm = 0;
	warp->held = 0;
	hd_warp_forget_waits(warp);
	warp->stream = warp->unfetched = warp->declined = false;
	warp->fresh = true;
	warp->range_writes = 0;
	warp->injection.count = warp->injection.outstanding = 0;
	warp->state = HD_WARP_RUNNING;
	warp->age = sm->dispatch.launches++;
	warp->next_issue = warp->last_issue = now;
	warp->wake_at = warp->dispatched = warp->forward_until = 0;
	memset(&warp->forward, 0, sizeof(warp->forward));
	hd_control_begin(warp);
	HD_TELL(sm->gpu, warp_begin, sm->exec, warp);
	warp->stops = warp->awaits = 0;
	hd_policy_clear_warp(sm->gpu, warp);
	if (!sm->resident_warps++)
		sm->active_since = now;
	hd_sm_counters(sm, warp)->warps++;
	warp->wait_reason = HD_STALL_suspended;
	if (!warp->unplaced && !sm->gpu->functional)
		hd_scheduler_add(sm, warp);
	HD_SM_HOOKED (sm, self, issue, warp_start)
		self->hooks->issue.warp_start(self, warp, now);
}

static void begin_warp(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	if (!sm->gpu->functional)
		hd_warp_begin(sm, warp, now, now + sm->gpu->config->cta_launch_latency, HD_STALL_fetch);
}

void hd_cta_start_warp(struct hd_sm *sm, struct hd_cta *cta, uint32_t index, uint32_t without, uint64_t now)
{
	make_warp(sm, cta, index, without, now);
	begin_warp(sm, cta->warps[index], now);
}

/* What is elided is executed at once, so that with such policies warps begin when others have had a chance to hold
 * them. */
static void start_warps(struct hd_sm *sm, struct hd_cta *cta, uint32_t without, uint64_t now)
{
	bool later = sm->hooks & HD_HOOK(elide);
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		make_warp(sm, cta, i, without, now);
		if (!later)
			begin_warp(sm, cta->warps[i], now);
	}
	HD_TELL(sm->gpu, block_begin, sm, cta, now);
	HD_SM_HOOKED (sm, self, allocation, cta_launch)
		self->hooks->allocation.cta_launch(self, sm, cta);
	for (uint32_t i = 0; later && i < cta->warp_count; i++)
		if (cta->warps[i]->fresh)
			begin_warp(sm, cta->warps[i], now);
}

static struct hd_cta *take_cta(struct hd_sm *sm)
{
	for (uint32_t i = 0; i < sm->cta_count; i++)
		if (!sm->ctas[i].used)
			return &sm->ctas[i];
	return NULL;
}

/* Its places in the SM, as far as there are any of what it may start without. */
static void give_places(struct hd_sm *sm, struct hd_cta *cta, uint32_t without)
{
	struct hd_sm_grid *mine = &sm->grids[cta->grid->slot];
	uint32_t lack = hd_cta_lacks(sm, cta->grid, without);
	if (lack & HD_PART_SHARED) {
		cta->shared = hd_cta_saved_shared(sm, cta);
		cta->away |= HD_PART_SHARED;
	} else {
		hd_cta_take_shared(sm, cta);
	}
	if (!lack)
		hd_cta_take_slot(sm, cta);
	cta->registers_away = without & HD_PART_REGISTERS ? cta->warp_count : 0;
	mine->registers_away += cta->registers_away;
	memset(cta->shared, 0, cta->grid->shared_bytes);
}

static void start_cta(struct hd_sm *sm, struct hd_cta *cta, struct hd_grid *grid, uint64_t linear, uint64_t now)
{
	cta->used = true;
	cta->grid = grid;
	cta->sm = sm;
	cta->exec = sm->exec;
	cta->linear = (uint32_t)linear;
	cta->index[0] = (uint32_t)(linear % grid->grid[0]);
	cta->index[1] = (uint32_t)(linear / grid->grid[0] % grid->grid[1]);
	cta->index[2] = (uint32_t)(linear / grid->grid[0] / grid->grid[1]);
	cta->warp_count = grid->block_warps;
	cta->warps_done = 0;
	cta->start_cycle = now;
	cta->start_age = sm->dispatch.launches;
	memset(cta->barriers, 0, sizeof(cta->barriers));
	cta->cluster = sm->dispatch.cluster;
	cta->rank = sm->dispatch.rank;
	if (__builtin_expect(cta->cluster != NULL, 0))
		cta->cluster->ctas[cta->rank] = cta;
	cta->pool = 0;
	cta->waits_for_registers = false;
	cta->away = HD_PART_SLOT | HD_PART_SHARED;
	cta->killed = cta->sent = cta->fired = false;
}

/* These grids have blocks here from now on. Others may find more places in the queues. */
void hd_sm_share_queues(struct hd_sm *sm, uint32_t grids)
{
	int before = __builtin_popcount(sm->grid_mask), after = __builtin_popcount(grids);
	sm->grid_mask = grids;
	if (before <= 1 && after <= 1)
		return;
	hd_lsu_set_sharers(sm->lsu, (uint32_t)after);
	if (sm->due.lsu > sm->now + 1 && !hd_lsu_idle(sm->lsu))
		sm->due.lsu = sm->now + 1;
}

struct hd_cta *hd_sm_launch_cta(struct hd_sm *sm, struct hd_grid *grid, uint64_t linear, uint64_t now)
{
	struct hd_cta *cta = take_cta(sm);
	assert(cta);
	uint32_t without = hd_sm_launch_without(sm, grid);
	sm->now = now;
	if (now < grid->first_block)
		grid->first_block = now;
	start_cta(sm, cta, grid, linear, now);
	give_places(sm, cta, without);
	hd_policy_clear_cta(sm->gpu, cta);
	sm->resident_ctas++;
	if (!sm->grids[grid->slot].resident++)
		hd_sm_share_queues(sm, sm->grid_mask | UINT32_C(1) << grid->slot);
	sm->dispatch.next = now + sm->gpu->config->cta_launch_interval;
	sm->counted[grid->slot].ctas++;
	hd_linear_cta(sm, cta);
	start_warps(sm, cta, without, now);
	return cta;
}

void hd_sm_release_cta(struct hd_sm *sm, struct hd_cta *cta)
{
	struct hd_sm_grid *mine = &sm->grids[cta->grid->slot];
	cta->used = false;
	cta->cluster = NULL;
	if (!(cta->away & HD_PART_SLOT))
		hd_cta_leave_slot(sm, cta);
	sm->resident_ctas--;
	sm->dispatch.retired++;
	if (!--mine->resident)
		hd_sm_share_queues(sm, sm->grid_mask & ~(UINT32_C(1) << cta->grid->slot));
	mine->retired++;
	mine->fired += !cta->fired;
	mine->registers_away -= cta->registers_away;
}

static void retire_cta(struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	HD_SM_HOOKED (sm, self, allocation, cta_retire)
		self->hooks->allocation.cta_retire(self, sm, cta);
	HD_TELL(sm->gpu, block_end, sm, cta, now);
	if (__builtin_expect(cta->cluster != NULL, 0))
		hd_cluster_block_done(sm, cta, now);
	else
		hd_sm_release_cta(sm, cta);
}

/* Where warps may be without registers those of one that has ended are free for them, not only when its block ends. */
static void leave_places(struct hd_sm *sm, struct hd_warp *warp)
{
	if (!(warp->away & HD_PART_SLOT))
		hd_warp_leave_slot(sm, warp);
	if (!(warp->away & HD_PART_REGISTERS)) {
		hd_warp_leave_rows(sm, warp);
		if (sm->contexts.unplaced || sm->hooks & HD_HOOK(launch_without)) {
			warp->cta->registers_away++;
			sm->grids[sm->grid_of[warp->id]].registers_away++;
		}
	}
	sm->contexts.wants_fill = sm->contexts.unplaced > 0;
	hd_warp_forget(sm, warp);
	warp->state = HD_WARP_FREE;
	hd_give_back(sm->dispatch.free_warps, warp->id);
	sm->resident_warps--;
}

/* Others of the block may have waited for it. */
static void warp_left(struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	hd_barrier_warp_done(sm, cta, now);
	hd_registers_warp_done(sm, cta);
}

void hd_sm_warp_done(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct hd_cta *cta = warp->cta;
	HD_SM_HOOKED (sm, self, allocation, warp_done)
		self->hooks->allocation.warp_done(self, warp, now);
	HD_TELL(sm->gpu, warp_done, warp);
	if (!sm->gpu->functional || cta->grid->halted)
		hd_warp_gone(sm, warp);
	leave_places(sm, warp);
	if (!sm->gpu->functional || cta->grid->halted) {
		hd_sm_counters(sm, warp)->resident_warp_cycles += now - cta->start_cycle;
		hd_sm_count_active(sm, warp, now);
	}
	if (++cta->warps_done == cta->warp_count)
		retire_cta(sm, cta, now);
	else
		warp_left(sm, cta, now);
}
