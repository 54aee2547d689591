/*
 * Who has which place in an SM: warp and CTA slots, parts of the register file, shared and local memory, and whether
 * there is room for more. Slots and parts of the register file are taken lowest first, shared memory first fit, so that
 * without policies that move warps each warp's number, slot and registers go together.
 *
 * Cost: O(1) a warp; where CTAs have shared memory, O(CTAs^2) at worst for a place there.
 */
#include "runtime/sm/places.h"

#include "heddle/config.h"
#include "runtime/sm/dispatch.h"
#include "runtime/sm/fetch.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"

static struct hd_sm_grid *grid_of(struct hd_sm *sm, const struct hd_warp *warp)
{
	return &sm->grids[sm->grid_of[warp->id]];
}

/* ---- warps */

void hd_warp_take_slot(struct hd_sm *sm, struct hd_warp *warp)
{
	warp->slot = hd_take_lowest(sm->places.free_slots);
	warp->away &= ~HD_PART_SLOT;
	sm->scheduling.scheduler_of[warp->id] = (uint8_t)(warp->slot % sm->scheduling.count);
	warp->regfile = sm->scheduling.schedulers[sm->scheduling.scheduler_of[warp->id]].regfile;
	sm->fetch.line[warp->id] = HD_NO_LINE;
	sm->places.placed_warps++;
}

void hd_warp_leave_slot(struct hd_sm *sm, struct hd_warp *warp)
{
	if (!sm->gpu->functional)
		hd_scheduler_leave(sm, warp);
	hd_give_back(sm->places.free_slots, warp->slot);
	warp->slot = HD_NO_SLOT;
	warp->away |= HD_PART_SLOT;
	sm->places.placed_warps--;
}

static uint32_t (*rows_at(uint8_t *store, const struct hd_sm_grid *mine, uint32_t index))[HD_WARP_LANES]
{
	uint8_t *rows = store + index * mine->warp_register_bytes + HD_HIDDEN_ROWS * HD_ROW_BYTES;
	return (uint32_t(*)[HD_WARP_LANES])(void *)rows;
}

void hd_warp_take_rows(struct hd_sm *sm, struct hd_warp *warp)
{
	const struct hd_sm_grid *mine = grid_of(sm, warp);
	sm->places.rows_of[warp->id] = (uint8_t)hd_take_lowest(sm->places.free_rows);
	warp->regs = rows_at(mine->registers, mine, sm->places.rows_of[warp->id]);
	memset(warp->regs - HD_HIDDEN_ROWS, 0, HD_HIDDEN_ROWS * HD_ROW_BYTES);
}

void hd_warp_leave_rows(struct hd_sm *sm, const struct hd_warp *warp)
{
	hd_give_back(sm->places.free_rows, sm->places.rows_of[warp->id]);
}

uint32_t (*hd_warp_saved_rows(const struct hd_sm *sm, const struct hd_warp *warp))[HD_WARP_LANES]
{
	const struct hd_sm_grid *mine = &sm->grids[sm->grid_of[warp->id]];
	uint32_t(*rows)[HD_WARP_LANES] = rows_at(mine->saved, mine, warp->id);
	memset(rows - HD_HIDDEN_ROWS, 0, HD_HIDDEN_ROWS * HD_ROW_BYTES);
	return rows;
}

void hd_warp_place_local(const struct hd_sm *sm, struct hd_warp *warp)
{
	const struct hd_grid *grid = warp->cta->grid;
	uint64_t place = sm->places.local_of[warp->id], bytes = (uint64_t)grid->local_bytes * HD_WARP_LANES;
	const struct hd_sm_grid *there = &sm->gpu->sms[place / sm->warp_count]->grids[grid->slot];
	warp->local = there->local ? there->local + place % sm->warp_count * bytes : NULL;
	warp->local_base = HD_LOCAL_PHYSICAL + grid->slot * HD_LOCAL_PHYSICAL_GRID + place * bytes;
}

/* ---- blocks */

void hd_cta_take_slot(struct hd_sm *sm, struct hd_cta *cta)
{
	cta->away &= ~HD_PART_SLOT;
	sm->places.placed_ctas++;
	sm->grids[cta->grid->slot].placed++;
}

void hd_cta_leave_slot(struct hd_sm *sm, struct hd_cta *cta)
{
	cta->away |= HD_PART_SLOT;
	sm->places.placed_ctas--;
	sm->grids[cta->grid->slot].placed--;
}

/* First fit: the lowest offset at which `bytes` of shared memory are free. */
static uint32_t find_shared(const struct hd_sm *sm, uint32_t bytes)
{
	uint32_t offset = 0;
	for (bool moved = bytes > 0; moved;) {
		moved = false;
		for (uint32_t i = 0; i < sm->cta_count; i++) {
			const struct hd_cta *cta = &sm->ctas[i];
			bool there = cta->used && !(cta->away & HD_PART_SHARED);
			uint32_t theirs = there ? sm->grids[cta->grid->slot].shared_per_cta : 0;
			if (theirs && offset < cta->shared_offset + theirs && cta->shared_offset < offset + bytes) {
				offset = cta->shared_offset + theirs;
				moved = true;
			}
		}
	}
	return offset;
}

