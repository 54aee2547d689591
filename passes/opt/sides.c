/*
 * Sides of branches that may run under a predicate (sides.h). Linear.
 */
#include "passes/opt/sides.h"
#include "heddle/opcodes.h"

#include <stdlib.h>

/* Instructions of a side, measured with chains of arithmetic and of stores (ptxas 13, sm_75). */
#define SHORT_SIDE 8u

struct hd_minst *hd_side_fork(struct hd_mblock *block)
{
	uint32_t count = block->insts.len;
	struct hd_minst *fork = count < 2 ? NULL : &block->insts.data[count - 2];
	bool two = fork && fork->op == HD_OP_BRA && block->insts.data[count - 1].op == HD_OP_BRA &&
		   fork->ref != block->insts.data[count - 1].ref;
	return two ? fork : NULL;
}

uint32_t *hd_side_ways_in(const struct hd_mfunc *func)
{
	uint32_t *ways_in = hd_xcalloc(func->blocks.len, sizeof(*ways_in));
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].succs.len; i++)
			ways_in[func->blocks.data[id].succs.data[i]]++;
	return ways_in;
}

uint32_t hd_side_behind(const struct hd_mfunc *func, const uint32_t *ways_in, uint32_t side)
{
	const struct hd_mblock *block = &func->blocks.data[side];
	uint32_t count = block->insts.len - 1;
	const struct hd_minst *last = &block->insts.data[count];
	bool is_side = ways_in[side] == 1 && last->op == HD_OP_BRA && last->guard == HD_MREG_PT && !last->guard_not &&
		       count <= SHORT_SIDE;
	return is_side ? last->ref : HD_NO_BLOCK;
}

bool hd_side_may_guard(const struct hd_minst *inst)
{
	const unsigned barred = HD_FX_ATOMIC | HD_FX_SIDE | HD_FX_FENCE | HD_FX_CONVERGENT | HD_FX_BARRIER |
				HD_FX_BRANCH | HD_FX_CALL | HD_FX_RET | HD_FX_EXIT | HD_FX_WRITE_PREDS;
	return inst->guard == HD_MREG_PT && !inst->guard_not && inst->op < HD_OP_LIMIT && inst->op != HD_OP_TRAP &&
	       !(hd_opinfo[inst->op].effects & barred);
}
