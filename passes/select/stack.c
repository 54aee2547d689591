/*
 * Selection: stack objects. Those of the entry block with a known size are frame objects; for the others R1 moves at
 * run time, and the frame is addressed from another register (hd_mfunc_frame_base).
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

/* R1 as a value: a copy, for R1 moves. */
static struct hd_mreg stack_top(struct hd_select *sel)
{
	struct hd_mreg top = hd_mfunc_vreg(sel->func, 1);
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_COPY, 0);
	inst->dst = top;
	inst->b = (struct hd_mreg){sel->func->abi->stack_pointer, 0, 1};
	return top;
}

static void set_stack_top(struct hd_select *sel, struct hd_mreg top)
{
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_COPY, 0);
	inst->dst = (struct hd_mreg){sel->func->abi->stack_pointer, 0, 1};
	inst->b = top;
}

static struct hd_leaf local_pointer(struct hd_select *sel, struct hd_mreg offset, LLVMTypeRef type)
{
	struct hd_leaf leaf = hd_leaf_reg(offset);
	return LLVMGetPointerAddressSpace(type) == HD_AS_LOCAL
		       ? leaf
		       : hd_sel_cast_space(sel, leaf, HD_AS_LOCAL, HD_AS_GENERIC);
}

bool hd_sel_is_dynamic(struct hd_select *sel, LLVMValueRef alloca)
{
	return !LLVMIsAConstantInt(LLVMGetOperand(alloca, 0)) ||
	       LLVMGetInstructionParent(alloca) != LLVMGetEntryBasicBlock(sel->function);
}

/* Moves R1 down by the size; the object begins above the arguments of calls. */
static void dynamic_alloca(struct hd_select *sel)
{
	uint64_t each = LLVMABISizeOfType(sel->layout, LLVMGetAllocatedType(sel->inst));
	LLVMValueRef number = LLVMGetOperand(sel->inst, 0);
	unsigned align = LLVMGetAlignment(sel->inst) > 16 ? LLVMGetAlignment(sel->inst) : 16;
	struct hd_leaf count = hd_sel_leaf(sel, number, 0);
	struct hd_opnd bytes;
	struct hd_mreg object;
	if (each > INT32_MAX) {
		hd_sel_unsupported(sel, "stack object of %llu bytes", (unsigned long long)each);
		return;
	}
	bytes = hd_sel_extended(sel, count, hd_scalar_bits(LLVMTypeOf(number)), false);
	bytes = hd_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, bytes, hd_imm((uint32_t)each), hd_imm(15)));
	bytes = hd_reg(hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, bytes, hd_imm(~15u), hd_none()));
	struct hd_mreg top = hd_sel_alu(sel, HD_OP_IADD3, 0, hd_reg(stack_top(sel)), hd_neg(bytes), hd_none());
	struct hd_opnd above = hd_imm(0);
	above.ref_kind = HD_MREF_OUTGOING;
	if (align > 16) { /* what is to be aligned is the object, not R1 */
		object = hd_sel_alu(sel, HD_OP_IADD3, 0, hd_reg(top), above, hd_none());
		object = hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, hd_reg(object), hd_imm(-align), hd_none());
		above.x = 0;
		top = hd_sel_opnd_reg(sel, above, 1);
		top = hd_sel_alu(sel, HD_OP_IADD3, 0, hd_reg(object), hd_neg(hd_reg(top)), hd_none());
		set_stack_top(sel, top);
	} else {
		set_stack_top(sel, top);
		object = hd_sel_alu(sel, HD_OP_IADD3, 0, hd_reg(top), above, hd_none());
	}
	hd_sel_define1(sel, local_pointer(sel, object, LLVMTypeOf(sel->inst)));
}

void hd_sel_stack_save(struct hd_select *sel)
{
	hd_sel_define1(sel, local_pointer(sel, stack_top(sel), LLVMTypeOf(sel->inst)));
}

void hd_sel_stack_restore(struct hd_select *sel)
{
	struct hd_leaf leaf = hd_sel_arg(sel, 0);
	set_stack_top(sel, hd_sel_opnd_reg(sel, hd_sel_word(sel, &leaf, 0), 1));
}

void hd_sel_alloca(struct hd_select *sel)
{
	LLVMTypeRef type = LLVMGetAllocatedType(sel->inst);
	struct hd_leaf leaf = {.kind = HD_LEAF_FRAME};
	uint64_t count = 0;
	unsigned align = LLVMGetAlignment(sel->inst);
	if (hd_sel_is_dynamic(sel, sel->inst)) {
		dynamic_alloca(sel);
		return;
	}
	hd_is_int_constant(LLVMGetOperand(sel->inst, 0), &count);
	uint64_t bytes = LLVMABISizeOfType(sel->layout, type) * count;
	if (bytes > 0x7fffff) {
		hd_sel_unsupported(sel, "stack object of %llu bytes", (unsigned long long)bytes);
		return;
	}
	leaf.id = hd_mfunc_frame(sel->func, bytes ? (uint32_t)bytes : 1, align ? align : 1, HD_FRAME_LOCAL);
	leaf.words = LLVMGetPointerAddressSpace(LLVMTypeOf(sel->inst)) == HD_AS_LOCAL ? 1 : 2;
	hd_sel_define1(sel, leaf);
}
