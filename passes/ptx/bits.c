/*
 * Inline PTX: counting, finding, extracting, inserting and permuting bits.
 */
#include "heddle/opcodes.h"
#include "passes/ptx/ptx.h"

static void bits(struct hd_ptx *ptx, unsigned what)
{
	struct hd_ptx_type type = hd_ptx_integer_type(ptx);
	struct hd_leaf a = hd_ptx_in(ptx, 1, type.bits);
	if (ptx->failed)
		return;
	if (what == 0)
		hd_ptx_out(ptx, 0, hd_sel_popcount(ptx->sel, a, type.bits), 32);
	else if (what == 1)
		hd_ptx_out(ptx, 0, hd_sel_count_leading(ptx->sel, a, type.bits), 32);
	else
		hd_ptx_out(ptx, 0, hd_sel_bit_reverse(ptx->sel, a, type.bits), type.bits);
}

static void find_leading(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type type = hd_ptx_integer_type(ptx);
	(void)arg;
	if (type.bits != 32) {
		hd_ptx_error(ptx, "only 32 bits are supported");
		return;
	}
	hd_ptx_out(ptx, 0,
		   hd_leaf_reg(hd_sel_alu(ptx->sel, HD_OP_FLO,
					  HD_MOD(SIGN, type.class == 's') | HD_MOD(SH, hd_ptx_has(ptx, "shiftamt")),
					  hd_none(), hd_ptx_word(ptx, 1), hd_none())),
		   32);
}

/* A position or length operand: 8 bits. */
static struct hd_leaf byte_in(struct hd_ptx *ptx, unsigned index)
{
	struct hd_leaf leaf = hd_ptx_in(ptx, index, 32);
	if (leaf.kind == HD_LEAF_IMM)
		return hd_leaf_imm(leaf.imm[0] & 0xff, 1);
	return hd_leaf_reg(hd_sel_opnd_reg(ptx->sel, hd_sel_extended(ptx->sel, leaf, 8, false), 1));
}

static void extract_field(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type type = hd_ptx_integer_type(ptx);
	struct hd_select *sel = ptx->sel;
	LLVMOpcode right = type.class == 's' ? LLVMAShr : LLVMLShr;
	(void)arg;
	if (type.bits < 32) {
		hd_ptx_error(ptx, "expected 32 or 64 bits");
		return;
	}
	struct hd_leaf field = hd_ptx_shifted(ptx, right, hd_ptx_in(ptx, 1, type.bits), byte_in(ptx, 2), type.bits);
	struct hd_leaf length = byte_in(ptx, 3);
	if (type.bits == 32) {
		hd_ptx_out(ptx, 0,
			   hd_leaf_reg(hd_sel_alu(sel, HD_OP_SGXT, HD_MOD(SIGN, type.class == 's'),
						  hd_sel_word(sel, &field, 0), hd_sel_word(sel, &length, 0),
						  hd_none())),
			   32);
		return;
	}
	struct hd_opnd rest;
	/* Up against the top and back, by 64 less the length. */
	if (length.kind == HD_LEAF_IMM) {
		length = hd_leaf_imm(length.imm[0] < 64 ? 64 - length.imm[0] : 0, 1);
	} else {
		length = hd_sel_minmax(sel, false, false, length, hd_leaf_imm(64, 1), 32);
		rest = hd_neg(hd_sel_word(sel, &length, 0));
		length = hd_leaf_reg(hd_sel_alu(sel, HD_OP_IADD3, 0, rest, hd_imm(64), hd_none()));
	}
	hd_ptx_out(ptx, 0, hd_ptx_shifted(ptx, right, hd_ptx_shifted(ptx, LLVMShl, field, length, 64), length, 64), 64);
}

