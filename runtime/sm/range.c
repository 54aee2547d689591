/*
 * Registers that a grid has on an SM beside those of its warps, for all of them: ranges of warp registers that a
 * policy reserves (`reserve`), as R2D2's coefficient, thread-index and block-index registers (r2d2-isca23, 4.2). They
 * lie in the banks that registers of warps lie in: row n of a grid's range in bank (first row + n) % banks, and ranges
 * of grids do not overlap. Where schedulers have register files of their own each has a copy: a warp reads that of its
 * scheduler, and a write goes to all.
 *
 * Which rows an instruction reads and writes beside its own registers is the policy's to say; its operands are there
 * when these are, and a warp has ended when they are written.
 *
 * Cost: nothing for instructions that do not touch ranges; else that of register operands.
 */
#include <assert.h>

#include "runtime/sm/accelsim.h"
#include "runtime/sm/dispatch.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/range.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/timers.h"

/* First fit among the ranges of grids that run. */
static uint32_t find_rows(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t rows)
{
	uint32_t first = 0;
	for (bool moved = rows > 0; moved;) {
		moved = false;
		for (uint32_t i = 0; i < sm->gpu->grids.len; i++) {
			const struct hd_grid *other = sm->gpu->grids.data[i];
			const struct hd_sm_grid *theirs = &sm->grids[other->slot];
			if (other == grid || !other->running || !theirs->range.rows ||
			    first >= theirs->range.first + theirs->range.rows || theirs->range.first >= first + rows)
				continue;
			first = theirs->range.first + theirs->range.rows;
			moved = true;
		}
	}
	return first;
}

uint32_t hd_range_rows(struct hd_sm *sm, const struct hd_grid *grid)
{
	uint32_t rows = 0;
	HD_HOOKED (sm->gpu, self, allocation.reserve)
		rows += self->hooks->allocation.reserve(self, sm, grid);
	return rows;
}

int hd_range_place(struct hd_sm *sm, const struct hd_grid *grid, uint32_t rows)
{
	struct hd_sm_grid *mine = &sm->grids[grid->slot];
	free(mine->range.values);
	mine->range.values = NULL;
	mine->range.rows = rows;
	mine->range.first = find_rows(sm, grid, rows);
	if (rows)
		mine->range.values = calloc(rows, sizeof *mine->range.values);
	return rows && !mine->range.values ? HD_SIM_NO_MEMORY : 0;
}

uint32_t *hd_range_row(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t row)
{
	return sm->grids[grid->slot].range.values[row];
}

static uint32_t bank_of(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_range_access *access)
{
	const struct hd_sm_grid *mine = &sm->grids[sm->grid_of[warp->id]];
	assert(access->row < mine->range.rows && access->lanes && access->lanes <= HD_WARP_LANES);
	return (mine->range.first + access->row) % sm->gpu->shape.banks;
}

static void count(uint64_t *whole, uint64_t *lanes, const struct hd_range_access *access)
{
	if (access->lanes == HD_WARP_LANES)
		++*whole;
	else
		*lanes += access->lanes;
}

uint64_t hd_range_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_range_access *access,
		       uint64_t from)
{
	struct hd_counters *counters = hd_sm_counters(sm, warp);
	count(&counters->bank_reads, &counters->bank_lane_reads, access);
	return hd_port_read(sm, warp->regfile, bank_of(sm, warp, access), from) + sm->gpu->shape.latency;
}

uint64_t hd_range_write(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_range_access *access,
			uint64_t from)
{
	struct hd_counters *counters = hd_sm_counters(sm, warp);
	uint64_t latest = from;
	for (uint32_t part = 0; part < sm->gpu->shape.parts; part++) {
		uint64_t at = hd_port_write(sm, sm->operands.regfiles[part], bank_of(sm, warp, access), from);
		count(&counters->bank_writes, &counters->bank_lane_writes, access);
		latest = at > latest ? at : latest;
	}
	return latest;
}

/* ---- instructions */

uint64_t hd_range_operands(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t first,
			   uint64_t ready)
{
	struct hd_range_access list[HD_MAX_RANGE];
	uint32_t count = hd_policy_range(sm, warp, inst, false, list);
	for (uint32_t i = 0; i < count; i++)
		ready = hd_later(ready, hd_range_read(sm, warp, &list[i], first));
	return ready;
}

void hd_range_start(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now, uint64_t at)
{
	if (hd_is_later(at)) {
		hd_accelsim_range(sm, at);
		return;
	}
	warp->range_writes++;
	hd_warp_timer(&sm->wheel, warp, HD_TIMER_RANGE, now, at > now ? at : now + 1)->inst = inst;
}

bool hd_range_result(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct hd_range_access list[HD_MAX_RANGE];
	uint32_t count = inst ? hd_policy_range(sm, warp, inst, true, list) : 0;
	uint64_t latest = now * HD_TICKS;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = hd_range_write(sm, warp, &list[i], now * HD_TICKS);
		latest = at > latest ? at : latest;
	}
	if (hd_tick_cycle(latest) > now) {
		hd_warp_timer(&sm->wheel, warp, HD_TIMER_RANGE, now, hd_tick_cycle(latest))->inst = NULL;
		return false;
	}
	warp->range_writes--;
	return true;
}
