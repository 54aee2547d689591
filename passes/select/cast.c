/*
 * Selection: shifts and conversions between integers, pointers and bit patterns.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

/* ------------------------------------------------------------------ shifts */

static struct hd_opnd shift_word(struct hd_select *sel, LLVMOpcode op, struct hd_opnd value, struct hd_opnd amount)
{
	if (op == LLVMShl)
		return hd_reg(hd_sel_alu(sel, HD_OP_SHL, 0, value, amount, hd_none()));
	return hd_reg(hd_sel_alu(sel, HD_OP_SHR, HD_MOD(SIGN, op == LLVMAShr), value, amount, hd_none()));
}

/* The word of high:low that a shift by less than 32 leaves in the place of `high` (left) or `low` (right). */
static struct hd_opnd funnel(struct hd_select *sel, bool left, struct hd_opnd low, struct hd_opnd high,
			     struct hd_opnd amount, bool wrap)
{
	return hd_reg(hd_sel_alu(sel, left ? HD_OP_SHF_L : HD_OP_SHF_R, HD_MOD(WRAP, wrap), low, amount, high));
}

static struct hd_opnd sign_word(struct hd_select *sel, struct hd_opnd top)
{
	return shift_word(sel, LLVMAShr, top, hd_imm(31));
}

/* By a constant: whole words move, then neighbours are funnelled. */
static void shift_constant(struct hd_select *sel, LLVMOpcode op, struct hd_opnd *w, unsigned count, unsigned amount)
{
	unsigned whole = amount / 32, part = amount % 32;
	struct hd_opnd fill = hd_rz();
	if (op == LLVMAShr && whole)
		fill = sign_word(sel, w[count - 1]);
	struct hd_opnd out[4];
	for (unsigned i = 0; i < count; i++) {
		int from = op == LLVMShl ? (int)i - (int)whole : (int)(i + whole),
		    next = op == LLVMShl ? from - 1 : from + 1;
		bool inside = from >= 0 && from < (int)count, has_next = next >= 0 && next < (int)count;
		if (!inside)
			out[i] = fill;
		else if (!part)
			out[i] = w[from];
		else if (!has_next)
			out[i] = shift_word(sel, op, w[from], hd_imm(part));
		else if (op == LLVMShl)
			out[i] = funnel(sel, true, w[next], w[from], hd_imm(part), false);
		else
			out[i] = funnel(sel, false, w[from], w[next], hd_imm(part), false);
	}
	memcpy(w, out, count * sizeof(*out));
}

/* Two words by a variable amount: the far word takes what the shift moves across, also from 32 up. */
static void shift_pair(struct hd_select *sel, LLVMOpcode op, struct hd_opnd *w, struct hd_opnd amount)
{
	bool left = op == LLVMShl;
	uint16_t mods = HD_MOD(SHIFTED, op == LLVMAShr ? HD_SHIFTED_S64 : HD_SHIFTED_U64);
	struct hd_opnd far = hd_reg(hd_sel_alu(sel, left ? HD_OP_SHF_L : HD_OP_SHF_R, mods, w[0], amount,
					       hd_reg(hd_sel_opnd_reg(sel, w[1], 1))));
	struct hd_opnd edge = shift_word(sel, op, left ? w[0] : w[1], amount);
	w[0] = left ? edge : far;
	w[1] = left ? far : edge;
}

