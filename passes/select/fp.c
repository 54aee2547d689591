/*
 * Selection: floating-point arithmetic, compares and conversions. Half and bfloat are added and multiplied by
 * instructions of their own, alone in the lower half of a register. What these have no instruction for is computed in
 * float and rounded: float has more than twice their precision plus two bits, so the second rounding of a quotient
 * changes nothing (Figueroa 1995).
 */
#include <math.h>
#include <string.h>

#include "heddle/opcodes.h"
#include "passes/select/select.h"

#define SIGN_BIT 0x80000000u

unsigned hd_float_type(LLVMTypeKind kind)
{
	switch (kind) {
	case LLVMHalfTypeKind: return HD_F16;
	case LLVMBFloatTypeKind: return HD_BF16;
	case LLVMDoubleTypeKind: return HD_F64;
	default: return HD_F32;
	}
}

static bool is_narrow(LLVMTypeKind kind)
{
	return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

static bool check_kind(struct hd_select *sel, LLVMTypeKind kind)
{
	if (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || is_narrow(kind))
		return true;
	hd_sel_unsupported(sel, "floating-point type");
	return false;
}

/* ------------------------------------------------------------------ operands */

static bool is_fabs(LLVMValueRef value)
{
	if (!LLVMIsACallInst(value))
		return false;
	LLVMValueRef callee = LLVMGetCalledValue(value);
	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) &&
	       !strncmp(LLVMGetValueName(callee), "llvm.fabs.", 10);
}

static struct hd_opnd float_opnd(struct hd_select *sel, struct hd_leaf leaf)
{
	if (leaf.words == 1)
		return hd_sel_word(sel, &leaf, 0);
	/* A double immediate is its high word. */
	if (leaf.kind == HD_LEAF_IMM && !(uint32_t)leaf.imm[0])
		return hd_imm((uint32_t)(leaf.imm[0] >> 32));
	return hd_sel_wide(sel, &leaf);
}

struct hd_opnd hd_sel_float(struct hd_select *sel, LLVMValueRef value, unsigned peel)
{
	bool neg = false, abs = false;
	while (LLVMIsAInstruction(value)) {
		if (LLVMGetInstructionOpcode(value) == LLVMFNeg && (peel & HD_SM_NEG) && !abs)
			neg = !neg;
		else if ((peel & HD_SM_ABS) && is_fabs(value) && !abs)
			abs = true;
		else
			break;
		value = LLVMGetOperand(value, 0);
	}
	struct hd_opnd opnd = float_opnd(sel, hd_sel_leaf(sel, value, 0));
	opnd.neg = neg;
	opnd.abs = abs;
	return opnd;
}

/* The integer unit makes numbers of 16 bits, from sm_80 on, a zero beside each (fuse.c pairs them). A denormal of
 * single precision that .FTZ would flush is less than half of the least f16. */
static bool converts_pairs(const struct hd_select *sel, unsigned op, unsigned to, unsigned from, uint16_t mods)
{
	uint32_t rounding = hd_mod_get(mods, HD_MOD_RND);
	bool flushes = hd_mod_get(mods, HD_MOD_FTZ) && to == HD_BF16;
	return op == HD_OP_F2F && from == HD_F32 && (to == HD_F16 || to == HD_BF16) && !flushes &&
	       !hd_mod_get(mods, HD_MOD_SAT) && (rounding == HD_RN || rounding == HD_RND_RZ) &&
	       hd_sel_capability(sel) >= 80;
}

struct hd_leaf hd_sel_convert(struct hd_select *sel, unsigned op, unsigned to, unsigned from, uint16_t mods,
			      struct hd_leaf value)
{
	if (converts_pairs(sel, op, to, from, mods))
		return hd_leaf_reg(hd_sel_alu(sel, HD_OP_F2FP,
					      HD_MOD(DTYPE, to) | HD_MOD(RND, hd_mod_get(mods, HD_MOD_RND)), hd_rz(),
					      hd_sel_word(sel, &value, 0), hd_none()));
	if (op == HD_OP_F2F && from == HD_F16 && to == HD_F32 && !hd_mod_get(mods, HD_MOD_SAT))
		return hd_leaf_reg(
			hd_sel_alu(sel, HD_OP_HADD2_F32, 0, hd_none(), hd_sel_word(sel, &value, 0), hd_none()));
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, hd_type_registers(to));
	struct hd_opnd opnd =
		hd_type_registers(from) > 1 ? hd_reg(hd_sel_reg(sel, value)) : hd_sel_word(sel, &value, 0);
	hd_sel_op(sel, op, HD_MOD(DTYPE, to) | HD_MOD(STYPE, from) | mods, dst, hd_none(), opnd, hd_none());
	return hd_leaf_reg(dst);
}

