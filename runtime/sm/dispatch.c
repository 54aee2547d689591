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
#include <sys/mman.h>

#include "heddle/occupancy.h"
#include "runtime/check/check.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/linear.h"
#include "runtime/sim/trace.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"
#include "runtime/verify/twin.h"

/* Where local memory lies in the physical address space of caches and DRAM: above all device memory. */
#define LOCAL_PHYSICAL (UINT64_C(1) << 46)
#define LOCAL_PHYSICAL_GRID (UINT64_C(1) << 40) /* of each grid that runs */

/* Grows a mapping to `bytes`; contents are lost. */
static int reserve(uint8_t **memory, size_t *have, size_t bytes)
{
	if (bytes <= *have)
		return 0;
	if (*memory)
		munmap(*memory, *have);
	*memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	*have = *memory == MAP_FAILED ? 0 : bytes;
	if (*memory != MAP_FAILED)
		return 0;
	*memory = NULL;
	return HD_SIM_NO_MEMORY;
}

/* The register file is in parts, each with whole warps (lib/occupancy.c). */
static uint64_t parts_of(const struct hd_sm *sm)
{
	return sm->gpu->config.warp_unit ? sm->gpu->config.warp_unit : 1;
}

/* Registers that a range takes of each. */
static uint32_t range_share(const struct hd_sm *sm, uint32_t rows)
{
	uint64_t unit = sm->gpu->config.register_unit ? sm->gpu->config.register_unit : 1;
	uint64_t share = (rows + parts_of(sm) - 1) / parts_of(sm) * HD_WARP_LANES;
	return (uint32_t)((share + unit - 1) / unit * unit);
}

/* How many CTAs of the grid the SM has room for when nothing else is there. */
static struct hd_occupancy fit_of(struct hd_sm *sm, const struct hd_grid *grid, uint32_t rows)
{
	struct hd_sm_limits limits = hd_sm_limits_of(&sm->gpu->config);
	uint32_t registers = grid->registers, reserved = range_share(sm, rows) * (uint32_t)parts_of(sm);
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
	if (fit.ctas > sm->cta_slots)
		fit.ctas = sm->cta_slots;
	return fit;
}

int hd_sm_prepare(struct hd_sm *sm, const struct hd_grid *grid)
{
	struct hd_sm_grid *mine = &sm->grids[grid->slot];
	uint32_t rows = hd_range_rows(sm, grid);
	struct hd_occupancy fit = fit_of(sm, grid, rows);
	mine->grid = grid;
	mine->limit = fit.ctas;
	mine->resident = mine->placed = mine->retired = 0;
	mine->registers_per_warp = fit.registers_per_warp;
	mine->shared_per_cta = fit.shared_per_cta;
	if (grid->cooperative && mine->limit < grid->cta_share)
		return hd_gpu_refuse(sm->gpu, HD_SIM_TOO_LARGE,
				     "cooperative launch: policy '%s' has room for %u of %u blocks on each SM",
				     sm->gpu->options.policy, mine->limit, grid->cta_share);
	if (!sm->gpu->running) {
		sm->shared_reserved = 0;
		hd_lsu_set_shared(sm->lsu, 0);
	}
	hd_lsu_prepare(sm->lsu, grid->slot, &sm->gpu->arena);
	size_t own = (size_t)grid->register_rows + HD_HIDDEN_ROWS;
	mine->warp_register_bytes = own * HD_ROW_BYTES;
	int error = reserve(&mine->registers, &mine->register_bytes, sm->warp_count * mine->warp_register_bytes);
	if (!error)
		error = reserve(&mine->local, &mine->local_bytes,
				(size_t)sm->warp_count * HD_WARP_LANES * grid->local_bytes);
	if (!error)
		error = hd_range_place(sm, grid, rows);
	hd_linear_place(sm, grid);
	return error;
}

