/*
 * Selection: memcpy, memmove and memset. Small constant sizes are unrolled; the rest become
 * loops over the widest parts that the alignment allows, with a loop over bytes for the end.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

#define MAX_UNROLLED_PARTS 16

struct hd_bulk {
	struct hd_leaf to, from; /* from: memset's byte in all bytes of a word */
	unsigned to_space, from_space;
	bool fill;
	uint16_t mods;
};

static unsigned argument_align(struct hd_select *sel, unsigned argument)
{
	LLVMAttributeRef attr = LLVMGetCallSiteEnumAttribute(sel->inst, argument + 1, sel->at_align);
	return attr ? (unsigned)LLVMGetEnumAttributeValue(attr) : 1;
}

static struct hd_mreg fill_value(struct hd_select *sel, const struct hd_bulk *bulk, unsigned part)
{
	struct hd_leaf leaf = bulk->from;
	struct hd_opnd word = hd_sel_word(sel, &leaf, 0);
	return hd_sel_join(sel, (struct hd_opnd[]){word, word, word, word}, part < 4 ? 1 : part / 4);
}

static void copy_parts(struct hd_select *sel, const struct hd_bulk *bulk, uint64_t bytes, unsigned widest)
{
	struct hd_address to = hd_sel_address(sel, bulk->to, bulk->to_space), from = {0};
	unsigned count = 0;
	uint64_t done = 0;
	if (!bulk->fill)
		from = hd_sel_address(sel, bulk->from, bulk->from_space);
	struct hd_mreg values[MAX_UNROLLED_PARTS + 8];
	unsigned sizes[MAX_UNROLLED_PARTS + 8];
	for (uint64_t at = 0; at < bytes; count++) {
		unsigned part = widest;
		while (part > bytes - at)
			part /= 2;
		sizes[count] = part;
		values[count] = bulk->fill ? fill_value(sel, bulk, part)
					   : hd_sel_load_at(sel, from, (int64_t)at, part, false, bulk->mods);
		at += part;
	}
	/* All loads come before the first store: the ranges may overlap. */
	for (unsigned i = 0; i < count; done += sizes[i++])
		hd_sel_store_at(sel, to, (int64_t)done, sizes[i], values[i], bulk->mods);
}

static struct hd_leaf advance(struct hd_select *sel, struct hd_leaf pointer, struct hd_mreg index)
{
	if (pointer.words == 1)
		return hd_leaf_reg(hd_sel_add(sel, hd_sel_word(sel, &pointer, 0), hd_reg(hd_sub(index, 0, 1))));
	return hd_leaf_reg(hd_sel_add64(sel, pointer, hd_leaf_reg(index), false));
}

static void move_one(struct hd_select *sel, const struct hd_bulk *bulk, struct hd_mreg index, unsigned part)
{
	struct hd_bulk here = *bulk;
	here.to = advance(sel, bulk->to, index);
	if (!bulk->fill)
		here.from = advance(sel, bulk->from, index);
	copy_parts(sel, &here, part, part);
}

/* for (i = start; i < end; i += part), 64-bit. Returns i after the loop. */
static struct hd_mreg forward_loop(struct hd_select *sel, const struct hd_bulk *bulk, struct hd_leaf start,
				   struct hd_leaf end, unsigned part)
{
	struct hd_mreg index = hd_mfunc_vreg(sel->func, 2), first = hd_sel_reg(sel, start);
	uint32_t head = hd_sel_new_block(sel), body = hd_sel_new_block(sel), exit = hd_sel_new_block(sel);
	hd_sel_branch(sel, head);
	uint32_t phi = hd_sel_phi(sel, head, index, HD_MREG_PT);
	sel->block = head;
	hd_sel_branch_if(sel, hd_sel_pred(sel, hd_sel_cmp(sel, HD_CMP_LT, false, hd_leaf_reg(index), end, 64)), body,
			 exit);
	sel->block = body;
	move_one(sel, bulk, index, part);
	struct hd_mreg next = hd_sel_add64(sel, hd_leaf_reg(index), hd_leaf_imm(part, 2), false);
	hd_sel_branch(sel, head);
	hd_sel_set_phi(sel, head, phi, (struct hd_mreg[]){first, next}, 2);
	sel->block = exit;
	return index;
}

/* for (i = end; i != 0;) { i--; move one byte; } */
static void backward_loop(struct hd_select *sel, const struct hd_bulk *bulk, struct hd_leaf end)
{
	struct hd_mreg index = hd_mfunc_vreg(sel->func, 2), first = hd_sel_reg(sel, end);
	uint32_t head = hd_sel_new_block(sel), body = hd_sel_new_block(sel), exit = hd_sel_new_block(sel);
	hd_sel_branch(sel, head);
	uint32_t phi = hd_sel_phi(sel, head, index, HD_MREG_PT);
	sel->block = head;
	hd_sel_branch_if(sel,
			 hd_sel_pred(sel, hd_sel_cmp(sel, HD_CMP_NE, false, hd_leaf_reg(index), hd_leaf_imm(0, 2), 64)),
			 body, exit);
	sel->block = body;
	struct hd_mreg next = hd_sel_add64(sel, hd_leaf_reg(index), hd_leaf_imm(1, 2), true);
	move_one(sel, bulk, next, 1);
	hd_sel_branch(sel, head);
	hd_sel_set_phi(sel, head, phi, (struct hd_mreg[]){first, next}, 2);
	sel->block = exit;
}

