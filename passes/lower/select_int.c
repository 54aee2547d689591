/*
 * Selection: integer arithmetic, logic, shifts, compares and selects.
 */
#include "passes/lower/select.h"

/* Whether `value` is an instruction `op` of this block with this one use: its own code then dies. */
static bool absorbs(struct hd_select *sel, LLVMValueRef value, LLVMOpcode op)
{
	return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == op && hd_single_use(value) &&
	       LLVMGetInstructionParent(value) == LLVMGetInstructionParent(sel->inst);
}

static struct hd_opnd word_of(struct hd_select *sel, LLVMValueRef value)
{
	struct hd_leaf leaf = hd_sel_leaf(sel, value, 0);

	return hd_sel_word(sel, &leaf, 0);
}

/* ------------------------------------------------------------------ multiplication by word */

/* An i64 that is the product of two extended 32-bit values: a * b, with b = 1 for a mere extension. */
struct hd_wide {
	struct hd_opnd a, b;
	bool is_signed;
};

static bool extended_word(struct hd_select *sel, LLVMValueRef value, struct hd_opnd *word, bool *is_signed, bool *either)
{
	LLVMOpcode op;
	LLVMValueRef from;
	unsigned bits;

	if (!LLVMIsAInstruction(value))
		return false;
	op = LLVMGetInstructionOpcode(value);
	if (op != LLVMZExt && op != LLVMSExt)
		return false;
	from = LLVMGetOperand(value, 0);
	bits = hd_sel_bits(sel, LLVMTypeOf(from));
	if (bits > 32 || bits == 1)
		return false;
	*is_signed = op == LLVMSExt;
	*either = op == LLVMZExt && (LLVMGetNNeg(value) || bits < 32);
	*word = hd_sel_extended(sel, hd_sel_leaf(sel, from, 0), bits, op == LLVMSExt);
	return true;
}

static bool is_ext(LLVMValueRef value)
{
	LLVMOpcode op;

	if (!LLVMIsAInstruction(value))
		return false;
	op = LLVMGetInstructionOpcode(value);
	return op == LLVMZExt || op == LLVMSExt;
}

static bool match_mul(struct hd_select *sel, LLVMValueRef x, LLVMValueRef y, struct hd_wide *wide)
{
	bool sx, sy, ex, ey;
	uint64_t c;

	if (!is_ext(x) || !extended_word(sel, x, &wide->a, &sx, &ex))
		return false;
	if (hd_is_int_constant(y, &c)) {
		wide->is_signed = sx || (ex && (int64_t)c < 0);
		wide->b = hd_imm((uint32_t)c);
		return wide->is_signed ? (int64_t)c == (int32_t)c : c == (uint32_t)c;
	}
	if (!is_ext(y) || !extended_word(sel, y, &wide->b, &sy, &ey))
		return false;
	wide->is_signed = sx || sy;
	return sx == sy || (sx && ey) || (sy && ex);
}

static bool match_wide(struct hd_select *sel, LLVMValueRef value, struct hd_wide *wide)
{
	uint64_t shift;
	bool either;
	LLVMOpcode op;

	if (!LLVMIsAInstruction(value) || hd_sel_bits(sel, LLVMTypeOf(value)) != 64)
		return false;
	op = LLVMGetInstructionOpcode(value);
	if (op == LLVMZExt || op == LLVMSExt) {
		wide->b = hd_imm(1);
		return extended_word(sel, value, &wide->a, &wide->is_signed, &either);
	}
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
	struct hd_leaf c;
	uint64_t constant;

	if (hd_is_int_constant(addend, &constant) || !LLVMIsAInstruction(value) || !match_wide(sel, value, &wide))
		return false;
	if (LLVMGetInstructionOpcode(value) == LLVMMul && !hd_single_use(value))
		return false;
	c = hd_sel_leaf(sel, addend, 0);
	hd_sel_define_reg(sel, hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, HD_MOD(SIGN, wide.is_signed), wide.a, wide.b,
					       hd_sel_wide(sel, &c)));
	return true;
}