void hd_sm_release_stores(struct hd_sm *sm)
{
	for (uint32_t i = 0; i < HD_MAX_GRIDS; i++) {
		if (sm->grids[i].registers)
			munmap(sm->grids[i].registers, sm->grids[i].register_bytes);
		if (sm->grids[i].local)
			munmap(sm->grids[i].local, sm->grids[i].local_bytes);
		free(sm->grids[i].range);
		hd_linear_release(&sm->grids[i]);
	}
}

/* ---- room beside the CTAs of other grids */

/* A grid's warps and range lie evenly in the parts of the register file, and what all grids together take of the
 * fullest part must fit. */
static bool registers_suffice(const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct hd_config *config = &sm->gpu->config;
	uint64_t parts = parts_of(sm), used = 0;
	for (uint32_t i = 0; i < sm->gpu->grids.len; i++) {
		const struct hd_grid *other = sm->gpu->grids.data[i];
		const struct hd_sm_grid *theirs = &sm->grids[other->slot];
		if (!other->running)
			continue;
		uint64_t warps = (uint64_t)(theirs->resident + (other == grid)) * other->block_warps;
		used += (warps + parts - 1) / parts * theirs->registers_per_warp + range_share(sm, theirs->range_rows);
	}
	return used <= config->registers / parts;
}

/* First fit: the lowest offset at which `bytes` of shared memory are free. */
static uint32_t find_shared(const struct hd_sm *sm, uint32_t bytes)
{
	uint32_t offset = 0;
	for (bool moved = bytes > 0; moved;) {
		moved = false;
		for (uint32_t i = 0; i < sm->cta_count; i++) {
			const struct hd_cta *cta = &sm->ctas[i];
			uint32_t theirs = cta->used ? sm->grids[cta->grid->slot].shared_per_cta : 0;
			if (theirs && offset < cta->shared_offset + theirs && cta->shared_offset < offset + bytes) {
				offset = cta->shared_offset + theirs;
				moved = true;
			}
		}
	}
	return offset;
}

bool hd_sm_has_room(const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct hd_sm_grid *mine = &sm->grids[grid->slot];
	const struct hd_config *config = &sm->gpu->config;
	if (mine->placed >= mine->limit || sm->placed_warps + grid->block_warps > sm->warp_slots)
		return false;
	if (find_shared(sm, mine->shared_per_cta) + mine->shared_per_cta > config->shared_bytes)
		return false;
	if (mine->placed == sm->resident_ctas) /* alone */
		return true;
	uint64_t threads = ((uint64_t)sm->placed_warps + grid->block_warps) * HD_WARP_LANES;
	return sm->placed_ctas < sm->cta_slots && threads <= config->max_threads && registers_suffice(sm, grid);
}

/* The lowest number in a set that is not empty; it leaves the set. */
static uint32_t take_lowest(uint64_t *set)
{
	uint32_t word = 0;
	while (!set[word])
		word++;
	uint32_t bit = (uint32_t)__builtin_ctzll(set[word]);
	set[word] &= set[word] - 1;
	return word * 64 + bit;
}

static void give_back(uint64_t *set, uint32_t number)
{
	set[number / 64] |= UINT64_C(1) << number % 64;
}

static void take_slot(struct hd_sm *sm, struct hd_warp *warp)
{
	warp->slot = take_lowest(sm->free_slots);
	sm->scheduler_of[warp->id] = (uint8_t)(warp->slot % sm->scheduler_count);
	warp->regfile = sm->schedulers[sm->scheduler_of[warp->id]].regfile;
	sm->line[warp->id] = HD_NO_LINE;
	sm->placed_warps++;
	if (!sm->gpu->functional)
		hd_scheduler_add(sm, warp);
}

static void leave_slot(struct hd_sm *sm, struct hd_warp *warp)
{
	if (!sm->gpu->functional)
		hd_scheduler_remove(sm, warp);
	give_back(sm->free_slots, warp->slot);
	warp->slot = HD_NO_SLOT;
	sm->placed_warps--;
}

