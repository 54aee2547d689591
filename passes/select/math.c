/*
 * Selection: the generic floating-point intrinsics.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

static LLVMTypeKind result_kind(struct hd_select *sel)
{
	return LLVMGetTypeKind(LLVMTypeOf(sel->inst));
}

static bool approximates(struct hd_select *sel)
{
	return LLVMCanValueUseFastMathFlags(sel->inst) && (LLVMGetFastMathFlags(sel->inst) & LLVMFastMathApproxFunc);
}

static void fused(struct hd_select *sel, unsigned arg)
{
	LLVMValueRef args[] = {LLVMGetOperand(sel->inst, 0), LLVMGetOperand(sel->inst, 1),
			       LLVMGetOperand(sel->inst, 2)};
	LLVMTypeKind kind = result_kind(sel);
	(void)arg;
	hd_sel_define1(sel,
		       hd_sel_fp_op(sel, HD_FP_FMA, kind, HD_MOD(FTZ, sel->ftz && kind == LLVMFloatTypeKind), args));
}

enum { MAX = 1, PROPAGATE = 2 };

static void minmax(struct hd_select *sel, unsigned arg)
{
	LLVMValueRef args[] = {LLVMGetOperand(sel->inst, 0), LLVMGetOperand(sel->inst, 1)};
	LLVMTypeKind kind = result_kind(sel);
	hd_sel_define1(sel, hd_sel_fp_op(sel, HD_FP_MINMAX, kind,
					 HD_MOD(MINMAX, arg & MAX) | HD_MOD(NAN, !!(arg & PROPAGATE)) |
						 HD_MOD(FTZ, sel->ftz && kind == LLVMFloatTypeKind),
					 args));
}

static void absolute(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_define1(sel, hd_sel_sign(sel, hd_sel_arg(sel, 0), result_kind(sel), HD_LUT_A & HD_LUT_B, 0x7fffffff));
}

static struct hd_leaf copied_sign(struct hd_select *sel, struct hd_leaf magnitude, struct hd_leaf sign,
				  LLVMTypeKind kind)
{
	bool narrow = kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
	unsigned top = magnitude.words - 1u;
	struct hd_opnd word = hd_sel_word(sel, &magnitude, top), from = hd_sel_word(sel, &sign, top), low;
	/* Where the mask b has a one, the sign's bit c; elsewhere the magnitude's a. */
	struct hd_mreg high =
		hd_sel_logic(sel, (HD_LUT_A & ~HD_LUT_B) | (HD_LUT_C & HD_LUT_B), hd_reg(hd_sel_opnd_reg(sel, word, 1)),
			     hd_imm(narrow ? 0x8000 : 0x80000000u), hd_reg(hd_sel_opnd_reg(sel, from, 1)));

	if (magnitude.words == 1)
		return hd_leaf_reg(high);
	low = hd_sel_word(sel, &magnitude, 0);
	return hd_leaf_reg(hd_sel_pair(sel, low, hd_reg(high)));
}

static void copysign_of(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_define1(sel, copied_sign(sel, hd_sel_arg(sel, 0), hd_sel_arg(sel, 1), result_kind(sel)));
}

/* ------------------------------------------------------------------ rounding to integral */

static struct hd_leaf round_leaf(struct hd_select *sel, struct hd_leaf value, LLVMTypeKind kind, unsigned mode)
{
	if (kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind) /* an integral half is one as a float, and back */
		return hd_sel_from_f32(sel, round_leaf(sel, hd_sel_to_f32(sel, value, kind), LLVMFloatTypeKind, mode),
				       kind);
	unsigned type = hd_float_type(kind);
	return hd_sel_convert(sel, HD_OP_FRND, type, type, HD_MOD(RND, mode) | HD_MOD(FTZ, sel->ftz && type == HD_F32),
			      value);
}

