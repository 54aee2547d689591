/*
 * Selection: aggregates and vectors are lists of leaves, so taking them apart and putting them
 * together costs no instruction; only indices that are not constant do.
 */
#include "passes/select/select.h"

/* Leaves before the element that the constant indices name, and how many it has. */
static uint32_t leaf_range(struct hd_select *sel, LLVMTypeRef type, const unsigned *indices, unsigned count,
			   uint32_t *length)
{
	uint32_t start = 0;
	for (unsigned i = 0; i < count; i++) {
		if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			for (unsigned k = 0; k < indices[i]; k++)
				start += hd_sel_leaf_count(sel, LLVMStructGetTypeAtIndex(type, k));
			type = LLVMStructGetTypeAtIndex(type, indices[i]);
		} else {
			type = LLVMGetElementType(type);
			start += indices[i] * hd_sel_leaf_count(sel, type);
		}
	}
	*length = hd_sel_leaf_count(sel, type);
	return start;
}

void hd_sel_extract_value(struct hd_select *sel)
{
	LLVMValueRef from = LLVMGetOperand(sel->inst, 0);
	uint32_t length, start = leaf_range(sel, LLVMTypeOf(from), LLVMGetIndices(sel->inst),
					    LLVMGetNumIndices(sel->inst), &length);
	struct hd_leaf *leaves;
	hd_sel_leaves(sel, from, &leaves);
	hd_sel_define(sel, sel->inst, leaves + start, length);
}

void hd_sel_insert_value(struct hd_select *sel)
{
	LLVMValueRef into = LLVMGetOperand(sel->inst, 0);
	uint32_t length, count,
		start = leaf_range(sel, LLVMTypeOf(into), LLVMGetIndices(sel->inst), LLVMGetNumIndices(sel->inst),
				   &length);
	struct hd_leaf *leaves;
	count = hd_sel_leaves(sel, into, &leaves);
	struct hd_leaf *inserted;
	hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 1), &inserted);
	memcpy(leaves + start, inserted, length * sizeof(*leaves));
	hd_sel_define(sel, sel->inst, leaves, count);
}

static struct hd_popnd index_is(struct hd_select *sel, struct hd_leaf index, uint32_t value)
{
	return hd_sel_pred(sel, hd_sel_cmp(sel, HD_CMP_EQ, false, index, hd_leaf_imm(value, index.words),
					   index.words == 2 ? 64 : 32));
}

static struct hd_leaf index_leaf(struct hd_select *sel, unsigned operand)
{
	unsigned bits = hd_scalar_bits(LLVMTypeOf(LLVMGetOperand(sel->inst, operand)));
	return hd_sel_extend_leaf(sel, hd_sel_arg(sel, operand), bits, bits <= 32 ? 32 : 64, false);
}

void hd_sel_extract_element(struct hd_select *sel)
{
	struct hd_leaf *leaves, index = index_leaf(sel, 1), out;
	uint32_t count = hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 0), &leaves);
	if (index.kind == HD_LEAF_IMM) {
		hd_sel_define1(sel, leaves[index.imm[0] < count ? index.imm[0] : 0]);
		return;
	}
	out = leaves[0];
	for (uint32_t i = 1; i < count; i++)
		out = hd_sel_select_leaf(sel, index_is(sel, index, i), leaves[i], out);
	hd_sel_define1(sel, out);
}

void hd_sel_insert_element(struct hd_select *sel)
{
	struct hd_leaf *leaves, value = hd_sel_arg(sel, 1), index = index_leaf(sel, 2);
	uint32_t count = hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 0), &leaves);
	for (uint32_t i = 0; i < count; i++) {
		if (index.kind != HD_LEAF_IMM)
			leaves[i] = hd_sel_select_leaf(sel, index_is(sel, index, i), value, leaves[i]);
		else if (index.imm[0] == i)
			leaves[i] = value;
	}
	hd_sel_define(sel, sel->inst, leaves, count);
}

void hd_sel_shuffle(struct hd_select *sel)
{
	struct hd_leaf *first, *second, *out;
	uint32_t count = hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 0), &first);
	unsigned length = LLVMGetNumMaskElements(sel->inst);
	hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 1), &second);
	out = HD_ARENA_NEW(sel->func->arena, struct hd_leaf, length + 1);
	for (unsigned i = 0; i < length; i++) {
		int from = LLVMGetMaskValue(sel->inst, i);
		if (from < 0)
			out[i] = hd_leaf_imm(0, first[0].words);
		else
			out[i] = (uint32_t)from < count ? first[from] : second[(uint32_t)from - count];
	}
	hd_sel_define(sel, sel->inst, out, length);
}

void hd_sel_freeze(struct hd_select *sel)
{
	struct hd_leaf *leaves;
	uint32_t count = hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 0), &leaves);
	/* Undefined values are zero wherever they are read, so they are frozen already. */
	hd_sel_define(sel, sel->inst, leaves, count);
}
