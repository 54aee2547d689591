/*
 * Divisions, remainders and square roots: by constants they become multiplications by the
 * reciprocal (Granlund and Montgomery 1994), approximate ones are left to selection, the others
 * become calls of the helpers in lib/device/builtins.c.
 */
#include "passes/legalize/legalize.h"

#include <llvm-c/DebugInfo.h>

typedef unsigned __int128 u128;
typedef __int128 s128;

static LLVMValueRef stamp(struct hd_site *site, LLVMValueRef value)
{
	if (site->ordinal && LLVMIsAInstruction(value) && !LLVMGetMetadata(value, site->legal->md_ordinal))
		LLVMSetMetadata(value, site->legal->md_ordinal, site->ordinal);
	return value;
}

static LLVMValueRef binary(struct hd_site *site, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b)
{
	return stamp(site, LLVMBuildBinOp(site->builder, op, a, b, ""));
}

static LLVMValueRef helper(struct hd_site *site, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned count)
{
	LLVMTypeRef params[2] = {type, type}, function_type = LLVMFunctionType(type, params, count, false);
	LLVMValueRef function = LLVMGetNamedFunction(site->legal->module, name);
	if (!function)
		function = LLVMAddFunction(site->legal->module, name, function_type);
	site->legal->needs_builtins |= LLVMIsDeclaration(function);
	return stamp(site, LLVMBuildCall2(site->builder, function_type, function, args, count, ""));
}

/* ------------------------------------------------------------------ division by constants */

static LLVMValueRef mul_high(struct hd_site *site, LLVMValueRef a, uint64_t factor, unsigned bits, bool is_signed)
{
	const char *name = bits == 32 ? (is_signed ? "llvm.nvvm.mulhi.i" : "llvm.nvvm.mulhi.ui")
				      : (is_signed ? "llvm.nvvm.mulhi.ll" : "llvm.nvvm.mulhi.ull");
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMTypeRef type = LLVMTypeOf(a), function_type = LLVMIntrinsicGetType(site->legal->context, id, NULL, 0);
	LLVMValueRef args[2] = {a, LLVMConstInt(type, factor, false)};
	return stamp(site, LLVMBuildCall2(site->builder, function_type,
					  LLVMGetIntrinsicDeclaration(site->legal->module, id, NULL, 0), args, 2, ""));
}

static LLVMValueRef constant(LLVMValueRef like, uint64_t value)
{
	return LLVMConstInt(LLVMTypeOf(like), value, false);
}

/* n / d for d no power of two: (n * m) >> (bits + shift), where m may need one bit more than the word has. */
static LLVMValueRef unsigned_quotient(struct hd_site *site, LLVMValueRef n, uint64_t d, unsigned bits)
{
	unsigned log = 64 - (unsigned)__builtin_clzll(d - 1); /* ceil(log2 d) */
	u128 power = (u128)1 << log, word = (u128)1 << (bits == 64 ? 63 : bits);
	uint64_t m;
	if (bits == 64) /* 2^64 (2^log - d) / d + 1, in two steps to stay within 128 bits */
		m = (uint64_t)(((((power - d) << 63) / d) << 1) + ((((power - d) << 63) % d) * 2) / d + 1);
	else
		m = (uint64_t)(word * (power - d) / d + 1);
	LLVMValueRef high = mul_high(site, n, m, bits, false);
	LLVMValueRef half = binary(site, LLVMLShr, binary(site, LLVMSub, n, high), constant(n, 1));
	return binary(site, LLVMLShr, binary(site, LLVMAdd, half, high), constant(n, log - 1));
}