/* Half away from zero: the truncated value, and one more in the same direction when at least a half was cut. */
static struct hd_leaf round_away(struct hd_select *sel, struct hd_leaf value, LLVMTypeKind kind)
{
	bool wide = kind == LLVMDoubleTypeKind;
	if (!wide && kind != LLVMFloatTypeKind)
		return hd_sel_from_f32(sel, round_away(sel, hd_sel_to_f32(sel, value, kind), LLVMFloatTypeKind), kind);
	value = hd_leaf_reg(hd_sel_reg(sel, value));
	struct hd_leaf cut = round_leaf(sel, value, kind, HD_RND_RZ);
	struct hd_opnd x = hd_reg(hd_sel_reg(sel, value));
	struct hd_opnd t = hd_reg(hd_sel_reg(sel, cut));
	struct hd_leaf one =
		copied_sign(sel, hd_leaf_imm(wide ? UINT64_C(0x3ff0000000000000) : 0x3f800000, wide ? 2 : 1), value,
			    kind);
	struct hd_leaf more;
	struct hd_mreg rest;
	if (wide) {
		rest = hd_sel_alu_wide(sel, HD_OP_DADD, 0, x, hd_neg(t), hd_none());
		more = hd_leaf_reg(hd_sel_alu_wide(sel, HD_OP_DADD, 0, t, hd_reg(hd_sel_reg(sel, one)), hd_none()));
	} else {
		rest = hd_sel_alu(sel, HD_OP_FADD, 0, x, hd_neg(t), hd_none());
		more = hd_leaf_reg(hd_sel_alu(sel, HD_OP_FADD, 0, t, hd_reg(hd_sel_reg(sel, one)), hd_none()));
	}
	x = hd_reg(rest);
	x.abs = true;
	struct hd_minst *inst = hd_sel_op(sel, wide ? HD_OP_DSETP : HD_OP_FSETP, HD_MOD(CMP, HD_CMP_GE), HD_MREG_NONE,
					  x, hd_imm(wide ? 0x3fe00000 : 0x3f000000), hd_none());
	uint32_t up = hd_mfunc_pred(sel->func);
	inst->pdst = up;
	return hd_sel_select_leaf(sel, (struct hd_popnd){up, false}, more, cut);
}

enum { AWAY = 4 };

static void rounded(struct hd_select *sel, unsigned mode)
{
	LLVMTypeKind kind = result_kind(sel);
	struct hd_leaf value = hd_sel_arg(sel, 0);
	hd_sel_define1(sel, mode == AWAY ? round_away(sel, value, kind) : round_leaf(sel, value, kind, mode));
}

static void rounded_integer(struct hd_select *sel, unsigned mode)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(sel->inst, 0)));
	unsigned bits = hd_scalar_bits(LLVMTypeOf(sel->inst));
	struct hd_leaf value =
		hd_sel_to_f32(sel, hd_sel_arg(sel, 0), kind == LLVMDoubleTypeKind ? LLVMFloatTypeKind : kind);
	if (kind != LLVMDoubleTypeKind)
		kind = LLVMFloatTypeKind;
	if (mode == AWAY)
		value = round_away(sel, value, kind);
	hd_sel_define1(sel, hd_sel_convert(sel, HD_OP_F2I, bits == 64 ? HD_S64 : HD_S32, hd_float_type(kind),
					   HD_MOD(RND, mode == AWAY ? HD_RND_RZ : mode), value));
}

/* ------------------------------------------------------------------ saturating conversions */

/* F2I's result, but 0 for NaN, which it makes itself where neither type has 64 bits. */
static struct hd_leaf nan_to_zero(struct hd_select *sel, LLVMTypeKind kind, struct hd_leaf from, struct hd_leaf result)
{
	bool wide = kind == LLVMDoubleTypeKind;
	struct hd_opnd x = hd_reg(hd_sel_reg(sel, from));
	if (!wide && result.words == 1)
		return result;
	struct hd_minst *test = hd_sel_op(sel, wide ? HD_OP_DSETP : HD_OP_FSETP, HD_MOD(CMP, HD_CMP_NUM), HD_MREG_NONE,
					  x, x, hd_none());
	test->pdst = hd_mfunc_pred(sel->func);
	return hd_sel_select_leaf(sel, (struct hd_popnd){test->pdst, false}, result, hd_leaf_imm(0, result.words));
}

static void saturated_integer(struct hd_select *sel, unsigned is_signed)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(sel->inst, 0)));
	unsigned bits = hd_scalar_bits(LLVMTypeOf(sel->inst));
	struct hd_leaf from = hd_sel_arg(sel, 0);
	if (bits > 64 || (bits > 32 && bits < 64) || bits == 1) {
		hd_sel_unsupported(sel, "saturating conversion to %u bits", bits);
		return;
	}
	if (kind != LLVMDoubleTypeKind) {
		from = hd_sel_to_f32(sel, from, kind);
		kind = LLVMFloatTypeKind;
	}
	struct hd_leaf value;
	/* F2I saturates to its own type; narrower types are clamped. */
	value = hd_sel_convert(sel, HD_OP_F2I,
			       bits == 64  ? (is_signed ? HD_S64 : HD_U64)
			       : is_signed ? HD_S32
					   : HD_U32,
			       hd_float_type(kind), HD_MOD(RND, HD_RND_RZ), from);
	value = nan_to_zero(sel, kind, from, value);
	struct hd_leaf low, high;
	if (bits < 32) {
		high = hd_leaf_imm((1u << (bits - is_signed)) - 1, 1);
		low = hd_leaf_imm(is_signed ? (uint32_t)-(1 << (bits - 1)) : 0, 1);
		value = hd_sel_minmax(sel, false, is_signed, value, high, 32);
		if (is_signed)
			value = hd_sel_minmax(sel, true, true, value, low, 32);
	}
	hd_sel_define1(sel, value);
}