void hd_cta_take_shared(struct hd_sm *sm, struct hd_cta *cta)
{
	uint32_t shared = sm->grids[cta->grid->slot].shared_per_cta, offset = find_shared(sm, shared);
	cta->away &= ~HD_PART_SHARED;
	cta->shared_offset = offset;
	cta->shared = sm->places.shared + offset;
	if (offset + shared > sm->places.shared_reserved) {
		sm->places.shared_reserved = offset + shared; /* the split stays at its largest while grids run */
		hd_lsu_set_shared(sm->lsu, offset + shared);
	}
}

uint8_t *hd_cta_saved_shared(const struct hd_sm *sm, const struct hd_cta *cta)
{
	return sm->places.saved_shared + (size_t)(cta - sm->ctas) * sm->gpu->config->shared_bytes;
}

/* ---- room beside the CTAs of other grids */

uint64_t hd_register_parts(const struct hd_sm *sm)
{
	return sm->gpu->config->warp_unit;
}

uint32_t hd_range_share(const struct hd_sm *sm, uint32_t rows)
{
	uint64_t unit = sm->gpu->config->register_unit;
	uint64_t share = (rows + hd_register_parts(sm) - 1) / hd_register_parts(sm) * HD_WARP_LANES;
	return (uint32_t)((share + unit - 1) / unit * unit);
}

/* A grid's warps and range lie evenly in the parts of the register file, and what all grids together take of the
 * fullest part must fit. */
static bool registers_suffice(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t more)
{
	const struct hd_config *config = sm->gpu->config;
	uint64_t parts = hd_register_parts(sm), used = 0;
	for (uint32_t i = 0; i < sm->gpu->grids.len; i++) {
		const struct hd_grid *other = sm->gpu->grids.data[i];
		const struct hd_sm_grid *theirs = &sm->grids[other->slot];
		if (!other->running)
			continue;
		uint64_t warps = (uint64_t)theirs->resident * other->block_warps - theirs->registers_away;
		warps += other == grid ? more : 0;
		used += (warps + parts - 1) / parts * theirs->registers_per_warp;
		used += hd_range_share(sm, theirs->range.rows);
	}
	return used <= config->registers / parts;
}

uint32_t hd_warps_lack(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t parts, uint32_t count)
{
	uint32_t lack = 0;
	uint64_t threads = ((uint64_t)sm->places.placed_warps + count) * HD_WARP_LANES;
	if (sm->places.placed_warps + count > sm->places.warp_slots || threads > sm->gpu->config->max_threads)
		lack |= HD_PART_SLOT;
	if (parts & HD_PART_REGISTERS && !registers_suffice(sm, grid, count))
		lack |= HD_PART_REGISTERS;
	return lack & parts;
}

uint32_t hd_cta_lacks(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t parts)
{
	uint32_t lack = 0, shared = sm->grids[grid->slot].shared_per_cta;
	if (sm->places.placed_ctas >= sm->places.cta_slots)
		lack |= HD_PART_SLOT;
	if (parts & HD_PART_SHARED && find_shared(sm, shared) + shared > sm->gpu->config->shared_bytes)
		lack |= HD_PART_SHARED;
	return lack & parts;
}

static bool fits_whole(const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct hd_sm_grid *mine = &sm->grids[grid->slot];
	if (mine->placed >= mine->limit || sm->places.placed_warps + grid->block_warps > sm->places.warp_slots)
		return false;
	if (hd_cta_lacks(sm, grid, HD_PART_SHARED))
		return false;
	if (mine->placed == sm->resident_ctas) /* alone */
		return true;
	return !hd_cta_lacks(sm, grid, HD_PART_SLOT) &&
	       !hd_warps_lack(sm, grid, HD_PART_SLOT | HD_PART_REGISTERS, grid->block_warps);
}

static bool can_be_known(const struct hd_sm *sm, const struct hd_grid *grid)
{
	return sm->resident_ctas < sm->cta_count && sm->resident_warps + grid->block_warps <= sm->warp_count;
}

uint32_t hd_sm_launch_without(struct hd_sm *sm, const struct hd_grid *grid)
{
	const uint32_t parts = HD_PART_SLOT | HD_PART_REGISTERS | HD_PART_SHARED;
	if (fits_whole(sm, grid))
		return 0;
	if (!(sm->hooks & HD_HOOK(launch_without)) || grid->cooperative || grid->linear)
		return UINT32_MAX;
	uint32_t lack = hd_cta_lacks(sm, grid, parts) | hd_warps_lack(sm, grid, parts, grid->block_warps);
	uint32_t may = hd_policy_launch_without(sm, grid);
	return !(lack & ~may) && may ? may : UINT32_MAX;
}

bool hd_sm_has_room(struct hd_sm *sm, const struct hd_grid *grid)
{
	return can_be_known(sm, grid) && hd_sm_launch_without(sm, grid) != UINT32_MAX;
}