/* As above where the multiplier fits the word: the usual case. False when it does not. */
static bool unsigned_short(struct hd_site *site, LLVMValueRef n, uint64_t d, unsigned bits, LLVMValueRef *quotient)
{
	for (unsigned shift = 0; shift < bits && shift < 63; shift++) {
		if (bits == 64 && shift > 62)
			return false;
		u128 m, error, exact;
		/* m = ceil(2^(bits+shift) / d), good when m * d - 2^(bits+shift) <= 2^shift. */
		if (bits == 64) {
			u128 high = ((u128)1 << (63 + shift)) / d, rest = ((u128)1 << (63 + shift)) % d;
			m = high * 2 + rest * 2 / d;
			error = rest * 2 % d;
			if (error) {
				m++;
				error = d - error;
			}
		} else {
			exact = (u128)1 << (bits + shift);
			m = (exact + d - 1) / d;
			error = m * d - exact;
		}
		if (m >> bits)
			return false;
		if (error <= (u128)1 << shift) {
			LLVMValueRef high = mul_high(site, n, (uint64_t)m, bits, false);
			*quotient = shift ? binary(site, LLVMLShr, high, constant(n, shift)) : high;
			return true;
		}
	}
	return false;
}

/* 2^exponent modulo d, for exponents up to 126. */
static uint64_t power_modulo(unsigned exponent, uint64_t d)
{
	return (uint64_t)(((u128)1 << exponent) % d);
}

static LLVMValueRef signed_quotient(struct hd_site *site, LLVMValueRef n, int64_t d, unsigned bits)
{
	uint64_t magnitude = d < 0 ? -(uint64_t)d : (uint64_t)d;
	unsigned shift = 0;
	uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
	LLVMValueRef q, sign;
	if (!(magnitude & (magnitude - 1))) { /* a power of two: add d - 1 to negative numbers, then shift */
		unsigned k = (unsigned)__builtin_ctzll(magnitude);

		sign = binary(site, LLVMAShr, n, constant(n, bits - 1));
		q = binary(site, LLVMAdd, n, binary(site, LLVMLShr, sign, constant(n, bits - k)));
		q = binary(site, LLVMAShr, q, constant(n, k));
		return d < 0 ? binary(site, LLVMSub, constant(n, 0), q) : q;
	}
	uint64_t m;
	/* m = floor(2^(bits+shift) / |d|) + 1 with the least shift for which m * |d| - 2^(bits+shift) <= 2^(shift+1);
	 * where m's highest bit is set, the product of signed numbers lacks one n. */
	while (magnitude - power_modulo(bits + shift, magnitude) > (u128)2 << shift)
		shift++;
	m = bits == 64 ? (uint64_t)((((u128)1 << (63 + shift)) / magnitude) * 2 +
				    (((u128)1 << (63 + shift)) % magnitude) * 2 / magnitude + 1)
		       : (uint64_t)(((u128)1 << (bits + shift)) / magnitude + 1);
	m &= mask;
	q = mul_high(site, n, m, bits, true);
	if (m >> (bits - 1))
		q = binary(site, LLVMAdd, q, n);
	if (shift)
		q = binary(site, LLVMAShr, q, constant(n, shift));
	if (d > 0)
		return binary(site, LLVMAdd, q, binary(site, LLVMLShr, n, constant(n, bits - 1)));
	return binary(site, LLVMSub, binary(site, LLVMAShr, n, constant(n, bits - 1)), q);
}

static LLVMValueRef by_constant(struct hd_site *site, LLVMOpcode op, LLVMValueRef n, uint64_t d, unsigned bits)
{
	bool is_signed = op == LLVMSDiv || op == LLVMSRem, remainder = op == LLVMURem || op == LLVMSRem;
	int64_t sd = bits == 64 ? (int64_t)d : (int64_t)(int32_t)d;
	LLVMValueRef q;
	if (is_signed) {
		if (sd == 1 || sd == -1)
			q = sd == 1 ? n : binary(site, LLVMSub, constant(n, 0), n);
		else
			q = signed_quotient(site, n, sd, bits);
	} else if (!(d & (d - 1))) {
		if (remainder)
			return binary(site, LLVMAnd, n, constant(n, d - 1));
		return binary(site, LLVMLShr, n, constant(n, (uint64_t)__builtin_ctzll(d)));
	} else if (!unsigned_short(site, n, d, bits, &q)) {
		q = unsigned_quotient(site, n, d, bits);
	}
	return remainder ? binary(site, LLVMSub, n, binary(site, LLVMMul, q, constant(n, d))) : q;
}