/* ------------------------------------------------------------------ approximations, under `afn` only */

static void approximate(struct hd_select *sel, unsigned function)
{
	LLVMTypeKind kind = result_kind(sel);
	if (!approximates(sel) || kind == LLVMDoubleTypeKind) {
		hd_sel_unsupported(sel, "%s without approximation allowed",
				   LLVMGetValueName(LLVMGetCalledValue(sel->inst)));
		return;
	}
	struct hd_leaf value = hd_sel_to_f32(sel, hd_sel_arg(sel, 0), kind);
	value = hd_sel_mufu(sel, function, hd_sel_word(sel, &value, 0), sel->ftz);
	hd_sel_define1(sel, hd_sel_from_f32(sel, value, kind));
}

/* e^x = 2^(x log2 e), 10^x = 2^(x log2 10); ln x = log2 x ln 2, log10 x = log2 x log10 2. */
static void scaled_exponential(struct hd_select *sel, unsigned factor)
{
	if (!approximates(sel) || result_kind(sel) != LLVMFloatTypeKind) {
		hd_sel_unsupported(sel, "%s without approximation allowed",
				   LLVMGetValueName(LLVMGetCalledValue(sel->inst)));
		return;
	}
	struct hd_opnd x =
		hd_reg(hd_sel_alu(sel, HD_OP_FMUL, HD_MOD(FTZ, sel->ftz),
				  hd_sel_float(sel, LLVMGetOperand(sel->inst, 0), 0), hd_imm(factor), hd_none()));
	hd_sel_define1(sel, hd_sel_mufu(sel, HD_MUFU_EX2, x, sel->ftz));
}

static void scaled_logarithm(struct hd_select *sel, unsigned factor)
{
	if (!approximates(sel) || result_kind(sel) != LLVMFloatTypeKind) {
		hd_sel_unsupported(sel, "%s without approximation allowed",
				   LLVMGetValueName(LLVMGetCalledValue(sel->inst)));
		return;
	}
	struct hd_leaf log =
		hd_sel_mufu(sel, HD_MUFU_LG2, hd_sel_float(sel, LLVMGetOperand(sel->inst, 0), 0), sel->ftz);
	struct hd_opnd power = hd_reg(hd_sel_reg(sel, log));
	hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_FMUL, HD_MOD(FTZ, sel->ftz), power, hd_imm(factor), hd_none()));
}

static void canonical(struct hd_select *sel, unsigned arg)
{
	LLVMTypeKind kind = result_kind(sel);
	struct hd_opnd x = hd_sel_float(sel, LLVMGetOperand(sel->inst, 0), 0);
	(void)arg;
	if (kind == LLVMDoubleTypeKind)
		hd_sel_define_reg(sel, hd_sel_alu_wide(sel, HD_OP_DMUL, 0, x, hd_imm(0x3ff00000), hd_none()));
	else if (kind == LLVMFloatTypeKind)
		hd_sel_define_reg(sel,
				  hd_sel_alu(sel, HD_OP_FMUL, HD_MOD(FTZ, sel->ftz), x, hd_imm(0x3f800000), hd_none()));
	else
		hd_sel_define1(sel, hd_sel_from_f32(sel, hd_sel_to_f32(sel, hd_sel_arg(sel, 0), kind), kind));
}

/* ------------------------------------------------------------------ is.fpclass */

/*
 * The bit pattern without its sign, as an integer of the type's width, tells the classes apart:
 * zero, subnormals, normals, infinity, quiet and signalling NaNs are consecutive ranges.
 */
struct hd_class_range {
	unsigned negative, positive; /* bits of the test mask */
	uint64_t first, last;
};

static struct hd_leaf in_range(struct hd_select *sel, struct hd_leaf magnitude, uint64_t first, uint64_t last,
			       unsigned bits)
{
	unsigned words = magnitude.words;
	if (first == last)
		return hd_sel_cmp(sel, HD_CMP_EQ, false, magnitude, hd_leaf_imm(first, words), bits);
	struct hd_leaf offset;
	if (words == 2)
		offset = hd_leaf_reg(hd_sel_add64(sel, magnitude, hd_leaf_imm(first, 2), true));
	else
		offset = hd_leaf_reg(hd_sel_add(sel, hd_sel_word(sel, &magnitude, 0), hd_imm(-(uint32_t)first)));
	return hd_sel_cmp(sel, HD_CMP_LE, false, offset, hd_leaf_imm(last - first, words), bits);
}