struct hd_leaf hd_sel_to_f32(struct hd_select *sel, struct hd_leaf leaf, LLVMTypeKind kind)
{
	if (kind == LLVMFloatTypeKind)
		return leaf;
	return hd_sel_convert(sel, HD_OP_F2F, HD_F32, hd_float_type(kind), 0, leaf);
}

struct hd_leaf hd_sel_from_f32(struct hd_select *sel, struct hd_leaf leaf, LLVMTypeKind kind)
{
	if (kind == LLVMFloatTypeKind)
		return leaf;
	return hd_sel_convert(sel, HD_OP_F2F, hd_float_type(kind), HD_F32, 0, leaf);
}

/* ------------------------------------------------------------------ arithmetic */

static struct hd_mreg mufu(struct hd_select *sel, enum hd_mufu function, struct hd_opnd value, bool ftz)
{
	return hd_sel_alu(sel, HD_OP_MUFU, HD_MOD(MUFUFN, function) | HD_MOD(FTZ, ftz), hd_none(), value, hd_none());
}

/* MUFU takes turns. Of the sine and the cosine of one angle, which come one after the other, the second finds the first
 * one's. */
static struct hd_mreg turns_of(struct hd_select *sel, struct hd_opnd angle, bool ftz)
{
	struct hd_select_turns *last = &sel->turns;
	if (angle.kind == HD_OPND_REG && last->func == sel->func && last->block == sel->block && last->ftz == ftz &&
	    last->angle.reg.id == angle.reg.id && last->angle.reg.sub == angle.reg.sub &&
	    last->angle.neg == angle.neg && last->angle.abs == angle.abs)
		return last->turns;
	struct hd_mreg turns = hd_sel_alu(sel, HD_OP_FMUL, HD_MOD(RND, HD_RND_RZ) | HD_MOD(FTZ, ftz), angle,
					  hd_imm(HD_SEL_TURN), hd_none());
	if (angle.kind == HD_OPND_REG)
		*last = (struct hd_select_turns){sel->func, sel->block, angle, turns, ftz};
	return turns;
}

/* `yes` where the magnitude compares so with the limit, else `no`. */
static struct hd_opnd factor(struct hd_select *sel, struct hd_opnd value, unsigned cmp, uint32_t limit, uint32_t yes,
			     struct hd_opnd no)
{
	uint32_t pred = hd_mfunc_pred(sel->func);
	value.abs = true;
	value.neg = false;
	hd_sel_op(sel, HD_OP_FSETP, HD_MOD(CMP, cmp), HD_MREG_NONE, value, hd_imm(limit), hd_none())->pdst = pred;
	return hd_reg(hd_sel_select(sel, (struct hd_popnd){pred, false}, hd_imm(yes), no));
}

/* MUFU takes denormals for zero: 2^24 for those (`small`), a quarter for what has a denormal reciprocal (`large`). */
static struct hd_opnd scale_of(struct hd_select *sel, struct hd_opnd value, bool small, bool large)
{
	struct hd_opnd scale = hd_imm(0x3f800000);
	if (small)
		scale = factor(sel, value, HD_CMP_LT, 0x00800000, 0x4b800000, scale);
	return large ? factor(sel, value, HD_CMP_GT, 0x7e800000, 0x3e800000, scale) : scale;
}

static struct hd_opnd times(struct hd_select *sel, struct hd_opnd a, struct hd_opnd b, bool ftz)
{
	return hd_reg(hd_sel_alu(sel, HD_OP_FMUL, HD_MOD(FTZ, ftz), a, b, hd_none()));
}

static struct hd_mreg unknown_special(struct hd_select *sel, enum hd_mufu function, struct hd_opnd value, bool ftz)
{
	if (function == HD_MUFU_SIN || function == HD_MUFU_COS)
		return mufu(sel, function, hd_reg(turns_of(sel, value, ftz)), ftz);
	if (function != HD_MUFU_RCP || ftz)
		return mufu(sel, function, value, ftz);
	struct hd_opnd scale = scale_of(sel, value, true, true);
	return times(sel, scale, hd_reg(mufu(sel, function, times(sel, value, scale, false), true)), false).reg;
}

