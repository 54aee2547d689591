/*
 * Selection: integer logic, compares and selects.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

bool hd_sel_absorbs(struct hd_select *sel, LLVMValueRef value, LLVMOpcode op)
{
	return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == op && hd_single_use(value) &&
	       !hd_sel_is_overridden(sel, value) &&
	       LLVMGetInstructionParent(value) == LLVMGetInstructionParent(sel->inst);
}

struct hd_opnd hd_sel_value_word(struct hd_select *sel, LLVMValueRef value)
{
	struct hd_leaf leaf = hd_sel_leaf(sel, value, 0);
	return hd_sel_word(sel, &leaf, 0);
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
	if (!hd_is_int_constant(value, &c))
		return false;
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
	return c == (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1);
}

static int input_lut(struct hd_logic *logic, LLVMValueRef value)
{
	static const int masks[] = {HD_LUT_A, HD_LUT_B, HD_LUT_C};
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
	if (depth && is_logic(op) && (value == sel->inst || hd_sel_absorbs(sel, value, op))) {
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
	static const unsigned tables[] = {HD_LUT_A & HD_LUT_B, HD_LUT_A | HD_LUT_B, HD_LUT_A ^ HD_LUT_B};
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

static unsigned compare_code(LLVMIntPredicate predicate, bool *is_signed)
{
	*is_signed = predicate >= LLVMIntSGT;
	switch (predicate) {
	case LLVMIntEQ: return HD_CMP_EQ;
	case LLVMIntNE: return HD_CMP_NE;
	case LLVMIntUGT:
	case LLVMIntSGT: return HD_CMP_GT;
	case LLVMIntUGE:
	case LLVMIntSGE: return HD_CMP_GE;
	case LLVMIntULT:
	case LLVMIntSLT: return HD_CMP_LT;
	default: return HD_CMP_LE;
	}
}

/* compare BOOL other in one ISETP, where the compare is of single words and dies here. False when it is not. */
static bool compare_and(struct hd_select *sel, LLVMValueRef compare, unsigned boolean, struct hd_popnd other)
{
	if (!hd_sel_absorbs(sel, compare, LLVMICmp))
		return false;
	LLVMValueRef x = LLVMGetOperand(compare, 0);
	unsigned bits = hd_scalar_bits(LLVMTypeOf(x));
	if (!bits || bits > 32 || bits == 1)
		return false;
	bool is_signed;
	unsigned cmp = compare_code(LLVMGetICmpPredicate(compare), &is_signed);
	struct hd_leaf leaf = hd_sel_cmp(sel, cmp, is_signed, hd_sel_leaf(sel, x, 0),
					 hd_sel_leaf(sel, LLVMGetOperand(compare, 1), 0), bits);
	struct hd_mblock *block;
	block = &sel->func->blocks.data[sel->block];
	hd_vec_last(&block->insts).mods |= HD_MOD(BOOL, boolean);
	hd_vec_last(&block->insts).psrc = other.id;
	hd_vec_last(&block->insts).psrc_not = other.inverted;
	hd_sel_define1(sel, leaf);
	return true;
}

/* and/or/xor of i1: predicates, fused into an integer compare where one is at hand. */
static void logic_pred(struct hd_select *sel, LLVMOpcode op)
{
	struct hd_popnd a = hd_sel_pred(sel, hd_sel_arg(sel, 0)), b = hd_sel_pred(sel, hd_sel_arg(sel, 1));
	unsigned boolean = op == LLVMAnd ? HD_BOOL_AND : op == LLVMOr ? HD_BOOL_OR : HD_BOOL_XOR;
	if (op == LLVMXor && (a.id == HD_MREG_PT || b.id == HD_MREG_PT)) {
		struct hd_popnd other = a.id == HD_MREG_PT ? b : a, constant = a.id == HD_MREG_PT ? a : b;
		hd_sel_define1(sel, other.id == HD_MREG_PT
					    ? hd_leaf_imm(other.inverted != constant.inverted, 0)
					    : hd_leaf_pred(other.id, other.inverted == constant.inverted));
		return;
	}
	if (compare_and(sel, LLVMGetOperand(sel->inst, 1), boolean, a) ||
	    compare_and(sel, LLVMGetOperand(sel->inst, 0), boolean, b))
		return;
	hd_sel_define1(sel, hd_leaf_pred(hd_sel_plop(sel, boolean, a, b), false));
}