static void take_rows(struct hd_sm *sm, struct hd_warp *warp)
{
	const struct hd_sm_grid *mine = &sm->grids[sm->grid_of[warp->id]];
	uint8_t place = (uint8_t)take_lowest(sm->free_rows);
	uint8_t *rows = mine->registers + place * mine->warp_register_bytes + HD_HIDDEN_ROWS * HD_ROW_BYTES;
	sm->rows_of[warp->id] = place;
	warp->regs = (uint32_t(*)[HD_WARP_LANES])(void *)rows;
	memset(warp->regs - HD_HIDDEN_ROWS, 0, HD_HIDDEN_ROWS * HD_ROW_BYTES);
}

/* Local memory stays where it is as long as the warp lives. */
static void place_local(const struct hd_sm *sm, const struct hd_grid *grid, struct hd_warp *warp)
{
	uint64_t place = sm->local_of[warp->id], bytes = (uint64_t)grid->local_bytes * HD_WARP_LANES;
	const struct hd_sm_grid *there = &sm->gpu->sms[place / sm->warp_count]->grids[grid->slot];
	warp->local = there->local ? there->local + place % sm->warp_count * bytes : NULL;
	warp->local_base = LOCAL_PHYSICAL + grid->slot * LOCAL_PHYSICAL_GRID + place * bytes;
}

static void start_warp(struct hd_sm *sm, struct hd_cta *cta, uint32_t index, uint64_t now)
{
	struct hd_warp *warp = &sm->warps[take_lowest(sm->free_warps)];
	warp->cta = cta;
	warp->index = index;
	cta->warps[index] = warp;
	sm->grid_of[warp->id] = cta->grid->slot;
	take_rows(sm, warp);
	place_local(sm, cta->grid, warp);
	hd_warp_start(warp, cta, index);
	hd_twin_start(sm->exec, warp);
	memset(&warp->pending, 0, sizeof(warp->pending));
	memset(&warp->pending_memory, 0, sizeof(warp->pending_memory));
	memset(&warp->pending_shared, 0, sizeof(warp->pending_shared));
	memset(&warp->loaded, 0, sizeof(warp->loaded));
	warp->outstanding = warp->late = warp->collected = 0;
	warp->fence_wait = warp->held = warp->stream = warp->unfetched = warp->declined = false;
	warp->fresh = true;
	warp->range_writes = 0;
	warp->injection.count = warp->injection.outstanding = 0;
	warp->state = HD_WARP_RUNNING;
	warp->age = sm->launches++;
	warp->next_issue = warp->last_issue = now;
	hd_policy_clear_warp(sm->gpu, warp);
	sm->resident_warps++;
	hd_sm_counters(sm, warp)->warps++;
	take_slot(sm, warp);
	if (sm->hooks & HD_HOOK(warp_start))
		HD_HOOKED (sm->gpu, self, warp_start)
			self->hooks->warp_start(self, warp, now);
	if (!sm->gpu->functional)
		hd_warp_begin(sm, warp, now, now, HD_STALL_fetch);
}

static struct hd_cta *take_cta(struct hd_sm *sm)
{
	for (uint32_t i = 0; i < sm->cta_count; i++)
		if (!sm->ctas[i].used)
			return &sm->ctas[i];
	return NULL;
}

static void place_cta(struct hd_sm *sm, struct hd_cta *cta, struct hd_grid *grid, uint64_t linear, uint64_t now)
{
	uint32_t shared = sm->grids[grid->slot].shared_per_cta, offset = find_shared(sm, shared);
	cta->used = true;
	cta->grid = grid;
	cta->sm = sm;
	cta->linear = (uint32_t)linear;
	cta->index[0] = (uint32_t)(linear % grid->grid[0]);
	cta->index[1] = (uint32_t)(linear / grid->grid[0] % grid->grid[1]);
	cta->index[2] = (uint32_t)(linear / grid->grid[0] / grid->grid[1]);
	cta->warp_count = grid->block_warps;
	cta->warps_done = 0;
	cta->start_cycle = now;
	cta->start_age = sm->launches;
	memset(cta->barriers, 0, sizeof(cta->barriers));
	cta->shared_offset = offset;
	cta->shared = sm->shared + offset;
	memset(cta->shared, 0, grid->shared_bytes);
	if (offset + shared > sm->shared_reserved) {
		sm->shared_reserved = offset + shared; /* the split stays at its largest while grids run */
		hd_lsu_set_shared(sm->lsu, offset + shared);
	}
}