struct hd_leaf hd_sel_mufu(struct hd_select *sel, enum hd_mufu function, struct hd_opnd value, bool ftz)
{
	uint32_t known;
	if (hd_sel_known_special(function, value, ftz, &known))
		return hd_leaf_imm(known, 1);
	return hd_leaf_reg(unknown_special(sel, function, value, ftz));
}

struct hd_mreg hd_sel_quotient(struct hd_select *sel, struct hd_opnd top, struct hd_opnd bottom, bool full, bool ftz)
{
	uint32_t inverse;
	if (hd_sel_known_special(HD_MUFU_RCP, bottom, ftz, &inverse))
		return times(sel, top, hd_imm(inverse), ftz).reg;
	if (full) {
		struct hd_opnd scale = scale_of(sel, bottom, !ftz, true);
		top = times(sel, top, scale, false);
		bottom = times(sel, bottom, scale, false);
	}
	return times(sel, top, hd_reg(mufu(sel, HD_MUFU_RCP, bottom, full || ftz)), ftz).reg;
}

static const uint16_t fp_opcode[][2] = {
	[HD_FP_ADD] = {HD_OP_FADD, HD_OP_DADD},
	[HD_FP_MUL] = {HD_OP_FMUL, HD_OP_DMUL},
	[HD_FP_FMA] = {HD_OP_FFMA, HD_OP_DFMA},
	[HD_FP_MINMAX] = {HD_OP_FMNMX, HD_OP_FMNMX},
};

static struct hd_popnd compare_doubles(struct hd_select *sel, unsigned cmp, struct hd_mreg x, struct hd_mreg y)
{
	uint32_t pred = hd_mfunc_pred(sel->func);
	hd_sel_op(sel, HD_OP_DSETP, HD_MOD(CMP, cmp), HD_MREG_NONE, hd_reg(x), hd_reg(y), hd_none())->pdst = pred;
	return (struct hd_popnd){pred, false};
}

/*
 * Double min and max: DSETP and SEL. The number wins over a NaN; under NAN the NaN does, and -0 is below +0: of equal
 * operands min takes both signs, max takes the sign that both have.
 */
struct hd_leaf hd_sel_double_minmax(struct hd_select *sel, uint16_t mods, struct hd_opnd a, struct hd_opnd b)
{
	bool max = hd_mod_get(mods, HD_MOD_MINMAX);
	struct hd_mreg x = hd_sel_opnd_reg(sel, a, 2), y = hd_sel_opnd_reg(sel, b, 2);
	struct hd_leaf left = hd_leaf_reg(x), right = hd_leaf_reg(y);
	if (x.id == HD_RZ)
		left.words = x.words = 2;
	if (y.id == HD_RZ)
		right.words = y.words = 2;
	struct hd_popnd first;
	/* b is chosen when it compares beyond a, or when a is NaN, unless b itself is NaN. */
	first = compare_doubles(sel, max ? HD_CMP_LTU : HD_CMP_GTU, x, y);
	struct hd_popnd y_nan = compare_doubles(sel, HD_CMP_NAN, y, y);
	y_nan.inverted = true;
	first.id = hd_sel_plop(sel, HD_BOOL_AND, first, y_nan);
	struct hd_leaf out = hd_sel_select_leaf(sel, first, right, left);
	if (!hd_mod_get(mods, HD_MOD_NAN))
		return out;
	struct hd_popnd equal = compare_doubles(sel, HD_CMP_EQ, x, y);
	struct hd_mreg high = hd_sel_logic(sel, max ? HD_LUT_A & HD_LUT_B : HD_LUT_A | HD_LUT_B,
					   hd_reg(hd_sub(x, 1, 1)), hd_reg(hd_sub(y, 1, 1)), hd_none());
	out = hd_sel_select_leaf(sel, equal, hd_leaf_reg(hd_sel_pair(sel, hd_reg(hd_sub(x, 0, 1)), hd_reg(high))), out);
	struct hd_popnd none = compare_doubles(sel, HD_CMP_NAN, x, y);
	return hd_sel_select_leaf(sel, none, hd_leaf_imm(UINT64_C(0x7ff8000000000000), 2), out);
}