/* ------------------------------------------------------------------ integers */

static LLVMValueRef integer_division(struct hd_site *site, LLVMOpcode op)
{
	static const char *const names[] = {"udiv", "sdiv", "umod", "smod"};
	LLVMValueRef args[2] = {LLVMGetOperand(site->inst, 0), LLVMGetOperand(site->inst, 1)};
	LLVMTypeRef type = LLVMTypeOf(site->inst);
	bool is_signed = op == LLVMSDiv || op == LLVMSRem;
	unsigned which = (op == LLVMURem || op == LLVMSRem ? 2 : 0) + is_signed;
	uint64_t divisor = 0;
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
		return NULL;
	unsigned bits = LLVMGetIntTypeWidth(type);
	unsigned width = bits <= 32 ? 32 : bits <= 64 ? 64 : 128;
	if (bits > 128)
		return NULL;
	LLVMTypeRef wide = LLVMIntTypeInContext(site->legal->context, width);
	for (unsigned i = 0; i < 2 && bits != width; i++)
		args[i] = stamp(site, LLVMBuildIntCast2(site->builder, args[i], wide, is_signed, ""));
	LLVMValueRef out;
	char name[32];
	if (width <= 64 && hd_is_int_constant(args[1], &divisor) && divisor) {
		out = by_constant(site, op, args[0], divisor, width);
	} else {
		snprintf(name, sizeof name, "__heddle_%s%u", names[which], width);
		out = helper(site, name, wide, args, 2);
	}
	return bits == width ? out : stamp(site, LLVMBuildIntCast2(site->builder, out, type, is_signed, ""));
}

/* ------------------------------------------------------------------ floating point */

bool hd_legal_may_approximate(const struct hd_legal *legal, LLVMValueRef inst)
{
	LLVMFastMathFlags flags = LLVMCanValueUseFastMathFlags(inst) ? LLVMGetFastMathFlags(inst) : 0;
	/* !fpmath grants at least an ulp: what -fno-cuda-prec-div and OpenCL ask for. */
	return (flags & (LLVMFastMathApproxFunc | LLVMFastMathAllowReciprocal)) ||
	       (LLVMHasMetadata(inst) && LLVMGetMetadata(inst, legal->md_fpmath));
}

