/*
 * Selection: the generic integer intrinsics.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

static unsigned result_bits(struct hd_select *sel)
{
	return hd_scalar_bits(LLVMTypeOf(sel->inst));
}

static unsigned operand_bits(struct hd_select *sel)
{
	return hd_scalar_bits(LLVMTypeOf(LLVMGetOperand(sel->inst, 0)));
}

/* Integers of the widths that these operations come in. */
static bool check_width(struct hd_select *sel, unsigned bits)
{
	if (bits == 8 || bits == 16 || bits == 32 || bits == 64)
		return true;
	hd_sel_unsupported(sel, "%s on %u bits", LLVMGetValueName(LLVMGetCalledValue(sel->inst)), bits);
	return false;
}

static struct hd_leaf from_opnd(struct hd_select *sel, struct hd_opnd opnd)
{
	return hd_leaf_reg(hd_sel_opnd_reg(sel, opnd, 1));
}

static struct hd_opnd unary(struct hd_select *sel, unsigned op, struct hd_opnd value)
{
	return hd_reg(hd_sel_alu(sel, op, 0, hd_none(), value, hd_none()));
}

/* ------------------------------------------------------------------ counting */

struct hd_leaf hd_sel_popcount(struct hd_select *sel, struct hd_leaf value, unsigned bits)
{
	if (bits <= 32)
		return from_opnd(sel, unary(sel, HD_OP_POPC, hd_sel_extended(sel, value, bits, false)));
	struct hd_opnd low = unary(sel, HD_OP_POPC, hd_sel_word(sel, &value, 0));
	struct hd_opnd high = unary(sel, HD_OP_POPC, hd_sel_word(sel, &value, 1));
	return hd_leaf_reg(hd_sel_add(sel, low, high));
}

/* base + leading zeros of a word; FLO gives -1 for zero, which makes 32. */
static struct hd_opnd leading(struct hd_select *sel, struct hd_opnd word, int base)
{
	struct hd_opnd position = unary(sel, HD_OP_FLO, word);
	return hd_reg(hd_sel_alu(sel, HD_OP_IADD3, 0, hd_neg(position), hd_imm((uint32_t)(31 + base)), hd_none()));
}

struct hd_leaf hd_sel_count_leading(struct hd_select *sel, struct hd_leaf value, unsigned bits)
{
	if (bits <= 32)
		return from_opnd(sel, leading(sel, hd_sel_extended(sel, value, bits, false), (int)bits - 32));
	struct hd_opnd high = hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &value, 1), 1));
	struct hd_opnd low = leading(sel, hd_sel_word(sel, &value, 0), 32);
	struct hd_popnd none = (struct hd_popnd){hd_sel_isetp(sel, HD_CMP_EQ, false, high, hd_rz()), false};
	return hd_leaf_reg(hd_sel_select(sel, none, low, leading(sel, high, 0)));
}

struct hd_leaf hd_sel_bit_reverse(struct hd_select *sel, struct hd_leaf value, unsigned bits)
{
	struct hd_opnd low = unary(sel, HD_OP_BREV, hd_sel_word(sel, &value, 0));
	struct hd_opnd high;
	if (bits == 64) {
		high = unary(sel, HD_OP_BREV, hd_sel_word(sel, &value, 1));
		return hd_leaf_reg(hd_sel_pair(sel, high, low));
	}
	if (bits < 32)
		low = hd_reg(hd_sel_alu(sel, HD_OP_SHR, 0, low, hd_imm(32 - bits), hd_none()));
	return from_opnd(sel, low);
}

static struct hd_leaf widened(struct hd_select *sel, struct hd_leaf count)
{
	return hd_sel_extend_leaf(sel, count, 32, result_bits(sel) == 64 ? 64 : 32, false);
}

static void population(struct hd_select *sel, unsigned arg)
{
	unsigned bits = operand_bits(sel);
	(void)arg;
	if (check_width(sel, bits))
		hd_sel_define1(sel, widened(sel, hd_sel_popcount(sel, hd_sel_arg(sel, 0), bits)));
}

static void leading_zeros(struct hd_select *sel, unsigned arg)
{
	unsigned bits = operand_bits(sel);
	(void)arg;
	if (check_width(sel, bits))
		hd_sel_define1(sel, widened(sel, hd_sel_count_leading(sel, hd_sel_arg(sel, 0), bits)));
}