/* These instructions have registers only. */
static struct hd_opnd in_register(struct hd_select *sel, struct hd_opnd opnd)
{
	struct hd_opnd out = opnd;
	if (opnd.kind == HD_OPND_NONE)
		return opnd;
	out.neg = false;
	out = hd_reg(hd_sel_opnd_reg(sel, out, 1));
	out.neg = opnd.neg;
	return out;
}

struct hd_mreg hd_sel_half_op(struct hd_select *sel, enum hd_fp_op op, LLVMTypeKind kind, uint16_t mods,
			      const struct hd_opnd o[3])
{
	static const uint16_t opcodes[] = {
		[HD_FP_ADD] = HD_OP_HADD2, [HD_FP_MUL] = HD_OP_HMUL2, [HD_FP_FMA] = HD_OP_HFMA2};
	return hd_sel_alu(sel, opcodes[op], HD_MOD(DTYPE, hd_float_type(kind)) | mods, in_register(sel, o[0]),
			  in_register(sel, o[1]), in_register(sel, o[2]));
}

struct hd_leaf hd_sel_fp_op(struct hd_select *sel, enum hd_fp_op op, LLVMTypeKind kind, uint16_t mods,
			    const LLVMValueRef *args)
{
	unsigned count = op == HD_FP_FMA ? 3 : 2;
	unsigned peel = op == HD_FP_FMA ? HD_SM_NEG : HD_SM_NEG | HD_SM_ABS;
	struct hd_opnd o[3] = {hd_none(), hd_none(), hd_none()};
	if (!check_kind(sel, kind))
		return hd_leaf_imm(0, 1);
	if (is_narrow(kind) && op == HD_FP_MINMAX) {
		for (unsigned i = 0; i < count; i++)
			o[i] = float_opnd(sel, hd_sel_to_f32(sel, hd_sel_leaf(sel, args[i], 0), kind));
		struct hd_leaf out = hd_leaf_reg(hd_sel_alu(sel, fp_opcode[op][0], mods, o[0], o[1], o[2]));
		return hd_sel_from_f32(sel, out, kind);
	}
	if (is_narrow(kind)) { /* denormals stay: LLVM's flag is of single precision */
		for (unsigned i = 0; i < count; i++)
			o[i] = hd_sel_float(sel, args[i], HD_SM_NEG);
		return hd_leaf_reg(hd_sel_half_op(sel, op, kind, mods & HD_MOD(SAT, 1), o));
	}
	if (op == HD_FP_MINMAX && kind == LLVMDoubleTypeKind)
		peel = 0;
	for (unsigned i = 0; i < count; i++)
		o[i] = hd_sel_float(sel, args[i], peel);
	if (op == HD_FP_MINMAX && kind == LLVMDoubleTypeKind)
		return hd_sel_double_minmax(sel, mods, o[0], o[1]);
	if (kind == LLVMDoubleTypeKind)
		return hd_leaf_reg(hd_sel_alu_wide(sel, fp_opcode[op][1], mods & ~HD_MOD(FTZ, 1), o[0], o[1], o[2]));
	return hd_leaf_reg(hd_sel_alu(sel, fp_opcode[op][0], mods, o[0], o[1], o[2]));
}

static bool contracts(LLVMValueRef inst)
{
	return LLVMCanValueUseFastMathFlags(inst) && (LLVMGetFastMathFlags(inst) & LLVMFastMathAllowContract);
}

/* x +- y with one of them a product that dies here: one fused operation, where both allow contraction. */
static bool contract(struct hd_select *sel, LLVMTypeKind kind)
{
	bool subtract = LLVMGetInstructionOpcode(sel->inst) == LLVMFSub;
	unsigned wide = kind == LLVMDoubleTypeKind;
	if (is_narrow(kind) || !contracts(sel->inst))
		return false;
	for (unsigned side = 0; side < 2; side++) {
		LLVMValueRef mul = LLVMGetOperand(sel->inst, side), other = LLVMGetOperand(sel->inst, !side);
		if (!LLVMIsAInstruction(mul) || LLVMGetInstructionOpcode(mul) != LLVMFMul || !hd_single_use(mul) ||
		    LLVMGetInstructionParent(mul) != LLVMGetInstructionParent(sel->inst) || !contracts(mul))
			continue;
		struct hd_opnd a = hd_sel_float(sel, LLVMGetOperand(mul, 0), HD_SM_NEG);
		struct hd_opnd b = hd_sel_float(sel, LLVMGetOperand(mul, 1), HD_SM_NEG);
		struct hd_opnd c = hd_sel_float(sel, other, HD_SM_NEG);
		if (subtract && side == 0)
			c = hd_neg(c);
		else if (subtract)
			a = hd_neg(a);
		if (wide)
			hd_sel_define_reg(sel, hd_sel_alu_wide(sel, HD_OP_DFMA, 0, a, b, c));
		else
			hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_FFMA, HD_MOD(FTZ, sel->ftz), a, b, c));
		return true;
	}
	return false;
}