static struct hd_leaf mul_words(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b)
{
	struct hd_opnd sum[4] = { hd_rz(), hd_rz(), hd_rz(), hd_rz() };

	for (unsigned i = 0; i < 4; i++)
		for (unsigned j = 0; i + j < 4; j++) {
			struct hd_opnd x = hd_sel_word(sel, &a, i), y = hd_sel_word(sel, &b, j), term[4], total[4];
			struct hd_mreg product;
			unsigned at = i + j;

			if (at == 3) {
				sum[3] = hd_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, x, y, sum[3]));
				continue;
			}
			product = hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, 0, x, y, hd_none());
			for (unsigned k = at; k < 4; k++)
				term[k - at] = k - at < 2 ? hd_reg(hd_sub(product, k - at, 1)) : hd_rz();
			hd_sel_add_words(sel, 4 - at, sum + at, term, false, total);
			memcpy(sum + at, total, (4 - at) * sizeof(*sum));
		}
	return hd_leaf_reg(hd_sel_join(sel, sum, 4));
}

struct hd_leaf hd_sel_mul_leaf(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b)
{
	struct hd_opnd al, bl, ah, bh, high;
	struct hd_mreg low;

	if (a.words == 4)
		return mul_words(sel, a, b);
	if (a.words == 1)
		return hd_leaf_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, hd_sel_word(sel, &a, 0), hd_sel_word(sel, &b, 0), hd_none()));
	al = hd_sel_word(sel, &a, 0);
	ah = hd_sel_word(sel, &a, 1);
	bl = hd_sel_word(sel, &b, 0);
	bh = hd_sel_word(sel, &b, 1);
	low = hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, 0, al, bl, hd_none());
	high = hd_reg(hd_sub(low, 1, 1));
	if (bh.kind != HD_OPND_IMM || bh.x)
		high = hd_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, al, bh, high));
	if (ah.kind != HD_OPND_IMM || ah.x)
		high = hd_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, ah, bl, high));
	return hd_leaf_reg(hd_sel_pair(sel, hd_reg(hd_sub(low, 0, 1)), high));
}

void hd_sel_mul(struct hd_select *sel)
{
	struct hd_leaf a = hd_sel_arg(sel, 0), b = hd_sel_arg(sel, 1);
	struct hd_wide wide;

	if (a.words == 0) {
		hd_sel_define1(sel, hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, hd_sel_pred(sel, a), hd_sel_pred(sel, b)), false));
		return;
	}
	if (match_wide(sel, sel->inst, &wide)) {
		hd_sel_define_reg(sel, hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, HD_MOD(SIGN, wide.is_signed), wide.a, wide.b,
						       hd_none()));
		return;
	}
	hd_sel_define1(sel, hd_sel_mul_leaf(sel, a, b));
}

/* ------------------------------------------------------------------ addition */

/* x + y (or x - y, y - x by the signs) where x is absorbed: multiply-add, shift-add or a third addend. */
static bool add_fused(struct hd_select *sel, LLVMValueRef x, LLVMValueRef y, bool negate_x, bool negate_y)
{
	struct hd_opnd p, q, c;
	uint64_t shift;

	if (absorbs(sel, x, LLVMMul)) {
		p = word_of(sel, LLVMGetOperand(x, 0));
		q = word_of(sel, LLVMGetOperand(x, 1));
		c = word_of(sel, y);
		if (negate_x && p.kind == HD_OPND_IMM)
			q = hd_neg(q);
		else if (negate_x)
			p = hd_neg(p);
		hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_IMAD, 0, p, q, negate_y ? hd_neg(c) : c));
		return true;
	}
	if (absorbs(sel, x, LLVMShl) && hd_is_int_constant(LLVMGetOperand(x, 1), &shift) && shift < 32 && !negate_x &&
	    !negate_y) {
		p = word_of(sel, LLVMGetOperand(x, 0));
		hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_LEA, HD_MOD(SHAMT, shift), p, word_of(sel, y), hd_none()));
		return true;
	}
	if (absorbs(sel, x, LLVMAdd) || absorbs(sel, x, LLVMSub)) {
		bool minus = LLVMGetInstructionOpcode(x) == LLVMSub;

		p = word_of(sel, LLVMGetOperand(x, 0));
		q = word_of(sel, LLVMGetOperand(x, 1));
		c = word_of(sel, y);
		p = negate_x ? hd_neg(p) : p;
		q = negate_x != minus ? hd_neg(q) : q;
		hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_IADD3, 0, p, q, negate_y ? hd_neg(c) : c));
		return true;
	}
	return false;
}

