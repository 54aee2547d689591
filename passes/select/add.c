/*
 * Selection: integer addition and multiplication, fused where one machine instruction does both:
 * IMAD, IMAD_WIDE, LEA, three-operand IADD3.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

/* ------------------------------------------------------------------ multiplication by word */

/* An i64 that is the product of two extended 32-bit values: a * b, with b = 1 for a mere extension. */
struct hd_wide {
	struct hd_opnd a, b;
	bool is_signed;
};

static bool extended_word(struct hd_select *sel, LLVMValueRef value, struct hd_opnd *word, bool *is_signed,
			  bool *either)
{
	if (!LLVMIsAInstruction(value))
		return false;
	LLVMOpcode op = LLVMGetInstructionOpcode(value);
	if (op != LLVMZExt && op != LLVMSExt)
		return false;
	LLVMValueRef from = LLVMGetOperand(value, 0);
	unsigned bits = hd_scalar_bits(LLVMTypeOf(from));
	if (bits > 32 || bits == 1)
		return false;
	*is_signed = op == LLVMSExt;
	*either = op == LLVMZExt && (LLVMGetNNeg(value) || bits < 32);
	*word = hd_sel_extended(sel, hd_sel_leaf(sel, from, 0), bits, op == LLVMSExt);
	return true;
}

static bool is_ext(LLVMValueRef value)
{
	if (!LLVMIsAInstruction(value))
		return false;
	LLVMOpcode op = LLVMGetInstructionOpcode(value);
	return op == LLVMZExt || op == LLVMSExt;
}

static bool match_mul(struct hd_select *sel, LLVMValueRef x, LLVMValueRef y, struct hd_wide *wide)
{
	bool sx, ex;
	if (!is_ext(x) || !extended_word(sel, x, &wide->a, &sx, &ex))
		return false;
	uint64_t c;
	if (hd_is_int_constant(y, &c)) {
		wide->is_signed = sx || (ex && (int64_t)c < 0);
		wide->b = hd_imm((uint32_t)c);
		return wide->is_signed ? (int64_t)c == (int32_t)c : c == (uint32_t)c;
	}
	bool sy, ey;
	if (!is_ext(y) || !extended_word(sel, y, &wide->b, &sy, &ey))
		return false;
	wide->is_signed = sx || sy;
	return sx == sy || (sx && ey) || (sy && ex);
}

static bool match_wide(struct hd_select *sel, LLVMValueRef value, struct hd_wide *wide)
{
	if (!LLVMIsAInstruction(value) || hd_scalar_bits(LLVMTypeOf(value)) != 64)
		return false;
	LLVMOpcode op = LLVMGetInstructionOpcode(value);
	bool either;
	if (op == LLVMZExt || op == LLVMSExt) {
		wide->b = hd_imm(1);
		return extended_word(sel, value, &wide->a, &wide->is_signed, &either);
	}
	uint64_t shift;
	if (op == LLVMShl && is_ext(LLVMGetOperand(value, 0)) && hd_is_int_constant(LLVMGetOperand(value, 1), &shift) &&
	    shift < 31) {
		wide->b = hd_imm(1u << shift);
		return extended_word(sel, LLVMGetOperand(value, 0), &wide->a, &wide->is_signed, &either);
	}
	return op == LLVMMul && match_mul(sel, LLVMGetOperand(value, 0), LLVMGetOperand(value, 1), wide);
}

/* value + addend in one IMAD_WIDE, when value is such a product. */
static bool add_wide(struct hd_select *sel, LLVMValueRef value, LLVMValueRef addend)
{
	struct hd_wide wide;
	uint64_t constant;
	if (hd_is_int_constant(addend, &constant) || !LLVMIsAInstruction(value) || !match_wide(sel, value, &wide))
		return false;
	if (LLVMGetInstructionOpcode(value) == LLVMMul && !hd_single_use(value))
		return false;
	struct hd_leaf c = hd_sel_leaf(sel, addend, 0);
	hd_sel_define_reg(sel, hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, HD_MOD(SIGN, wide.is_signed), wide.a, wide.b,
					       hd_sel_wide(sel, &c)));
	return true;
}

static struct hd_leaf mul_words(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b)
{
	struct hd_opnd sum[4] = {hd_rz(), hd_rz(), hd_rz(), hd_rz()};
	for (unsigned i = 0; i < 4; i++)
		for (unsigned j = 0; i + j < 4; j++) {
			struct hd_opnd x = hd_sel_word(sel, &a, i), y = hd_sel_word(sel, &b, j);
			unsigned at = i + j;
			if (at == 3) {
				sum[3] = hd_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, x, y, sum[3]));
				continue;
			}
			struct hd_mreg product = hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, 0, x, y, hd_none());
			struct hd_opnd term[4];
			for (unsigned k = at; k < 4; k++)
				term[k - at] = k - at < 2 ? hd_reg(hd_sub(product, k - at, 1)) : hd_rz();
			struct hd_opnd total[4];
			hd_sel_add_words(sel, 4 - at, sum + at, term, false, total);
			memcpy(sum + at, total, (4 - at) * sizeof(*sum));
		}
	return hd_leaf_reg(hd_sel_join(sel, sum, 4));
}

struct hd_leaf hd_sel_mul_leaf(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b)
{
	if (a.words == 4)
		return mul_words(sel, a, b);
	if (a.words == 1)
		return hd_leaf_reg(
			hd_sel_alu(sel, HD_OP_IMAD, 0, hd_sel_word(sel, &a, 0), hd_sel_word(sel, &b, 0), hd_none()));
	struct hd_opnd al = hd_sel_word(sel, &a, 0);
	struct hd_opnd ah = hd_sel_word(sel, &a, 1);
	struct hd_opnd bl = hd_sel_word(sel, &b, 0);
	struct hd_opnd bh = hd_sel_word(sel, &b, 1);
	struct hd_mreg low = hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, 0, al, bl, hd_none());
	struct hd_opnd high = hd_reg(hd_sub(low, 1, 1));
	if (!hd_opnd_is_zero(&bh))
		high = hd_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, al, bh, high));
	if (!hd_opnd_is_zero(&ah))
		high = hd_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, ah, bl, high));
	return hd_leaf_reg(hd_sel_pair(sel, hd_reg(hd_sub(low, 0, 1)), high));
}

