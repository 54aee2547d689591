/*
 * NVVM intrinsics on half and bfloat, alone and in pairs, and minima with a sign rule: nvvm.fma.rn.relu.f16x2,
 * nvvm.fmax.ftz.nan.xorsign.abs.bf16, conversions with relu, pairs of conversions. All on single precision, which holds
 * both formats exactly; the fused ones by LLVM's fma on the type itself.
 */
#include "passes/legalize/legalize.h"

typedef LLVMValueRef value;

/* One of an intrinsic's elements at work. */
struct element {
	struct hd_site *site;
	LLVMTypeRef type, single;
	bool ftz, nan, sign, relu, sat, max;
};

static bool is_half(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

static value maximum(struct element *e, value x, double bound)
{
	value args[] = {x, LLVMConstReal(e->single, bound)};
	return hd_legal_intrinsic(e->site, "llvm.maximum", e->single, args, 2);
}

/* Denormals of the type; single ones are below them or the same. */
static value flushed(struct element *e, value x)
{
	LLVMBuilderRef builder = e->site->builder;
	double least = LLVMGetTypeKind(e->type) == LLVMHalfTypeKind ? 0x1p-14 : 0x1p-126;
	value size = hd_legal_intrinsic(e->site, "llvm.fabs", e->single, &x, 1), args[] = {LLVMConstNull(e->single), x};
	value small = LLVMBuildFCmp(builder, LLVMRealOLT, size, LLVMConstReal(e->single, least), "");
	value zero = hd_legal_intrinsic(e->site, "llvm.copysign", e->single, args, 2);
	return e->ftz ? LLVMBuildSelect(builder, small, zero, x, "") : x;
}

static value widened(struct element *e, value x)
{
	return e->type == e->single ? x : LLVMBuildFPExt(e->site->builder, x, e->single, "");
}

static value narrowed(struct element *e, value x)
{
	return e->type == e->single ? x : LLVMBuildFPTrunc(e->site->builder, x, e->type, "");
}

/* relu: negative numbers become 0, NaNs stay; sat: [0, 1], NaNs become 0. */
static value clamped(struct element *e, value x)
{
	value low[] = {x, LLVMConstNull(e->single)}, high[] = {NULL, LLVMConstReal(e->single, 1)};
	if (e->relu)
		return maximum(e, x, 0);
	if (!e->sat)
		return x;
	high[0] = hd_legal_intrinsic(e->site, "llvm.maxnum", e->single, low, 2);
	return hd_legal_intrinsic(e->site, "llvm.minnum", e->single, high, 2);
}

static value fused(struct element *e, value *args)
{
	for (unsigned i = 0; i < 3 && e->ftz; i++)
		args[i] = narrowed(e, flushed(e, widened(e, args[i])));
	value out = hd_legal_intrinsic(e->site, "llvm.fma", e->type, args, 3);
	return e->relu || e->sat || e->ftz ? narrowed(e, clamped(e, flushed(e, widened(e, out)))) : out;
}

/* A word with the sign at its top: of a NaN, too, which widening does not keep. */
static value sign_word(struct element *e, value x)
{
	LLVMTypeRef word = LLVMInt32TypeInContext(e->site->legal->context);
	LLVMTypeRef bits = e->type == e->single ? word : LLVMInt16TypeInContext(e->site->legal->context);
	x = LLVMBuildBitCast(e->site->builder, x, bits, "");
	if (bits == word)
		return x;
	return LLVMBuildShl(e->site->builder, LLVMBuildZExt(e->site->builder, x, word, ""),
			    LLVMConstInt(word, 16, false), "");
}

static value extreme(struct element *e, value *args)
{
	LLVMBuilderRef builder = e->site->builder;
	const char *name = e->max ? (e->nan ? "llvm.maximum" : "llvm.maxnum") : e->nan ? "llvm.minimum" : "llvm.minnum";
	value sign = NULL;
	value x[2];
	for (unsigned i = 0; i < 2; i++) {
		x[i] = flushed(e, widened(e, args[i]));
		if (!e->sign)
			continue;
		value bits = sign_word(e, args[i]);
		sign = sign ? LLVMBuildXor(builder, sign, bits, "") : bits;
		x[i] = hd_legal_intrinsic(e->site, "llvm.fabs", e->single, &x[i], 1);
	}
	value out = hd_legal_intrinsic(e->site, name, e->single, x, 2);
	if (e->sign) {
		value both[] = {out, LLVMBuildBitCast(builder, sign, e->single, "")};
		out = hd_legal_intrinsic(e->site, "llvm.copysign", e->single, both, 2);
	}
	return narrowed(e, out);
}

static value power_of_two(struct element *e, value x)
{
	x = widened(e, x);
	/* From LLVM 21 on the type is a part of the name, and these letters name the family. */
	return narrowed(e, hd_legal_intrinsic(e->site, "llvm.nvvm.ex2.approx.f", e->single, &x, 1));
}

static value one(struct element *e, const char *name, value *args)
{
	if (!strncmp(name, "nvvm.fma.", 9))
		return fused(e, args);
	if (!strncmp(name, "nvvm.fm", 7))
		return extreme(e, args);
	if (!strncmp(name, "nvvm.ex2", 8))
		return power_of_two(e, args[0]);
	if (!strncmp(name, "nvvm.abs", 8))
		return hd_legal_intrinsic(e->site, "llvm.fabs", e->type, args, 1);
	return LLVMBuildFNeg(e->site->builder, args[0], "");
}

/* The same on each element of a pair. */
static value mapped(struct element *e, const char *name)
{
	LLVMBuilderRef builder = e->site->builder;
	LLVMTypeRef whole = LLVMTypeOf(e->site->inst), word = LLVMInt32TypeInContext(e->site->legal->context);
	bool pair = LLVMGetTypeKind(whole) == LLVMVectorTypeKind;
	unsigned count = (unsigned)LLVMGetNumArgOperands(e->site->inst);
	value out = LLVMGetUndef(whole), args[3] = {NULL, NULL, NULL};
	for (unsigned part = 0; part < (pair ? 2 : 1); part++) {
		value at = LLVMConstInt(word, part, false);
		for (unsigned i = 0; i < count && i < 3; i++) {
			args[i] = LLVMGetArgOperand(e->site->inst, i);
			args[i] = pair ? LLVMBuildExtractElement(builder, args[i], at, "") : args[i];
		}
		out = pair ? LLVMBuildInsertElement(builder, out, one(e, name, args), at, "") : one(e, name, args);
	}
	return out;
}

/* ------------------------------------------------------------------ conversions */

static value converted(struct element *e, value x, bool to_zero)
{
	const char *name = LLVMGetTypeKind(e->type) == LLVMHalfTypeKind ? "llvm.nvvm.f2h.rz" : "llvm.nvvm.f2bf16.rz";
	x = clamped(e, x);
	if (!to_zero)
		return narrowed(e, x);
	if (LLVMGetTypeKind(e->type) == LLVMBFloatTypeKind)
		return hd_legal_intrinsic(e->site, name, e->type, &x, 1);
	value out;
	/* f2h has one direction only: a result that is too large in size is the next number's. */
	out = LLVMBuildFPTrunc(e->site->builder, x, e->type, "");
	LLVMTypeRef bits = LLVMInt16TypeInContext(e->site->legal->context);
	value got = widened(e, out), sizes[] = {hd_legal_intrinsic(e->site, "llvm.fabs", e->single, &got, 1),
						hd_legal_intrinsic(e->site, "llvm.fabs", e->single, &x, 1)};
	value above = LLVMBuildFCmp(e->site->builder, LLVMRealOGT, sizes[0], sizes[1], "");
	value less = LLVMBuildSub(e->site->builder, LLVMBuildBitCast(e->site->builder, out, bits, ""),
				  LLVMBuildZExt(e->site->builder, above, bits, ""), "");

	return LLVMBuildBitCast(e->site->builder, less, e->type, "");
}

/* nvvm.ff2bf16x2.rn(a, b): a in the upper half. */
static value pair_of(struct element *e, bool to_zero)
{
	LLVMBuilderRef builder = e->site->builder;
	LLVMTypeRef word = LLVMInt32TypeInContext(e->site->legal->context);
	value out = LLVMGetUndef(LLVMTypeOf(e->site->inst));
	for (unsigned part = 0; part < 2; part++)
		out = LLVMBuildInsertElement(builder, out,
					     converted(e, LLVMGetArgOperand(e->site->inst, 1 - part), to_zero),
					     LLVMConstInt(word, part, false), "");
	return out;
}

static value conversion(struct element *e, const char *name)
{
	bool to_zero = strstr(name, ".rz") != NULL;
	if (!strncmp(name, "nvvm.ff2", 8))
		return pair_of(e, to_zero);
	if (!strncmp(name, "nvvm.f2bf16.", 12) && e->relu)
		return converted(e, LLVMGetArgOperand(e->site->inst, 0), to_zero);
	if (!strncmp(name, "nvvm.bf2h.", 10)) {
		e->type = LLVMHalfTypeInContext(e->site->legal->context);
		value half = narrowed(e, flushed(e, widened(e, LLVMGetArgOperand(e->site->inst, 0))));
		return LLVMBuildBitCast(e->site->builder, half, LLVMTypeOf(e->site->inst), "");
	}
	return NULL;
}

value hd_legal_half(struct hd_site *site, const char *name)
{
	LLVMTypeRef type = LLVMTypeOf(site->inst);
	struct element e = {.site = site,
			    .single = LLVMFloatTypeInContext(site->legal->context),
			    .ftz = strstr(name, ".ftz"),
			    .nan = strstr(name, ".nan"),
			    .sign = strstr(name, ".xorsign"),
			    .relu = strstr(name, ".relu"),
			    .sat = strstr(name, ".sat"),
			    .max = !strncmp(name, "nvvm.fmax", 9)};
	e.type = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
	if (strstr(name, "2bf16") || strstr(name, "2f16x2") || strstr(name, "bf2h"))
		return conversion(&e, name);
	if (!is_half(e.type) && !(e.sign && e.type == e.single))
		return NULL;
	if (strncmp(name, "nvvm.fm", 7) && strncmp(name, "nvvm.ex2.", 9) && strncmp(name, "nvvm.abs.", 9) &&
	    strncmp(name, "nvvm.neg.", 9))
		return NULL;
	return mapped(&e, name);
}