/* `name` with 32 or 64 on float or double; half types go through float. */
static LLVMValueRef float_helper(struct hd_site *site, const char *name, LLVMValueRef *args, unsigned count)
{
	LLVMTypeRef type = LLVMTypeOf(args[0]), wide = LLVMFloatTypeInContext(site->legal->context);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	bool narrow = kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
	if (!narrow && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
		return NULL;
	for (unsigned i = 0; narrow && i < count; i++)
		args[i] = stamp(site, LLVMBuildFPCast(site->builder, args[i], wide, ""));
	char full[32];
	snprintf(full, sizeof full, "__heddle_%s%u", name, kind == LLVMDoubleTypeKind ? 64 : 32);
	LLVMValueRef out = helper(site, full, LLVMTypeOf(args[0]), args, count);
	return narrow ? stamp(site, LLVMBuildFPCast(site->builder, out, type, "")) : out;
}

/* A float with denormals as zero: what the .ftz forms do to operands and result. */
static LLVMValueRef flushed(struct hd_site *site, LLVMValueRef value)
{
	return stamp(site, hd_legal_flushed(site->builder, site->legal->module, value));
}

/* Whether an exact operation of LLVM stands in a function that takes denormals of its type for zero. */
static bool is_flushed(const struct hd_site *site)
{
	return LLVMGetTypeKind(LLVMTypeOf(site->inst)) == LLVMFloatTypeKind &&
	       hd_legal_flushes(LLVMGetBasicBlockParent(LLVMGetInstructionParent(site->inst)));
}

static LLVMValueRef call_replacement(struct hd_site *site)
{
	LLVMValueRef callee = LLVMGetCalledValue(site->inst);
	if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
		return NULL;
	const char *name = LLVMGetValueName(callee);
	const char *operation;
	if (!strncmp(name, "llvm.sqrt.", 10)) {
		if (hd_legal_may_approximate(site->legal, site->inst) &&
		    LLVMGetTypeKind(LLVMTypeOf(site->inst)) != LLVMDoubleTypeKind)
			return NULL;
		operation = "sqrt";
	} else if (!strncmp(name, "llvm.nvvm.sqrt.rn.", 18) || !strcmp(name, "llvm.nvvm.sqrt.f")) {
		operation = "sqrt";
	} else if (!strncmp(name, "llvm.nvvm.div.rn.", 17) || !strncmp(name, "llvm.nvvm.rcp.rn.", 17)) {
		operation = "fdiv";
	} else {
		return NULL;
	}
	bool ftz;
	ftz = strstr(name, ".ftz.") || (!strncmp(name, "llvm.sqrt.", 10) && is_flushed(site));
	bool reciprocal = strstr(name, ".rcp.") != NULL;
	LLVMValueRef args[2];
	args[0] = LLVMGetArgOperand(site->inst, 0);
	args[1] = reciprocal || *operation == 's' ? NULL : LLVMGetArgOperand(site->inst, 1);
	for (unsigned i = 0; ftz && i < 2; i++)
		args[i] = args[i] ? flushed(site, args[i]) : NULL;
	if (reciprocal) {
		args[1] = args[0];
		args[0] = LLVMConstReal(LLVMTypeOf(args[1]), 1.0);
	}
	LLVMValueRef out = float_helper(site, operation, args, args[1] ? 2 : 1);
	return ftz && out ? flushed(site, out) : out;
}

/* Of the two operands of an instruction. */
static LLVMValueRef flushed_helper(struct hd_site *site, const char *name)
{
	bool ftz = is_flushed(site);
	LLVMValueRef args[2];
	for (unsigned i = 0; i < 2; i++) {
		args[i] = LLVMGetOperand(site->inst, i);
		if (ftz && !LLVMIsAConstantFP(args[i]))
			args[i] = flushed(site, args[i]);
	}
	LLVMValueRef out = float_helper(site, name, args, 2);
	return ftz && out ? flushed(site, out) : out;
}

static LLVMValueRef replacement(struct hd_site *site, LLVMOpcode op)
{
	switch (op) {
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem: return integer_division(site, op);
	case LLVMFDiv:
		if (hd_legal_is_full(site->legal, site->inst))
			return hd_legal_full_division(site);
		if (hd_legal_may_approximate(site->legal, site->inst) &&
		    LLVMGetTypeKind(LLVMTypeOf(site->inst)) != LLVMDoubleTypeKind)
			return NULL;
		return flushed_helper(site, "fdiv");
	case LLVMFRem: return flushed_helper(site, "frem");
	case LLVMCall: return call_replacement(site);
	default: return NULL;
	}
}

void hd_legal_math(struct hd_legal *legal)
{
	struct hd_site site = {.legal = legal, .builder = legal->builder};
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb)) {
			LLVMValueRef next;
			for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst; inst = next) {
				LLVMOpcode op = LLVMGetInstructionOpcode(inst);
				next = LLVMGetNextInstruction(inst);
				if (op != LLVMCall && op != LLVMFDiv && op != LLVMFRem &&
				    (op < LLVMUDiv || op > LLVMSRem))
					continue;
				site.inst = inst;
				site.ordinal = LLVMGetMetadata(inst, legal->md_ordinal);
				LLVMPositionBuilderBefore(legal->builder, inst);
				LLVMSetCurrentDebugLocation2(legal->builder, LLVMInstructionGetDebugLoc(inst));
				LLVMValueRef out = replacement(&site, op);
				if (!out)
					continue;
				LLVMReplaceAllUsesWith(inst, out);
				LLVMInstructionEraseFromParent(inst);
			}
		}
}