/* These grids have blocks here from now on. Others may find more places in the queues. */
static void share_queues(struct hd_sm *sm, uint32_t grids)
{
	int before = __builtin_popcount(sm->grid_mask), after = __builtin_popcount(grids);
	sm->grid_mask = grids;
	if (before <= 1 && after <= 1)
		return;
	hd_lsu_set_sharers(sm->lsu, (uint32_t)after);
	if (sm->lsu_next > sm->now + 1 && !hd_lsu_idle(sm->lsu))
		sm->lsu_next = sm->now + 1;
}

struct hd_cta *hd_sm_launch_cta(struct hd_sm *sm, struct hd_grid *grid, uint64_t linear, uint64_t now)
{
	struct hd_cta *cta = take_cta(sm);
	assert(cta);
	sm->now = now;
	place_cta(sm, cta, grid, linear, now);
	hd_policy_clear_cta(sm->gpu, cta);
	sm->resident_ctas++;
	sm->placed_ctas++;
	sm->grids[grid->slot].placed++;
	if (!sm->grids[grid->slot].resident++)
		share_queues(sm, sm->grid_mask | UINT32_C(1) << grid->slot);
	sm->next_launch = now + sm->gpu->config.cta_launch_interval;
	sm->counted[grid->slot].ctas++;
	hd_linear_cta(sm, cta);
	for (uint32_t i = 0; i < cta->warp_count; i++)
		start_warp(sm, cta, i, now);
	if (sm->gpu->check)
		hd_check_block(sm->gpu->check, cta);
	if (sm->hooks & HD_HOOK(cta_launch))
		HD_HOOKED (sm->gpu, self, cta_launch)
			self->hooks->cta_launch(self, sm, cta);
	if (HD_TRACED(sm->gpu, cta))
		hd_trace_cta(sm, cta, "launched", now);
	return cta;
}

static void retire_cta(struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	if (sm->hooks & HD_HOOK(cta_retire))
		HD_HOOKED (sm->gpu, self, cta_retire)
			self->hooks->cta_retire(self, sm, cta);
	if (HD_TRACED(sm->gpu, cta))
		hd_trace_cta(sm, cta, "retired", now);
	cta->used = false;
	sm->resident_ctas--;
	sm->placed_ctas--;
	sm->ctas_retired++;
	if (!--sm->grids[cta->grid->slot].resident)
		share_queues(sm, sm->grid_mask & ~(UINT32_C(1) << cta->grid->slot));
	sm->grids[cta->grid->slot].placed--;
	sm->grids[cta->grid->slot].retired++;
}

void hd_sm_warp_done(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct hd_cta *cta = warp->cta;
	if (sm->hooks & HD_HOOK(warp_done))
		HD_HOOKED (sm->gpu, self, warp_done)
			self->hooks->warp_done(self, warp, now);
	if (sm->gpu->check)
		hd_check_warp_done(sm->gpu->check, warp);
	leave_slot(sm, warp);
	warp->state = HD_WARP_FREE;
	give_back(sm->free_rows, sm->rows_of[warp->id]);
	give_back(sm->free_warps, warp->id);
	sm->resident_warps--;
	if (!sm->gpu->functional)
		hd_sm_counters(sm, warp)->resident_warp_cycles += now - cta->start_cycle;
	if (++cta->warps_done == cta->warp_count)
		retire_cta(sm, cta, now);
	else
		hd_barrier_warp_done(sm, cta, now);
}