/* The operation and those that it absorbs as one LOP3 a word. Wide constants are better taken word by word. */
static bool logic_fused(struct hd_select *sel, unsigned words)
{
	struct hd_logic logic = {.count = 0};
	int lut = logic_lut(sel, &logic, sel->inst, 2);
	if (lut <= 0 || lut == 0xff)
		return false;
	struct hd_leaf in[3];
	for (unsigned i = 0; i < logic.count; i++) {
		in[i] = hd_sel_leaf(sel, logic.in[i], 0);
		if (in[i].kind == HD_LEAF_IMM && (words > 1 || logic.count == 1))
			return false;
	}
	struct hd_opnd out[4];
	for (unsigned w = 0; w < words; w++) {
		struct hd_opnd o[3] = {hd_none(), hd_none(), hd_none()};
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
	if (a.words == 0) {
		logic_pred(sel, op);
		return;
	}
	if (logic_fused(sel, a.words))
		return;
	struct hd_opnd out[4];
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

static struct hd_leaf compare_preds(struct hd_select *sel, unsigned cmp, bool is_signed, struct hd_popnd a,
				    struct hd_popnd b)
{
	/* As i1, true is 1 unsigned and -1 signed. */
	if (is_signed)
		cmp = swapped_compare(cmp);
	switch (cmp) {
	case HD_CMP_EQ: return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_XOR, a, b), true);
	case HD_CMP_NE: return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_XOR, a, b), false);
	case HD_CMP_LT: a.inverted = !a.inverted; return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, a, b), false);
	case HD_CMP_GT: b.inverted = !b.inverted; return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, a, b), false);
	case HD_CMP_LE: a.inverted = !a.inverted; return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, a, b), false);
	default: b.inverted = !b.inverted; return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, a, b), false);
	}
}

struct hd_leaf hd_sel_cmp(struct hd_select *sel, unsigned cmp, bool is_signed, struct hd_leaf a, struct hd_leaf b,
			  unsigned bits)
{
	if (a.words == 0)
		return compare_preds(sel, cmp, is_signed, hd_sel_pred(sel, a), hd_sel_pred(sel, b));
	if (a.words == 1)
		return hd_leaf_pred(hd_sel_isetp(sel, cmp, is_signed, hd_sel_extended(sel, a, bits, is_signed),
						 hd_sel_extended(sel, b, bits, is_signed)),
				    false);
	a = hd_sel_extend_leaf(sel, a, bits, 32u * a.words, is_signed);
	b = hd_sel_extend_leaf(sel, b, bits, 32u * b.words, is_signed);
	if (a.kind == HD_LEAF_IMM) { /* constants sit in operand b */
		struct hd_leaf t = a;

		a = b;
		b = t;
		cmp = swapped_compare(cmp);
	}
	if (a.words == 2 && b.kind == HD_LEAF_IMM && !(uint32_t)b.imm[0] && (cmp == HD_CMP_LT || cmp == HD_CMP_GE))
		return hd_leaf_pred(
			hd_sel_isetp(sel, cmp, is_signed, hd_sel_word(sel, &a, 1), hd_sel_word(sel, &b, 1)),
			false); /* the low words decide nothing: below k 2^32 is what has a high word below k */
	struct hd_mreg low = hd_sel_opnd_reg(sel, hd_sel_word(sel, &a, 0), 1);
	uint32_t pred;

	pred = hd_sel_isetp(sel, cmp, false, hd_reg(low), hd_sel_word(sel, &b, 0));
	for (unsigned i = 1; i < a.words; i++) {
		bool top = i + 1u == a.words;
		struct hd_opnd x = hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &a, i), 1)),
			       y = hd_sel_word(sel, &b, i);
		uint32_t next = hd_mfunc_pred(sel->func);
		struct hd_minst *inst =
			hd_sel_op(sel, HD_OP_ISETP, HD_MOD(CMP, cmp) | HD_MOD(SIGN, top && is_signed) | HD_MOD(EX, 1),
				  HD_MREG_NONE, x, y, hd_none());
		inst->pdst = next;
		inst->psrc2 = pred;
		pred = next;
	}
	return hd_leaf_pred(pred, false);
}

void hd_sel_icmp(struct hd_select *sel)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(sel->inst, 0));
	bool is_signed;
	unsigned cmp = compare_code(LLVMGetICmpPredicate(sel->inst), &is_signed);
	if (!hd_is_scalar(type)) {
		hd_sel_unsupported(sel, "comparison of vectors");
		return;
	}
	hd_sel_define1(sel,
		       hd_sel_cmp(sel, cmp, is_signed, hd_sel_arg(sel, 0), hd_sel_arg(sel, 1), hd_scalar_bits(type)));
}

/* ------------------------------------------------------------------ select */

