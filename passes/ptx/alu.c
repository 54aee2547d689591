/*
 * Inline PTX: arithmetic, logic and shifts. Opcodes that integers and floats share (add, min, abs) stand
 * here and hand floats over to float.c.
 */
#include "heddle/opcodes.h"
#include "passes/ptx/ptx.h"

static unsigned words_of(unsigned bits)
{
	return (bits + 31) / 32;
}

struct hd_ptx_type hd_ptx_integer_type(struct hd_ptx *ptx)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	if (!strchr("usb", type.class) || type.bits < 16)
		hd_ptx_error(ptx, "missing integer type");
	return type;
}

/* ------------------------------------------------------------------ addition with carries */

/* a + b (a - b) with a carry (borrow) in and out where they are given. */
static struct hd_leaf add_chain(struct hd_ptx *ptx, struct hd_leaf a, struct hd_leaf b, bool subtract, bool in,
				bool out)
{
	struct hd_select *sel = ptx->sel;
	/* The machine's carry is "no borrow" in a subtraction (opcodes.def). */
	struct hd_popnd carry = {ptx->carry.id, ptx->carry.inverted ^ subtract};
	struct hd_opnd sum[2];

	for (unsigned i = 0; i < a.words; i++) {
		bool chained = in || i > 0;
		struct hd_mreg x = hd_sel_opnd_reg(sel, hd_sel_word(sel, &a, i), 1);
		struct hd_opnd y = hd_sel_word(sel, &b, i);
		if (y.kind != HD_OPND_IMM || y.ref_kind)
			y = hd_reg(hd_sel_opnd_reg(sel, y, 1));
		if (subtract && y.kind == HD_OPND_IMM && !y.x)
			y = hd_rz();
		struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
		struct hd_minst *inst = hd_sel_op(sel, HD_OP_IADD3, HD_MOD(EX, chained || subtract), dst, hd_reg(x),
						  subtract ? hd_neg(y) : y, hd_none());
		if (chained) {
			inst->psrc = carry.id;
			inst->psrc_not = carry.inverted;
		}
		if (out || i + 1u < a.words) {
			carry = (struct hd_popnd){hd_mfunc_pred(sel->func), false};
			inst->pdst = carry.id;
		}
		sum[i] = hd_reg(dst);
	}
	if (out)
		ptx->carry = (struct hd_popnd){carry.id, subtract};
	return hd_leaf_reg(hd_sel_join(sel, sum, a.words));
}

struct hd_leaf hd_ptx_plain_add(struct hd_ptx *ptx, struct hd_leaf a, struct hd_leaf b, bool subtract)
{
	if (a.words == 2)
		return hd_leaf_reg(hd_sel_add64(ptx->sel, a, b, subtract));
	struct hd_opnd y = hd_sel_word(ptx->sel, &b, 0);
	return hd_leaf_reg(hd_sel_add(ptx->sel, hd_sel_word(ptx->sel, &a, 0), subtract ? hd_neg(y) : y));
}

enum { SUBTRACT = 1, CARRY_IN = 2 };

static void add(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	bool out = hd_ptx_has(ptx, "cc");
	if (strchr("fhg", type.class)) {
		hd_ptx_float_op(ptx, arg & SUBTRACT ? HD_FP_ADD | 0x10 : HD_FP_ADD);
		return;
	}
	type = hd_ptx_integer_type(ptx);
	struct hd_leaf a = hd_ptx_in(ptx, 1, type.bits);
	struct hd_leaf b = hd_ptx_in(ptx, 2, type.bits);
	if (hd_ptx_has(ptx, "sat") && (type.class != 's' || type.bits != 32))
		hd_ptx_error(ptx, "only .s32 saturates");
	else if (hd_ptx_has(ptx, "sat"))
		hd_ptx_out(ptx, 0, hd_sel_saturated_sum(ptx->sel, a, b, arg & SUBTRACT), 32);
	else if (out || (arg & CARRY_IN))
		hd_ptx_out(ptx, 0, add_chain(ptx, a, b, arg & SUBTRACT, arg & CARRY_IN, out), type.bits);
	else
		hd_ptx_out(ptx, 0, hd_ptx_plain_add(ptx, a, b, arg & SUBTRACT), type.bits);
}

