/*
 * Functional execution: branches, calls, returns, exits, traps and services. Each moves the pc and
 * the SIMT stack itself (simt.c). Order is fixed: of the paths of a divergent branch the taken one
 * runs first; of several targets of an indirect branch or call the one of the lowest lane.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/later.h"
#include "runtime/exec/load.h"
#include "runtime/exec/remote.h"

static void stack_overflow(struct hd_exec *exec)
{
	HD_FAULT(exec, (uint32_t)__builtin_ctz(exec->warp->active), HD_SIM_STACK_OVERFLOW,
		 "more than %d nested calls and branches", HD_SIMT_DEPTH);
}

static void skip(struct hd_exec *exec)
{
	hd_simt_jump(exec->warp, exec->warp->pc + 1);
}

static uint32_t lowest(uint32_t mask)
{
	return (uint32_t)__builtin_ctz(mask);
}

/* ---- branches */

static void branch(struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_warp *warp = exec->warp;
	uint32_t taken = exec->mask, rest = warp->active & ~taken;
	exec->effect->event = HD_EVENT_BRANCH;
	if (!rest || !taken) {
		hd_simt_jump(warp, taken ? inst->inst.x : warp->pc + 1);
	} else {
		struct hd_simt_group groups[] = {{warp->pc + 1, rest}, {inst->inst.x, taken}};
		exec->effect->diverged = true;
		if (!hd_simt_split(warp, groups, 2, inst->inst.reconv))
			stack_overflow(exec);
	}
	if (__builtin_expect(inst->spins && taken && !exec->fault, 0))
		hd_simt_spin(exec, inst);
}

/* Targets of an indirect branch, grouped; filled from the end, so that the lowest lane's group comes last. */
static uint32_t group_targets(const uint32_t *target, uint32_t mask, struct hd_simt_group *groups)
{
	uint32_t count = 0;
	while (mask) {
		uint32_t pc = target[lowest(mask)], same = 0;
		HD_FOR_LANES (lane, mask)
			same |= (uint32_t)(target[lane] == pc) << lane;
		groups[HD_WARP_LANES - ++count] = (struct hd_simt_group){pc, same};
		mask &= ~same;
	}
	return count;
}

static void branch_indirect(struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_warp *warp = exec->warp;
	const struct hd_pfunction *function = &exec->gpu->program.functions.data[inst->function];
	const uint32_t *table = function->tables[inst->inst.x], count = function->table_counts[inst->inst.x];
	const uint32_t *index = hd_row(warp, inst->inst.a);
	uint32_t target[HD_WARP_LANES];
	struct hd_simt_group groups[HD_WARP_LANES + 1];
	exec->effect->event = HD_EVENT_BRANCH;
	HD_FOR_LANES (lane, exec->mask) {
		if (index[lane] >= count) {
			HD_FAULT(exec, lane, HD_SIM_TRAP, "jump table index %u of %u", index[lane], count);
			return;
		}
		target[lane] = table[index[lane]];
	}
	/* Lanes that the guard holds back go on behind the instruction. */
	HD_FOR_LANES (lane, warp->active & ~exec->mask)
		target[lane] = warp->pc + 1;
	uint32_t group_count = group_targets(target, warp->active, groups);
	struct hd_simt_group *first = &groups[HD_WARP_LANES - group_count];
	if (group_count == 1) {
		hd_simt_jump(warp, first->pc);
		return;
	}
	exec->effect->diverged = true;
	if (!hd_simt_split(warp, first, group_count, inst->inst.reconv))
		stack_overflow(exec);
}

/* ---- calls */

static void enter(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t mask, uint32_t target)
{
	uint32_t callee = exec->gpu->program.code.data[target].function;
	exec->effect->event = inst->helper ? HD_EVENT_BRANCH : HD_EVENT_CALL;
	exec->effect->callee = callee;
	exec->effect->mask = mask;
	HD_TELL(exec->gpu, call, exec, inst, mask, callee);
	if (exec->fault)
		return;
	if (!hd_simt_call(exec->warp, mask, target, callee))
		stack_overflow(exec);
}

static void call(struct hd_exec *exec, const struct hd_dinst *inst)
{
	if (exec->mask)
		enter(exec, inst, exec->mask, inst->inst.x);
	else
		skip(exec);
}

/* Index of the function that begins at a code address, or HD_PC_NONE. */
static uint32_t function_at(const struct hd_gpu *gpu, uint64_t address)
{
	const struct hd_program *program = &gpu->program;
	uint32_t pc = hd_program_pc(gpu, address);
	if (pc == HD_PC_NONE)
		return pc;
	const struct hd_pfunction *function = &program->functions.data[hd_program_function(program, pc)];
	return function->module && function->there && function->first == pc ? pc : HD_PC_NONE;
}

