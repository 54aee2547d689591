/*
 * Where registers are short: the words that may be live at once, and whether more are. Liveness is computed only where
 * a count of the operands leaves room for a shortage. For the step that makes values again (remade_values.c).
 */
#include "passes/opt/shortage.h"

#include "passes/mir/mir.h"
#include "passes/mir/trial.h"

#define SLACK 4	 /* words that aligned pairs, and what is made again, take beside what lives through a block */
#define DEAR 4.0 /* instructions that a spilled word counts as */
#define MORE 1.2 /* instructions that are executed under a limit, for each without one; warps: 1.3 or 1.5 */

int32_t hd_shortage_target(const struct hd_mfunc *func, int32_t most, bool *must)
{
	int32_t cap = (int32_t)hd_mfunc_cap(func) - 1, step, target = 0; /* R1 is kept */
	*must = most > cap;
	if (*must)
		return cap;
	for (step = (int32_t)hd_mfunc_occupancy_step(func, HD_FEW_WARPS_REGISTERS);
	     step < most + SLACK && step < (int32_t)HD_MAX_REGS - 2;
	     step = (int32_t)hd_mfunc_occupancy_step(func, (uint32_t)step + 1))
		target = step - SLACK;
	return func->kernel && !func->entry_registers ? target : 0;
}

void hd_shortage_limit(struct hd_mfunc *func, int32_t most)
{
	uint32_t enough = hd_mfunc_occupancy_step(func, (uint32_t)most + 1); /* R1 is kept */
	struct hd_trial free, bound;
	if (func->max_registers != HD_MAX_REGS || enough >= HD_MAX_REGS - func->abi->reserved_registers)
		return;
	free = hd_mfunc_try(func);
	if (!free.fits || free.registers <= enough)
		return;
	func->max_registers = enough + func->abi->reserved_registers;
	bound = hd_mfunc_try(func);
	if (!bound.fits || bound.repeated > free.repeated || bound.others + DEAR * bound.spilled > MORE * free.others)
		func->max_registers = HD_MAX_REGS;
}

enum { NOWHERE, EVERYWHERE, FIRST_BLOCK }; /* where a register is: FIRST_BLOCK + b: in block b alone */

struct bounding {
	const struct hd_mfunc *func;
	uint32_t *home;	  /* by virtual register */
	uint32_t *within; /* by block: words of registers that are there alone */
	uint32_t block, everywhere;
};

static void find_home(void *context, struct hd_mreg *reg, bool is_def)
{
	struct bounding *b = context;
	if (!hd_mreg_is_virtual(reg->id))
		return;
	uint32_t vreg = reg->id - HD_MREG_VIRTUAL, home = b->home[vreg], words = b->func->vregs.data[vreg].words;
	if (home == EVERYWHERE || home == FIRST_BLOCK + b->block)
		return;
	if (home == NOWHERE && is_def) {
		b->home[vreg] = FIRST_BLOCK + b->block;
		b->within[b->block] += words;
		return;
	}
	if (home != NOWHERE)
		b->within[home - FIRST_BLOCK] -= words;
	b->home[vreg] = EVERYWHERE; /* or read in front of its definition: around a loop */
	b->everywhere += words;
}

/* No more words are live at once: those of the registers of several blocks, and of one block's own. */
static uint32_t most_at_all(struct hd_mfunc *func, struct hd_arena *arena)
{
	struct bounding b = {.func = func};
	uint32_t most = 0;
	b.home = HD_ARENA_NEW(arena, uint32_t, func->vregs.len + 1);
	b.within = HD_ARENA_NEW(arena, uint32_t, func->blocks.len + 1);
	for (b.block = 0; b.block < func->blocks.len; b.block++)
		for (uint32_t i = 0; i < func->blocks.data[b.block].insts.len; i++)
			hd_minst_visit(func, &func->blocks.data[b.block].insts.data[i], find_home, &b);
	for (uint32_t block = 0; block < func->blocks.len; block++)
		most = b.within[block] > most ? b.within[block] : most;
	return b.everywhere + most;
}

bool hd_shortage_may_be(struct hd_mfunc *func, struct hd_arena *arena)
{
	uint32_t words = 0;
	bool must;
	for (uint32_t vreg = 0; vreg < func->vregs.len; vreg++)
		words += func->vregs.data[vreg].words;
	return hd_shortage_target(func, (int32_t)words, &must) &&
	       hd_shortage_target(func, (int32_t)most_at_all(func, arena), &must);
}