/* ------------------------------------------------------------------ multiplication */

static struct hd_leaf product(struct hd_ptx *ptx, struct hd_ptx_type type, struct hd_leaf a, struct hd_leaf b)
{
	struct hd_select *sel = ptx->sel;
	bool sign = hd_ptx_type_is_signed(type);
	if (hd_ptx_has(ptx, "wide")) {
		a = hd_sel_extend_leaf(sel, a, type.bits, 32, sign);
		b = hd_sel_extend_leaf(sel, b, type.bits, 32, sign);
		if (type.bits == 16)
			return hd_leaf_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, hd_sel_word(sel, &a, 0),
						      hd_sel_word(sel, &b, 0), hd_none()));
		return hd_leaf_reg(hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, HD_MOD(SIGN, sign), hd_sel_word(sel, &a, 0),
						   hd_sel_word(sel, &b, 0), hd_none()));
	}
	if (!hd_ptx_has(ptx, "hi"))
		return hd_sel_mul_leaf(sel, a, b);
	if (type.bits > 16)
		return hd_sel_mul_high(sel, a, b, sign);
	a = hd_sel_extend_leaf(sel, a, 16, 32, sign);
	b = hd_sel_extend_leaf(sel, b, 16, 32, sign);
	return hd_sel_shift_leaf(sel, LLVMLShr, hd_sel_mul_leaf(sel, a, b), hd_leaf_imm(16, 1), 32);
}

static void multiply(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	bool wide = hd_ptx_has(ptx, "wide");
	(void)arg;
	if (strchr("fhg", type.class)) {
		hd_ptx_float_op(ptx, HD_FP_MUL);
		return;
	}
	type = hd_ptx_integer_type(ptx);
	if (wide && type.bits == 64)
		hd_ptx_error(ptx, "wide products need operands of at most 32 bits");
	else
		hd_ptx_out(ptx, 0, product(ptx, type, hd_ptx_in(ptx, 1, type.bits), hd_ptx_in(ptx, 2, type.bits)),
			   wide ? 2 * type.bits : type.bits);
}

static void multiply_add(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	struct hd_select *sel = ptx->sel;
	bool wide = hd_ptx_has(ptx, "wide"), out = hd_ptx_has(ptx, "cc");
	if (strchr("fhg", type.class)) {
		hd_ptx_float_op(ptx, HD_FP_FMA);
		return;
	}
	type = hd_ptx_integer_type(ptx);
	unsigned bits;
	bits = wide ? 2 * type.bits : type.bits;
	if (ptx->failed || bits > 64) {
		hd_ptx_error(ptx, "wide products need operands of at most 32 bits");
		return;
	}
	struct hd_leaf a = hd_ptx_in(ptx, 1, type.bits);
	struct hd_leaf b = hd_ptx_in(ptx, 2, type.bits);
	struct hd_leaf c = hd_ptx_in(ptx, 3, bits);
	if (out || (arg & CARRY_IN)) {
		hd_ptx_out(ptx, 0, add_chain(ptx, product(ptx, type, a, b), c, false, arg & CARRY_IN, out), bits);
		return;
	}
	if (wide && type.bits == 32)
		hd_ptx_out(ptx, 0,
			   hd_leaf_reg(hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, HD_MOD(SIGN, hd_ptx_type_is_signed(type)),
						       hd_sel_word(sel, &a, 0), hd_sel_word(sel, &b, 0),
						       hd_reg(hd_sel_reg(sel, c)))),
			   64);
	else if (type.bits == 32 && !wide)
		hd_ptx_out(ptx, 0,
			   hd_leaf_reg(hd_sel_alu(sel, hd_ptx_has(ptx, "hi") ? HD_OP_IMAD_HI : HD_OP_IMAD,
						  hd_ptx_has(ptx, "hi") ? HD_MOD(SIGN, hd_ptx_type_is_signed(type)) : 0,
						  hd_sel_word(sel, &a, 0), hd_sel_word(sel, &b, 0),
						  hd_sel_word(sel, &c, 0))),
			   32);
	else
		hd_ptx_out(ptx, 0, hd_ptx_plain_add(ptx, product(ptx, type, a, b), c, false), bits);
}