static void trailing_zeros(struct hd_select *sel, unsigned arg)
{
	unsigned bits = operand_bits(sel);
	struct hd_leaf value = hd_sel_arg(sel, 0);
	(void)arg;
	if (!check_width(sel, bits))
		return;
	if (bits < 32) { /* a bit beyond the width stops the count */
		value = hd_leaf_reg(hd_sel_logic(sel, HD_LUT_A | HD_LUT_B, hd_sel_word(sel, &value, 0),
						 hd_imm(1u << bits), hd_none()));
		bits = 32;
	}
	value = hd_sel_bit_reverse(sel, value, bits);
	hd_sel_define1(sel, widened(sel, hd_sel_count_leading(sel, value, bits)));
}

static void reverse_bits(struct hd_select *sel, unsigned arg)
{
	unsigned bits = operand_bits(sel);
	(void)arg;
	if (check_width(sel, bits))
		hd_sel_define1(sel, hd_sel_bit_reverse(sel, hd_sel_arg(sel, 0), bits));
}

static void reverse_bytes(struct hd_select *sel, unsigned arg)
{
	unsigned bits = operand_bits(sel);
	struct hd_leaf value = hd_sel_arg(sel, 0);
	(void)arg;
	if (!check_width(sel, bits))
		return;
	struct hd_opnd words[2];
	for (unsigned i = 0; i < value.words; i++)
		words[value.words - 1u - i] = hd_reg(hd_sel_alu(sel, HD_OP_PRMT, 0, hd_sel_word(sel, &value, i),
								hd_imm(bits == 16 ? 0x4401 : 0x0123), hd_rz()));
	hd_sel_define_reg(sel, hd_sel_join(sel, words, value.words));
}

/* ------------------------------------------------------------------ funnel shifts */

static struct hd_leaf funnel_narrow(struct hd_select *sel, bool left, unsigned bits, struct hd_leaf high,
				    struct hd_leaf low, struct hd_opnd amount)
{
	struct hd_mreg joined = hd_sel_alu(sel, HD_OP_LEA, HD_MOD(SHAMT, bits), hd_sel_word(sel, &high, 0),
					   hd_sel_extended(sel, low, bits, false), hd_none());
	amount = hd_reg(hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, amount, hd_imm(bits - 1), hd_none()));
	if (!left)
		return hd_leaf_reg(hd_sel_alu(sel, HD_OP_SHR, 0, hd_reg(joined), amount, hd_none()));
	joined = hd_sel_alu(sel, HD_OP_SHL, 0, hd_reg(joined), amount, hd_none());
	return hd_leaf_reg(hd_sel_alu(sel, HD_OP_SHR, 0, hd_reg(joined), hd_imm(bits), hd_none()));
}

/* Of 64 bits: the far part is shifted by one first, so that the rest of the distance stays below 64. */
static struct hd_leaf funnel_wide(struct hd_select *sel, bool left, struct hd_leaf high, struct hd_leaf low,
				  struct hd_leaf amount)
{
	struct hd_leaf one = hd_leaf_imm(1, 1);
	struct hd_leaf n, rest;
	if (amount.kind == HD_LEAF_IMM) {
		n = hd_leaf_imm(amount.imm[0] & 63, 1);
		rest = hd_leaf_imm(63 - n.imm[0], 1);
	} else {
		n = hd_leaf_reg(
			hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, hd_sel_word(sel, &amount, 0), hd_imm(63), hd_none()));
		rest = hd_leaf_reg(
			hd_sel_logic(sel, HD_LUT_A ^ HD_LUT_B, hd_sel_word(sel, &n, 0), hd_imm(63), hd_none()));
	}
	struct hd_leaf near = hd_sel_shift_leaf(sel, left ? LLVMShl : LLVMLShr, left ? high : low, n, 64);
	struct hd_leaf far = hd_sel_shift_leaf(sel, left ? LLVMLShr : LLVMShl, left ? low : high, one, 64);
	far = hd_sel_shift_leaf(sel, left ? LLVMLShr : LLVMShl, far, rest, 64);
	struct hd_opnd words[2];
	for (unsigned i = 0; i < 2; i++)
		words[i] = hd_reg(hd_sel_logic(sel, HD_LUT_A | HD_LUT_B, hd_sel_word(sel, &near, i),
					       hd_sel_word(sel, &far, i), hd_none()));
	return hd_leaf_reg(hd_sel_pair(sel, words[0], words[1]));
}