static void add_words(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b, bool subtract)
{
	struct hd_opnd x[4], y[4], sum[4];

	for (unsigned i = 0; i < 4; i++) {
		x[i] = hd_sel_word(sel, &a, i);
		y[i] = hd_sel_word(sel, &b, i);
	}
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
		hd_sel_define1(sel, hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_XOR, hd_sel_pred(sel, a), hd_sel_pred(sel, b)), false));
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
	default:
		add_words(sel, a, b, subtract);
	}
}

/* ------------------------------------------------------------------ logic */

struct hd_logic {
	LLVMValueRef in[3];
	unsigned count;
};

static unsigned apply(LLVMOpcode op, unsigned a, unsigned b)
{
	return (op == LLVMAnd ? a & b : op == LLVMOr ? a | b : a ^ b) & 0xff;
}

static bool is_logic(LLVMOpcode op)
{
	return op == LLVMAnd || op == LLVMOr || op == LLVMXor;
}

static bool is_all_ones(LLVMValueRef value)
{
	uint64_t c;
	unsigned bits;

	if (!hd_is_int_constant(value, &c))
		return false;
	bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
	return c == (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1);
}

static int input_lut(struct hd_logic *logic, LLVMValueRef value)
{
	static const int masks[] = { HD_LUT_A, HD_LUT_B, HD_LUT_C };

	for (unsigned i = 0; i < logic->count; i++)
		if (logic->in[i] == value)
			return masks[i];
	if (logic->count == 3)
		return -1;
	logic->in[logic->count] = value;
	return masks[logic->count++];
}

/* The truth table of `value` over logic->in, looking into single-use operations; -1 when it needs too many inputs. */
static int logic_lut(struct hd_select *sel, struct hd_logic *logic, LLVMValueRef value, unsigned depth)
{
	struct hd_logic saved = *logic;
	LLVMOpcode op = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMCall;
	int a, b;

	if (depth && is_logic(op) && (value == sel->inst || absorbs(sel, value, op))) {
		if (op == LLVMXor && is_all_ones(LLVMGetOperand(value, 1))) {
			a = logic_lut(sel, logic, LLVMGetOperand(value, 0), depth);
			if (a >= 0)
				return ~a & 0xff;
		} else {
			a = logic_lut(sel, logic, LLVMGetOperand(value, 0), depth - 1);
			b = a < 0 ? -1 : logic_lut(sel, logic, LLVMGetOperand(value, 1), depth - 1);
			if (b >= 0)
				return (int)apply(op, (unsigned)a, (unsigned)b);
		}
		*logic = saved;
	}
	return input_lut(logic, value);
}

static struct hd_opnd logic_word(struct hd_select *sel, LLVMOpcode op, struct hd_opnd a, struct hd_opnd b)
{
	static const unsigned tables[] = { HD_LUT_A & HD_LUT_B, HD_LUT_A | HD_LUT_B, HD_LUT_A ^ HD_LUT_B };