/* Four words by a variable amount: by 64, by 32, then inside words. */
static void shift_quad(struct hd_select *sel, LLVMOpcode op, struct hd_opnd *w, struct hd_opnd amount)
{
	struct hd_opnd n = hd_reg(hd_sel_opnd_reg(sel, amount, 1));
	struct hd_opnd fill = op == LLVMAShr ? sign_word(sel, w[3]) : hd_rz();
	struct hd_opnd out[4];
	for (int stage = 2; stage > 0; stage--) {
		struct hd_opnd bit =
			hd_reg(hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, n, hd_imm(32u * (unsigned)stage), hd_none()));
		struct hd_popnd moved = {hd_sel_isetp(sel, HD_CMP_NE, false, bit, hd_rz()), false};
		for (int i = 0; i < 4; i++) {
			int from = op == LLVMShl ? i - stage : i + stage;
			out[i] = hd_reg(hd_sel_select(sel, moved, from >= 0 && from < 4 ? w[from] : fill, w[i]));
		}
		memcpy(w, out, sizeof out);
	}
	for (int i = 0; i < 4; i++) {
		if (op == LLVMShl)
			out[i] = funnel(sel, true, i ? w[i - 1] : hd_rz(), w[i], n, true);
		else
			out[i] = funnel(sel, false, w[i], i < 3 ? w[i + 1] : fill, n, true);
	}
	memcpy(w, out, sizeof out);
}

struct hd_leaf hd_sel_shift_leaf(struct hd_select *sel, LLVMOpcode op, struct hd_leaf value, struct hd_leaf amount,
				 unsigned bits)
{
	unsigned count = value.words;
	if (op != LLVMShl)
		value = hd_sel_extend_leaf(sel, value, bits, count ? 32 * count : 1, op == LLVMAShr);
	if (count == 0) /* i1: the only defined amount is 0 */
		return value;
	struct hd_opnd w[4];
	for (unsigned i = 0; i < count; i++)
		w[i] = hd_sel_word(sel, &value, i);
	if (amount.kind == HD_LEAF_IMM) {
		if (count == 1)
			return hd_leaf_reg(
				hd_sel_opnd_reg(sel, shift_word(sel, op, w[0], hd_imm((uint32_t)amount.imm[0])), 1));
		shift_constant(sel, op, w, count, (unsigned)amount.imm[0] & 127);
		return hd_leaf_reg(hd_sel_join(sel, w, count));
	}
	struct hd_opnd n = hd_sel_extended(sel, amount, bits < 32 ? bits : 32, false);
	if (count == 1)
		w[0] = shift_word(sel, op, w[0], n);
	else if (count == 2)
		shift_pair(sel, op, w, n);
	else
		shift_quad(sel, op, w, n);
	return hd_leaf_reg(hd_sel_join(sel, w, count));
}

void hd_sel_shift(struct hd_select *sel)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(sel->inst);
	unsigned bits = hd_scalar_bits(LLVMTypeOf(sel->inst));
	struct hd_leaf out = hd_sel_shift_leaf(sel, op, hd_sel_arg(sel, 0), hd_sel_arg(sel, 1), bits);
	if (bits < 32 && op != LLVMShl && bits > 1)
		out.ext = op == LLVMAShr ? HD_EXT_SIGN : HD_EXT_ZERO;
	hd_sel_define1(sel, out);
}

/* ------------------------------------------------------------------ integer widths */

