/*
 * NVVM intrinsics that have no machine instruction, in terms of helpers and of LLVM's own operations; and the questions
 * that a toolkit's libdevice asks about the target. Half precision is in half.c.
 */
#include "passes/legalize/wmma.h"
#include "passes/words.h"

static LLVMTypeRef word(struct hd_site *site)
{
	return LLVMInt32TypeInContext(site->legal->context);
}

value hd_legal_intrinsic(struct hd_site *site, const char *name, LLVMTypeRef type, value *args, unsigned count)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name)), types = LLVMIntrinsicIsOverloaded(id) ? 1 : 0;
	return LLVMBuildCall2(site->builder, LLVMIntrinsicGetType(site->legal->context, id, &type, types),
			      LLVMGetIntrinsicDeclaration(site->legal->module, id, &type, types), args, count, "");
}

/* __heddle_NAME of the intrinsic's arguments. */
static value helper(struct hd_site *site, const char *name, LLVMTypeRef result)
{
	unsigned count = (unsigned)LLVMGetNumArgOperands(site->inst);
	if (count > 3)
		return NULL;
	value args[3];
	for (unsigned i = 0; i < count; i++)
		args[i] = argument(site, i);
	return hd_legal_call(site, name, result, args, count);
}

/* A float with denormals taken for zero. */
static value flush(struct hd_site *site, value x)
{
	LLVMTypeRef type = LLVMTypeOf(x);
	value size = hd_legal_intrinsic(site, "llvm.fabs", type, &x, 1);
	value zero[] = {LLVMConstNull(type), x};
	value small = LLVMBuildFCmp(site->builder, LLVMRealOLT, size, LLVMConstReal(type, 0x1p-126), "");
	return LLVMBuildSelect(site->builder, small, hd_legal_intrinsic(site, "llvm.copysign", type, zero, 2), x, "");
}

/*
 * Division, reciprocal and square root towards zero, down and up: nvvm.div.rz.ftz.f. Of floats the double result,
 * rounded to nearest, is on the right side of all floats, because an inexact one is never that near to one.
 */
static value directed(struct hd_site *site, const char *name)
{
	static const char *const modes[] = {"rz", "rm", "rp"};
	bool flushed = strstr(name, ".ftz") != NULL, single = name[strlen(name) - 1] == 'f';
	LLVMTypeRef real = LLVMTypeOf(site->inst), wide = LLVMDoubleTypeInContext(site->legal->context);
	unsigned count = (unsigned)LLVMGetNumArgOperands(site->inst), mode = 3;
	for (unsigned i = 0; i < 3; i++)
		mode = !strncmp(strchr(name + 5, '.') + 1, modes[i], 2) ? i : mode;
	if (mode == 3 || count > 2)
		return NULL;
	value args[2];
	for (unsigned i = 0; i < count; i++)
		args[i] = flushed ? flush(site, argument(site, i)) : argument(site, i);
	if (!strncmp(name, "nvvm.rcp", 8)) {
		args[1] = args[0];
		args[0] = LLVMConstReal(real, 1);
		count = 2;
	}
	char full[40];
	if (!single) {
		snprintf(full, sizeof full, "__heddle_%s64_%s", count == 2 ? "fdiv" : "sqrt", modes[mode]);
		return hd_legal_call(site, full, real, args, count);
	}
	for (unsigned i = 0; i < count; i++)
		args[i] = LLVMBuildFPExt(site->builder, args[i], wide, "");
	value out = count == 2 ? LLVMBuildFDiv(site->builder, args[0], args[1], "")
			       : hd_legal_intrinsic(site, "llvm.sqrt", wide, args, 1);
	snprintf(full, sizeof full, "llvm.nvvm.d2f.%s", modes[mode]);
	/* The sum has the NaN of single precision. */
	value sum[2] = {hd_legal_intrinsic(site, full, real, &out, 1), LLVMConstReal(real, -0.0)};
	return hd_legal_intrinsic(site, flushed ? "llvm.nvvm.add.rn.ftz.f" : "llvm.nvvm.add.rn.f", NULL, sum, 2);
}

/* nvvm.rotate.b32, .b64, .right.b64 and nvvm.swap.lo.hi.b64 */
static value rotated(struct hd_site *site, const char *name)
{
	LLVMTypeRef type = LLVMTypeOf(site->inst);
	value args[3] = {argument(site, 0), argument(site, 0), LLVMConstInt(type, 32, false)};
	if (!strncmp(name, "nvvm.rotate", 11))
		args[2] = LLVMBuildIntCast2(site->builder, argument(site, 1), type, false, "");
	return hd_legal_intrinsic(site, strstr(name, "right") ? "llvm.fshr" : "llvm.fshl", type, args, 3);
}

/* A NaN becomes 0. */
static value saturated(struct hd_site *site)
{
	LLVMTypeRef type = LLVMTypeOf(site->inst);
	value args[2] = {argument(site, 0), LLVMConstNull(type)};
	args[0] = hd_legal_intrinsic(site, "llvm.maxnum", type, args, 2);
	args[1] = LLVMConstReal(type, 1);
	return hd_legal_intrinsic(site, "llvm.minnum", type, args, 2);
}