	if (a.kind == HD_OPND_IMM && !a.ref_kind) {
		struct hd_opnd t = a;

		a = b;
		b = t;
	}
	if (b.kind == HD_OPND_IMM && !b.ref_kind) {
		if (a.kind == HD_OPND_IMM && !a.ref_kind)
			return hd_imm(op == LLVMAnd ? a.x & b.x : op == LLVMOr ? a.x | b.x : a.x ^ b.x);
		if (b.x == 0)
			return op == LLVMAnd ? hd_rz() : a;
		if (b.x == 0xffffffff && op != LLVMXor)
			return op == LLVMAnd ? a : b;
	}
	return hd_reg(hd_sel_logic(sel, tables[op == LLVMAnd ? 0 : op == LLVMOr ? 1 : 2], a, b, hd_none()));
}

/* and/or/xor of i1: predicates, fused into an integer compare where one is at hand. */
static void logic_pred(struct hd_select *sel, LLVMOpcode op)
{
	struct hd_popnd a = hd_sel_pred(sel, hd_sel_arg(sel, 0)), b = hd_sel_pred(sel, hd_sel_arg(sel, 1));
	unsigned boolean = op == LLVMAnd ? HD_BOOL_AND : op == LLVMOr ? HD_BOOL_OR : HD_BOOL_XOR;

	if (op == LLVMXor && (a.id == HD_MREG_PT || b.id == HD_MREG_PT)) {
		struct hd_popnd other = a.id == HD_MREG_PT ? b : a, constant = a.id == HD_MREG_PT ? a : b;

		hd_sel_define1(sel, other.id == HD_MREG_PT ? hd_leaf_imm(other.inverted != constant.inverted, 0) :
							     hd_leaf_pred(other.id, other.inverted == constant.inverted));
		return;
	}
	hd_sel_define1(sel, hd_leaf_pred(hd_sel_plop(sel, boolean, a, b), false));
}

/* The operation and those that it absorbs as one LOP3 a word. Wide constants are better taken word by word. */
static bool logic_fused(struct hd_select *sel, unsigned words)
{
	struct hd_logic logic = { .count = 0 };
	int lut = logic_lut(sel, &logic, sel->inst, 2);
	struct hd_leaf in[3];
	struct hd_opnd out[4];

	if (lut <= 0 || lut == 0xff)
		return false;
	for (unsigned i = 0; i < logic.count; i++) {
		in[i] = hd_sel_leaf(sel, logic.in[i], 0);
		if (in[i].kind == HD_LEAF_IMM && (words > 1 || logic.count == 1))
			return false;
	}
	for (unsigned w = 0; w < words; w++) {
		struct hd_opnd o[3] = { hd_none(), hd_none(), hd_none() };

		for (unsigned i = 0; i < logic.count; i++)
			o[i] = hd_sel_word(sel, &in[i], w);
		out[w] = hd_reg(hd_sel_logic(sel, (unsigned)lut, o[0], o[1], o[2]));
	}
	hd_sel_define_reg(sel, hd_sel_join(sel, out, words));
	return true;
}

void hd_sel_logic_op(struct hd_select *sel)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(sel->inst);
	struct hd_leaf a = hd_sel_arg(sel, 0), b = hd_sel_arg(sel, 1);
	struct hd_opnd out[4];

	if (a.words == 0) {
		logic_pred(sel, op);
		return;
	}
	if (logic_fused(sel, a.words))
		return;
	for (unsigned i = 0; i < a.words; i++)
		out[i] = logic_word(sel, op, hd_sel_word(sel, &a, i), hd_sel_word(sel, &b, i));
	hd_sel_define_reg(sel, hd_sel_join(sel, out, a.words));
}

/* ------------------------------------------------------------------ compares */

static unsigned swapped_compare(unsigned cmp)
{
	switch (cmp) {
	case HD_CMP_LT: return HD_CMP_GT;
	case HD_CMP_LE: return HD_CMP_GE;
	case HD_CMP_GT: return HD_CMP_LT;
	case HD_CMP_GE: return HD_CMP_LE;
	default: return cmp;
	}
}