/* Only divisions that may be approximate come here: hd_legalize makes calls of the others. */
static void divide(struct hd_select *sel, LLVMTypeKind kind)
{
	LLVMValueRef x = LLVMGetOperand(sel->inst, 0), y = LLVMGetOperand(sel->inst, 1);
	if (kind != LLVMFloatTypeKind && !is_narrow(kind)) {
		hd_sel_unsupported(sel, "floating-point division of this type");
		return;
	}
	if (is_narrow(kind)) { /* only bfloat16 has numbers that are denormal in single precision */
		struct hd_leaf a = hd_sel_to_f32(sel, hd_sel_leaf(sel, x, 0), kind),
			       b = hd_sel_to_f32(sel, hd_sel_leaf(sel, y, 0), kind);
		struct hd_mreg ratio = hd_sel_quotient(sel, hd_sel_word(sel, &a, 0), hd_sel_word(sel, &b, 0), false,
						       kind == LLVMHalfTypeKind);
		hd_sel_define1(sel, hd_sel_from_f32(sel, hd_leaf_reg(ratio), kind));
		return;
	}
	struct hd_opnd bottom = hd_sel_float(sel, y, HD_SM_NEG | HD_SM_ABS),
		       top = hd_sel_float(sel, x, HD_SM_NEG | HD_SM_ABS);
	if (LLVMHasMetadata(sel->inst) && LLVMGetMetadata(sel->inst, sel->md_scaled)) {
		struct hd_mreg inverse = mufu(sel, HD_MUFU_RCP, bottom, true);
		hd_sel_define_reg(sel, times(sel, top, hd_reg(inverse), sel->ftz).reg);
		return;
	}
	if (top.kind == HD_OPND_IMM && top.x == 0x3f800000 && !top.neg)
		hd_sel_define1(sel, hd_sel_mufu(sel, HD_MUFU_RCP, bottom, sel->ftz));
	else
		hd_sel_define_reg(sel, hd_sel_quotient(sel, top, bottom, false, sel->ftz));
}

static bool is_known(struct hd_leaf leaf, float *value)
{
	uint32_t bits = (uint32_t)leaf.imm[0];
	memcpy(value, &bits, sizeof bits);
	return leaf.kind == HD_LEAF_IMM && leaf.words == 1;
}

/* Numbers that only selection knows: of special functions of constants (nvvm_fp.c). */
static bool is_known_product(struct hd_select *sel, LLVMValueRef args[2])
{
	float a, b;
	if (!is_known(hd_sel_leaf(sel, args[0], 0), &a) || !is_known(hd_sel_leaf(sel, args[1], 0), &b) ||
	    !isnormal(a * b))
		return false;
	uint32_t bits;
	a *= b;
	memcpy(&bits, &a, sizeof bits);
	hd_sel_define1(sel, hd_leaf_imm(bits, 1));
	return true;
}

void hd_sel_fp_binary(struct hd_select *sel)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(sel->inst);
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(sel->inst));
	LLVMValueRef args[2] = {LLVMGetOperand(sel->inst, 0), LLVMGetOperand(sel->inst, 1)};
	uint16_t mods = HD_MOD(FTZ, sel->ftz && kind == LLVMFloatTypeKind);
	if (!check_kind(sel, kind))
		return;
	if (op == LLVMFDiv) {
		divide(sel, kind);
		return;
	}
	if (op == LLVMFMul && kind == LLVMFloatTypeKind && is_known_product(sel, args))
		return;
	if (op != LLVMFMul && contract(sel, kind))
		return;
	if (op != LLVMFSub) {
		hd_sel_define1(sel, hd_sel_fp_op(sel, op == LLVMFMul ? HD_FP_MUL : HD_FP_ADD, kind, mods, args));
		return;
	}
	struct hd_opnd a, b;
	if (is_narrow(kind)) {
		struct hd_leaf x = hd_sel_to_f32(sel, hd_sel_leaf(sel, args[0], 0), kind);
		struct hd_leaf y = hd_sel_to_f32(sel, hd_sel_leaf(sel, args[1], 0), kind);
		a = hd_sel_word(sel, &x, 0);
		b = hd_neg(hd_sel_word(sel, &y, 0));
		x = hd_leaf_reg(hd_sel_alu(sel, HD_OP_FADD, 0, a, b, hd_none()));
		hd_sel_define1(sel, hd_sel_from_f32(sel, x, kind));
		return;
	}
	a = hd_sel_float(sel, args[0], HD_SM_NEG | HD_SM_ABS);
	b = hd_neg(hd_sel_float(sel, args[1], HD_SM_NEG | HD_SM_ABS));
	hd_sel_define_reg(sel, kind == LLVMDoubleTypeKind ? hd_sel_alu_wide(sel, HD_OP_DADD, 0, a, b, hd_none())
							  : hd_sel_alu(sel, HD_OP_FADD, mods, a, b, hd_none()));
}

