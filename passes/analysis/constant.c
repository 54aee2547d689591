/*
 * Numbers that registers hold in finished code: the same one from every instruction that may have written the register.
 * Enough for what the compiler moves into a register because the instruction takes no immediate, such as the bytes that
 * a barrier is to expect.
 *
 * Cost: linear in the code between, for each question.
 */
#include "heddle/opcodes.h"
#include "passes/analysis/writers.h"

struct found {
	const struct hd_inst *insts;
	unsigned reg;
	uint32_t value;
	bool any;
};

/* False: the number is not known. */
static bool meet(void *context, uint32_t inst)
{
	struct found *found = context;
	const struct hd_inst *code = &found->insts[inst];
	bool immediate = code->op == HD_OP_MOV && code->dst == found->reg && code->guard == HD_PT;
	uint32_t value = code->x;
	if (immediate && code->xkind == HD_X_NONE && code->b == HD_RZ)
		value = 0;
	else if (!immediate || code->xkind != HD_X_IMM_B)
		return false;
	if (found->any && found->value != value)
		return false;
	found->value = value;
	found->any = true;
	return true;
}

bool hd_flow_constant(const struct hd_flow *flow, uint32_t inst, unsigned reg, uint32_t *value)
{
	struct hd_arena scratch;
	struct found found = {.insts = flow->function->insts, .reg = reg};
	bool entry;
	*value = 0;
	if (reg == HD_RZ)
		return true;
	hd_arena_init(&scratch);
	struct hd_writers_search search = hd_writers_search_new(flow, INT64_MAX, &scratch);
	bool known = hd_writers_visit(&search, inst, reg, HD_NO_NODE, meet, &found, &entry);
	hd_arena_release(&scratch);
	*value = found.value;
	return known && found.any && !entry;
}