static struct hd_leaf compare_preds(struct hd_select *sel, unsigned cmp, bool is_signed, struct hd_popnd a, struct hd_popnd b)
{
	/* As i1, true is 1 unsigned and -1 signed. */
	if (is_signed)
		cmp = swapped_compare(cmp);
	switch (cmp) {
	case HD_CMP_EQ:
		return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_XOR, a, b), true);
	case HD_CMP_NE:
		return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_XOR, a, b), false);
	case HD_CMP_LT:
		a.inverted = !a.inverted;
		return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, a, b), false);
	case HD_CMP_GT:
		b.inverted = !b.inverted;
		return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, a, b), false);
	case HD_CMP_LE:
		a.inverted = !a.inverted;
		return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, a, b), false);
	default:
		b.inverted = !b.inverted;
		return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, a, b), false);
	}
}

struct hd_leaf hd_sel_cmp(struct hd_select *sel, unsigned cmp, bool is_signed, struct hd_leaf a, struct hd_leaf b,
			  unsigned bits)
{
	uint32_t pred;

	if (a.words == 0)
		return compare_preds(sel, cmp, is_signed, hd_sel_pred(sel, a), hd_sel_pred(sel, b));
	if (a.words == 1)
		return hd_leaf_pred(hd_sel_isetp(sel, cmp, is_signed, hd_sel_extended(sel, a, bits, is_signed),
						 hd_sel_extended(sel, b, bits, is_signed)), false);
	a = hd_sel_extend_leaf(sel, a, bits, 32u * a.words, is_signed);
	b = hd_sel_extend_leaf(sel, b, bits, 32u * b.words, is_signed);
	if (a.kind == HD_LEAF_IMM) { /* constants sit in operand b */
		struct hd_leaf t = a;

		a = b;
		b = t;
		cmp = swapped_compare(cmp);
	}
	struct hd_mreg low = hd_sel_opnd_reg(sel, hd_sel_word(sel, &a, 0), 1);

	pred = hd_sel_isetp(sel, cmp, false, hd_reg(low), hd_sel_word(sel, &b, 0));
	for (unsigned i = 1; i < a.words; i++) {
		bool top = i + 1u == a.words;
		struct hd_opnd x = hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &a, i), 1)), y = hd_sel_word(sel, &b, i);
		uint32_t next = hd_mfunc_pred(sel->func);
		struct hd_minst *inst = hd_sel_op(sel, HD_OP_ISETP, HD_MOD(CMP, cmp) | HD_MOD(SIGN, top && is_signed) |
						  HD_MOD(EX, 1), HD_MREG_NONE, x, y, hd_none());

		inst->pdst = next;
		inst->psrc2 = pred;
		pred = next;
	}
	return hd_leaf_pred(pred, false);
}

static unsigned compare_code(LLVMIntPredicate predicate, bool *is_signed)
{
	*is_signed = predicate >= LLVMIntSGT;
	switch (predicate) {
	case LLVMIntEQ: return HD_CMP_EQ;
	case LLVMIntNE: return HD_CMP_NE;
	case LLVMIntUGT: case LLVMIntSGT: return HD_CMP_GT;
	case LLVMIntUGE: case LLVMIntSGE: return HD_CMP_GE;
	case LLVMIntULT: case LLVMIntSLT: return HD_CMP_LT;
	default: return HD_CMP_LE;
	}
}

void hd_sel_icmp(struct hd_select *sel)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(sel->inst, 0));
	bool is_signed;
	unsigned cmp = compare_code(LLVMGetICmpPredicate(sel->inst), &is_signed);

	if (!hd_sel_is_scalar(type)) {
		hd_sel_unsupported(sel, "compare of vectors");
		return;
	}
	hd_sel_define1(sel, hd_sel_cmp(sel, cmp, is_signed, hd_sel_arg(sel, 0), hd_sel_arg(sel, 1), hd_sel_bits(sel, type)));
}