/* mul24 and mad24, .lo */
static void multiply_24(struct hd_ptx *ptx, unsigned add)
{
	struct hd_ptx_type type = hd_ptx_integer_type(ptx);
	struct hd_opnd a = hd_sel_extended(ptx->sel, hd_ptx_in(ptx, 1, 32), 24, hd_ptx_type_is_signed(type));
	struct hd_opnd b = hd_sel_extended(ptx->sel, hd_ptx_in(ptx, 2, 32), 24, hd_ptx_type_is_signed(type));
	hd_ptx_out(ptx, 0,
		   hd_leaf_reg(hd_sel_alu(ptx->sel, HD_OP_IMAD, 0, a, b, add ? hd_ptx_word(ptx, 3) : hd_none())), 32);
}

static void dot_product(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type b = hd_ptx_type(ptx, 0), a = hd_ptx_type(ptx, 1);
	(void)arg;
	if (a.bits != 32 || b.bits != 32) {
		hd_ptx_error(ptx, "expected two types");
		return;
	}
	hd_ptx_out(ptx, 0,
		   hd_leaf_reg(
			   hd_sel_alu(ptx->sel, HD_OP_IDP4A,
				      HD_MOD(SIGN, hd_ptx_type_is_signed(a)) | HD_MOD(SIGNB, hd_ptx_type_is_signed(b)),
				      hd_ptx_word(ptx, 1), hd_ptx_word(ptx, 2), hd_ptx_word(ptx, 3))),
		   32);
}

/* |a - b| + c */
static void absolute_difference(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type type = hd_ptx_integer_type(ptx);
	struct hd_leaf a = hd_ptx_in(ptx, 1, type.bits), b = hd_ptx_in(ptx, 2, type.bits);
	(void)arg;
	if (ptx->failed)
		return;
	struct hd_leaf high = hd_sel_minmax(ptx->sel, true, hd_ptx_type_is_signed(type), a, b, type.bits);
	struct hd_leaf low = hd_sel_minmax(ptx->sel, false, hd_ptx_type_is_signed(type), a, b, type.bits);
	high = hd_ptx_plain_add(ptx, high, low, true);
	hd_ptx_out(ptx, 0, hd_ptx_plain_add(ptx, high, hd_ptx_in(ptx, 3, type.bits), false), type.bits);
}

/* ------------------------------------------------------------------ signs, minimum and maximum */

static void minmax(struct hd_ptx *ptx, unsigned max)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	if (type.class == 'f' || (strchr("hg", type.class) && type.bits == 16)) {
		hd_ptx_out(ptx, 0, hd_ptx_float_minmax(ptx, type, max), type.bits);
		return;
	}
	type = hd_ptx_integer_type(ptx);
	if (!ptx->failed)
		hd_ptx_out(ptx, 0,
			   hd_sel_minmax(ptx->sel, max, hd_ptx_type_is_signed(type), hd_ptx_in(ptx, 1, type.bits),
					 hd_ptx_in(ptx, 2, type.bits), type.bits),
			   type.bits);
}

static struct hd_leaf negated(struct hd_ptx *ptx, struct hd_leaf value)
{
	return hd_ptx_plain_add(ptx, hd_leaf_imm(0, value.words), value, true);
}

static void sign(struct hd_ptx *ptx, unsigned absolute)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	struct hd_select *sel = ptx->sel;
	struct hd_leaf a;
	if (strchr("fhg", type.class) && !(type.bits == 32 && type.class != 'f')) {
		unsigned lut = absolute ? HD_LUT_A & HD_LUT_B : HD_LUT_A ^ HD_LUT_B;
		uint32_t mask = absolute ? 0x7fffffff : 0x80000000u;
		a = hd_ptx_in(ptx, 1, type.bits);
		if (type.bits == 16) { /* hd_sel_sign shifts the mask down */
			a = hd_sel_sign(sel, a, LLVMHalfTypeKind, lut, mask);
		} else {
			a = hd_sel_sign(sel, a, hd_ptx_kind(type), lut, mask);
			if (hd_ptx_has(ptx, "ftz"))
				a = hd_leaf_reg(hd_sel_alu(sel, HD_OP_FADD, HD_MOD(FTZ, 1), hd_sel_word(sel, &a, 0),
							   hd_imm(0x80000000u), hd_none()));
		}
		hd_ptx_out(ptx, 0, a, type.bits);
		return;
	}
	type = hd_ptx_integer_type(ptx);
	a = hd_ptx_in(ptx, 1, type.bits);
	if (ptx->failed)
		return;
	if (!absolute)
		hd_ptx_out(ptx, 0, negated(ptx, a), type.bits);
	else if (type.bits == 64)
		hd_ptx_out(ptx, 0, hd_sel_minmax(sel, true, true, a, negated(ptx, a), 64), 64);
	else
		hd_ptx_out(ptx, 0,
			   hd_leaf_reg(hd_sel_alu(sel, HD_OP_IABS, 0, hd_none(),
						  hd_sel_extended(sel, a, type.bits, true), hd_none())),
			   type.bits);
}