static void forward(struct hd_select *sel, const struct hd_bulk *bulk, struct hd_leaf length, unsigned part)
{
	struct hd_leaf start = hd_leaf_imm(0, 2), whole = length;
	if (part > 1 && length.kind == HD_LEAF_IMM)
		whole = hd_leaf_imm(length.imm[0] & ~(uint64_t)(part - 1), 2);
	else if (part > 1)
		whole = hd_leaf_reg(
			hd_sel_pair(sel,
				    hd_reg(hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, hd_sel_word(sel, &length, 0),
							hd_imm(-part), hd_none())),
				    hd_sel_word(sel, &length, 1)));
	if (part > 1) {
		start = hd_leaf_reg(forward_loop(sel, bulk, start, whole, part));
		if (length.kind == HD_LEAF_IMM && length.imm[0] == whole.imm[0])
			return;
	}
	forward_loop(sel, bulk, start, length, 1);
}

static void bulk_operation(struct hd_select *sel, struct hd_bulk *bulk, unsigned align, bool overlapping)
{
	struct hd_leaf length = hd_sel_arg(sel, 2);
	unsigned part = align < 16 ? align : 16;
	length = hd_sel_extend_leaf(sel, length, hd_scalar_bits(LLVMTypeOf(LLVMGetOperand(sel->inst, 2))), 64, false);
	if (length.kind == HD_LEAF_IMM) {
		if (!length.imm[0])
			return;
		if (length.imm[0] <= (uint64_t)MAX_UNROLLED_PARTS * part) {
			copy_parts(sel, bulk, length.imm[0], part);
			return;
		}
	}
	/* The loops add an index: pending offsets are settled once, before them. */
	bulk->to = hd_leaf_reg(hd_sel_reg(sel, bulk->to));
	if (!bulk->fill)
		bulk->from = hd_leaf_reg(hd_sel_reg(sel, bulk->from));
	if (!overlapping) {
		forward(sel, bulk, length, part);
		return;
	}
	uint32_t up = hd_sel_new_block(sel);
	uint32_t down = hd_sel_new_block(sel);
	uint32_t end = hd_sel_new_block(sel);
	struct hd_leaf below =
		hd_sel_cmp(sel, HD_CMP_LT, false, hd_sel_cast_space(sel, bulk->to, bulk->to_space, HD_AS_GENERIC),
			   hd_sel_cast_space(sel, bulk->from, bulk->from_space, HD_AS_GENERIC), 64);
	hd_sel_branch_if(sel, hd_sel_pred(sel, below), up, down);
	sel->block = up;
	/* A part may straddle the distance between the ranges, but is loaded before it is stored. */
	forward(sel, bulk, length, part);
	hd_sel_branch(sel, end);
	sel->block = down;
	backward_loop(sel, bulk, length);
	hd_sel_branch(sel, end);
	sel->block = end;
}

static unsigned pointer_space(struct hd_select *sel, unsigned operand)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(sel->inst, operand)));
}

static uint16_t volatile_mods(struct hd_select *sel)
{
	uint64_t is_volatile = 0;
	hd_is_int_constant(LLVMGetOperand(sel->inst, 3), &is_volatile);
	return is_volatile ? HD_MOD(SEM, HD_SEM_VOLATILE) : 0;
}

void hd_sel_memcpy(struct hd_select *sel, bool overlapping)
{
	unsigned to_align = argument_align(sel, 0), from_align = argument_align(sel, 1);
	struct hd_bulk bulk = {.to = hd_sel_arg(sel, 0),
			       .from = hd_sel_arg(sel, 1),
			       .to_space = pointer_space(sel, 0),
			       .from_space = pointer_space(sel, 1),
			       .mods = volatile_mods(sel)};
	bulk_operation(sel, &bulk, to_align < from_align ? to_align : from_align, overlapping);
}

void hd_sel_memset(struct hd_select *sel)
{
	struct hd_bulk bulk = {.to = hd_sel_arg(sel, 0),
			       .from = hd_sel_arg(sel, 1),
			       .to_space = pointer_space(sel, 0),
			       .fill = true,
			       .mods = volatile_mods(sel)};
	if (bulk.from.kind == HD_LEAF_IMM)
		bulk.from = hd_leaf_imm((bulk.from.imm[0] & 0xff) * 0x01010101u, 1);
	else
		bulk.from = hd_leaf_reg(
			hd_sel_alu(sel, HD_OP_PRMT, 0, hd_sel_word(sel, &bulk.from, 0), hd_imm(0), hd_rz()));
	bulk_operation(sel, &bulk, argument_align(sel, 0), false);
}

void hd_sel_copy_bytes(struct hd_select *sel, struct hd_address to, struct hd_address from, uint64_t bytes,
		       unsigned align)
{
	unsigned widest = align < 16 ? align : 16;
	for (uint64_t at = 0; at < bytes;) {
		unsigned part = widest;
		while (part > bytes - at)
			part /= 2;
		hd_sel_store_at(sel, to, (int64_t)at, part, hd_sel_load_at(sel, from, (int64_t)at, part, false, 0), 0);
		at += part;
	}
}