struct hd_leaf hd_sel_extend_leaf(struct hd_select *sel, struct hd_leaf leaf, unsigned from, unsigned to,
				  bool is_signed)
{
	unsigned have = (from + 31) / 32, want = (to + 31) / 32;
	struct hd_opnd fill = hd_rz();
	if (from == to)
		return leaf;
	struct hd_leaf out;
	if (leaf.kind == HD_LEAF_IMM) {
		unsigned __int128 value = (unsigned __int128)leaf.imm[1] << 64 | leaf.imm[0];
		value <<= 128 - from;
		value = is_signed ? (unsigned __int128)((__int128)value >> (128 - from)) : value >> (128 - from);
		if (to < 128)
			value &= ((unsigned __int128)1 << to) - 1;
		out = hd_leaf_imm((uint64_t)value, want == 3 ? 4 : want);
		out.imm[1] = (uint64_t)(value >> 64);
		return out;
	}
	struct hd_opnd w[4];
	if (leaf.words == 0) {
		have = 1;
		w[0] = hd_sel_bool_word(sel, leaf, is_signed ? 0xffffffff : 1);
		fill = is_signed ? w[0] : hd_rz();
	} else {
		leaf.words = leaf.words == 4 && have == 3 ? 4 : leaf.words;
		for (unsigned i = 0; i < have; i++)
			w[i] = hd_sel_word(sel, &leaf, i);
		if (from % 32) {
			struct hd_leaf top = have == 1 ? leaf : hd_leaf_reg(hd_sel_opnd_reg(sel, w[have - 1], 1));
			w[have - 1] = hd_sel_extended(sel, top, (from - 1) % 32 + 1, is_signed);
		}
		if (is_signed && want > have)
			fill = sign_word(sel, w[have - 1]);
	}
	want = want == 3 ? 4 : want;
	for (unsigned i = have; i < want; i++)
		w[i] = fill;
	out = hd_leaf_reg(hd_sel_join(sel, w, want));
	if (to < 32)
		out.ext = is_signed ? HD_EXT_SIGN : HD_EXT_ZERO;
	return out;
}

void hd_sel_trunc(struct hd_select *sel)
{
	struct hd_leaf leaf = hd_sel_arg(sel, 0);
	int words = hd_sel_words(sel, LLVMTypeOf(sel->inst));
	if (words <= 0) {
		if (words == 0)
			hd_sel_define1(sel, hd_sel_word_bool(sel, hd_sel_word(sel, &leaf, 0)));
		return;
	}
	if (leaf.kind == HD_LEAF_IMM) {
		unsigned bits = hd_scalar_bits(LLVMTypeOf(sel->inst));
		leaf.words = (uint8_t)words;
		leaf.imm[0] &= bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
		hd_sel_define1(sel, leaf);
		return;
	}
	if (leaf.kind == HD_LEAF_REG && !leaf.imm[0]) { /* the low words, by name */
		leaf.words = (uint8_t)words;
		leaf.ext = HD_EXT_NONE;
		hd_sel_define1(sel, leaf);
		return;
	}
	struct hd_opnd w[4];
	for (int i = 0; i < words; i++)
		w[i] = hd_sel_word(sel, &leaf, (unsigned)i);
	hd_sel_define_reg(sel, hd_sel_join(sel, w, (unsigned)words));
}

static void extend(struct hd_select *sel, bool is_signed)
{
	unsigned from = hd_scalar_bits(LLVMTypeOf(LLVMGetOperand(sel->inst, 0)));
	unsigned to = hd_scalar_bits(LLVMTypeOf(sel->inst));
	hd_sel_define1(sel, hd_sel_extend_leaf(sel, hd_sel_arg(sel, 0), from, to, is_signed));
}

void hd_sel_zext(struct hd_select *sel)
{
	extend(sel, false);
}

void hd_sel_sext(struct hd_select *sel)
{
	extend(sel, true);
}

/* ------------------------------------------------------------------ pointers */