/* bfi f, a, b, pos, len: the low bits of a take their place in b. */
static void insert_field(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type type = hd_ptx_integer_type(ptx);
	struct hd_select *sel = ptx->sel;
	unsigned words = (type.bits + 31) / 32;
	(void)arg;
	if (type.bits < 32) {
		hd_ptx_error(ptx, "expected 32 or 64 bits");
		return;
	}
	struct hd_leaf b = hd_ptx_in(ptx, 2, type.bits);
	struct hd_leaf position = byte_in(ptx, 3);
	struct hd_leaf length = byte_in(ptx, 4);
	struct hd_leaf mask;
	if (position.kind == HD_LEAF_IMM && length.kind == HD_LEAF_IMM) {
		uint64_t ones = length.imm[0] >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << length.imm[0]) - 1;
		mask = hd_leaf_imm(position.imm[0] >= 64 ? 0 : ones << position.imm[0], words);
	} else { /* 2^length - 1; beyond the width 0 - 1 */
		mask = hd_ptx_shifted(ptx, LLVMShl, hd_leaf_reg(hd_sel_reg(sel, hd_leaf_imm(1, words))), length,
				      type.bits);
		mask = hd_ptx_plain_add(ptx, mask, hd_leaf_imm(type.bits == 64 ? ~UINT64_C(0) : 0xffffffff, words),
					false);
		mask = hd_ptx_shifted(ptx, LLVMShl, mask, position, type.bits);
	}
	struct hd_leaf a = hd_ptx_shifted(ptx, LLVMShl, hd_ptx_in(ptx, 1, type.bits), position, type.bits);
	struct hd_opnd out[2];
	for (unsigned i = 0; i < words; i++)
		out[i] = hd_reg(hd_sel_logic(sel, (HD_LUT_A & ~HD_LUT_B) | (HD_LUT_C & HD_LUT_B),
					     hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &b, i), 1)),
					     hd_sel_word(sel, &mask, i),
					     hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &a, i), 1))));
	hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_join(sel, out, words)), type.bits);
}

static void permute(struct hd_ptx *ptx, unsigned arg)
{
	(void)arg;
	hd_ptx_out(ptx, 0,
		   hd_leaf_reg(hd_sel_alu(ptx->sel, HD_OP_PRMT, 0, hd_ptx_word(ptx, 1), hd_ptx_word(ptx, 3),
					  hd_reg(hd_sel_opnd_reg(ptx->sel, hd_ptx_word(ptx, 2), 1)))),
		   32);
}

static struct hd_opnd shifted_left(struct hd_ptx *ptx, struct hd_opnd value, struct hd_opnd distance, unsigned wrap)
{
	struct hd_mreg high = hd_sel_opnd_reg(ptx->sel, value, 1);
	return hd_reg(hd_sel_alu(ptx->sel, HD_OP_SHF_L, HD_MOD(WRAP, wrap), hd_rz(), distance, hd_reg(high)));
}

/* bmsk d, a, b: b ones from bit a up; both count as at most 32 (.clamp), or modulo 32 (.wrap). */
static void make_mask(struct hd_ptx *ptx, unsigned wrap)
{
	struct hd_opnd above = shifted_left(ptx, hd_imm(0xffffffff), hd_ptx_word(ptx, 2), wrap);
	struct hd_opnd ones = hd_reg(hd_sel_logic(ptx->sel, ~HD_LUT_A & 0xff, above, hd_none(), hd_none()));
	ones = shifted_left(ptx, ones, hd_ptx_word(ptx, 1), wrap);
	hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_opnd_reg(ptx->sel, ones, 1)), 32);
}

/* szext d, a, b: a's lowest b bits, extended; b counts as at most 32 (.clamp), or modulo 32 (.wrap). */
static void extend_bits(struct hd_ptx *ptx, unsigned wrap)
{
	struct hd_ptx_type type = hd_ptx_integer_type(ptx);
	struct hd_opnd length = hd_ptx_word(ptx, 2);
	if (wrap)
		length = hd_reg(hd_sel_logic(ptx->sel, HD_LUT_A & HD_LUT_B, length, hd_imm(31), hd_none()));
	hd_ptx_out(ptx, 0,
		   hd_leaf_reg(hd_sel_alu(ptx->sel, HD_OP_SGXT, HD_MOD(SIGN, type.class == 's'), hd_ptx_word(ptx, 1),
					  length, hd_none())),
		   32);
}

#define INTEGERS " u16 s16 u32 s32 u64 s64 b16 b32 b64 "

const struct hd_ptx_row hd_ptx_bits[] = {
	{"popc", " b32 b64 ", 2, bits, 0, false},
	{"clz", " b32 b64 ", 2, bits, 1, false},
	{"brev", " b32 b64 ", 2, bits, 2, false},
	{"bfind", " shiftamt u32 s32 ", 2, find_leading, 0, false},
	{"bfe", INTEGERS, 4, extract_field, 0, false},
	{"bfi", INTEGERS, 5, insert_field, 0, false},
	{"prmt", " b32 ", 4, permute, 0, false},
	{"bmsk.clamp", " b32 ", 3, make_mask, 0, false},
	{"bmsk.wrap", " b32 ", 3, make_mask, 1, false},
	{"szext.clamp", " u32 s32 ", 3, extend_bits, 0, false},
	{"szext.wrap", " u32 s32 ", 3, extend_bits, 1, false},
	{NULL, NULL, 0, NULL, 0, false},
};
