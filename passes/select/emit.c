/*
 * Selection: emission of machine instructions. Operands come as registers, immediates or
 * constant-bank words; what the opcode cannot take in that slot is moved to a register.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

/* What depends on more than its operands, or has an effect: the linear version of a kernel does the same in the same
 * order. And branches: liveness asks which IR instruction decides. */
static bool has_site(unsigned op, uint16_t mods)
{
	unsigned effects = op < HD_OP_LIMIT ? hd_opinfo[op].effects : 0;
	if (op == HD_OP_S2R)
		return hd_mod_get(mods, HD_MOD_SR) >= HD_SR_CLOCK_LO;
	return effects & (HD_FX_LOAD | HD_FX_STORE | HD_FX_SIDE | HD_FX_CONVERGENT | HD_FX_BRANCH) && op != HD_OP_LDC;
}

struct hd_minst *hd_sel_push(struct hd_select *sel, unsigned op, uint16_t mods)
{
	struct hd_mblock *block = &sel->func->blocks.data[sel->block];
	struct hd_minst inst = hd_minst_make(op, mods);
	inst.loc = sel->loc;
	inst.ir = sel->ir;
	if (has_site(op, mods) && ++sel->sites < HD_SITE_PARTS)
		inst.site = sel->visit * HD_SITE_PARTS + sel->sites;
	if (op < HD_OP_LIMIT && hd_opinfo[op].space)
		inst.variable = hd_sel_variable(sel, sel->inst);
	hd_vec_push(&block->insts, inst);
	return &hd_vec_last(&block->insts);
}

/* The bit of an immediate that is its sign, in floating point; 0: the sources are integers. */
static uint32_t sign_bit(unsigned op, uint16_t mods)
{
	enum hd_number number = op < HD_OP_LIMIT ? hd_op_number(op, mods) : HD_N__;
	return number == HD_N_HALF ? 0x8000 : number == HD_N_F || number == HD_N_D ? 0x80000000 : 0;
}

static bool in_register(const struct hd_opnd *opnd)
{
	return opnd->kind == HD_OPND_REG || opnd->kind == HD_OPND_NONE || opnd->kind == HD_OPND_LINEAR;
}

/* Source modifiers of an immediate become part of it, and zero is RZ. */
static void fold_immediate(unsigned op, uint16_t mods, struct hd_opnd *opnd, unsigned width)
{
	uint32_t sign = sign_bit(op, mods);
	if (opnd->kind != HD_OPND_IMM || opnd->ref_kind)
		return;
	if (sign) {
		opnd->x = opnd->abs ? opnd->x & ~sign : opnd->x;
		opnd->x = opnd->neg ? opnd->x ^ sign : opnd->x;
	} else if (opnd->neg) {
		opnd->x = hd_mod_get(mods, HD_MOD_EX) && op == HD_OP_IADD3 ? ~opnd->x : -opnd->x;
	}
	opnd->neg = opnd->abs = false;
	if (!opnd->x && width)
		*opnd = hd_reg((struct hd_mreg){HD_RZ, 0, (uint8_t)width});
}

static void swap_operands(struct hd_opnd *a, struct hd_opnd *b)
{
	struct hd_opnd t = *a;
	*a = *b;
	*b = t;
}

static void to_register(struct hd_select *sel, unsigned op, struct hd_opnd *opnd, unsigned width)
{
	struct hd_opnd reg;
	if (op == HD_OP_IMAD_WIDE && width == 2 && opnd->kind == HD_OPND_IMM) /* sign-extended, unlike a double's */
		reg = hd_reg(hd_sel_pair(sel, *opnd, hd_imm(opnd->x >> 31 ? 0xffffffff : 0)));
	else
		reg = hd_reg(hd_sel_opnd_reg(sel, *opnd, width));
	reg.neg = opnd->neg;
	reg.abs = opnd->abs;
	*opnd = reg;
}

/* One linear operand an instruction, as wide as its slot; the others are moved to registers. */
static void limit_linear(struct hd_select *sel, unsigned op, struct hd_opnd o[3], const unsigned width[3])
{
	bool taken = !hd_op_takes_linear(op);
	for (unsigned i = 0; i < 3; i++) {
		if (o[i].kind != HD_OPND_LINEAR)
			continue;
		if (taken || o[i].reg.words != width[i])
			to_register(sel, op, &o[i], width[i]);
		else
			taken = true;
	}
}