static struct hd_leaf select_pred(struct hd_select *sel, struct hd_popnd cond, struct hd_popnd yes, struct hd_popnd no)
{
	struct hd_popnd not_cond = {cond.id, !cond.inverted};
	if (yes.id == HD_MREG_PT) /* constant */
		return yes.inverted ? hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, not_cond, no), false)
				    : hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, cond, no), false);
	if (no.id == HD_MREG_PT)
		return no.inverted ? hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, cond, yes), false)
				   : hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, not_cond, yes), false);
	struct hd_popnd both;
	both.id = hd_sel_plop(sel, HD_BOOL_AND, cond, yes);
	struct hd_popnd neither;
	neither.id = hd_sel_plop(sel, HD_BOOL_AND, not_cond, no);
	both.inverted = neither.inverted = false;
	return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, both, neither), false);
}

struct hd_leaf hd_sel_select_leaf(struct hd_select *sel, struct hd_popnd cond, struct hd_leaf yes, struct hd_leaf no)
{
	if (cond.id == HD_MREG_PT)
		return cond.inverted ? no : yes;
	if (yes.words == 0)
		return select_pred(sel, cond, hd_sel_pred(sel, yes), hd_sel_pred(sel, no));
	struct hd_opnd words[4];
	for (unsigned i = 0; i < yes.words; i++) {
		struct hd_opnd y = hd_sel_word(sel, &yes, i), n = hd_sel_word(sel, &no, i);
		words[i] = y.kind == HD_OPND_IMM && n.kind == HD_OPND_IMM && y.x == n.x && !y.ref_kind && !n.ref_kind
				   ? y
				   : hd_reg(hd_sel_select(sel, cond, y, n));
	}
	return hd_leaf_reg(hd_sel_join(sel, words, yes.words));
}

/* select (a cmp b), a, b (or b, a) of 32-bit integers as IMNMX. */
static bool select_minmax(struct hd_select *sel)
{
	LLVMValueRef cond = LLVMGetOperand(sel->inst, 0), x, y, a = LLVMGetOperand(sel->inst, 1),
		     b = LLVMGetOperand(sel->inst, 2);
	if (!hd_sel_absorbs(sel, cond, LLVMICmp) || hd_scalar_bits(LLVMTypeOf(a)) != 32)
		return false;
	x = LLVMGetOperand(cond, 0);
	y = LLVMGetOperand(cond, 1);
	bool is_signed;
	unsigned cmp = compare_code(LLVMGetICmpPredicate(cond), &is_signed);
	if (cmp == HD_CMP_EQ || cmp == HD_CMP_NE || !((x == a && y == b) || (x == b && y == a)))
		return false;
	bool less = (cmp == HD_CMP_LT || cmp == HD_CMP_LE) == (x == a);
	hd_sel_define_reg(sel,
			  hd_sel_alu(sel, HD_OP_IMNMX, HD_MOD(MINMAX, less ? HD_MIN : HD_MAX) | HD_MOD(SIGN, is_signed),
				     hd_sel_value_word(sel, a), hd_sel_value_word(sel, b), hd_none()));
	return true;
}

/* select c, x, false is c and x; select c, true, x is c or x. */
static bool select_logic(struct hd_select *sel)
{
	LLVMValueRef cond = LLVMGetOperand(sel->inst, 0), yes = LLVMGetOperand(sel->inst, 1),
		     no = LLVMGetOperand(sel->inst, 2), x;
	uint64_t constant = 0;
	if (LLVMGetTypeKind(LLVMTypeOf(yes)) != LLVMIntegerTypeKind || hd_scalar_bits(LLVMTypeOf(yes)) != 1)
		return false;
	bool both = hd_is_int_constant(no, &constant) && !constant;
	if (!both && !(hd_is_int_constant(yes, &constant) && constant))
		return false;
	x = both ? yes : no;
	return compare_and(sel, x, both ? HD_BOOL_AND : HD_BOOL_OR, hd_sel_pred(sel, hd_sel_leaf(sel, cond, 0))) ||
	       compare_and(sel, cond, both ? HD_BOOL_AND : HD_BOOL_OR, hd_sel_pred(sel, hd_sel_leaf(sel, x, 0)));
}

void hd_sel_choose(struct hd_select *sel)
{
	if (select_minmax(sel) || select_logic(sel))
		return;
	struct hd_leaf *conds;
	uint32_t cond_count = hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 0), &conds);
	struct hd_leaf *yes;
	uint32_t count = hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 1), &yes);
	struct hd_leaf *no;
	hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 2), &no);
	struct hd_leaf *out;
	out = hd_arena_alloc(sel->func->arena, (count + 1) * sizeof(*out));
	for (uint32_t i = 0; i < count; i++)
		out[i] = hd_sel_select_leaf(sel, hd_sel_pred(sel, conds[cond_count == count ? i : 0]), yes[i], no[i]);
	hd_sel_define(sel, sel->inst, out, count);
}
