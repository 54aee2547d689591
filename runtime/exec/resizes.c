/*
 * Registers that code may give up from a place on (USETMAXREG.DEC), which says whether a warp that waits for registers
 * can ever have them (runtime/sm/registers.c).
 *
 * Backward over a function's instructions until nothing changes; calls are passed over, because kernels with
 * USETMAXREG call helpers at most. Costs nothing for functions without.
 */
#include <string.h>

#include "heddle/opcodes.h"
#include "lib/arena.h"
#include "runtime/exec/load.h"

static bool has_resizes(const struct hd_function *from)
{
	for (uint32_t i = 0; i < from->inst_count; i++)
		if (from->insts[i].op == HD_OP_USETMAXREG)
			return true;
	return false;
}

static uint16_t less(uint16_t a, uint16_t b)
{
	return a < b ? a : b;
}

static uint16_t look(const struct hd_function *from, const uint16_t *least, uint32_t at)
{
	const struct hd_inst *inst = &from->insts[at];
	uint16_t found = UINT16_MAX;
	if (inst->op == HD_OP_USETMAXREG && hd_mod_get(inst->mods, HD_MOD_RESIZE) == HD_RESIZE_DEC)
		found = (uint16_t)inst->x;
	if (inst->op == HD_OP_BRA && inst->x < from->inst_count)
		found = less(found, least[inst->x]);
	for (uint32_t i = 0; inst->op == HD_OP_BRX && i < from->tables[inst->x].count; i++)
		found = less(found, least[from->tables[inst->x].targets[i]]);
	if (hd_inst_falls_through(inst) && at + 1 < from->inst_count)
		found = less(found, least[at + 1]);
	return found;
}

const uint16_t *hd_resizes_least(const struct hd_function *from, struct hd_arena *arena)
{
	if (!has_resizes(from))
		return NULL;
	uint16_t *least = HD_ARENA_NEW(arena, uint16_t, from->inst_count);
	bool changed = true;
	memset(least, 0xff, from->inst_count * sizeof *least);
	while (changed) {
		changed = false;
		for (uint32_t i = from->inst_count; i-- > 0;) {
			uint16_t found = look(from, least, i);
			changed |= found != least[i];
			least[i] = found;
		}
	}
	return least;
}
