/*
 * Registers that a thread has from place to place, where warps hand registers on (USETMAXREG, PTX's setmaxnreg).
 */
#ifndef HD_PASSES_MIR_REGISTER_BUDGETS_H
#define HD_PASSES_MIR_REGISTER_BUDGETS_H

#include "passes/mir/mir.h"

/* By block: registers at its entry, those that the ABI reserves included; of several ways there the least. NULL: the
 * function has its limit everywhere. The array is the arena's. */
uint32_t *hd_budgets_at_entry(const struct hd_mfunc *func, struct hd_arena *arena);

/* Registers behind an instruction, where there were `budget` in front of it. */
uint32_t hd_budget_behind(const struct hd_minst *inst, uint32_t budget);

/* As many as code may name of a budget. */
static inline uint32_t hd_budget_cap(const struct hd_mfunc *func, uint32_t budget)
{
	uint32_t cap = hd_mfunc_cap(func), own = budget - func->abi->reserved_registers;
	return own < cap ? own : cap;
}

#endif
