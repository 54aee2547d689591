/*
 * CUDA's -prec-div=false, -prec-sqrt=false and -use_fast_math (CUDA C++ Programming Guide, Intrinsic Functions), which
 * change what the source says and nothing of what it means beside: NaN, infinities and the order of sums stay. They are
 * put down as marks in the IR, so that the optimizer and a link across sources keep them: an approximate division has
 * LLVM's flag afn, one in the full range !fpmath of 2 ulp. A division may have both: then afn counts. Linear in the
 * module.
 */
#include <stdio.h>
#include <string.h>

#include "passes/legalize/build.h"

/* The functions of the guide's table, by what clang's headers call. */
static const char *const functions[][2] = {
	{"__nv_sinf", "__nv_fast_sinf"},     {"__nv_cosf", "__nv_fast_cosf"},
	{"__nv_tanf", "__nv_fast_tanf"},     {"__nv_sincosf", "__nv_fast_sincosf"},
	{"__nv_expf", "__nv_fast_expf"},     {"__nv_exp10f", "__nv_fast_exp10f"},
	{"__nv_logf", "__nv_fast_logf"},     {"__nv_log2f", "__nv_fast_log2f"},
	{"__nv_log10f", "__nv_fast_log10f"}, {"__nv_powf", "__nv_fast_powf"},
	{"__nv_tanhf", "__nv_fast_tanhf"},   {"__nv_fdividef", "__nv_fast_fdividef"},
};

#define FULL_ULP 2.0

static bool is_float(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMFloatTypeKind;
}

static void mark_approximate(LLVMValueRef inst)
{
	LLVMSetFastMathFlags(inst, LLVMGetFastMathFlags(inst) | LLVMFastMathApproxFunc);
}

void hd_legal_mark_full(LLVMContextRef context, LLVMValueRef inst)
{
	LLVMMetadataRef ulp = LLVMValueAsMetadata(LLVMConstReal(LLVMFloatTypeInContext(context), FULL_ULP));
	LLVMSetMetadata(inst, LLVMGetMDKindIDInContext(context, "fpmath", 6),
			LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &ulp, 1)));
}

bool hd_legal_is_full(const struct hd_legal *legal, LLVMValueRef value)
{
	LLVMValueRef node = LLVMHasMetadata(value) ? LLVMGetMetadata(value, legal->md_fpmath) : NULL, ulp;
	LLVMBool inexact;
	if (!node || !is_float(value) || LLVMGetMDNodeNumOperands(node) != 1 ||
	    (LLVMGetFastMathFlags(value) & LLVMFastMathApproxFunc))
		return false;
	LLVMGetMDNodeOperands(node, &ulp);
	return LLVMConstRealGetDouble(ulp, &inexact) <= FULL_ULP;
}

/* The reciprocal of the hardware is right for such divisors alone. */
static bool is_in_range(value divisor)
{
	LLVMBool inexact;
	double d = LLVMIsAConstantFP(divisor) ? LLVMConstRealGetDouble(divisor, &inexact) : 0;
	d = d < 0 ? -d : d;
	return d >= 0x1p-126 && d <= 0x1p126;
}

static value real(value like, double number)
{
	return LLVMConstReal(LLVMTypeOf(like), number);
}

/* Both operands times a power of two that brings the divisor to where its reciprocal is no denormal, nor infinite. The
 * mark, which no source has, says so to selection; without it selection would scale a second time. */
value hd_legal_full_division(struct hd_site *site)
{
	value x = LLVMGetOperand(site->inst, 0), y = LLVMGetOperand(site->inst, 1), size = y;
	if (!is_in_range(y)) {
		size = intrinsic(site, "fabs", &size, 1);
		value large = LLVMBuildFCmp(site->builder, LLVMRealOGT, size, real(y, 0x1p126), "");
		value small = LLVMBuildFCmp(site->builder, LLVMRealOLT, size, real(y, 0x1p-126), "");
		value scale = choose(site, large, real(y, 0.25), choose(site, small, real(y, 0x1p24), real(y, 1)));
		x = binary(site, LLVMFMul, x, scale);
		y = binary(site, LLVMFMul, y, scale);
	}
	value out = binary(site, LLVMFDiv, x, y);
	mark_approximate(out);
	LLVMSetMetadata(out, site->legal->md_scaled,
			LLVMMetadataAsValue(site->legal->context, LLVMMDNodeInContext2(site->legal->context, NULL, 0)));
	return out;
}

/* __nv_sqrtf and __builtin_sqrtf; __fsqrt_rn is another function. */
static bool is_root(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
	return !strcmp(name, "__nv_sqrtf") || !strcmp(name, "llvm.sqrt.f32");
}

static LLVMValueRef root_intrinsic(LLVMModuleRef module)
{
	LLVMTypeRef type = LLVMFloatTypeInContext(LLVMGetModuleContext(module));
	return LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID("llvm.sqrt", 9), &type, 1);
}

static void mark_instruction(const struct hd_options *options, LLVMModuleRef module, LLVMValueRef inst)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	if (op == LLVMFDiv && is_float(inst) && !strcmp(options->division, "approximate"))
		mark_approximate(inst);
	else if (op == LLVMFDiv && is_float(inst) && !strcmp(options->division, "full"))
		hd_legal_mark_full(LLVMGetModuleContext(module), inst);
	if (op == LLVMCall && is_root(inst) && strcmp(options->square_root, "exact") != 0) {
		LLVMSetOperand(inst, (unsigned)LLVMGetNumOperands(inst) - 1, root_intrinsic(module));
		mark_approximate(inst);
	}
}

/* Of a function that is defined here only its own name is known. */
static void replace_functions(LLVMModuleRef module)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		LLVMValueRef slow = LLVMGetNamedFunction(module, functions[i][0]);
		LLVMValueRef fast = slow ? LLVMGetNamedFunction(module, functions[i][1]) : NULL;
		if (!slow || !LLVMIsDeclaration(slow))
			continue;
		if (!fast)
			fast = LLVMAddFunction(module, functions[i][1], LLVMGlobalGetValueType(slow));
		LLVMReplaceAllUsesWith(slow, fast);
	}
}

void hd_legal_fast_math(struct hd_unit *unit)
{
	LLVMModuleRef module = unit->source;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst))
				mark_instruction(&unit->options, module, inst);
	if (unit->options.fast_functions)
		replace_functions(module);
}
