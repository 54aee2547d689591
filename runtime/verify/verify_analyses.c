/*
 * --verify of the register analyses, for each instruction that is executed:
 *
 *   intervals  its registers lie in the working set of the register-interval and of the strand that it is in.
 *              A call has no registers but its target's: what it passes is the callee's business (intervals.h).
 *              A lane that comes from another one, or back from a call but a helper's, is at its entry; what is then in
 * the working set and not in `live_in`, of which LTRF+ brings nothing, is poisoned in the lanes of the warp, those
 * included that wait here or in callers preempt    at a preemption point, what the point would not save is poisoned: in
 * the lanes that are there all but `live`, which is what a thread there needs; in lanes that wait elsewhere all but
 *              `live_divergent`. A lane that reads poison before it has written it needed a register that
 *              preemption would have lost. A prologue may save what its caller has no use for
 *
 * Poison stays on through calls and goes when the lane returns from one of the program's: the callee restores registers
 * whose values nobody wants. Off, nothing of this exists; on, a table of the code is made at load.
 */
#include "heddle/figures.h"
#include "lib/machine/regset.h"
#include "runtime/verify/verify.h"

#define NONE UINT32_MAX
#define ELSEWHERE (UINT32_MAX - 1) /* a lane's last interval: in no function, another one, or a callee */

/* ---- at load */

/* ---- intervals */

static void check_working_set(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
			      const struct hd_meta_interval *list, uint32_t index, const char *kind)
{
	uint32_t lane = (uint32_t)__builtin_ctz(exec->warp->active);
	struct hd_regset accumulator;
	hd_inst_accumulator(&inst->inst, &accumulator);
	if (index == NONE) {
		HD_FAULT(exec, lane, HD_SIM_VERIFY, "pc 0x%x of %s is in no %s",
			 (exec->warp->pc - function->first) * HD_INST_BYTES, function->name, kind);
		return;
	}
	for (unsigned word = 0; word < 4; word++) {
		uint64_t outside = inst->hazards.bits[word] & ~list[index].working_set[word] & ~accumulator.regs[word];
		if (!outside)
			continue;
		HD_FAULT(exec, lane, HD_SIM_VERIFY, "R%u is used, but is not in the working set of %s %u of %s",
			 64 * word + (unsigned)__builtin_ctzll(outside), kind, list[index].id, function->name);
		return;
	}
}

static void poison_rows(uint32_t *rows, uint32_t first, uint32_t count, uint64_t kept, uint32_t mask)
{
	for (uint32_t i = 0; i < count; i++)
		if (!(kept >> i & 1))
			rows[first + i] |= mask;
}

/* Lanes elsewhere in the warp. Those that wait in the caller's linear version hold other registers than the function's
 * metadata is about. */
static uint32_t waiting_lanes(const struct hd_warp *warp, const struct hd_pfunction *function)
{
	return warp->cta->grid->linear && !function->linear ? 0 : warp->live & ~warp->active;
}

/* `last` has the interval that each lane comes from. Returns the lanes that enter this one. */
static uint32_t check_entry(struct hd_exec *exec, const struct hd_pfunction *function,
			    const struct hd_meta_interval *list, uint32_t index, uint32_t last[HD_WARP_LANES],
			    const char *kind)
{
	uint32_t pc = (exec->warp->pc - function->first) * HD_INST_BYTES, entering = 0;
	HD_FOR_LANES (lane, exec->warp->active) {
		if (last[lane] == index)
			continue;
		last[lane] = index;
		entering |= 1u << lane;
		if (pc == list[index].entry_pc)
			continue;
		HD_FAULT(exec, lane, HD_SIM_VERIFY, "control enters %s %u of %s at pc 0x%x, its entry is 0x%x", kind,
			 list[index].id, function->name, pc, list[index].entry_pc);
		return 0;
	}
	return entering;
}

static void check_subgraph(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
			   const struct hd_meta_interval *list, uint32_t index, uint32_t last[HD_WARP_LANES],
			   struct hd_poison *space, const char *kind)
{
	check_working_set(exec, inst, function, list, index, kind);
	uint32_t entering = exec->fault ? 0 : check_entry(exec, function, list, index, last, kind);
	if (!entering)
		return;
	for (uint32_t word = 0; word < 4; word++)
		poison_rows(space->regs, 64 * word, 64, ~list[index].working_set[word] | list[index].live_in[word],
			    entering | waiting_lanes(exec->warp, function));
}

static void check_intervals(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
			    const struct hd_code_facts *facts, struct hd_watch *watch)
{
	const struct hd_meta_function *meta = function->said;
	if (meta->interval_count)
		check_subgraph(exec, inst, function, meta->intervals, facts->interval, watch->last.interval,
			       &watch->space, "interval");
	if (meta->strand_count && !exec->fault)
		check_subgraph(exec, inst, function, meta->strands, facts->strand, watch->last.strand, &watch->space,
			       "strand");
}