static void legalise(struct hd_select *sel, unsigned op, uint16_t *mods, struct hd_opnd o[3], const unsigned width[3])
{
	unsigned srcx = hd_opinfo[op].srcx;
	bool b_free = srcx == HD_XB || srcx == HD_XBC, c_free = srcx == HD_XC || srcx == HD_XBC;
	for (unsigned i = 0; i < 3; i++)
		fold_immediate(op, *mods, &o[i], width[i]);
	limit_linear(sel, op, o, width);
	/* Comparisons are turned round where it is known which words are in registers anyway (simplify.c). */
	if (!in_register(&o[0]) && op < HD_OP_LIMIT && hd_opinfo[op].swap != HD_SWAP_CMP) {
		bool b = in_register(&o[1]), c = !b && o[2].kind == HD_OPND_REG;
		if ((b || c) && hd_op_swap(op, b ? HD_SLOT_B : HD_SLOT_C, mods))
			swap_operands(&o[0], &o[b ? 1 : 2]);
	}
	if (!in_register(&o[0]))
		to_register(sel, op, &o[0], width[0]);
	if (!in_register(&o[1]) && !b_free)
		to_register(sel, op, &o[1], width[1]);
	if (!in_register(&o[2]) && !c_free)
		to_register(sel, op, &o[2], width[2]);
	if (!in_register(&o[1]) && !in_register(&o[2]))
		to_register(sel, op, &o[o[1].kind == HD_OPND_IMM ? 1 : 2], width[o[1].kind == HD_OPND_IMM ? 1 : 2]);
}

static void place(struct hd_minst *inst, struct hd_mreg *slot, const struct hd_opnd *opnd, unsigned width,
		  unsigned index)
{
	static const uint8_t neg[] = {HD_NEG_A, HD_NEG_B, HD_NEG_C}, abs[] = {HD_ABS_A, HD_ABS_B, 0};
	if (opnd->neg)
		inst->srcmods |= neg[index];
	if (opnd->abs)
		inst->srcmods |= abs[index];
	switch (opnd->kind) {
	case HD_OPND_NONE:
		if (width)
			*slot = (struct hd_mreg){HD_RZ, 0, (uint8_t)width};
		break;
	case HD_OPND_LINEAR:
		inst->linear = opnd->linear | HD_LR(0, HD_SLOT_A + index, 0, 0);
		inst->coefficient = opnd->coefficient;
		break;
	case HD_OPND_REG:
		*slot = opnd->reg;
		if (opnd->reg.id == HD_RZ)
			slot->words = (uint8_t)width;
		break;
	default:
		inst->x = opnd->x;
		inst->ref_kind = opnd->ref_kind;
		inst->ref = opnd->ref;
		inst->xkind = opnd->kind == HD_OPND_IMM ? (index == 1 ? HD_X_IMM_B : HD_X_IMM_C)
							: (index == 1 ? HD_X_CONST_B : HD_X_CONST_C);
	}
}

struct hd_minst *hd_sel_op(struct hd_select *sel, unsigned op, uint16_t mods, struct hd_mreg dst, struct hd_opnd a,
			   struct hd_opnd b, struct hd_opnd c)
{
	struct hd_opnd o[3] = {a, b, c};
	unsigned width[3];
	for (unsigned i = 0; i < 3; i++)
		width[i] = hd_op_width(op, mods, HD_SLOT_A + i);
	legalise(sel, op, &mods, o, width);
	struct hd_minst *inst = hd_sel_push(sel, op, mods);
	inst->dst = dst;
	place(inst, &inst->a, &o[0], width[0], 0);
	place(inst, &inst->b, &o[1], width[1], 1);
	place(inst, &inst->c, &o[2], width[2], 2);
	return inst;
}

struct hd_mreg hd_sel_alu(struct hd_select *sel, unsigned op, uint16_t mods, struct hd_opnd a, struct hd_opnd b,
			  struct hd_opnd c)
{
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
	hd_sel_op(sel, op, mods, dst, a, b, c);
	return dst;
}

struct hd_mreg hd_sel_alu_wide(struct hd_select *sel, unsigned op, uint16_t mods, struct hd_opnd a, struct hd_opnd b,
			       struct hd_opnd c)
{
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 2);
	hd_sel_op(sel, op, mods, dst, a, b, c);
	return dst;
}

static bool is_plain_imm(const struct hd_opnd *opnd)
{
	return opnd->kind == HD_OPND_IMM && !opnd->ref_kind && !opnd->neg;
}

bool hd_opnd_is_zero(const struct hd_opnd *opnd)
{
	return (is_plain_imm(opnd) && !opnd->x) || (opnd->kind == HD_OPND_REG && opnd->reg.id == HD_RZ);
}

struct hd_mreg hd_sel_add(struct hd_select *sel, struct hd_opnd a, struct hd_opnd b)
{
	if (is_plain_imm(&a) && is_plain_imm(&b))
		return hd_sel_opnd_reg(sel, hd_imm(a.x + b.x), 1);
	if (hd_opnd_is_zero(&b) && a.kind == HD_OPND_REG && !a.neg)
		return a.reg;
	return hd_sel_alu(sel, HD_OP_IADD3, 0, a, b, hd_none());
}

struct hd_mreg hd_sel_logic(struct hd_select *sel, unsigned lut, struct hd_opnd a, struct hd_opnd b, struct hd_opnd c)
{
	return hd_sel_alu(sel, HD_OP_LOP3, HD_MOD(LUT, lut & 0xff), a, b, c);
}