void hd_sel_mul(struct hd_select *sel)
{
	struct hd_leaf a = hd_sel_arg(sel, 0), b = hd_sel_arg(sel, 1);
	if (a.words == 0) {
		hd_sel_define1(sel,
			       hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, hd_sel_pred(sel, a), hd_sel_pred(sel, b)),
					    false));
		return;
	}
	struct hd_wide wide;
	if (match_wide(sel, sel->inst, &wide)) {
		hd_sel_define_reg(sel, hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, HD_MOD(SIGN, wide.is_signed), wide.a,
						       wide.b, hd_none()));
		return;
	}
	hd_sel_define1(sel, hd_sel_mul_leaf(sel, a, b));
}

/* ------------------------------------------------------------------ addition */

/* x + y (or x - y, y - x by the signs) where x is absorbed: multiply-add, shift-add or a third addend. */
static bool add_fused(struct hd_select *sel, LLVMValueRef x, LLVMValueRef y, bool negate_x, bool negate_y)
{
	struct hd_opnd p, q, c;
	if (hd_sel_absorbs(sel, x, LLVMMul)) {
		p = hd_sel_value_word(sel, LLVMGetOperand(x, 0));
		q = hd_sel_value_word(sel, LLVMGetOperand(x, 1));
		c = hd_sel_value_word(sel, y);
		if (negate_x && p.kind == HD_OPND_IMM)
			q = hd_neg(q);
		else if (negate_x)
			p = hd_neg(p);
		hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_IMAD, 0, p, q, negate_y ? hd_neg(c) : c));
		return true;
	}
	uint64_t shift;
	if (hd_sel_absorbs(sel, x, LLVMShl) && hd_is_int_constant(LLVMGetOperand(x, 1), &shift) && shift < 32 &&
	    !negate_x && !negate_y) {
		p = hd_sel_value_word(sel, LLVMGetOperand(x, 0));
		hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_LEA, HD_MOD(SHAMT, shift), p, hd_sel_value_word(sel, y),
						  hd_none()));
		return true;
	}
	if (hd_sel_absorbs(sel, x, LLVMAdd) || hd_sel_absorbs(sel, x, LLVMSub)) {
		bool minus = LLVMGetInstructionOpcode(x) == LLVMSub;
		p = hd_sel_value_word(sel, LLVMGetOperand(x, 0));
		q = hd_sel_value_word(sel, LLVMGetOperand(x, 1));
		c = hd_sel_value_word(sel, y);
		p = negate_x ? hd_neg(p) : p;
		q = negate_x != minus ? hd_neg(q) : q;
		hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_IADD3, 0, p, q, negate_y ? hd_neg(c) : c));
		return true;
	}
	return false;
}

/* In 64 bits, where the sum is exact. */
struct hd_leaf hd_sel_saturated_sum(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b, bool subtract)
{
	struct hd_leaf sum = hd_leaf_reg(hd_sel_add64(sel, hd_sel_extend_leaf(sel, a, 32, 64, true),
						      hd_sel_extend_leaf(sel, b, 32, 64, true), subtract));
	sum = hd_sel_minmax(sel, false, true, sum, hd_leaf_imm(INT32_MAX, 2), 64);
	sum = hd_sel_minmax(sel, true, true, sum, hd_leaf_imm((uint64_t)(int64_t)INT32_MIN, 2), 64);
	return hd_leaf_reg(hd_sub(hd_sel_reg(sel, sum), 0, 1));
}

static void add_words(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b, bool subtract)
{
	struct hd_opnd x[4], y[4];
	for (unsigned i = 0; i < 4; i++) {
		x[i] = hd_sel_word(sel, &a, i);
		y[i] = hd_sel_word(sel, &b, i);
	}
	struct hd_opnd sum[4];
	hd_sel_add_words(sel, 4, x, y, subtract, sum);
	hd_sel_define_reg(sel, hd_sel_join(sel, sum, 4));
}

void hd_sel_add_sub(struct hd_select *sel)
{
	bool subtract = LLVMGetInstructionOpcode(sel->inst) == LLVMSub;
	LLVMValueRef x = LLVMGetOperand(sel->inst, 0), y = LLVMGetOperand(sel->inst, 1);
	struct hd_leaf a = hd_sel_leaf(sel, x, 0), b = hd_sel_leaf(sel, y, 0);
	struct hd_opnd p, q;
	switch (a.words) {
	case 0: /* i1 arithmetic is modulo 2 */
		hd_sel_define1(sel,
			       hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_XOR, hd_sel_pred(sel, a), hd_sel_pred(sel, b)),
					    false));
		return;
	case 1:
		if (add_fused(sel, x, y, false, subtract) || add_fused(sel, y, x, subtract, false))
			return;
		p = hd_sel_word(sel, &a, 0);
		q = hd_sel_word(sel, &b, 0);
		hd_sel_define_reg(sel, hd_sel_add(sel, p, subtract ? hd_neg(q) : q));
		return;
	case 2:
		if (!subtract && (add_wide(sel, x, y) || add_wide(sel, y, x)))
			return;
		hd_sel_define_reg(sel, hd_sel_add64(sel, a, b, subtract));
		return;
	default: add_words(sel, a, b, subtract);
	}
}