struct hd_leaf hd_sel_cast_space(struct hd_select *sel, struct hd_leaf leaf, unsigned from, unsigned to)
{
	bool from_wide = from == HD_AS_GENERIC || from == HD_AS_GLOBAL || from == HD_AS_CONST;
	bool to_wide = to == HD_AS_GENERIC || to == HD_AS_GLOBAL || to == HD_AS_CONST;
	uint64_t window = from == HD_AS_SHARED ? HD_SHARED_WINDOW : HD_LOCAL_WINDOW;
	if (from_wide == to_wide && (from_wide || from == to))
		return leaf;
	if (to == HD_AS_PARAM && leaf.kind == HD_LEAF_IMM && leaf.words == 1) /* a by-value kernel parameter itself */
		return leaf;
	if (from == HD_AS_PARAM &&
	    to == HD_AS_GENERIC) { /* a grid constant: an address in the launch's copy of the bank */
		struct hd_leaf bank = {.kind = HD_LEAF_BANK, .words = 2, .id = HD_CB_PARAM_COPY};
		struct hd_leaf offset = leaf.kind == HD_LEAF_IMM
						? hd_leaf_imm((uint32_t)leaf.imm[0], 2)
						: hd_leaf_reg(hd_sel_pair(sel, hd_sel_word(sel, &leaf, 0), hd_rz()));
		return hd_leaf_reg(hd_sel_add64(sel, bank, offset, false));
	}
	if ((leaf.kind == HD_LEAF_FRAME || leaf.kind == HD_LEAF_INCOMING || leaf.kind == HD_LEAF_PARTS) &&
	    (to_wide || to == HD_AS_LOCAL)) {
		leaf.words = to_wide ? 2 : 1;
		return leaf;
	}
	if (from_wide && (to == HD_AS_SHARED || to == HD_AS_LOCAL)) {
		if (leaf.kind == HD_LEAF_IMM)
			return hd_leaf_imm((uint32_t)leaf.imm[0], 1);
		return hd_leaf_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &leaf, 0), 1));
	}
	if (to_wide && (from == HD_AS_SHARED || from == HD_AS_LOCAL)) {
		if (leaf.kind == HD_LEAF_IMM)
			return hd_leaf_imm(window + leaf.imm[0], 2);
		if (leaf.kind == HD_LEAF_SYMBOL) {
			leaf.words = 2;
			return leaf;
		}
		/* The windows are aligned to 4 GiB: the offset is the low word. */
		return hd_leaf_reg(
			hd_sel_pair(sel, hd_sel_word(sel, &leaf, 0),
				    hd_bank((from == HD_AS_SHARED ? HD_CB_SHARED_WINDOW : HD_CB_LOCAL_WINDOW) + 4)));
	}
	hd_sel_unsupported(sel, "address space cast from %u to %u", from, to);
	return leaf;
}

void hd_sel_addrspacecast(struct hd_select *sel)
{
	unsigned from = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(sel->inst, 0)));
	unsigned to = LLVMGetPointerAddressSpace(LLVMTypeOf(sel->inst));
	hd_sel_define1(sel, hd_sel_cast_space(sel, hd_sel_arg(sel, 0), from, to));
}

void hd_sel_ptr_int(struct hd_select *sel)
{
	unsigned from = hd_scalar_bits(LLVMTypeOf(LLVMGetOperand(sel->inst, 0)));
	unsigned to = hd_scalar_bits(LLVMTypeOf(sel->inst));
	struct hd_leaf leaf = hd_sel_arg(sel, 0);
	if (from < to)
		leaf = hd_sel_extend_leaf(sel, leaf, from, to, false);
	else if (from > to)
		leaf = to == 1	  ? hd_sel_word_bool(sel, hd_sel_word(sel, &leaf, 0))
		       : to <= 32 ? hd_leaf_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &leaf, 0), 1))
				  : hd_leaf_reg(hd_sub(hd_sel_reg(sel, leaf), 0, to <= 64 ? 2 : 4));
	hd_sel_define1(sel, leaf);
}

/* ------------------------------------------------------------------ bit patterns */