static void funnel(struct hd_select *sel, unsigned left)
{
	unsigned bits = result_bits(sel);
	struct hd_leaf high = hd_sel_arg(sel, 0), low = hd_sel_arg(sel, 1), amount = hd_sel_arg(sel, 2);
	if (!check_width(sel, bits))
		return;
	if (bits == 64)
		hd_sel_define1(sel, funnel_wide(sel, left, high, low, amount));
	else if (bits < 32)
		hd_sel_define1(sel, funnel_narrow(sel, left, bits, high, low, hd_sel_word(sel, &amount, 0)));
	else
		hd_sel_define_reg(sel, hd_sel_alu(sel, left ? HD_OP_SHF_L : HD_OP_SHF_R, HD_MOD(WRAP, 1),
						  hd_sel_word(sel, &low, 0), hd_sel_word(sel, &amount, 0),
						  hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &high, 0), 1))));
}

/* ------------------------------------------------------------------ minimum, maximum, absolute value */

enum { MAX = 1, SIGNED = 2 };

struct hd_leaf hd_sel_minmax(struct hd_select *sel, bool max, bool is_signed, struct hd_leaf a, struct hd_leaf b,
			     unsigned bits)
{
	if (bits > 32 || bits == 1) {
		struct hd_leaf less = hd_sel_cmp(sel, max ? HD_CMP_GT : HD_CMP_LT, is_signed, a, b, bits);
		return hd_sel_select_leaf(sel, hd_sel_pred(sel, less), a, b);
	}
	struct hd_leaf out = hd_leaf_reg(hd_sel_alu(sel, HD_OP_IMNMX, HD_MOD(MINMAX, max) | HD_MOD(SIGN, is_signed),
						    hd_sel_extended(sel, a, bits, is_signed),
						    hd_sel_extended(sel, b, bits, is_signed), hd_none()));

	if (bits < 32)
		out.ext = is_signed ? HD_EXT_SIGN : HD_EXT_ZERO;
	return out;
}

static void minmax(struct hd_select *sel, unsigned arg)
{
	hd_sel_define1(sel, hd_sel_minmax(sel, arg & MAX, arg & SIGNED, hd_sel_arg(sel, 0), hd_sel_arg(sel, 1),
					  result_bits(sel)));
}

static void absolute(struct hd_select *sel, unsigned arg)
{
	unsigned bits = result_bits(sel);
	struct hd_leaf value = hd_sel_arg(sel, 0);
	(void)arg;
	if (!check_width(sel, bits))
		return;
	if (bits <= 32) {
		hd_sel_define1(sel, from_opnd(sel, unary(sel, HD_OP_IABS, hd_sel_extended(sel, value, bits, true))));
		return;
	}
	struct hd_opnd sign = hd_reg(hd_sel_alu(sel, HD_OP_SHR, HD_MOD(SIGN, HD_SIGNED), hd_sel_word(sel, &value, 1),
						hd_imm(31), hd_none()));
	struct hd_opnd words[2];
	for (unsigned i = 0; i < 2; i++)
		words[i] = hd_reg(hd_sel_logic(sel, HD_LUT_A ^ HD_LUT_B, hd_sel_word(sel, &value, i), sign, hd_none()));
	struct hd_leaf flipped = hd_leaf_reg(hd_sel_pair(sel, words[0], words[1]));
	struct hd_leaf mask = hd_leaf_reg(hd_sel_pair(sel, sign, sign));
	hd_sel_define_reg(sel, hd_sel_add64(sel, flipped, mask, true));
}

/* ------------------------------------------------------------------ overflow and saturation */

static struct hd_leaf add_or_sub(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b, bool subtract)
{
	if (a.words == 2)
		return hd_leaf_reg(hd_sel_add64(sel, a, b, subtract));
	struct hd_opnd y = hd_sel_word(sel, &b, 0);
	return hd_leaf_reg(hd_sel_add(sel, hd_sel_word(sel, &a, 0), subtract ? hd_neg(y) : y));
}