/* ------------------------------------------------------------------ logic and shifts */

static void logic(struct hd_ptx *ptx, unsigned lut)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	struct hd_select *sel = ptx->sel;
	bool one = lut == (~HD_LUT_A & 0xff);
	struct hd_leaf b = hd_leaf_imm(0, 0);
	struct hd_leaf a;
	if (!type.bits || type.bits == 8) {
		hd_ptx_error(ptx, "missing type");
		return;
	}
	a = hd_ptx_in(ptx, 1, type.bits);
	if (!one)
		b = hd_ptx_in(ptx, 2, type.bits);
	if (type.bits == 1) {
		struct hd_popnd x = hd_sel_pred(sel, a), y = hd_sel_pred(sel, b);
		unsigned boolean = lut == (HD_LUT_A & HD_LUT_B)	  ? HD_BOOL_AND
				   : lut == (HD_LUT_A | HD_LUT_B) ? HD_BOOL_OR
								  : HD_BOOL_XOR;
		if (one)
			x.inverted = !x.inverted;
		hd_ptx_out(ptx, 0,
			   hd_leaf_pred(hd_sel_plop(sel, boolean, x, one ? (struct hd_popnd){HD_MREG_PT, true} : y),
					false),
			   1);
		return;
	}
	struct hd_opnd out[2];
	for (unsigned i = 0; i < words_of(type.bits); i++)
		out[i] = hd_reg(hd_sel_logic(sel, lut, hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &a, i), 1)),
					     one ? hd_none() : hd_sel_word(sel, &b, i), hd_none()));
	hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_join(sel, out, words_of(type.bits))), type.bits);
}

static void lop3(struct hd_ptx *ptx, unsigned arg)
{
	uint64_t lut = 0;
	(void)arg;
	if (!hd_ptx_constant(ptx, 4, &lut) || lut > 0xff) {
		hd_ptx_error(ptx, "the table is not an 8-bit number");
		return;
	}
	hd_ptx_out(ptx, 0,
		   hd_leaf_reg(hd_sel_logic(ptx->sel, (unsigned)lut, hd_ptx_word(ptx, 1), hd_ptx_word(ptx, 2),
					    hd_ptx_word(ptx, 3))),
		   32);
}

/* Distances beyond the width count as the width. */
static struct hd_leaf clamped(struct hd_leaf amount, unsigned bits)
{
	if (amount.kind == HD_LEAF_IMM && amount.imm[0] > bits)
		amount.imm[0] = bits;
	return amount;
}

struct hd_leaf hd_ptx_shifted(struct hd_ptx *ptx, LLVMOpcode op, struct hd_leaf value, struct hd_leaf amount,
			      unsigned bits)
{
	/* A narrow value lies extended in a word, which is shifted as such. */
	if (bits < 32) {
		value = hd_sel_extend_leaf(ptx->sel, value, bits, 32, op == LLVMAShr);
		bits = 32;
	}
	if (bits == 64 && amount.kind != HD_LEAF_IMM) /* beyond that funnel shifts take the distance's lower bits */
		amount = hd_sel_minmax(ptx->sel, false, false, amount, hd_leaf_imm(64, 1), 32);
	return hd_sel_shift_leaf(ptx->sel, op, value, clamped(amount, bits), bits);
}