struct hd_leaf hd_sel_sign(struct hd_select *sel, struct hd_leaf leaf, LLVMTypeKind kind, unsigned lut, uint32_t mask)
{
	struct hd_opnd top = hd_sel_word(sel, &leaf, leaf.words - 1u);
	if (is_narrow(kind))
		mask >>= 16;
	if (leaf.kind == HD_LEAF_IMM && leaf.words == 1)
		top = hd_reg(hd_sel_opnd_reg(sel, top, 1));
	top = hd_reg(hd_sel_logic(sel, lut, top, hd_imm(mask), hd_none()));
	if (leaf.words == 1)
		return hd_leaf_reg(hd_sel_opnd_reg(sel, top, 1));
	struct hd_opnd low = hd_sel_word(sel, &leaf, 0);
	return hd_leaf_reg(hd_sel_pair(sel, low, top));
}

void hd_sel_fneg(struct hd_select *sel)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(sel->inst));
	if (check_kind(sel, kind))
		hd_sel_define1(sel, hd_sel_sign(sel, hd_sel_arg(sel, 0), kind, HD_LUT_A ^ HD_LUT_B, SIGN_BIT));
}

/* ------------------------------------------------------------------ compares */

static unsigned swapped(unsigned cmp)
{
	switch (cmp) {
	case HD_CMP_LT: return HD_CMP_GT;
	case HD_CMP_GT: return HD_CMP_LT;
	case HD_CMP_LE: return HD_CMP_GE;
	case HD_CMP_GE: return HD_CMP_LE;
	case HD_CMP_LTU: return HD_CMP_GTU;
	case HD_CMP_GTU: return HD_CMP_LTU;
	case HD_CMP_LEU: return HD_CMP_GEU;
	case HD_CMP_GEU: return HD_CMP_LEU;
	default: return cmp;
	}
}

void hd_sel_fcmp(struct hd_select *sel)
{
	static const uint8_t codes[] = {
		[LLVMRealPredicateFalse] = HD_CMP_F, [LLVMRealOEQ] = HD_CMP_EQ,	 [LLVMRealOGT] = HD_CMP_GT,
		[LLVMRealOGE] = HD_CMP_GE,	     [LLVMRealOLT] = HD_CMP_LT,	 [LLVMRealOLE] = HD_CMP_LE,
		[LLVMRealONE] = HD_CMP_NE,	     [LLVMRealORD] = HD_CMP_NUM, [LLVMRealUNO] = HD_CMP_NAN,
		[LLVMRealUEQ] = HD_CMP_EQU,	     [LLVMRealUGT] = HD_CMP_GTU, [LLVMRealUGE] = HD_CMP_GEU,
		[LLVMRealULT] = HD_CMP_LTU,	     [LLVMRealULE] = HD_CMP_LEU, [LLVMRealUNE] = HD_CMP_NEU,
		[LLVMRealPredicateTrue] = HD_CMP_T,
	};
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(sel->inst, 0)));
	unsigned cmp = codes[LLVMGetFCmpPredicate(sel->inst)];
	uint16_t mods = 0;
	if (!check_kind(sel, kind))
		return;
	if (cmp == HD_CMP_F || cmp == HD_CMP_T) {
		hd_sel_define1(sel, hd_leaf_imm(cmp == HD_CMP_T, 0));
		return;
	}
	struct hd_opnd a, b;
	if (is_narrow(kind)) {
		a = float_opnd(sel, hd_sel_to_f32(sel, hd_sel_arg(sel, 0), kind));
		b = float_opnd(sel, hd_sel_to_f32(sel, hd_sel_arg(sel, 1), kind));
	} else {
		a = hd_sel_float(sel, LLVMGetOperand(sel->inst, 0), HD_SM_NEG | HD_SM_ABS);
		b = hd_sel_float(sel, LLVMGetOperand(sel->inst, 1), HD_SM_NEG | HD_SM_ABS);
		mods = HD_MOD(FTZ, sel->ftz && kind == LLVMFloatTypeKind);
	}
	if (a.kind != HD_OPND_REG && b.kind == HD_OPND_REG) {
		struct hd_opnd t = a;
		a = b;
		b = t;
		cmp = swapped(cmp);
	}
	struct hd_minst *inst = hd_sel_op(sel, kind == LLVMDoubleTypeKind ? HD_OP_DSETP : HD_OP_FSETP,
					  HD_MOD(CMP, cmp) | mods, HD_MREG_NONE, a, b, hd_none());
	inst->pdst = hd_mfunc_pred(sel->func);
	hd_sel_define1(sel, hd_leaf_pred(inst->pdst, false));
}