struct hd_mreg hd_sel_select(struct hd_select *sel, struct hd_popnd cond, struct hd_opnd yes, struct hd_opnd no)
{
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
	if (hd_opnd_is_zero(&yes)) /* RZ counts as a register */
		yes = hd_rz();
	if (!in_register(&yes)) {
		swap_operands(&yes, &no);
		cond.inverted = !cond.inverted;
	}
	struct hd_minst *inst = hd_sel_op(sel, HD_OP_SEL, 0, dst, yes, no, hd_none());
	inst->psrc = cond.id;
	inst->psrc_not = cond.inverted;
	return dst;
}

static bool fold_compare(unsigned cmp, bool is_signed, uint32_t a, uint32_t b)
{
	int order = is_signed ? ((int32_t)a > (int32_t)b) - ((int32_t)a < (int32_t)b) : (a > b) - (a < b);
	switch (cmp) {
	case HD_CMP_LT: return order < 0;
	case HD_CMP_EQ: return order == 0;
	case HD_CMP_LE: return order <= 0;
	case HD_CMP_GT: return order > 0;
	case HD_CMP_NE: return order != 0;
	default: return order >= 0;
	}
}

uint32_t hd_sel_isetp(struct hd_select *sel, unsigned cmp, bool is_signed, struct hd_opnd a, struct hd_opnd b)
{
	static const uint8_t swapped[] = {[HD_CMP_LT] = HD_CMP_GT, [HD_CMP_EQ] = HD_CMP_EQ, [HD_CMP_LE] = HD_CMP_GE,
					  [HD_CMP_GT] = HD_CMP_LT, [HD_CMP_NE] = HD_CMP_NE, [HD_CMP_GE] = HD_CMP_LE};
	uint32_t pred = hd_mfunc_pred(sel->func);
	if (is_plain_imm(&a) && is_plain_imm(&b)) { /* a compare of constants still needs a register for its result */
		bool result = fold_compare(cmp, is_signed, a.x, b.x);

		a = b = hd_rz();
		cmp = result ? HD_CMP_EQ : HD_CMP_NE;
	}
	if (!in_register(&a) && in_register(&b)) {
		swap_operands(&a, &b);
		cmp = swapped[cmp];
	}
	struct hd_minst *inst =
		hd_sel_op(sel, HD_OP_ISETP, HD_MOD(CMP, cmp) | HD_MOD(SIGN, is_signed), HD_MREG_NONE, a, b, hd_none());
	inst->pdst = pred;
	return pred;
}

uint32_t hd_sel_plop(struct hd_select *sel, unsigned boolean, struct hd_popnd a, struct hd_popnd b)
{
	uint32_t pred = hd_mfunc_pred(sel->func);
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_PLOP, HD_MOD(BOOL, boolean));
	inst->pdst = pred;
	inst->psrc = a.id;
	inst->psrc_not = a.inverted;
	inst->psrc2 = b.id;
	inst->psrc2_not = b.inverted;
	return pred;
}

void hd_sel_add_words(struct hd_select *sel, unsigned count, struct hd_opnd *a, struct hd_opnd *b, bool subtract,
		      struct hd_opnd *sum)
{
	uint32_t carry = HD_MREG_PT;
	for (unsigned i = 0; i < count; i++) {
		/* A subtraction is a + ~b + 1: the first word takes its carry from PT. */
		bool extended = subtract || i > 0;
		struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
		struct hd_minst *inst;

		if (subtract && !in_register(&b[i]) && !is_plain_imm(&b[i]))
			b[i] = hd_reg(hd_sel_opnd_reg(sel, b[i], 1));
		inst = hd_sel_op(sel, HD_OP_IADD3, HD_MOD(EX, extended), dst, a[i], subtract ? hd_neg(b[i]) : b[i],
				 hd_none());
		inst->psrc = carry;
		if (i + 1 < count) {
			carry = hd_mfunc_pred(sel->func);
			inst->pdst = carry;
		}
		sum[i] = hd_reg(dst);
	}
}

struct hd_mreg hd_sel_add64(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b, bool subtract)
{
	struct hd_opnd x[2], y[2];
	for (unsigned i = 0; i < 2; i++) {
		x[i] = hd_sel_word(sel, &a, i);
		y[i] = hd_sel_word(sel, &b, i);
	}
	struct hd_opnd sum[2];
	/* Nothing is carried out of a zero low word. */
	if (hd_opnd_is_zero(&y[0]) && (x[0].kind == HD_OPND_REG || is_plain_imm(&x[0]))) {
		sum[0] = x[0];
		sum[1] = hd_reg(hd_sel_alu(sel, HD_OP_IADD3, 0, x[1], subtract ? hd_neg(y[1]) : y[1], hd_none()));
	} else {
		hd_sel_add_words(sel, 2, x, y, subtract, sum);
	}
	return hd_sel_pair(sel, sum[0], sum[1]);
}