/* Whether a +- b leaves the range, given the (wrapped) result. */
static struct hd_leaf overflowed(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b, struct hd_leaf sum,
				 bool subtract, bool is_signed, unsigned bits)
{
	if (!is_signed)
		return subtract ? hd_sel_cmp(sel, HD_CMP_LT, false, a, b, bits)
				: hd_sel_cmp(sel, HD_CMP_LT, false, sum, a, bits);
	struct hd_opnd x = hd_sel_word(sel, &a, a.words - 1u);
	struct hd_opnd y = hd_sel_word(sel, &b, b.words - 1u);
	struct hd_opnd s = hd_sel_word(sel, &sum, sum.words - 1u);
	struct hd_opnd sign;
	/* The operands' signs agree (differ, for a subtraction) and the result's differs from the first. */
	sign = hd_reg(hd_sel_logic(sel,
				   (HD_LUT_A ^ HD_LUT_C) & (subtract ? HD_LUT_A ^ HD_LUT_B : ~(HD_LUT_A ^ HD_LUT_B)),
				   hd_reg(hd_sel_opnd_reg(sel, x, 1)), y, s));
	if (bits < 32)
		sign = hd_reg(hd_sel_alu(sel, HD_OP_SHL, 0, sign, hd_imm(32 - bits), hd_none()));
	return hd_leaf_pred(hd_sel_isetp(sel, HD_CMP_LT, true, sign, hd_rz()), false);
}

enum { SUBTRACT = 1 };

static void with_overflow(struct hd_select *sel, unsigned arg)
{
	unsigned bits = operand_bits(sel);
	struct hd_leaf a = hd_sel_arg(sel, 0), b = hd_sel_arg(sel, 1);
	if (!check_width(sel, bits))
		return;
	struct hd_leaf out[2];
	out[0] = add_or_sub(sel, a, b, arg & SUBTRACT);
	out[1] = overflowed(sel, a, b, out[0], arg & SUBTRACT, arg & SIGNED, bits);
	hd_sel_define(sel, sel->inst, out, 2);
}

/* The largest or smallest value of the sign that the true result has. */
static struct hd_leaf bound_of(struct hd_select *sel, struct hd_leaf a, unsigned bits)
{
	struct hd_opnd top =
		hd_sel_extended(sel, a.words == 2 ? hd_leaf_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &a, 1), 1)) : a,
				bits < 32 ? bits : 32, true);
	struct hd_opnd sign = hd_reg(hd_sel_alu(sel, HD_OP_SHR, HD_MOD(SIGN, HD_SIGNED), top, hd_imm(31), hd_none()));
	struct hd_mreg high = hd_sel_logic(sel, HD_LUT_A ^ HD_LUT_B, sign,
					   hd_imm(0x7fffffffu >> (bits < 32 ? 32 - bits : 0)), hd_none());
	if (bits <= 32)
		return hd_leaf_reg(high);
	return hd_leaf_reg(hd_sel_pair(sel, hd_reg(hd_sel_logic(sel, 0xff & ~HD_LUT_A, sign, hd_none(), hd_none())),
				       hd_reg(high)));
}

static void saturating(struct hd_select *sel, unsigned arg)
{
	unsigned bits = result_bits(sel);
	struct hd_leaf a = hd_sel_arg(sel, 0), b = hd_sel_arg(sel, 1);
	if (!check_width(sel, bits))
		return;
	struct hd_leaf sum = add_or_sub(sel, a, b, arg & SUBTRACT);
	struct hd_leaf over = overflowed(sel, a, b, sum, arg & SUBTRACT, arg & SIGNED, bits);
	struct hd_leaf bound;
	if (arg & SIGNED)
		bound = bound_of(sel, a, bits);
	else
		bound = hd_leaf_imm(arg & SUBTRACT ? 0 : ~UINT64_C(0) >> (bits < 32 ? 32 : 64 - bits), a.words);
	hd_sel_define1(sel, hd_sel_select_leaf(sel, hd_sel_pred(sel, over), bound, sum));
}