/* ------------------------------------------------------------------ select */

static struct hd_leaf select_pred(struct hd_select *sel, struct hd_popnd cond, struct hd_popnd yes, struct hd_popnd no)
{
	struct hd_popnd not_cond = { cond.id, !cond.inverted };
	struct hd_popnd both, neither;

	if (yes.id == HD_MREG_PT) /* constant */
		return yes.inverted ? hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, not_cond, no), false) :
				      hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, cond, no), false);
	if (no.id == HD_MREG_PT)
		return no.inverted ? hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, cond, yes), false) :
				     hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, not_cond, yes), false);
	both.id = hd_sel_plop(sel, HD_BOOL_AND, cond, yes);
	neither.id = hd_sel_plop(sel, HD_BOOL_AND, not_cond, no);
	both.inverted = neither.inverted = false;
	return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, both, neither), false);
}

struct hd_leaf hd_sel_select_leaf(struct hd_select *sel, struct hd_popnd cond, struct hd_leaf yes, struct hd_leaf no)
{
	struct hd_opnd words[4];

	if (cond.id == HD_MREG_PT)
		return cond.inverted ? no : yes;
	if (yes.words == 0)
		return select_pred(sel, cond, hd_sel_pred(sel, yes), hd_sel_pred(sel, no));
	for (unsigned i = 0; i < yes.words; i++) {
		struct hd_opnd y = hd_sel_word(sel, &yes, i), n = hd_sel_word(sel, &no, i);

		words[i] = y.kind == HD_OPND_IMM && n.kind == HD_OPND_IMM && y.x == n.x && !y.ref_kind && !n.ref_kind ?
			   y : hd_reg(hd_sel_select(sel, cond, y, n));
	}
	return hd_leaf_reg(hd_sel_join(sel, words, yes.words));
}

/* select (a cmp b), a, b (or b, a) of 32-bit integers as IMNMX. */
static bool select_minmax(struct hd_select *sel)
{
	LLVMValueRef cond = LLVMGetOperand(sel->inst, 0), x, y, a = LLVMGetOperand(sel->inst, 1), b = LLVMGetOperand(sel->inst, 2);
	bool is_signed, less;
	unsigned cmp;

	if (!absorbs(sel, cond, LLVMICmp) || hd_sel_bits(sel, LLVMTypeOf(a)) != 32)
		return false;
	x = LLVMGetOperand(cond, 0);
	y = LLVMGetOperand(cond, 1);
	cmp = compare_code(LLVMGetICmpPredicate(cond), &is_signed);
	if (cmp == HD_CMP_EQ || cmp == HD_CMP_NE || !((x == a && y == b) || (x == b && y == a)))
		return false;
	less = (cmp == HD_CMP_LT || cmp == HD_CMP_LE) == (x == a);
	hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_IMNMX, HD_MOD(MINMAX, less ? HD_MIN : HD_MAX) | HD_MOD(SIGN, is_signed),
					  word_of(sel, a), word_of(sel, b), hd_none()));
	return true;
}

void hd_sel_choose(struct hd_select *sel)
{
	struct hd_leaf *conds, *yes, *no, *out;
	uint32_t cond_count, count;

	if (select_minmax(sel))
		return;
	cond_count = hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 0), &conds);
	count = hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 1), &yes);
	hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 2), &no);
	out = hd_arena_alloc(sel->func->arena, (count + 1) * sizeof(*out));
	for (uint32_t i = 0; i < count; i++)
		out[i] = hd_sel_select_leaf(sel, hd_sel_pred(sel, conds[cond_count == count ? i : 0]), yes[i], no[i]);
	hd_sel_define(sel, sel->inst, out, count);
}