static void shift(struct hd_ptx *ptx, unsigned left)
{
	struct hd_ptx_type type = hd_ptx_integer_type(ptx);
	if (!ptx->failed)
		hd_ptx_out(ptx, 0,
			   hd_ptx_shifted(ptx,
					  left				? LLVMShl
					  : hd_ptx_type_is_signed(type) ? LLVMAShr
									: LLVMLShr,
					  hd_ptx_in(ptx, 1, type.bits), hd_ptx_in(ptx, 2, 32), type.bits),
			   type.bits);
}

/* 1 for zero, 0 for all else. */
static void is_zero(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_opnd a = hd_reg(hd_sel_opnd_reg(ptx->sel, hd_ptx_word(ptx, 1), 1));
	struct hd_leaf zero = hd_leaf_pred(hd_sel_isetp(ptx->sel, HD_CMP_EQ, false, a, hd_rz()), false);
	(void)arg;
	hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_opnd_reg(ptx->sel, hd_sel_bool_word(ptx->sel, zero, 1), 1)), 32);
}

/* shf d, a, b, c: of b:a; the machine has the distance in b. */
static void funnel(struct hd_ptx *ptx, unsigned op)
{
	bool wrap = hd_ptx_has(ptx, "wrap");
	if (wrap == hd_ptx_has(ptx, "clamp")) {
		hd_ptx_error(ptx, "expected .clamp or .wrap");
		return;
	}
	hd_ptx_out(ptx, 0,
		   hd_leaf_reg(hd_sel_alu(ptx->sel, op, HD_MOD(WRAP, wrap), hd_ptx_word(ptx, 1), hd_ptx_word(ptx, 3),
					  hd_reg(hd_sel_opnd_reg(ptx->sel, hd_ptx_word(ptx, 2), 1)))),
		   32);
}

#define INTEGERS " u16 s16 u32 s32 u64 s64 b16 b32 b64 "
#define FLOATS " rn rz rm rp ftz sat approx full NaN f16 bf16 f16x2 bf16x2 f32 f64 "
#define ALL_LOGIC " pred b16 b32 b64 "

const struct hd_ptx_row hd_ptx_alu[] = {
	{"add", " cc sat " INTEGERS FLOATS, 3, add, 0, false},
	{"sub", " cc sat " INTEGERS FLOATS, 3, add, SUBTRACT, false},
	{"addc", " cc " INTEGERS, 3, add, CARRY_IN, false},
	{"subc", " cc " INTEGERS, 3, add, CARRY_IN | SUBTRACT, false},
	{"mul", " lo hi wide " INTEGERS FLOATS, 3, multiply, 0, false},
	{"mad", " lo hi wide cc " INTEGERS FLOATS, 4, multiply_add, 0, false},
	{"madc", " lo hi cc " INTEGERS, 4, multiply_add, CARRY_IN, false},
	{"fma", FLOATS, 4, multiply_add, 0, false},
	{"mul24.lo", " u32 s32 ", 3, multiply_24, 0, false},
	{"mad24.lo", " u32 s32 ", 4, multiply_24, 1, false},
	{"sad", INTEGERS, 4, absolute_difference, 0, false},
	{"dp4a", " u32 s32 ", 4, dot_product, 0, false},
	{"min", INTEGERS FLOATS, 3, minmax, 0, false},
	{"max", INTEGERS FLOATS, 3, minmax, 1, false},
	{"neg", INTEGERS FLOATS, 2, sign, 0, false},
	{"abs", INTEGERS FLOATS, 2, sign, 1, false},
	{"and", ALL_LOGIC, 3, logic, HD_LUT_A &HD_LUT_B, false},
	{"or", ALL_LOGIC, 3, logic, HD_LUT_A | HD_LUT_B, false},
	{"xor", ALL_LOGIC, 3, logic, HD_LUT_A ^ HD_LUT_B, false},
	{"not", ALL_LOGIC, 2, logic, ~HD_LUT_A & 0xff, false},
	{"cnot.b32", "", 2, is_zero, 0, false},
	{"lop3", " b32 ", 5, lop3, 0, false},
	{"shl", INTEGERS, 3, shift, 1, false},
	{"shr", INTEGERS, 3, shift, 0, false},
	{"shf.l", " clamp wrap b32 ", 4, funnel, HD_OP_SHF_L, false},
	{"shf.r", " clamp wrap b32 ", 4, funnel, HD_OP_SHF_R, false},
	{NULL, NULL, 0, NULL, 0, false},
};
