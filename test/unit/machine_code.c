#include "machine_code.h"
#include "heddle/opcodes.h"

#include <assert.h>
#include <stdlib.h>

#include "sample.h"

uint32_t code_op(struct code *code, enum hd_op op)
{
	hd_vec_push(&code->insts, hd_inst_new(op));
	return code->insts.len - 1;
}

static struct hd_inst *append(struct code *code, enum hd_op op)
{
	code_op(code, op);
	return &hd_vec_last(&code->insts);
}

uint32_t code_set(struct code *code, uint8_t dst, uint32_t value)
{
	struct hd_inst *inst = append(code, HD_OP_MOV);
	inst->dst = dst;
	inst->xkind = HD_X_IMM_B;
	inst->x = value;
	return code->insts.len - 1;
}

uint32_t code_move(struct code *code, uint8_t dst, uint8_t src)
{
	struct hd_inst *inst = append(code, HD_OP_MOV);
	inst->dst = dst;
	inst->b = src;
	return code->insts.len - 1;
}

uint32_t code_add(struct code *code, uint8_t dst, uint8_t a, uint8_t b)
{
	struct hd_inst *inst = append(code, HD_OP_IADD3);
	inst->dst = dst;
	inst->a = a;
	inst->b = b;
	return code->insts.len - 1;
}

uint32_t code_compare(struct code *code, uint8_t pred, uint8_t a, uint8_t b)
{
	struct hd_inst *inst = append(code, HD_OP_ISETP);
	inst->mods = HD_MOD(CMP, HD_CMP_LT);
	inst->pdst = pred;
	inst->a = a;
	inst->b = b;
	return code->insts.len - 1;
}

uint32_t code_branch(struct code *code, uint8_t guard, uint32_t target, uint32_t reconv)
{
	struct hd_inst *inst = append(code, HD_OP_BRA);
	inst->guard = guard;
	inst->xkind = HD_X_OTHER;
	inst->x = target;
	inst->reconv = reconv;
	return code->insts.len - 1;
}

uint32_t code_jump(struct code *code, uint32_t target)
{
	return code_branch(code, HD_PT, target, HD_NO_PC);
}

uint32_t code_special(struct code *code, uint8_t dst, enum hd_sr which)
{
	struct hd_inst *inst = append(code, HD_OP_S2R);
	inst->dst = dst;
	inst->mods = HD_MOD(SR, which);
	return code->insts.len - 1;
}

uint32_t code_load(struct code *code, uint8_t dst, uint8_t address)
{
	struct hd_inst *inst = append(code, HD_OP_LDS);
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	inst->dst = dst;
	inst->a = address;
	inst->xkind = HD_X_OTHER;
	return code->insts.len - 1;
}

uint32_t code_store(struct code *code, uint8_t address, uint8_t value)
{
	struct hd_inst *inst = append(code, HD_OP_STS);
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	inst->a = address;
	inst->c = value;
	inst->xkind = HD_X_OTHER;
	return code->insts.len - 1;
}

uint32_t code_barrier(struct code *code)
{
	struct hd_inst *inst = append(code, HD_OP_BAR);
	inst->xkind = HD_X_IMM_B;
	return code->insts.len - 1;
}

uint32_t code_call(struct code *code)
{
	append(code, HD_OP_CALL)->xkind = HD_X_OTHER;
	return code->insts.len - 1;
}

uint32_t code_guard(struct code *code, uint32_t inst, uint8_t guard)
{
	code->insts.data[inst].guard = guard;
	return inst;
}

uint32_t code_exit(struct code *code)
{
	return code_op(code, HD_OP_EXIT);
}

static uint32_t registers_of(const struct hd_function *function)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < function->inst_count; i++) {
		struct hd_regset reads, writes;
		hd_inst_reads(&function->insts[i], &reads);
		hd_inst_writes(&function->insts[i], &writes);
		for (uint32_t r = count; r < HD_MAX_REGS; r++)
			if ((reads.regs[r / 64] | writes.regs[r / 64]) >> (r % 64) & 1)
				count = r + 1;
	}
	return count;
}

struct hd_function code_finish(struct code *code, const char *name, bool kernel, struct hd_arena *arena)
{
	struct hd_function function = {.name = name, .kernel = kernel, .inst_count = code->insts.len};
	function.insts = HD_ARENA_NEW(arena, struct hd_inst, code->insts.len);
	function.origins = HD_ARENA_NEW(arena, struct hd_origin, code->insts.len);
	for (uint32_t i = 0; i < code->insts.len; i++) {
		const char *wrong = hd_inst_check(&code->insts.data[i]);
		if (wrong) {
			fprintf(stderr, "%s: instruction %u (%s): %s\n", name, i,
				hd_opinfo[code->insts.data[i].op].name, wrong);
			abort();
		}
		function.insts[i] = code->insts.data[i];
		function.origins[i] = (struct hd_origin){.file = UINT32_MAX, .ir = UINT32_MAX};
	}
	function.registers = registers_of(&function);
	hd_vec_release(&code->insts);
	return function;
}

/* ---- random functions */

static uint32_t below(uint64_t *state, uint32_t bound)
{
	return (uint32_t)(sample_random(state) >> 20) % bound;
}

static void random_inst(struct code *code, uint64_t *state, uint32_t regs)
{
	uint8_t a = (uint8_t)below(state, regs), b = (uint8_t)below(state, regs), d = (uint8_t)below(state, regs);
	switch (below(state, 6)) {
	case 0: below(state, 2) ? code_set(code, d, 1) : code_special(code, d, HD_SR_TID_X); break;
	case 1: code_compare(code, (uint8_t)below(state, 3), a, b); break;
	case 2: code_store(code, a, b); break;
	case 3: /* may write: what was there before stays live */
		code_guard(code, code_add(code, d, a, b), (uint8_t)below(state, 3));
		break;
	default: code_add(code, d, a, b); break;
	}
}

/* Targets are block numbers until the blocks' places are known. */
static void random_block(struct code *code, uint64_t *state, uint32_t block, uint32_t blocks, uint32_t size,
			 uint32_t regs)
{
	uint32_t count = below(state, size + 1), guard = below(state, 3) | (below(state, 2) ? HD_PRED_NOT : 0);
	for (uint32_t i = 0; i < count; i++)
		random_inst(code, state, regs);
	if (block + 1 == blocks)
		code_exit(code);
	else if (below(state, 4) == 0)
		code_jump(code, block + 1 + below(state, blocks - block - 1));
	else if (below(state, 8) == 0)
		code_guard(code, code_exit(code), (uint8_t)guard);
	else
		code_branch(code, (uint8_t)guard,
			    below(state, 3) ? block + 1 + below(state, blocks - block - 1) : below(state, blocks),
			    HD_NO_PC);
}

struct hd_function code_random(uint64_t *state, uint32_t blocks, uint32_t size, uint32_t regs, struct hd_arena *arena)
{
	struct code code = {0};
	uint32_t *start = HD_ARENA_NEW(arena, uint32_t, blocks);
	for (uint32_t b = 0; b < blocks; b++) {
		start[b] = code.insts.len;
		random_block(&code, state, b, blocks, size, regs);
	}
	for (uint32_t i = 0; i < code.insts.len; i++)
		if (code.insts.data[i].op == HD_OP_BRA)
			code.insts.data[i].x = start[code.insts.data[i].x];
	return code_finish(&code, "random", true, arena);
}
