/*
 * How long several grids certainly go on beside each other. Where one of them ends others may begin, and all SMs learn
 * of it, so that windows of several cycles (window.c) have to stop in that cycle, which nobody knows beforehand. But a
 * warp whose next instructions are no EXIT keeps its grid for as many cycles, and so does a load or store on the way
 * there, which takes longer than a window. One such warp for each grid is enough.
 *
 * Likewise for places: while the blocks of one grid wait for room those of the next ones get none, and when the last of
 * them has a place the next grid's blocks go to SMs that have come to the end of the window. So where several wait, it
 * is seen to that the first one keeps blocks without a place: an SM gives no place away whose warps all go on. Where
 * policies give quotas there is no such line: each SM takes what it has room and a quota for, whoever else waits.
 *
 * Likewise for a grid that waits until each block of another one has allowed it to begin (PREEXIT): one block that has
 * not, and whose warps come to no such instruction and to no end, keeps it waiting.
 *
 * Policies that move blocks may ask on an SM whether a grid has blocks that have not begun. No answer changes where
 * many are left, or none.
 *
 * What is found depends on the state of the warps between two windows alone, so that windows are the same for every
 * number of host threads, and in runs that are watched.
 *
 * Cost: a warp's next instructions, at most a window's cycles of them, for each grid, where the last warp that was
 * found still has some way to go; else up to WARPS of them. The second question: those of all warps, near the end of a
 * line.
 */
#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "runtime/gpu/run.h"
#include "runtime/sm/places.h"

#define WARPS 64

/* Ahead of it nobody knows where the path goes on. */
static bool leads_anywhere(const struct hd_inst *inst)
{
	return inst->op == HD_OP_BRX || inst->op == HD_OP_CALLI || inst->op == HD_OP_SYSCALL ||
	       inst->op == HD_OP_TRAP || inst->op == HD_OP_PREEXIT || hd_opinfo[inst->op].effects & HD_FX_RET;
}

/* Takes as long as any window, and the grid is there until it is done, though its warp may not be. */
static bool outlasts(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	return inst->guard == HD_PT && info->space == HD_AT_GLOBAL && !(info->effects & HD_FX_ASYNC) &&
	       info->effects & (HD_FX_LOAD | HD_FX_STORE | HD_FX_ATOMIC);
}

/* Instructions that a path executes before one that may be the last of its warp, or of its grid, at most `most`. */
static uint32_t least_steps(const struct hd_program *program, uint32_t pc, bool of_grid, uint32_t most)
{
	uint32_t steps = 0;
	for (; steps < most && pc < program->code.len; steps++) {
		const struct hd_inst *inst = &program->code.data[pc].inst;
		uint16_t effects = hd_opinfo[inst->op].effects;
		if (effects & HD_FX_EXIT || leads_anywhere(inst))
			return steps;
		if (of_grid && outlasts(inst))
			return most;
		pc++;
		if (!(effects & (HD_FX_BRANCH | HD_FX_CALL)))
			continue;
		if (inst->guard != HD_PT) {
			uint32_t left = steps + 1 + least_steps(program, pc, of_grid, most - steps - 1);
			most = left < most ? left : most;
		}
		pc = inst->x;
	}
	return steps < most ? steps : most;
}

/* Cycles before the one in which that may be, at most `most`; the path's block has been there since cycle `since`. */
static uint64_t least_cycles(const struct hd_gpu *gpu, uint32_t pc, uint64_t since, bool of_grid, uint64_t most)
{
	uint64_t begins = since + gpu->config->cta_launch_latency;
	uint64_t wait = begins > gpu->now ? begins - gpu->now : 0;
	uint32_t width = gpu->config->dual_issue ? 2 : 1;
	if (wait >= most)
		return most;
	return wait + least_steps(&gpu->program, pc, of_grid, (uint32_t)(most - wait) * width) / width;
}

static uint64_t cycles_of(const struct hd_gpu *gpu, const struct hd_warp *warp, bool of_grid, uint64_t most)
{
	bool executes = warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER;
	return executes ? least_cycles(gpu, warp->pc, warp->cta->start_cycle, of_grid, most) : 0;
}

/* ---- grids that end */

/* Looks for a warp of the grid on one SM that goes on for `most` cycles; *best: what was found so far. Returns whether
 * the search is over. */
static bool look_on(const struct hd_sm *sm, const struct hd_grid *grid, uint64_t most, uint32_t *looked, uint64_t *best)
{
	for (uint32_t i = 0; i < sm->cta_count; i++) {
		const struct hd_cta *cta = &sm->ctas[i];
		if (!cta->used || cta->grid != grid)
			continue;
		for (uint32_t w = 0; w < cta->warp_count; w++) {
			const struct hd_warp *warp = cta->warps[w];
			if (warp->cta != cta)
				continue;
			*best = hd_later(*best, cycles_of(sm->gpu, warp, true, most));
			if (*best == most || ++*looked == WARPS)
				return true;
		}
	}
	return false;
}

