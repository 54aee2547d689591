/*
 * Blocks that nothing reaches: the code as selected has them, and predication leaves them behind. Needs no form of the
 * code. Linear in blocks, edges and PHI operands.
 */
#include <stdlib.h>

#include "heddle/opcodes.h"
#include "passes/mir/mir.h"

static void mark_reachable(const struct hd_mfunc *func, bool *reached)
{
	HD_VEC(uint32_t) work = {0};
	hd_vec_push(&work, 0);
	reached[0] = true;
	while (work.len) {
		const struct hd_mblock *block = &func->blocks.data[hd_vec_pop(&work)];
		for (uint32_t i = 0; i < block->succs.len; i++) {
			uint32_t to = block->succs.data[i];
			if (!reached[to])
				hd_vec_push(&work, to);
			reached[to] = true;
		}
	}
	hd_vec_release(&work);
}

static void prune_phi(struct hd_mfunc *func, struct hd_mblock *block, struct hd_minst *phi, const bool *reached)
{
	uint32_t start = phi->extra, kept = 0;
	for (uint32_t i = 0; i < phi->extra_count; i++)
		if (reached[block->preds.data[i]])
			func->extras.data[start + kept++] = func->extras.data[start + i];
	phi->extra_count = (uint16_t)kept;
}

static void prune_block(struct hd_mfunc *func, struct hd_mblock *block, const bool *reached)
{
	for (uint32_t i = 0; i < block->insts.len && block->insts.data[i].op == HD_OP_PHI; i++)
		prune_phi(func, block, &block->insts.data[i], reached);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < block->preds.len; i++)
		if (reached[block->preds.data[i]])
			block->preds.data[kept++] = block->preds.data[i];
	block->preds.len = kept;
}

/* Drops blocks that nothing reaches from the edges and PHIs of those that are reached; their instructions go. */
int hd_prune_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	bool *reached = hd_xcalloc(func->blocks.len, sizeof(bool));
	(void)diag;
	mark_reachable(func, reached);
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		struct hd_mblock *block = &func->blocks.data[id];
		if (reached[id]) {
			prune_block(func, block, reached);
			continue;
		}
		block->insts.len = block->preds.len = block->succs.len = 0;
		hd_vec_push(&block->insts, hd_minst_make(HD_OP_TRAP, 0)); /* keeps the shape of a block */
	}
	free(reached);
	return 0;
}
