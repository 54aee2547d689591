/*
 * Registers that warps hand on (USETMAXREG, PTX's setmaxnreg). A kernel begins with its bound, whatever its code needs;
 * from an instruction on its threads have as many as that says. Register allocation keeps values out of registers that
 * a thread has not got (regalloc.c), each part of the code within its own limit.
 *
 * The count at entry has to be known: from launch bounds or a register limit. Without it, in a function that is no
 * kernel, and in a kernel that calls functions, whose registers are those of any caller, the instructions go, with a
 * warning, as ptxas has it (C7508, C7505).
 *
 * Forward over the blocks until nothing changes; where ways with different counts meet the smaller one holds, which is
 * always right. Costs nothing for code without these instructions.
 */
#include "passes/mir/register_budgets.h"

#include "heddle/opcodes.h"
#include "passes/mir/live.h"

static bool is_resize(const struct hd_minst *inst)
{
	return inst->op == HD_OP_USETMAXREG;
}

uint32_t hd_budget_behind(const struct hd_minst *inst, uint32_t budget)
{
	return is_resize(inst) ? inst->x : budget;
}

uint32_t *hd_budgets_at_entry(const struct hd_mfunc *func, struct hd_arena *arena)
{
	if (!func->resizes)
		return NULL;
	uint32_t *in = HD_ARENA_NEW(arena, uint32_t, func->blocks.len), *order;
	uint32_t count = hd_mfunc_block_order(func, arena, &order);
	bool changed = true;
	for (uint32_t id = 0; id < func->blocks.len; id++)
		in[id] = HD_RESIZE_MOST;
	in[0] = func->entry_registers;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < count; i++) {
			const struct hd_mblock *block = &func->blocks.data[order[i]];
			uint32_t now = in[order[i]];
			for (uint32_t k = 0; k < block->insts.len; k++)
				now = hd_budget_behind(&block->insts.data[k], now);
			for (uint32_t k = 0; k < block->succs.len; k++) {
				uint32_t *next = &in[block->succs.data[k]];
				changed |= now < *next;
				*next = now < *next ? now : *next;
			}
		}
	}
	return in;
}

static const char *reason_against(const struct hd_mfunc *func)
{
	if (!func->kernel)
		return "the function is no kernel, and its callers' registers are not known";
	if (func->calls_program)
		return "the kernel calls functions";
	return func->entry_registers ? NULL
				     : "the registers at the kernel's entry are not known (give it __launch_bounds__, "
				       "or __maxnreg__)";
}

/* The instructions of a block; `against`: they go. The most registers that one of them gives. */
static uint32_t look_at(struct hd_mfunc *func, uint32_t id, const char *against, struct hd_diag *diag)
{
	struct hd_mblock *block = &func->blocks.data[id];
	uint32_t kept = 0, most = 0;
	for (uint32_t i = 0; i < block->insts.len; i++) {
		struct hd_minst inst = block->insts.data[i];
		if (is_resize(&inst) && against) {
			hd_warning(diag, func->locs.data[inst.loc], "%s: setmaxnreg is ignored: %s", func->name,
				   against);
			continue;
		}
		most = is_resize(&inst) && inst.x > most ? inst.x : most;
		block->insts.data[kept++] = inst;
	}
	block->insts.len = kept;
	return most;
}

int hd_register_budgets_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	const char *against = reason_against(func);
	uint32_t most = 0;
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		uint32_t here = look_at(func, id, against, diag);
		most = here > most ? here : most;
	}
	if (!most)
		return 0;
	func->resizes = true;
	func->max_registers = most > func->entry_registers ? most : func->entry_registers;
	func->max_registers = func->max_registers < HD_MAX_REGS ? func->max_registers : HD_MAX_REGS;
	return 0;
}