static uint64_t grid_cycles(struct hd_run *run, const struct hd_grid *grid, uint64_t most)
{
	const struct hd_gpu *gpu = run->gpu;
	uint64_t best = 0;
	uint32_t looked = 0;
	if (grid->cta_done == grid->cta_total)
		return 0;
	if (hd_grid_waits_for_room(grid))
		return least_cycles(gpu, grid->entry, gpu->now, true, most);
	uint32_t last = run->lasting[grid->slot];
	if (look_on(gpu->sms[last], grid, most, &looked, &best))
		return best;
	HD_FOR_COUNTING(run, grid->slot, i)
	{
		if (i == last || !gpu->sms[i]->grids[grid->slot].resident)
			continue;
		run->lasting[grid->slot] = (uint16_t)i;
		if (look_on(gpu->sms[i], grid, most, &looked, &best))
			break;
	}
	return best;
}

/* ---- grids that allow others to begin */

/* How long no warp of the block allows it, nor ends, at most `most`. */
static uint64_t block_cycles(const struct hd_gpu *gpu, const struct hd_cta *cta, uint64_t most)
{
	uint64_t least = most;
	for (uint32_t i = 0; i < cta->warp_count && least; i++)
		if (cta->warps[i]->cta == cta && cta->warps[i]->state != HD_WARP_FREE)
			least = hd_earlier(least, cycles_of(gpu, cta->warps[i], false, least));
	return least;
}

/* How long some block of the grid has not. */
static uint64_t fire_cycles(const struct hd_run *run, const struct hd_grid *grid, uint64_t most)
{
	const struct hd_gpu *gpu = run->gpu;
	uint64_t best = 0;
	if (hd_grid_waits_for_room(grid))
		return least_cycles(gpu, grid->entry, gpu->now, false, most);
	HD_FOR_COUNTING(run, grid->slot, i)
	{
		const struct hd_sm *sm = gpu->sms[i];
		for (uint32_t k = 0; k < sm->cta_count && sm->grids[grid->slot].resident; k++) {
			const struct hd_cta *cta = &sm->ctas[k];
			if (cta->used && cta->grid == grid && !cta->fired)
				best = hd_later(best, block_cycles(gpu, cta, most));
			if (best == most)
				return best;
		}
	}
	return best;
}

/* ---- places */

/* No warp leaves its place in so many cycles. */
static bool all_stay(const struct hd_sm *sm, uint64_t cycles)
{
	for (uint32_t i = 0; i < sm->warp_count; i++) {
		const struct hd_warp *warp = &sm->warps[i];
		if (warp->state != HD_WARP_FREE && cycles_of(sm->gpu, warp, false, cycles) < cycles)
			return false;
	}
	return true;
}

/* Blocks that the first grid in the line lacks a place for, if others wait behind it; HD_NEVER: none do. */
static uint64_t first_lacks(const struct hd_gpu *gpu, const struct hd_grid **first)
{
	uint32_t count = 0;
	*first = NULL;
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		const struct hd_grid *grid = gpu->grids.data[i];
		if (!hd_grid_waits_for_room(grid))
			continue;
		count++;
		if (!*first || grid->priority < (*first)->priority)
			*first = grid;
	}
	return count > 1 ? (*first)->cta_total - (*first)->cta_next + (*first)->requeued.len : HD_NEVER;
}

/* In so many cycles the first grid's blocks do not all get places. */
static bool line_stands(const struct hd_run *run, uint64_t cycles)
{
	const struct hd_gpu *gpu = run->gpu;
	const struct hd_grid *first;
	uint64_t lacks = first_lacks(gpu, &first), places = 0;
	uint64_t turns = (cycles + gpu->config->cta_launch_interval - 1) / gpu->config->cta_launch_interval;
	if (lacks > turns * run->sm_count)
		return true;
	HD_FOR_USED (run, i)
		if (hd_sm_has_room(gpu->sms[i], first) || !all_stay(gpu->sms[i], cycles))
			places += hd_earlier(turns, gpu->sms[i]->grids[first->slot].limit);
	return lacks > places;
}

/* Whatever the dispatcher does, each SM finds as many left as it may have, or none. */
static bool keeps_blocks(const struct hd_run *run, const struct hd_grid *grid, uint64_t turns)
{
	uint64_t left = grid->cta_total - grid->cta_next;
	if (!grid->running || left > turns * run->sm_count + grid->cta_share)
		return true;
	return !left && !grid->requeued.len && !(run->gpu->kills && hd_grid_restarts(grid));
}

bool hd_run_keeps_blocks(const struct hd_run *run, uint64_t cycles)
{
	const struct hd_gpu *gpu = run->gpu;
	uint64_t interval = gpu->config->cta_launch_interval;
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (!keeps_blocks(run, gpu->grids.data[i], (cycles + interval - 1) / interval))
			return false;
	return true;
}

uint64_t hd_run_lasts(struct hd_run *run, uint64_t most)
{
	const struct hd_gpu *gpu = run->gpu;
	uint64_t cycles = most;
	if (run->ending)
		return 1;
	for (uint32_t i = 0; i < gpu->grids.len && cycles > 1; i++)
		if (gpu->grids.data[i]->running)
			cycles = hd_earlier(cycles, 1 + grid_cycles(run, gpu->grids.data[i], cycles - 1));
	for (uint32_t i = 0; gpu->awaits_fire && i < gpu->grids.len && cycles > 1; i++)
		if (gpu->grids.data[i]->running && gpu->grids.data[i]->fired < gpu->grids.data[i]->cta_total)
			cycles = hd_earlier(cycles, 1 + fire_cycles(run, gpu->grids.data[i], cycles - 1));
	return cycles > 1 && (run->quotas || line_stands(run, cycles)) ? cycles : 1;
}