/*
 * Distinct targets run one after the other: the lanes of the lowest lane's target call; the others wait in an entry
 * that executes this instruction again, and reconverge with the first behind it.
 */
static void call_indirect(struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_warp *warp = exec->warp;
	if (!exec->mask) {
		skip(exec);
		return;
	}
	uint32_t lane = lowest(exec->mask), same = 0;
	uint64_t address = hd_lane_pair(warp, inst->inst.a, lane);
	uint32_t target = function_at(exec->gpu, address);
	if (target == HD_PC_NONE) {
		HD_FAULT(exec, lane, HD_SIM_BAD_CALL, "indirect call to 0x%llx, which is no function",
			 (unsigned long long)address);
		return;
	}
	HD_FOR_LANES (other, exec->mask)
		same |= (uint32_t)(hd_lane_pair(warp, inst->inst.a, other) == address) << other;
	uint32_t waiting = exec->mask & ~same, pc = warp->pc;
	if (waiting) {
		/* Everyone else is behind the call; the callers start from an entry of their own. */
		struct hd_simt_group groups[] = {{pc + 1, warp->active & ~exec->mask}, {pc, waiting}, {pc, same}};
		bool all = warp->active == exec->mask;
		exec->effect->diverged = true;
		if (!hd_simt_split(warp, groups + all, all ? 2 : 3, pc + 1)) {
			stack_overflow(exec);
			return;
		}
	}
	enter(exec, inst, same, target);
}

/* ---- ends */

static void finish_lanes(struct hd_exec *exec)
{
	exec->effect->event = HD_EVENT_EXIT;
	if (exec->warp->cta->cluster && exec->mask)
		hd_cluster_note(exec, exec->mask, HD_CLUSTER_EXIT);
	if (!exec->mask)
		skip(exec);
	else
		exec->effect->warp_done = hd_simt_exit(exec->warp, exec->mask, &exec->effect->all_returned);
}

static void return_lanes(struct hd_exec *exec, const struct hd_dinst *inst)
{
	if (!hd_simt_in_call(exec->warp)) {
		finish_lanes(exec);
		return;
	}
	exec->effect->event = inst->helper ? HD_EVENT_BRANCH : HD_EVENT_RETURN;
	if (!exec->mask) {
		skip(exec);
		return;
	}
	HD_TELL(exec->gpu, call_return, exec, inst);
	if (exec->fault)
		return;
	exec->effect->all_returned = hd_simt_return(exec->warp, exec->mask);
	if (exec->effect->all_returned)
		HD_TELL(exec->gpu, call_ended, exec);
}

/* Where the compiler could prove that a loop neither ends nor does anything, it takes what is behind it, and the loop,
 * for code that nothing comes to: C++ lets it (forward progress). */
static void trap(struct hd_exec *exec, const struct hd_dinst *inst)
{
	if (exec->mask)
		HD_FAULT(exec, lowest(exec->mask), HD_SIM_TRAP, "%s",
			 HD_MODIFIER(ASSUMED)
				 ? "trap in place of a loop that neither ends nor has an effect, or of code "
				   "that the program says is unreachable"
				 : "trap");
	else
		skip(exec);
}

/* In a window its effects, such as a line of output, come in their turn among those of other SMs. */
static void service(struct hd_exec *exec, const struct hd_dinst *inst)
{
	bool later = hd_puts_off(exec) && inst->inst.x != HD_SYS_ASSERTFAIL;
	if (later && exec->mask)
		hd_later_service(exec, inst);
	else if (exec->mask && hd_exec_syscall(exec, inst) != 0)
		return;
	skip(exec);
}

/* In a loop that may be a wait (program.c); lanes that have come to where their path ends sleep with the warp. */
static void sleep_lanes(struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_warp *warp = exec->warp;
	uint32_t lanes = warp->active;
	uint64_t cycles = exec->mask ? hd_sleep_cycles(exec->gpu, warp, &inst->inst, exec->mask) : 0;
	skip(exec);
	if (cycles && warp->active == lanes)
		hd_simt_sleep(exec, cycles);
}

void hd_exec_control(struct hd_exec *exec, const struct hd_dinst *inst)
{
	switch (inst->inst.op) {
	case HD_OP_BRA: branch(exec, inst); break;
	case HD_OP_BRX: branch_indirect(exec, inst); break;
	case HD_OP_CALL: call(exec, inst); break;
	case HD_OP_CALLI: call_indirect(exec, inst); break;
	case HD_OP_RET: return_lanes(exec, inst); break;
	case HD_OP_EXIT: finish_lanes(exec); break;
	case HD_OP_TRAP: trap(exec, inst); break;
	case HD_OP_NANOSLEEP: sleep_lanes(exec, inst); break;
	case HD_OP_SYSCALL:
		HD_TELL(exec->gpu, unrepeatable, exec->gpu);
		service(exec, inst);
		break;
	default: skip(exec); break;
	}
}