unsigned hd_sel_pack(struct hd_select *sel, struct hd_leaf *leaves, uint32_t count, unsigned bits,
		     struct hd_opnd *words)
{
	unsigned n = (count * bits + 31) / 32;
	for (unsigned i = 0; i < n; i++)
		words[i] = hd_rz();
	for (uint32_t i = 0; i < count; i++) {
		unsigned at = i * bits / 32, shift = i * bits % 32;
		if (bits >= 32) {
			for (unsigned k = 0; k < (bits + 31) / 32; k++)
				words[at + k] = hd_sel_word(sel, &leaves[i], k);
			continue;
		}
		if (bits == 1) {
			struct hd_opnd bit = hd_sel_bool_word(sel, leaves[i], 1u << shift);
			words[at] =
				shift ? hd_reg(hd_sel_logic(sel, HD_LUT_A | HD_LUT_B, words[at], bit, hd_none())) : bit;
		} else if (!shift) {
			words[at] = hd_sel_word(sel, &leaves[i], 0);
		} else {
			/* Byte 0 of c (4), and byte 1 of 16-bit elements (5), take their place among the bytes of a. */
			uint32_t choice = bits == 16 ? 0x5410 : shift == 8 ? 0x3240 : shift == 16 ? 0x3410 : 0x4210;

			words[at] =
				hd_reg(hd_sel_alu(sel, HD_OP_PRMT, 0, words[at], hd_imm(choice),
						  hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &leaves[i], 0), 1))));
		}
	}
	return n;
}

struct hd_leaf hd_sel_unpack(struct hd_select *sel, const struct hd_opnd *words, uint32_t index, unsigned bits)
{
	unsigned at = index * bits / 32, shift = index * bits % 32;
	struct hd_opnd whole[4] = {hd_rz(), hd_rz(), hd_rz(), hd_rz()};
	if (bits >= 32) { /* 96 bits take four words */
		for (unsigned k = 0; k < (bits + 31) / 32; k++)
			whole[k] = words[at + k];
		return hd_leaf_reg(hd_sel_join(sel, whole, bits == 32 ? 1 : bits <= 64 ? 2 : 4));
	}
	if (bits == 1) {
		struct hd_mreg bit = hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, words[at], hd_imm(1u << shift), hd_none());
		return hd_leaf_pred(hd_sel_isetp(sel, HD_CMP_NE, false, hd_reg(bit), hd_rz()), false);
	}
	if (!shift)
		return hd_leaf_reg(hd_sel_opnd_reg(sel, words[at], 1));
	struct hd_leaf leaf = hd_leaf_reg(
		hd_sel_alu(sel, HD_OP_PRMT, 0, words[at], hd_imm(bits == 16 ? 0x4432 : 0x4440 | shift / 8), hd_rz()));
	leaf.ext = HD_EXT_ZERO;
	return leaf;
}

void hd_sel_bitcast(struct hd_select *sel)
{
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(sel->inst, 0)), to = LLVMTypeOf(sel->inst);
	LLVMTypeRef from_scalar = hd_is_scalar(from) ? from : LLVMGetElementType(from);
	LLVMTypeRef to_scalar = hd_is_scalar(to) ? to : LLVMGetElementType(to);
	unsigned from_bits = hd_scalar_bits(from_scalar), to_bits = hd_scalar_bits(to_scalar);
	struct hd_leaf *leaves, *out;
	uint32_t count = hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 0), &leaves);
	if (hd_sel_words(sel, from_scalar) < 0 || hd_sel_words(sel, to_scalar) < 0)
		return;
	if (from_bits == to_bits) {
		hd_sel_define(sel, sel->inst, leaves, count);
		return;
	}
	if (!hd_is_word_bitcast(from, to)) {
		hd_sel_unsupported(sel, "bitcast that legalize did not split");
		return;
	}
	uint32_t out_count = count * from_bits / to_bits;
	struct hd_opnd *words;
	words = hd_arena_alloc(sel->func->arena, (count * from_bits / 32 + 5) * sizeof(*words));
	out = hd_arena_alloc(sel->func->arena, (out_count + 1) * sizeof(*out));
	hd_sel_pack(sel, leaves, count, from_bits, words);
	for (uint32_t i = 0; i < out_count; i++)
		out[i] = hd_sel_unpack(sel, words, i, to_bits);
	if (out_count == 1 && to_bits < 32) /* e.g. four i1 as an i4 */
		out[0] = hd_leaf_reg(hd_sel_opnd_reg(sel, words[0], 1));
	hd_sel_define(sel, sel->inst, out, out_count);
}