/* Round to nearest, ties away, to the ten fraction bits of TF32; infinities and NaNs as they are. */
static value tensor_float(struct hd_site *site)
{
	value x = argument(site, 0), bits = LLVMBuildBitCast(site->builder, x, word(site), "");
	value size = hd_legal_intrinsic(site, "llvm.fabs", LLVMTypeOf(x), &x, 1);
	value finite = LLVMBuildFCmp(site->builder, LLVMRealOLT, size, LLVMConstRealOfString(LLVMTypeOf(x), "inf"), "");
	value up = LLVMBuildAdd(site->builder, bits, LLVMConstInt(word(site), 0x1000, false), "");
	up = LLVMBuildAnd(site->builder, up, LLVMConstInt(word(site), 0xffffe000u, false), "");
	return LLVMBuildSelect(site->builder, finite, up, bits, "");
}

/* Registers that hold nothing here: the fourth component of vectors, what the driver sets, performance counters. */
static bool reads_zero(const char *name)
{
	size_t length = strlen(name);
	if (!hd_word_begins(name, "nvvm.read.ptx.sreg.") || strstr(name, "cluster"))
		return false;
	return !strcmp(name + length - 2, ".w") || strstr(name, ".envreg") || strstr(name, ".pm");
}

value hd_legal_nvvm(struct hd_site *site, const char *name)
{
	/* The variable itself holds the handle. It is the last argument; one form has it as metadata, too, first. */
	if (hd_word_begins(name, "nvvm.texsurf.handle"))
		return LLVMBuildLoad2(site->builder, LLVMTypeOf(site->inst),
				      argument(site, LLVMGetNumArgOperands(site->inst) - 1), "");
	value out = hd_legal_half(site, name);
	if (out)
		return out;
	if (reads_zero(name))
		return LLVMConstNull(LLVMTypeOf(site->inst));
	if (hd_word_begins(name, "nvvm.wmma."))
		return hd_legal_wmma(site, name);
	if (!strcmp(name, "nvvm.fns"))
		return helper(site, "__heddle_fns", word(site));
	if (!strcmp(name, "nvvm.reflect"))
		return hd_legal_reflect(site);
	if (!strcmp(name, "nvvm.rsqrt.approx.d"))
		return helper(site, "__heddle_rsqrt64", LLVMTypeOf(site->inst));
	if (!strcmp(name, "nvvm.saturate.d"))
		return saturated(site);
	if (!strcmp(name, "nvvm.f2tf32.rna"))
		return tensor_float(site);
	if (hd_word_begins(name, "nvvm.rotate.") || hd_word_begins(name, "nvvm.swap.lo.hi"))
		return rotated(site, name);
	if (hd_word_begins(name, "nvvm.div.r") || hd_word_begins(name, "nvvm.rcp.r") ||
	    hd_word_begins(name, "nvvm.sqrt.r"))
		return directed(site, name);
	char full[48];
	/* Not those of floats (sm_100a): fmin, fmax. */
	if (hd_word_begins(name, "nvvm.redux.sync.") && !hd_word_begins(name, "nvvm.redux.sync.f")) {
		snprintf(full, sizeof full, "__heddle_redux_%s", name + 16);
		return helper(site, full, word(site));
	}
	return NULL;
}

/* ------------------------------------------------------------------ __nvvm_reflect */

/* The text that a pointer to a constant string leads to. */
static const char *text_at(value pointer, size_t *length)
{
	value data = LLVMIsAGlobalVariable(pointer) ? LLVMGetInitializer(pointer) : NULL;
	if (LLVMIsAConstantExpr(pointer) && LLVMGetNumOperands(pointer))
		return text_at(LLVMGetOperand(pointer, 0), length);
	return data && LLVMIsConstantString(data) ? LLVMGetAsString(data, length) : NULL;
}

/* Denormals count, square roots and divisions are exact, unless the module's flag says that they are flushed. */
value hd_legal_reflect(struct hd_site *site)
{
	size_t length = 0;
	const char *question = text_at(argument(site, 0), &length);
	value answer = NULL;
	LLVMMetadataRef flag;
	if (question && !strcmp(question, "__CUDA_FTZ") &&
	    (flag = LLVMGetModuleFlag(site->legal->module, "nvvm-reflect-ftz", 16)))
		answer = LLVMMetadataAsValue(site->legal->context, flag);
	if (answer && LLVMGetMDNodeNumOperands(answer) == 1)
		LLVMGetMDNodeOperands(answer, &answer);
	if (answer && LLVMIsAConstantInt(answer))
		return LLVMConstInt(word(site), LLVMConstIntGetZExtValue(answer), false);
	if (question && !strcmp(question, "__CUDA_ARCH"))
		return LLVMConstInt(word(site), 700, false);
	return LLVMConstInt(word(site), 0, false);
}
