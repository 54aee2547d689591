/*
 * CUDA's -ftz=true for what is not an instruction of LLVM: operations with a rounding mode in their name, conversions,
 * approximations and the functions of the device library take single-precision denormals for zero and make none, in
 * functions that clang marked (libdevice does so by __CUDA_FTZ). Before the library is linked; after optimization, what
 * only operations read that flush by themselves needs no flush of its own. Linear in the module.
 */
#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "passes/legalize/build.h"

bool hd_legal_flushes(LLVMValueRef function)
{
	static const char name[] = "denormal-fp-math-f32";
	LLVMAttributeRef attribute =
		LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, sizeof name - 1);
	unsigned length = 0;
	const char *how = attribute ? LLVMGetStringAttributeValue(attribute, &length) : NULL;
	return how && length >= 13 && !strncmp(how, "preserve-sign", 13);
}

static bool is_float(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMFloatTypeKind;
}

static value call_intrinsic(LLVMBuilderRef builder, LLVMModuleRef module, const char *name, value *args, unsigned count)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	return LLVMBuildCall2(builder, LLVMIntrinsicGetType(LLVMGetModuleContext(module), id, NULL, 0),
			      LLVMGetIntrinsicDeclaration(module, id, NULL, 0), args, count, "");
}

value hd_legal_flushed(LLVMBuilderRef builder, LLVMModuleRef module, value x)
{
	value args[2] = {x, LLVMConstReal(LLVMTypeOf(x), 1.0)};
	return call_intrinsic(builder, module, "llvm.nvvm.mul.rn.ftz.f", args, 2);
}

/* ------------------------------------------------------------------ functions that are one intrinsic */

static const struct {
	const char *name, *intrinsic; /* both with a rounding mode behind them */
} rounded[] = {
	{"fadd", "add"},	{"fsub", "add"},      {"fmul", "mul"},	      {"fdiv", "div"},
	{"frcp", "rcp"},	{"fsqrt", "sqrt"},    {"fmaf", "fma"},	      {"float2int", "f2i"},
	{"float2uint", "f2ui"}, {"float2ll", "f2ll"}, {"float2ull", "f2ull"},
};
static const char *const modes[][2] = {{"rn", "rn"}, {"rz", "rz"}, {"rd", "rm"}, {"ru", "rp"}};
static const char *const approximations[][2] = {
	{"rsqrtf", "llvm.nvvm.rsqrt.approx.ftz.f"},
	{"fast_sinf", "llvm.nvvm.sin.approx.ftz.f"},
	{"fast_cosf", "llvm.nvvm.cos.approx.ftz.f"},
	{"fast_log2f", "llvm.nvvm.lg2.approx.ftz.f"},
};

/* The intrinsic of "fadd_rz"; false: there is none. */
static bool find_intrinsic(const char *name, char *intrinsic, size_t room)
{
	for (size_t i = 0; i < sizeof approximations / sizeof *approximations; i++)
		if (!strcmp(name, approximations[i][0])) {
			snprintf(intrinsic, room, "%s", approximations[i][1]);
			return true;
		}
	for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++)
		for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
			size_t length = strlen(rounded[i].name);
			if (strncmp(name, rounded[i].name, length) != 0 || name[length] != '_' ||
			    strcmp(name + length + 1, modes[m][0]) != 0)
				continue;
			bool converts = !strncmp(rounded[i].intrinsic, "f2", 2);
			snprintf(intrinsic, room, "llvm.nvvm.%s.%s.ftz%s", rounded[i].intrinsic, modes[m][1],
				 converts ? "" : ".f");
			return true;
		}
	return false;
}

/* ------------------------------------------------------------------ the others */

/* Those that look at bits, as libdevice's do, and those that become instructions, which flush by themselves. */
static bool keeps_denormals(const char *name)
{
	static const char *const names[] = {
		"float_as_int",	 "float_as_uint", "int_as_float", "uint_as_float", "copysignf", "signbitf",
		"isnanf",	 "isinff",	  "finitef",	  "nanf",	   "frexpf",	"ldexpf",
		"scalbnf",	 "ilogbf",	  "logbf",	  "nextafterf",	   "fabsf",	"half2float",
		"float2half_rn", "truncf",	  "fmaf",	  "fminf",	   "fmaxf",	"ceilf",
		"floorf",	 "rintf",	  "nearbyintf",	  "roundf",	   "saturatef", "sqrtf",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "fmaf_ieee_", 10);
}

/* Who reads the instruction's result reads it with denormals as zero. */
static void flush_result(LLVMBuilderRef builder, LLVMModuleRef module, value inst)
{
	LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(inst));
	value kept = LLVMBuildFreeze(builder, inst, ""); /* stands for it while all other uses are replaced */
	value out = hd_legal_flushed(builder, module, kept);
	LLVMReplaceAllUsesWith(inst, out);
	LLVMSetOperand(kept, 0, inst);
}

/* Arguments and result with denormals as zero. */
static void flush_around(LLVMBuilderRef builder, LLVMModuleRef module, value call)
{
	for (unsigned i = 0, n = (unsigned)LLVMGetNumArgOperands(call); i < n; i++) {
		value arg = LLVMGetOperand(call, i);
		if (is_float(LLVMTypeOf(arg)) && !LLVMIsAConstantFP(arg))
			LLVMSetOperand(call, i, hd_legal_flushed(builder, module, arg));
	}
	if (is_float(LLVMTypeOf(call)) && LLVMGetNextInstruction(call))
		flush_result(builder, module, call);
}

