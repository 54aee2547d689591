/*
 * Functional execution of what only linear versions have (r2d2-isca23, 3.2, 4.3): linear operands, and the writes of
 * coefficient, thread-index and block-index registers. An instruction with a linear operand executes as a copy of
 * itself that reads the sum from a pair behind the body's registers.
 *
 * Needs a program that hd_object_verify has passed and a grid with hd_linear_state; without one the operand is a fault.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/linear.h"

static uint64_t register_value(const struct hd_warp *warp, const struct hd_inst *inst, uint32_t lane)
{
	if (hd_op_width(inst->op, inst->mods, HD_SLOT_A) == 2)
		return hd_lane_pair(warp, inst->a, lane);
	return hd_row(warp, inst->a)[lane];
}

const struct hd_dinst *hd_exec_linear_sum(struct hd_exec *exec, const struct hd_dinst *inst)
{
	const struct hd_warp *warp = exec->warp;
	const struct hd_pfunction *function = &exec->gpu->program.functions.data[inst->function];
	const struct hd_dinst *direct = &function->direct[warp->pc - function->first];
	const struct hd_linear_state *state = warp->cta->grid->linear;
	if (!state || state->linear != function->linear) {
		HD_FAULT(exec, exec->mask ? (uint32_t)__builtin_ctz(exec->mask) : 0, HD_SIM_BAD_CALL,
			 "linear operand outside a launch of the linear version");
		return NULL;
	}
	uint32_t *low = warp->regs[hd_linear_scratch(function->linear)], *high = low + HD_WARP_LANES;
	bool offset = hd_lr_kind(inst->inst.linear) == HD_LR_OFFSET, upper = hd_lr_high(inst->inst.linear);
	HD_FOR_LANES (lane, exec->mask) {
		uint64_t value = hd_linear_value(warp->cta, &inst->inst, warp->index * HD_WARP_LANES + lane, lane);
		if (offset)
			value += register_value(warp, &inst->inst, lane);
		low[lane] = (uint32_t)(upper ? value >> 32 : value);
		high[lane] = (uint32_t)(value >> 32);
	}
	return direct;
}

HD_EXEC_PLAIN(op_linear)
{
	const struct hd_dinst *direct = hd_exec_linear_sum(exec, inst);
	if (direct)
		direct->exec(exec, direct);
}

HD_EXEC_PLAIN(op_r2cr)
{
	const struct hd_linear_state *state = exec->warp->cta->grid->linear;
	uint32_t lane = (uint32_t)__builtin_ctz(exec->mask);
	if (state && inst->inst.x < state->linear->coefficients)
		exec->warp->cta->parts->coefficients[inst->inst.x] = hd_lane_pair(exec->warp, inst->inst.b, lane);
}

HD_EXEC_PLAIN(op_r2tr)
{
	const struct hd_warp *warp = exec->warp;
	const struct hd_linear_state *state = warp->cta->grid->linear;
	if (!state || inst->inst.x >= state->linear->threads)
		return;
	uint64_t *to =
		warp->cta->parts->threads + (size_t)inst->inst.x * state->stride + (size_t)warp->index * HD_WARP_LANES;
	HD_FOR_LANES (lane, exec->mask)
		to[lane] = hd_lane_pair(warp, inst->inst.b, lane);
}

HD_EXEC_PLAIN(op_r2br)
{
	struct hd_cta *cta = exec->warp->cta;
	HD_FOR_LANES (lane, exec->mask & ((1u << HD_LR_COUNT) - 1))
		cta->block_parts[lane] = hd_lane_pair(exec->warp, inst->inst.b, lane);
}

const struct hd_exec_clones *hd_exec_linear_find(const struct hd_inst *inst)
{
	if (inst->linear)
		return &op_linear;
	switch (inst->op) {
	case HD_OP_R2CR: return &op_r2cr;
	case HD_OP_R2TR: return &op_r2tr;
	case HD_OP_R2BR: return &op_r2br;
	default: return NULL;
	}
}