/* The high half of a product, 32 or 64 bits. */
struct hd_leaf hd_sel_mul_high(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b, bool is_signed)
{
	if (a.words == 1)
		return hd_leaf_reg(hd_sel_alu(sel, HD_OP_IMAD_HI, HD_MOD(SIGN, is_signed), hd_sel_word(sel, &a, 0),
					      hd_sel_word(sel, &b, 0), hd_none()));
	struct hd_opnd al = hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &a, 0), 1));
	struct hd_opnd ah = hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &a, 1), 1));
	struct hd_opnd bl = hd_sel_word(sel, &b, 0);
	struct hd_opnd bh = hd_sel_word(sel, &b, 1);
	struct hd_mreg low;
	/* low.hi + al*bh cannot overflow 64 bits; its low word plus ah*bl cannot either. */
	low = hd_sel_alu(sel, HD_OP_IMAD_HI, 0, al, bl, hd_none());
	struct hd_mreg middle =
		hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, 0, al, bh, hd_reg(hd_sel_pair(sel, hd_reg(low), hd_rz())));
	struct hd_mreg other = hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, 0, ah, bl,
					       hd_reg(hd_sel_pair(sel, hd_reg(hd_sub(middle, 0, 1)), hd_rz())));
	struct hd_opnd cross[2];
	cross[0] = hd_reg(hd_sub(middle, 1, 1));
	cross[1] = hd_rz();
	struct hd_opnd high[2];
	high[0] = hd_reg(hd_sub(other, 1, 1));
	high[1] = hd_rz();
	struct hd_opnd sum[2];
	hd_sel_add_words(sel, 2, cross, high, false, sum);
	struct hd_mreg top = hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, 0, ah, bh, hd_reg(hd_sel_pair(sel, sum[0], sum[1])));
	if (is_signed) { /* signed = unsigned - (a < 0 ? b : 0) - (b < 0 ? a : 0) */
		struct hd_popnd a_neg = {hd_sel_isetp(sel, HD_CMP_LT, true, ah, hd_rz()), false};
		struct hd_popnd b_neg = {hd_sel_isetp(sel, HD_CMP_LT, true, bh, hd_rz()), false};
		struct hd_leaf zero = hd_leaf_imm(0, 2), fix = hd_sel_select_leaf(sel, a_neg, b, zero);

		top = hd_sel_add64(sel, hd_leaf_reg(top), fix, true);
		fix = hd_sel_select_leaf(sel, b_neg, a, zero);
		top = hd_sel_add64(sel, hd_leaf_reg(top), fix, true);
	}
	return hd_leaf_reg(top);
}

static void mul_overflow(struct hd_select *sel, unsigned arg)
{
	bool is_signed = arg & SIGNED;
	unsigned bits = operand_bits(sel), words = bits > 32 ? 2 : 1;
	struct hd_leaf a = hd_sel_arg(sel, 0), b = hd_sel_arg(sel, 1);
	if (!check_width(sel, bits))
		return;
	a = hd_sel_extend_leaf(sel, a, bits, 32 * words, is_signed);
	b = hd_sel_extend_leaf(sel, b, bits, 32 * words, is_signed);
	struct hd_leaf out[2];
	out[0] = hd_sel_mul_leaf(sel, a, b);
	struct hd_leaf expected;
	if (bits < 32) { /* the whole product is at hand: does it survive being cut? */
		expected = hd_sel_extend_leaf(sel, out[0], bits, 32, is_signed);
		out[1] = hd_sel_cmp(sel, HD_CMP_NE, false, out[0], expected, 32);
	} else {
		expected = hd_leaf_imm(0, words);
		if (is_signed)
			expected = hd_sel_shift_leaf(sel, LLVMAShr, out[0], hd_leaf_imm(bits - 1, 1), bits);
		out[1] = hd_sel_cmp(sel, HD_CMP_NE, false, hd_sel_mul_high(sel, a, b, is_signed), expected, bits);
	}
	hd_sel_define(sel, sel->inst, out, 2);
}

const struct hd_intrinsic hd_bit_intrinsics[] = {
	{"ctpop", population, 0},
	{"ctlz", leading_zeros, 0},
	{"cttz", trailing_zeros, 0},
	{"bitreverse", reverse_bits, 0},
	{"bswap", reverse_bytes, 0},
	{"fshl", funnel, 1},
	{"fshr", funnel, 0},
	{"smin", minmax, SIGNED},
	{"smax", minmax, SIGNED | MAX},
	{"umin", minmax, 0},
	{"umax", minmax, MAX},
	{"abs", absolute, 0},
	{"uadd.with.overflow", with_overflow, 0},
	{"usub.with.overflow", with_overflow, SUBTRACT},
	{"sadd.with.overflow", with_overflow, SIGNED},
	{"ssub.with.overflow", with_overflow, SIGNED | SUBTRACT},
	{"umul.with.overflow", mul_overflow, 0},
	{"smul.with.overflow", mul_overflow, SIGNED},
	{"uadd.sat", saturating, 0},
	{"usub.sat", saturating, SUBTRACT},
	{"sadd.sat", saturating, SIGNED},
	{"ssub.sat", saturating, SIGNED | SUBTRACT},
	{NULL, NULL, 0},
};
