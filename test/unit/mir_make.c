/* Short-hands for hand-made machine IR: see mir_make.h. */
#include "mir_make.h"
#include "heddle/opcodes.h"

void hd_make_init(struct hd_make *make, bool kernel, uint32_t blocks)
{
	*make = (struct hd_make){0};
	hd_arena_init(&make->arena);
	hd_mfunc_init(&make->func, &make->arena, "f");
	make->func.kernel = kernel;
	for (uint32_t i = 0; i < blocks; i++)
		hd_mfunc_block(&make->func);
}

void hd_make_release(struct hd_make *make)
{
	hd_mfunc_release(&make->func);
	hd_arena_release(&make->arena);
}

struct hd_minst *hd_make_inst(struct hd_make *make, struct hd_minst inst)
{
	hd_vec_push(&make->func.blocks.data[make->block].insts, inst);
	return &hd_vec_last(&make->func.blocks.data[make->block].insts);
}

struct hd_mreg hd_make_param(struct hd_make *make, uint32_t index)
{
	struct hd_minst inst = hd_minst_make(HD_OP_MOV, 0);
	inst.dst = hd_mfunc_vreg(&make->func, 1);
	inst.xkind = HD_X_CONST_B;
	inst.x = HD_CONST_X(0, HD_CB_PARAMS + 4 * index);
	return hd_make_inst(make, inst)->dst;
}

struct hd_mreg hd_make_pointer(struct hd_make *make, uint32_t index)
{
	struct hd_mreg parts[] = {hd_make_param(make, index), hd_make_param(make, index + 1)};
	return hd_make_list(make, HD_OP_PAIR, 2, parts, 2);
}

struct hd_mreg hd_make_imm(struct hd_make *make, uint32_t value)
{
	struct hd_minst inst = hd_minst_make(HD_OP_MOV, 0);
	inst.dst = hd_mfunc_vreg(&make->func, 1);
	inst.xkind = HD_X_IMM_B;
	inst.x = value;
	return hd_make_inst(make, inst)->dst;
}

struct hd_mreg hd_make_op(struct hd_make *make, unsigned op, struct hd_mreg a, struct hd_mreg b, struct hd_mreg c)
{
	struct hd_minst inst = hd_minst_make(op, 0);
	inst.dst = hd_mfunc_vreg(&make->func, hd_op_width(op, 0, HD_SLOT_DST));
	inst.a = a;
	inst.b = b;
	inst.c = c;
	return hd_make_inst(make, inst)->dst;
}

uint32_t hd_make_less(struct hd_make *make, struct hd_mreg a, struct hd_mreg b)
{
	struct hd_minst inst = hd_minst_make(HD_OP_ISETP, HD_MOD(CMP, HD_CMP_LT));
	inst.pdst = hd_mfunc_pred(&make->func);
	inst.a = a;
	inst.b = b;
	return hd_make_inst(make, inst)->pdst;
}

static uint16_t size_mod(unsigned words)
{
	return HD_MOD(SIZE, words == 4 ? HD_SIZE_128 : words == 2 ? HD_SIZE_64 : HD_SIZE_32);
}

struct hd_mreg hd_make_load(struct hd_make *make, struct hd_mreg address, unsigned words, uint32_t offset)
{
	struct hd_minst inst = hd_minst_make(HD_OP_LDG, size_mod(words));
	inst.dst = hd_mfunc_vreg(&make->func, words);
	inst.a = address;
	inst.xkind = HD_X_OTHER;
	inst.x = offset;
	return hd_make_inst(make, inst)->dst;
}

void hd_make_store(struct hd_make *make, struct hd_mreg address, struct hd_mreg value, uint32_t offset)
{
	struct hd_minst inst = hd_minst_make(HD_OP_STG, size_mod(value.words));
	inst.a = address;
	inst.c = value;
	inst.xkind = HD_X_OTHER;
	inst.x = offset;
	hd_make_inst(make, inst);
}

void hd_make_copy(struct hd_make *make, struct hd_mreg to, struct hd_mreg from)
{
	struct hd_minst inst = hd_minst_make(HD_OP_COPY, 0);
	inst.dst = to;
	inst.b = from;
	hd_make_inst(make, inst);
}

struct hd_mreg hd_make_list(struct hd_make *make, unsigned op, unsigned words, const struct hd_mreg *parts,
			    uint32_t count)
{
	struct hd_minst inst = hd_minst_make(op, 0);
	inst.dst = hd_mfunc_vreg(&make->func, words);
	inst.extra = hd_mfunc_extras(&make->func, parts, count);
	inst.extra_count = (uint16_t)count;
	return hd_make_inst(make, inst)->dst;
}

void hd_make_jump(struct hd_make *make, uint32_t to)
{
	struct hd_minst inst = hd_minst_make(HD_OP_BRA, 0);
	inst.ref_kind = HD_MREF_BLOCK;
	inst.ref = to;
	hd_make_inst(make, inst);
	hd_mfunc_edge(&make->func, make->block, to);
}

void hd_make_branch(struct hd_make *make, uint32_t guard, uint32_t taken, uint32_t other)
{
	hd_make_jump(make, taken);
	hd_vec_last(&make->func.blocks.data[make->block].insts).guard = guard;
	hd_make_jump(make, other);
}

void hd_make_exit(struct hd_make *make)
{
	hd_make_inst(make, hd_minst_make(make->func.kernel ? HD_OP_EXIT : HD_OP_RET, 0));
}

struct hd_mreg hd_make_call(struct hd_make *make, const struct hd_mreg *args, uint32_t count)
{
	struct hd_mreg fixed[16], result = hd_mfunc_vreg(&make->func, 1);
	for (uint32_t i = 0; i < count; i++) {
		fixed[i] = (struct hd_mreg){4 + i, 0, 1};
		hd_make_copy(make, fixed[i], args[i]);
	}
	fixed[count] = (struct hd_mreg){4, 0, 1};
	struct hd_minst inst = hd_minst_make(HD_OP_CALL, 0);
	inst.ref_kind = HD_MREF_CALL;
	inst.extra = hd_mfunc_extras(&make->func, fixed, count + 1);
	inst.extra_count = (uint16_t)(count + 1);
	inst.extra_defs = 1;
	hd_make_inst(make, inst);
	hd_make_copy(make, result, fixed[count]);
	make->func.has_calls = make->func.calls_program = true;
	return result;
}

uint32_t hd_make_count(const struct hd_make *make, unsigned op)
{
	uint32_t count = 0;
	for (uint32_t b = 0; b < make->func.blocks.len; b++)
		for (uint32_t i = 0; i < make->func.blocks.data[b].insts.len; i++)
			count += make->func.blocks.data[b].insts.data[i].op == op;
	return count;
}