static void fp_class(struct hd_select *sel, unsigned arg)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(sel->inst, 0)));
	bool wide = kind == LLVMDoubleTypeKind, narrow = kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
	unsigned fraction = wide ? 52 : kind == LLVMFloatTypeKind ? 23 : kind == LLVMHalfTypeKind ? 10 : 7;
	uint64_t end = wide ? UINT64_MAX >> 1 : narrow ? INT16_MAX : INT32_MAX, least = UINT64_C(1) << fraction;
	uint64_t inf = end & ~(least - 1), quiet = least >> 1;
	const struct hd_class_range ranges[] = {
		{1 << 5, 1 << 6, 0, 0},	    {1 << 4, 1 << 7, 1, least - 1},	{1 << 3, 1 << 8, least, inf - 1},
		{1 << 2, 1 << 9, inf, inf}, {1, 1, inf + 1, (inf | quiet) - 1}, {2, 2, inf | quiet, end},
	};
	struct hd_leaf value = hd_sel_arg(sel, 0), result = hd_leaf_imm(0, 0);
	uint64_t mask = 0;
	(void)arg;
	hd_is_int_constant(LLVMGetOperand(sel->inst, 1), &mask);
	value = hd_leaf_reg(hd_sel_reg(sel, value));
	if (narrow) /* with the sign on top */
		value = hd_leaf_reg(hd_sel_opnd_reg(sel, hd_sel_extended(sel, value, 16, true), 1));
	struct hd_leaf magnitude;
	if (narrow)
		magnitude = hd_leaf_reg(hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, hd_sel_word(sel, &value, 0),
						     hd_imm(INT16_MAX), hd_none()));
	else
		magnitude = hd_sel_sign(sel, value, kind, HD_LUT_A & HD_LUT_B, 0x7fffffff);
	struct hd_opnd top = hd_sel_word(sel, &value, value.words - 1u);
	struct hd_leaf negative = hd_leaf_pred(hd_sel_isetp(sel, HD_CMP_LT, true, top, hd_rz()), false);
	for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
		bool minus = mask & ranges[i].negative, plus = mask & ranges[i].positive;
		if (!minus && !plus)
			continue;
		struct hd_leaf hit = in_range(sel, magnitude, ranges[i].first, ranges[i].last, wide ? 64 : 32);
		if (!minus || !plus) {
			struct hd_popnd sign = {negative.id, !minus};
			hit = hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, hd_sel_pred(sel, hit), sign), false);
		}
		result = result.kind == HD_LEAF_IMM
				 ? hit
				 : hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_OR, hd_sel_pred(sel, result),
							    hd_sel_pred(sel, hit)),
						false);
	}
	hd_sel_define1(sel, result);
}

const struct hd_intrinsic hd_math_intrinsics[] = {
	{"fma", fused, 0},
	{"fmuladd", fused, 0},
	{"fabs", absolute, 0},
	{"copysign", copysign_of, 0},
	{"minnum", minmax, 0},
	{"maxnum", minmax, MAX},
	{"minimum", minmax, PROPAGATE},
	{"maximum", minmax, MAX | PROPAGATE},
	{"floor", rounded, HD_RM},
	{"ceil", rounded, HD_RP},
	{"trunc", rounded, HD_RND_RZ},
	{"rint", rounded, HD_RN},
	{"nearbyint", rounded, HD_RN},
	{"roundeven", rounded, HD_RN},
	{"round", rounded, AWAY},
	{"lrint", rounded_integer, HD_RN},
	{"llrint", rounded_integer, HD_RN},
	{"lround", rounded_integer, AWAY},
	{"llround", rounded_integer, AWAY},
	{"fptosi.sat", saturated_integer, 1},
	{"fptoui.sat", saturated_integer, 0},
	{"canonicalize", canonical, 0},
	{"is.fpclass", fp_class, 0},
	{"sqrt", approximate, HD_MUFU_SQRT},
	{"sin", approximate, HD_MUFU_SIN},
	{"cos", approximate, HD_MUFU_COS},
	{"exp2", approximate, HD_MUFU_EX2},
	{"log2", approximate, HD_MUFU_LG2},
	{"exp", scaled_exponential, 0x3fb8aa3b},   /* log2(e) */
	{"exp10", scaled_exponential, 0x40549a78}, /* log2(10) */
	{"log", scaled_logarithm, 0x3f317218},	   /* ln(2) */
	{"log10", scaled_logarithm, 0x3e9a209b},   /* log10(2) */
	{NULL, NULL, 0},
};