/* ---- preemption points */

static void poison_outside(struct hd_poison *poison, const struct hd_meta_registers *kept, uint32_t mask)
{
	for (uint32_t word = 0; word < 4 && mask; word++)
		poison_rows(poison->regs, 64 * word, 64, kept->regs[word], mask);
	if (mask)
		poison_rows(poison->preds, 0, HD_PT, kept->preds, mask);
}

/* ---- for verify.c */

void hd_verify_analyses_before(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
			       struct hd_watch *watch)
{
	const struct hd_meta_function *meta = function->said;
	const struct hd_warp *warp = exec->warp;
	struct hd_poison *poison = &watch->poison;
	if (function->facts) {
		const struct hd_code_facts *facts = &function->facts[warp->pc - function->first];
		check_intervals(exec, inst, function, facts, watch);
		if (facts->point != NONE) {
			const struct hd_meta_point *point = &meta->points[facts->point];
			poison_outside(poison, &point->live, warp->active);
			poison_outside(poison, &point->live_divergent, waiting_lanes(warp, function));
		}
	}
	if (inst->inst.role == HD_ROLE_CALLEE_SAVE)
		return;
	struct hd_regset reads = hd_verify_reads(exec, inst);
	if (!exec->fault)
		hd_verify_poison_read(exec, inst, &reads, poison,
				      "a preemption point before this would not have saved it");
	if (!exec->fault)
		hd_verify_poison_read(exec, inst, &reads, &watch->space,
				      "where its interval is entered it is not in live_in");
}

struct hd_regset hd_verify_reads(const struct hd_exec *exec, const struct hd_dinst *inst)
{
	const struct hd_code_facts *facts = hd_facts_at(exec->gpu, exec->warp->pc, NULL);
	struct hd_regset reads;
	hd_inst_reads(&inst->inst, &reads);
	if (facts)
		hd_regset_subtract(&reads, &facts->undefined);
	return reads;
}

/* All lanes read the guard. */
static void check_predicates_read(struct hd_exec *exec, const struct hd_inst *inst, uint32_t preds,
				  const struct hd_poison *poison, const char *why)
{
	for (unsigned pred = 0; pred < HD_PT; pred++) {
		bool guard = (inst->guard & ~HD_PRED_NOT) == pred;
		uint32_t lanes = preds >> pred & 1 ? poison->preds[pred] : 0;
		lanes &= guard ? exec->warp->active : exec->mask;
		if (!lanes)
			continue;
		HD_FAULT(exec, (uint32_t)__builtin_ctz(lanes), HD_SIM_VERIFY, "P%u is read, but %s", pred, why);
		return;
	}
}

void hd_verify_poison_read(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_regset *reads,
			   const struct hd_poison *poison, const char *why)
{
	HD_REGSET_FOREACH (reads, reg) {
		uint32_t lanes = poison->regs[reg] & exec->mask;
		if (!lanes)
			continue;
		HD_FAULT(exec, (uint32_t)__builtin_ctz(lanes), HD_SIM_VERIFY, "R%u is read, but %s", reg, why);
		return;
	}
	check_predicates_read(exec, &inst->inst, reads->preds, poison, why);
}

void hd_verify_poison_written(struct hd_poison *poison, uint32_t mask, const struct hd_hazard *writes)
{
	HD_FOR_HAZARD_REGS(reg, writes)
	poison->regs[reg] &= ~mask;
	for (unsigned pred = 0; pred < HD_PT; pred++)
		if (writes->bits[4] >> pred & 1)
			poison->preds[pred] &= ~mask;
}

static void leave_intervals(struct hd_watch *watch, uint32_t mask)
{
	HD_FOR_LANES (lane, mask)
		watch->last.interval[lane] = watch->last.strand[lane] = ELSEWHERE;
}

void hd_watch_begin(struct hd_watch *watch)
{
	memset(watch, 0, sizeof(*watch));
	leave_intervals(watch, HD_FULL);
}

void hd_watch_called(struct hd_watch *watch, uint32_t mask)
{
	leave_intervals(watch, mask);
}

void hd_watch_returned(struct hd_watch *watch, uint32_t mask)
{
	leave_intervals(watch, mask);
	for (unsigned reg = 0; reg < 256; reg++) {
		watch->poison.regs[reg] &= ~mask;
		watch->space.regs[reg] &= ~mask;
		watch->stalled.regs[reg] &= ~mask;
	}
	for (unsigned pred = 0; pred < HD_PT; pred++)
		watch->poison.preds[pred] &= ~mask, watch->stalled.preds[pred] &= ~mask;
}

void hd_watch_helped(struct hd_watch *watch, uint32_t mask, const struct hd_lane_intervals *before)
{
	HD_FOR_LANES (lane, mask) {
		watch->last.interval[lane] = before->interval[lane];
		watch->last.strand[lane] = before->strand[lane];
	}
}
