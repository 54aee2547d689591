/*
 * Functional execution of one warp instruction: guard, dispatch, advance. Tens of nanoseconds
 * for most instructions; the operations are in exec_*.c, the SIMT stack in simt.c.
 */
#include "runtime/exec/exec.h"
#include "runtime/exec/turn.h"

int hd_exec_level(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("x86-64-v4"))
		return HD_LEVEL_V4;
	if (__builtin_cpu_supports("x86-64-v3"))
		return HD_LEVEL_V3;
#endif
	return HD_LEVEL_BASE;
}

hd_exec_fn hd_exec_resolve(const struct hd_inst *inst, int level)
{
	static const struct hd_exec_clones *(*const find[])(const struct hd_inst *) = {
		hd_exec_linear_find, /* before the others: linear operands */
		hd_exec_int_find,     hd_exec_fp_find,	   hd_exec_half_find,	 hd_exec_mufu_find,
		hd_exec_convert_find, hd_exec_memory_find, hd_exec_atomic_find,	 hd_exec_warp_find,
		hd_exec_mma_find,     hd_exec_sparse_find, hd_exec_texture_find, hd_exec_copy_find,
		hd_exec_cluster_find, hd_exec_sync_find,   hd_exec_bulk_find,	 hd_exec_wgmma_find,
	};
	for (size_t i = 0; i < sizeof(find) / sizeof(find[0]); i++) {
		const struct hd_exec_clones *clones = find[i](inst);
		if (clones)
			return clones->fn[level];
	}
	return NULL;
}

/* Straight-line code: the stack is touched only at the reconvergence point. */
static inline void advance(struct hd_warp *warp)
{
	uint32_t next = warp->pc + 1;
	if (__builtin_expect(next == hd_vec_last(&warp->stack).reconv, 0))
		hd_simt_jump(warp, next);
	else
		warp->pc = next;
}

/* Nothing was executed (meet.c). */
static void stay(struct hd_exec *exec)
{
	exec->effect->mask = 0;
	if (exec->fault && !exec->stays)
		exec->effect->event = HD_EVENT_FAULT;
	else
		exec->fault = exec->stays = false;
}

static bool control_or_fault(struct hd_exec *exec, const struct hd_dinst *inst)
{
	if (!inst->exec)
		hd_exec_control(exec, inst);
	if (!exec->fault)
		return false;
	if (exec->stays)
		stay(exec);
	else
		exec->effect->event = HD_EVENT_FAULT;
	return true;
}

/* As hd_warp_execute, with those who look at each step. */
static __attribute__((noinline)) void execute_watched(struct hd_exec *exec, const struct hd_dinst *inst)
{
	HD_TELL(exec->gpu, step_before, exec, inst);
	if (exec->fault) {
		exec->effect->event = HD_EVENT_FAULT;
		return;
	}
	if (inst->exec && exec->mask)
		inst->exec(exec, inst);
	if (!exec->fault)
		HD_TELL(exec->gpu, step_done, exec, inst);
	if (!control_or_fault(exec, inst) && inst->exec)
		advance(exec->warp);
	if (!exec->fault)
		HD_TELL(exec->gpu, step_after, exec, inst);
	if (exec->fault)
		exec->effect->event = HD_EVENT_FAULT;
}

/* What hd_warp_execute tells. */
#define STEPS (HD_WATCH_BIT(step_before) | HD_WATCH_BIT(step_done) | HD_WATCH_BIT(step_after))

void hd_warp_execute(struct hd_exec *exec, struct hd_warp *warp, struct hd_effect *effect)
{
	const struct hd_dinst *inst = &exec->gpu->program.code.data[warp->pc];
	uint32_t mask = warp->active & hd_pred(warp, inst->inst.guard);
	effect->event = HD_EVENT_NONE;
	effect->space = HD_MEM_GLOBAL;
	effect->pattern = HD_MEM_SCATTERED;
	effect->diverged = effect->all_returned = effect->warp_done = effect->yielded = false;
	effect->mask = mask;
	effect->elsewhere = 0;
	exec->warp = warp;
	exec->mask = mask;
	exec->effect = effect;
	exec->fault = false;
	if (__builtin_expect(warp->reordered, 0) && hd_simt_gather(exec, inst)) {
		effect->mask = 0;
		return;
	}
	if (__builtin_expect((exec->gpu->watched & STEPS) != 0, 0) && !warp->stream) {
		if (inst->meets && hd_warp_meet(exec, inst))
			stay(exec);
		else
			execute_watched(exec, inst);
		return;
	}
	if (__builtin_expect(inst->exec != NULL, 1)) {
		if (__builtin_expect(mask != 0, 1))
			inst->exec(exec, inst);
		if (__builtin_expect(!exec->fault, 1)) {
			advance(warp);
			return;
		}
	}
	control_or_fault(exec, inst);
}

/* Code without branches, in one place; the effect is that of the last. True: hd_run_note wants to see it. */
HD_INLINE bool run_plain(struct hd_exec *exec, struct hd_warp *warp, const struct hd_dinst *inst)
{
	struct hd_effect *effect = exec->effect;
	uint32_t mask = warp->active & hd_pred(warp, inst->inst.guard);
	effect->event = HD_EVENT_NONE;
	effect->space = HD_MEM_GLOBAL;
	effect->mask = exec->mask = mask;
	effect->elsewhere = 0;
	exec->now++;
	if (mask)
		inst->exec(exec, inst);
	if (__builtin_expect(exec->fault, 0)) {
		effect->event = HD_EVENT_FAULT;
		if (exec->stays) {
			effect->event = HD_EVENT_NONE;
			stay(exec);
		}
		return true;
	}
	advance(warp);
	return effect->event != HD_EVENT_NONE;
}

const struct hd_dinst *hd_warp_execute_turn(struct hd_exec *exec, struct hd_warp *warp, struct hd_effect *effect,
					    struct hd_warp_turn *run)
{
	const struct hd_dinst *inst;
	exec->warp = warp;
	exec->effect = effect;
	exec->fault = false;
	effect->diverged = effect->all_returned = effect->warp_done = effect->yielded = false;
	for (;;) {
		inst = &run->code[warp->pc];
		if (__builtin_expect(!inst->exec || warp->reordered, 0)) {
			hd_warp_execute(exec, warp, effect);
			exec->now++;
			if (hd_run_note(run, inst, effect, warp->pc))
				return inst;
			effect->diverged = effect->all_returned = effect->yielded = false;
			continue;
		}
		bool noted = run_plain(exec, warp, inst);
		if (!noted) {
			run->counts[inst - run->code]++;
			run->lanes += (uint32_t)__builtin_popcount(hd_effect_lanes(effect));
			run->left--;
			if (__builtin_expect(!run->left, 0))
				return inst;
		} else if (hd_run_note(run, inst, effect, warp->pc)) {
			return inst;
		}
	}
}

uint32_t hd_operand_value(const struct hd_warp *warp, const struct hd_inst *inst, enum hd_slot slot, uint32_t mask)
{
	bool b = slot == HD_SLOT_B;
	if (b ? hd_x_in_b(inst->xkind) : hd_x_in_c(inst->xkind))
		return hd_x_value(warp, inst);
	return hd_row(warp, b ? inst->b : inst->c)[__builtin_ctz(mask)];
}