/* Of a function that is defined here only its own name is known. */
static const char *device_function(value inst)
{
	static const char prefix[] = "__nv_";
	value callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
	if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) ||
	    strncmp(LLVMGetValueName(callee), prefix, sizeof prefix - 1) != 0)
		return NULL;
	return LLVMGetValueName(callee) + sizeof prefix - 1;
}

static void flush_call(LLVMBuilderRef builder, LLVMModuleRef module, value inst)
{
	const char *name = device_function(inst);
	char intrinsic[48];
	value args[3];
	if (!name || keeps_denormals(name))
		return;
	LLVMPositionBuilderBefore(builder, inst);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(inst));
	if (!find_intrinsic(name, intrinsic, sizeof intrinsic)) {
		flush_around(builder, module, inst);
		return;
	}
	unsigned count = (unsigned)LLVMGetNumArgOperands(inst);
	for (unsigned i = 0; i < count && i < 3; i++)
		args[i] = LLVMGetArgOperand(inst, i);
	if (!strncmp(name, "fsub", 4))
		args[1] = LLVMBuildFNeg(builder, args[1], "");
	LLVMReplaceAllUsesWith(inst, call_intrinsic(builder, module, intrinsic, args, count));
	LLVMInstructionEraseFromParent(inst);
}

/* ------------------------------------------------------------------ -a and fabsf(a) */

static const char *callee_name(value inst)
{
	value callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
	return callee && LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
}

static bool is_sign_operation(value inst)
{
	const char *name = callee_name(inst);
	return is_float(LLVMTypeOf(inst)) && (LLVMGetInstructionOpcode(inst) == LLVMFNeg ||
					      !strcmp(name, "llvm.fabs.f32") || !strcmp(name, "__nv_fabsf"));
}

/* Whether an instruction of a function that flushes takes denormal operands for zero by itself. */
static bool takes_for_zero(value user)
{
	static const char *const names[] = {"llvm.fma.f32", "llvm.fmuladd.f32", "llvm.minnum.f32", "llvm.maxnum.f32",
					    "__nv_fmaf",    "__nv_fminf",	"__nv_fmaxf"};
	const char *name = callee_name(user);
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFCmp: return true;
	default: break;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "llvm.nvvm.", 10) && strstr(name, ".ftz.");
}

static bool only_for_zero(value x, unsigned depth);

/* `depth` bounds the cost in long chains of signs, which no one writes. */
static bool user_takes_for_zero(value user, unsigned depth)
{
	return takes_for_zero(user) || (is_sign_operation(user) && depth && only_for_zero(user, depth - 1));
}

#define SIGNS 3

static bool only_for_zero(value x, unsigned depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(x); use; use = LLVMGetNextUse(use))
		if (!user_takes_for_zero(LLVMGetUser(use), depth))
			return false;
	return true;
}

/*
 * PTX's neg.ftz and abs.ftz. LLVM's operations are of bits, and its optimizer makes them from integer code, too (the
 * keys of a radix sort), which must keep denormals: so it is decided here, by what the source has.
 */
static void flush_sign(LLVMBuilderRef builder, LLVMModuleRef module, value inst)
{
	if (only_for_zero(inst, SIGNS))
		return;
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(inst));
	flush_result(builder, module, inst);
}

/* Once a function: a link across sources prepares it again, with what the optimizer made of integer code by then. */
static bool is_first_look(value function)
{
	static const char name[] = "heddle-signs-flushed";
	if (LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, sizeof name - 1))
		return false;
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateStringAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(function)), name,
							  sizeof name - 1, "", 0));
	return true;
}

static void flush_function(LLVMBuilderRef builder, LLVMModuleRef module, value function)
{
	bool signs = is_first_look(function);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(b), next; inst; inst = next) {
			next = LLVMGetNextInstruction(inst);
			if (!is_sign_operation(inst))
				flush_call(builder, module, inst);
			else if (signs)
				flush_sign(builder, module, inst);
		}
}

/* What hd_legal_flushed() made. */
static bool is_flushing(value inst)
{
	LLVMBool inexact;
	return !strcmp(callee_name(inst), "llvm.nvvm.mul.rn.ftz.f") && LLVMIsAConstantFP(LLVMGetArgOperand(inst, 1)) &&
	       LLVMConstRealGetDouble(LLVMGetArgOperand(inst, 1), &inexact) == 1.0;
}

void hd_legal_flush_once(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = hd_legal_flushes(f) ? LLVMGetFirstBasicBlock(f) : NULL; b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(b), next; inst; inst = next) {
				next = LLVMGetNextInstruction(inst);
				if (!is_flushing(inst) || !only_for_zero(inst, SIGNS))
					continue;
				LLVMReplaceAllUsesWith(inst, LLVMGetArgOperand(inst, 0));
				LLVMInstructionEraseFromParent(inst);
			}
}

void hd_legal_flush(LLVMModuleRef module)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && hd_legal_flushes(f))
			flush_function(builder, module, f);
	LLVMDisposeBuilder(builder);
}
