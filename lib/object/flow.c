/*
 * Control flow of machine code as the object holds it: successors of an instruction and
 * the instructions that begin a basic block. Linear in the code and its jump tables.
 */
#include "heddle/object.h"
#include "heddle/opcodes.h"

uint32_t hd_inst_successors(const struct hd_function *function, uint32_t index, uint32_t *successors, uint32_t capacity)
{
	const struct hd_inst *inst = &function->insts[index];
	bool taken = inst->guard != (HD_PT | HD_PRED_NOT);
	uint32_t count = 0;
#define ADD(target)                                   \
	do {                                          \
		if (count < capacity)                 \
			successors[count] = (target); \
		count++;                              \
	} while (0)
	if (hd_inst_falls_through(inst) && index + 1 < function->inst_count)
		ADD(index + 1);
	if (inst->op == HD_OP_BRA && taken && !(count && inst->x == index + 1))
		ADD(inst->x);
	if (inst->op == HD_OP_BRX && taken) {
		const struct hd_jump_table *table = &function->tables[inst->x];
		for (uint32_t i = 0; i < table->count; i++)
			ADD(table->targets[i]);
	}
#undef ADD
	return count;
}

struct hd_bitset hd_function_leaders(const struct hd_function *function, struct hd_arena *arena)
{
	struct hd_bitset leaders = hd_bitset_new(arena, function->inst_count);
	if (function->inst_count)
		hd_bitset_add(&leaders, 0);
	for (uint32_t index = 0; index < function->inst_count; index++) {
		const struct hd_inst *inst = &function->insts[index];
		if (!hd_inst_ends_block(inst))
			continue;
		if (index + 1 < function->inst_count)
			hd_bitset_add(&leaders, index + 1);
		if (inst->op == HD_OP_BRA)
			hd_bitset_add(&leaders, inst->x);
		if (inst->op == HD_OP_BRX) {
			const struct hd_jump_table *table = &function->tables[inst->x];
			for (uint32_t i = 0; i < table->count; i++)
				hd_bitset_add(&leaders, table->targets[i]);
		}
		if (hd_opinfo[inst->op].effects & HD_FX_BRANCH && inst->reconv != HD_NO_PC)
			hd_bitset_add(&leaders, inst->reconv);
	}
	return leaders;
}