/* ------------------------------------------------------------------ conversions */

static void to_integer(struct hd_select *sel, bool is_signed)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(sel->inst, 0)));
	unsigned bits = hd_scalar_bits(LLVMTypeOf(sel->inst));
	struct hd_leaf value = hd_sel_arg(sel, 0);
	bool ftz = sel->ftz && kind == LLVMFloatTypeKind;
	if (bits > 64) {
		hd_sel_unsupported(sel, "conversion of floating point to a %u-bit integer", bits);
		return;
	}
	float known;
	if (kind == LLVMFloatTypeKind && bits == 32 && is_known(value, &known) && fabsf(known) < 0x1p31f &&
	    (is_signed || known >= 0)) {
		hd_sel_define1(sel, hd_leaf_imm((uint32_t)(int32_t)known, 1));
		return;
	}
	if (is_narrow(kind)) {
		value = hd_sel_to_f32(sel, value, kind);
		kind = LLVMFloatTypeKind;
	}
	value = hd_sel_convert(sel, HD_OP_F2I,
			       bits > 32   ? (is_signed ? HD_S64 : HD_U64)
			       : is_signed ? HD_S32
					   : HD_U32,
			       hd_float_type(kind), HD_MOD(RND, HD_RND_RZ) | HD_MOD(FTZ, ftz), value);
	hd_sel_define1(sel, bits == 1 ? hd_sel_word_bool(sel, hd_sel_word(sel, &value, 0)) : value);
}

static void from_integer(struct hd_select *sel, bool is_signed)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(sel->inst));
	unsigned bits = hd_scalar_bits(LLVMTypeOf(LLVMGetOperand(sel->inst, 0))), to = hd_float_type(kind);
	struct hd_leaf value = hd_sel_arg(sel, 0);
	if (bits > 64) {
		hd_sel_unsupported(sel, "conversion of a %u-bit integer to floating point", bits);
		return;
	}
	value = hd_sel_extend_leaf(sel, value, bits, bits > 32 ? 64 : 32, is_signed);
	unsigned from = bits > 32 ? (is_signed ? HD_S64 : HD_U64) : is_signed ? HD_S32 : HD_U32;
	hd_sel_define1(sel, hd_sel_convert(sel, HD_OP_I2F, to, from, 0, value));
}

void hd_sel_fp_convert(struct hd_select *sel)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(sel->inst);
	if (op == LLVMFPToSI || op == LLVMFPToUI) {
		to_integer(sel, op == LLVMFPToSI);
		return;
	}
	if (op == LLVMSIToFP || op == LLVMUIToFP) {
		from_integer(sel, op == LLVMSIToFP);
		return;
	}
	LLVMTypeKind from = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(sel->inst, 0)));
	LLVMTypeKind to = LLVMGetTypeKind(LLVMTypeOf(sel->inst));
	if (!check_kind(sel, from) || !check_kind(sel, to))
		return;
	bool ftz;
	ftz = sel->ftz && (from == LLVMFloatTypeKind || to == LLVMFloatTypeKind) && !is_narrow(from) && !is_narrow(to);
	hd_sel_define1(sel, hd_sel_convert(sel, HD_OP_F2F, hd_float_type(to), hd_float_type(from), HD_MOD(FTZ, ftz),
					   hd_sel_arg(sel, 0)));
}
