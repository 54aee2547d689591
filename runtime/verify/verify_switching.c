/*
 * --verify of switch points (gpu-multiprogramming-lin 3.6.6), for each instruction that is executed:
 *
 *   places     what first needs a register that a global load has brought to the lane is a switch point
 *   registers  at a point, what a lane has under way is among `loading`; in lanes that wait elsewhere, where they may
 *              need it and no other does. What the context would not hold is poisoned: in the lanes that are there
 *              all but `live` and `loading`, in those that wait all but `live_divergent` and `loading`. A lane that
 *              reads poison before it has written it needed a register that switching would have lost
 *   patterns   values of the lanes that are there follow what is said of them, in groups of min(32, x of the block)
 *
 * Helpers are instructions, in which nothing is looked for. Linear versions (R2D2) have no switch points. Poison goes
 * when lanes return, as that of preemption points does (verify_analyses.c). Cost: a walk over what is under way at each
 * point, and over an instruction's registers elsewhere.
 */
#include "heddle/figures.h"
#include "lib/machine/regset.h"
#include "runtime/exec/later.h"
#include "runtime/verify/verify.h"

#define NONE UINT32_MAX

static bool keeps(const struct hd_meta_registers *set, uint32_t reg)
{
	return set->regs[reg / 64] >> reg % 64 & 1;
}

static void poison_outside(struct hd_poison *poison, const struct hd_meta_registers *kept,
			   const struct hd_meta_registers *loading, uint32_t mask)
{
	for (uint32_t reg = 0; reg < HD_RZ && mask; reg++)
		if (!keeps(kept, reg) && !keeps(loading, reg))
			poison->regs[reg] |= mask;
	for (uint32_t pred = 0; pred < HD_PT; pred++)
		if (!(kept->preds >> pred & 1))
			poison->preds[pred] |= mask;
}

/* ---- at a point */

static void check_loading(struct hd_exec *exec, const struct hd_meta_switch *point, const struct hd_poison *loading)
{
	uint32_t here = exec->warp->active, waiting = exec->warp->live & ~here;
	for (uint32_t reg = 0; reg < HD_RZ; reg++) {
		bool elsewhere = keeps(&point->live_divergent, reg) && !keeps(&point->live, reg);
		uint32_t lanes = loading->regs[reg] & (elsewhere ? here | waiting : here);
		if (!lanes || keeps(&point->loading, reg))
			continue;
		HD_FAULT(exec, (uint32_t)__builtin_ctz(lanes), HD_SIM_VERIFY,
			 "R%u is loading at a switch point that does not say so", reg);
		return;
	}
}

/* Threads in which patterns hold; 0: rows of the block do not fit warps, so that nothing is said. */
static uint32_t group_of(const struct hd_grid *grid)
{
	uint32_t x = grid->block[0];
	if (x % HD_WARP_LANES == 0)
		return HD_WARP_LANES;
	return HD_WARP_LANES % x ? 0 : x;
}

/* The lane whose value does not follow those before it in its group, or HD_WARP_LANES. */
static uint32_t lane_outside(const uint32_t *values, uint32_t lanes, const struct hd_meta_pattern *pattern)
{
	uint32_t first = (uint32_t)__builtin_ctz(lanes), second = 0;
	bool known = !pattern->strided || pattern->stride_known;
	uint32_t stride = pattern->strided && known ? (uint32_t)pattern->stride : 0;
	HD_FOR_LANES (lane, lanes & (lanes - 1)) {
		if (!known) { /* any, but one */
			second = second ? second : lane;
			if (values[lane] * (second - first) + values[first] * (lane - second) !=
			    values[second] * (lane - first))
				return lane;
		} else if (values[lane] != values[first] + stride * (lane - first)) {
			return lane;
		}
	}
	return HD_WARP_LANES;
}

static void check_patterns(struct hd_exec *exec, const struct hd_meta_switch *point)
{
	uint32_t group = group_of(exec->warp->cta->grid), count = point->pattern_count;
	struct hd_hazard coming;
	hd_later_results(exec, exec->warp, &coming);
	for (uint32_t i = 0; i < count && group; i++) {
		const struct hd_meta_pattern *pattern = &point->patterns[i];
		bool there =
			keeps(&point->live, pattern->reg) && !(coming.bits[pattern->reg / 64] >> pattern->reg % 64 & 1);
		for (uint32_t at = 0; at < HD_WARP_LANES && there; at += group) {
			uint32_t lanes = exec->warp->active & (HD_FULL >> (HD_WARP_LANES - group)) << at;
			uint32_t lane =
				lanes ? lane_outside(exec->warp->regs[pattern->reg], lanes, pattern) : HD_WARP_LANES;
			if (lane == HD_WARP_LANES)
				continue;
			HD_FAULT(exec, lane, HD_SIM_VERIFY, "R%u = 0x%x does not follow its pattern at a switch point",
				 pattern->reg, exec->warp->regs[pattern->reg][lane]);
			return;
		}
	}
}

static void check_point(struct hd_exec *exec, const struct hd_meta_switch *point, struct hd_watch *watch)
{
	const struct hd_warp *warp = exec->warp;
	check_loading(exec, point, &watch->loading);
	if (!exec->fault)
		check_patterns(exec, point);
	poison_outside(&watch->stalled, &point->live, &point->loading, warp->active);
	poison_outside(&watch->stalled, &point->live_divergent, &point->loading, warp->live & ~warp->active);
}

/* ---- at any instruction */

static void check_needs(struct hd_exec *exec, const struct hd_regset *needs, const struct hd_poison *loading)
{
	HD_REGSET_FOREACH (needs, reg) {
		uint32_t lanes = loading->regs[reg] & exec->warp->active;
		if (!lanes)
			continue;
		HD_FAULT(exec, (uint32_t)__builtin_ctz(lanes), HD_SIM_VERIFY,
			 "R%u, which a load brought, is first needed where no switch point is", reg);
		return;
	}
}

void hd_verify_switching_before(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
				struct hd_watch *watch)
{
	const struct hd_warp *warp = exec->warp;
	if (!function->facts || warp->cta->grid->linear)
		return;
	uint32_t index = function->facts[warp->pc - function->first].switching;
	struct hd_regset needs, writes;
	hd_inst_reads(&inst->inst, &needs);
	hd_inst_writes(&inst->inst, &writes);
	hd_regset_union(&needs, &writes);
	if (index != NONE)
		check_point(exec, &function->said->switches[index], watch);
	else if (!function->object->helper)
		check_needs(exec, &needs, &watch->loading);
	HD_REGSET_FOREACH (&needs, reg)
		watch->loading.regs[reg] &= ~warp->active;
	if (exec->fault || inst->inst.role == HD_ROLE_CALLEE_SAVE)
		return;
	struct hd_regset reads = hd_verify_reads(exec, inst);
	hd_verify_poison_read(exec, inst, &reads, &watch->stalled, "a switch point before this would not have kept it");
}

void hd_verify_switching_after(const struct hd_exec *exec, const struct hd_dinst *inst, struct hd_watch *watch)
{
	if (!hd_op_loads_device(inst->inst.op))
		return;
	struct hd_regset writes;
	hd_inst_writes(&inst->inst, &writes);
	HD_REGSET_FOREACH (&writes, reg)
		watch->loading.regs[reg] |= exec->mask;
}
