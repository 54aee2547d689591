/*
 * Numbers that registers hold in finished code: of one register at one instruction, backwards through the blocks until
 * each path has met the instruction that wrote it. Enough for what the compiler moves into a register because the
 * instruction takes no immediate, such as the bytes that a barrier is to expect.
 *
 * Cost: linear in the code between, for each question.
 */
#include "heddle/opcodes.h"
#include "lib/bitset.h"
#include "passes/analysis/flow.h"

struct search {
	const struct hd_flow *flow;
	unsigned reg;
	uint32_t value;
	bool found; /* on some path */
	struct hd_bitset seen;
	uint32_t *queue, queued;
};

/* False: the number is not known. */
static bool meet(struct search *search, uint32_t inst)
{
	const struct hd_inst *code = &search->flow->function->insts[inst];
	bool immediate = code->op == HD_OP_MOV && code->dst == search->reg && code->guard == HD_PT;
	uint32_t value = code->x;
	if (immediate && code->xkind == HD_X_NONE && code->b == HD_RZ)
		value = 0;
	else if (!immediate || code->xkind != HD_X_IMM_B)
		return false;
	if (search->found && search->value != value)
		return false;
	search->value = value;
	search->found = true;
	return true;
}

/* From the end of the instructions before `end` to the block's first. False: the number is not known. */
static bool walk(struct search *search, uint32_t block, uint32_t end)
{
	const struct hd_flow *flow = search->flow;
	for (uint32_t inst = end; inst-- > flow->blocks[block].first;) {
		struct hd_flow_effects effects;
		hd_flow_effects(flow, inst, &effects);
		if (hd_regset_has(&effects.writes, search->reg))
			return meet(search, inst);
	}
	if (flow->graph.pred_start[block] == flow->graph.pred_start[block + 1])
		return false;
	for (uint32_t k = flow->graph.pred_start[block]; k < flow->graph.pred_start[block + 1]; k++) {
		uint32_t pred = flow->graph.pred[k];
		if (!hd_bitset_has(&search->seen, pred)) {
			hd_bitset_add(&search->seen, pred);
			search->queue[search->queued++] = pred;
		}
	}
	return block != 0;
}

bool hd_flow_constant(const struct hd_flow *flow, uint32_t inst, unsigned reg, uint32_t *value)
{
	struct hd_arena scratch;
	uint32_t block = flow->block_of[inst];
	*value = 0;
	if (reg == HD_RZ)
		return true;
	hd_arena_init(&scratch);
	struct search search = {.flow = flow,
				.reg = reg,
				.seen = hd_bitset_new(&scratch, flow->block_count),
				.queue = HD_ARENA_NEW(&scratch, uint32_t, flow->block_count)};
	bool known = walk(&search, block, inst);
	for (uint32_t i = 0; known && i < search.queued; i++)
		known = walk(&search, search.queue[i], hd_flow_last(flow, search.queue[i]) + 1);
	hd_arena_release(&scratch);
	*value = search.value;
	return known && search.found;
}
