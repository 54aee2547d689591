/*
 * What there is of integers of more than 128 bits beside plain arithmetic becomes plain arithmetic on them, before they
 * are split into words: intrinsics, conversions to and from floating point, casts of vectors and pointers, switches;
 * arguments and results of functions are arrays of words. Two visits of each instruction of a module that has any.
 */
#include <stdlib.h>

#include "passes/legalize/build.h"
#include "passes/legalize/wide.h"

static bool is_wide(value v)
{
	return hd_wide_is(LLVMTypeOf(v));
}

/* ---- parts of a value, of `bits` each: as an array or a vector, and back */

static value extracted(struct hd_site *site, value whole, unsigned at, unsigned bits)
{
	value moved = at ? binary(site, LLVMLShr, whole, number(whole, (uint64_t)at * bits)) : whole;
	return LLVMBuildTrunc(site->builder, moved, int_type(site, bits), "");
}

static value inserted(struct hd_site *site, value whole, LLVMTypeRef type, value part, unsigned at)
{
	value wide = LLVMBuildZExt(site->builder, part, type, "");
	if (!at)
		return wide;
	wide = binary(site, LLVMShl, wide, number(wide, (uint64_t)at * width_of(part)));
	return binary(site, LLVMOr, whole, wide);
}

static LLVMTypeRef array_of(struct hd_site *site, LLVMTypeRef type)
{
	unsigned count = (LLVMGetIntTypeWidth(type) + HD_WIDE_WORD - 1) / HD_WIDE_WORD;
	return LLVMArrayType2(int_type(site, HD_WIDE_WORD), count);
}

/* The last word ends with the value. */
static value to_array(struct hd_site *site, value whole)
{
	LLVMTypeRef type = array_of(site, LLVMTypeOf(whole));
	unsigned count = (unsigned)LLVMGetArrayLength2(type);
	value out = LLVMGetUndef(type);
	for (unsigned i = 0; i < count; i++) {
		value word = extracted(site, whole, i, HD_WIDE_WORD);
		out = LLVMBuildInsertValue(site->builder, out, word, i, "");
	}
	return out;
}

static value from_array(struct hd_site *site, value array, LLVMTypeRef type)
{
	unsigned count = (unsigned)LLVMGetArrayLength2(LLVMTypeOf(array));
	value out = LLVMConstNull(type);
	for (unsigned i = 0; i < count; i++)
		out = inserted(site, out, type, LLVMBuildExtractValue(site->builder, array, i, ""), i);
	return out;
}

/* Vectors whose elements have a whole number of words, or of which a word has a whole number. */
static value bitcast(struct hd_site *site, value in)
{
	LLVMTypeRef type = LLVMTypeOf(site->inst), vector = is_wide(in) ? type : LLVMTypeOf(in);
	if (LLVMGetTypeKind(vector) != LLVMVectorTypeKind)
		return NULL;
	unsigned count = LLVMGetVectorSize(vector), bits = hd_wide_bits(is_wide(in) ? LLVMTypeOf(in) : type) / count;
	LLVMTypeRef integers = LLVMVectorType(int_type(site, bits), count);
	value out = is_wide(in) ? LLVMGetUndef(integers) : LLVMConstNull(type);
	if (!is_wide(in) && vector != integers)
		in = LLVMBuildBitCast(site->builder, in, integers, "");
	for (unsigned i = 0; i < count; i++) {
		value at = LLVMConstInt(int_type(site, 32), i, false);
		if (is_wide(in))
			out = LLVMBuildInsertElement(site->builder, out, extracted(site, in, i, bits), at, "");
		else
			out = inserted(site, out, type, LLVMBuildExtractElement(site->builder, in, at, ""), i);
	}
	return is_wide(in) && vector != integers ? LLVMBuildBitCast(site->builder, out, vector, "") : out;
}

/* ---- floating point */

/* 2^n in the type. */
static value power(struct hd_site *site, LLVMTypeRef type, value n)
{
	bool is_double = LLVMGetTypeKind(type) == LLVMDoubleTypeKind,
	     is_float = LLVMGetTypeKind(type) == LLVMFloatTypeKind;
	unsigned mantissa = is_double ? 52 : is_float ? 23 : 7, bits = is_double ? 64 : is_float ? 32 : 16;
	uint64_t most = is_double ? 1023 : 127; /* what is lost above is an infinity anyway */
	n = choose(site, compare(site, LLVMIntUGT, n, number(n, most)), number(n, most), n);
	n = binary(site, LLVMShl, binary(site, LLVMAdd, n, number(n, most)), number(n, mantissa));
	return LLVMBuildBitCast(site->builder, cast(site, n, bits, false), type, "");
}

/* The leading 64 bits, the last of them set where any below is: one rounding is left to do, and a power of two. */
static value to_float(struct hd_site *site, value in, bool is_signed)
{
	LLVMTypeRef type = LLVMTypeOf(site->inst);
	unsigned bits = width_of(in);
	value zero = number(in, 0), negative = compare(site, LLVMIntSLT, in, zero), args[2] = {in, truth(site, false)};
	if (is_signed)
		args[0] = choose(site, negative, binary(site, LLVMSub, zero, in), in);
	value size = args[0], leading = cast(site, intrinsic(site, "ctlz", args, 2), HD_WIDE_WORD, false);
	value most = number(leading, bits - HD_WIDE_WORD), by = binary(site, LLVMSub, most, leading);
	by = choose(site, compare(site, LLVMIntULT, leading, most), by, number(by, 0));
	value amount = cast(site, by, bits, false), top = binary(site, LLVMLShr, size, amount);
	value lost = compare(site, LLVMIntNE, binary(site, LLVMShl, top, amount), size);
	top = binary(site, LLVMOr, cast(site, top, HD_WIDE_WORD, false), cast(site, lost, HD_WIDE_WORD, false));
	value out = LLVMBuildUIToFP(site->builder, top, type, "");
	if (LLVMGetTypeKind(type) != LLVMHalfTypeKind) /* which has infinity for all that is moved */
		out = LLVMBuildFMul(site->builder, out, power(site, type, by), "");
	return is_signed ? choose(site, negative, LLVMBuildFNeg(site->builder, out, ""), out) : out;
}

/* The significand, moved by the exponent. */
static value from_float(struct hd_site *site, value in, bool is_signed)
{
	LLVMTypeRef real = LLVMDoubleTypeInContext(site->legal->context), word = int_type(site, HD_WIDE_WORD);
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(site->inst));
	if (LLVMTypeOf(in) != real)
		in = LLVMBuildFPExt(site->builder, in, real, "");
	value all = LLVMBuildBitCast(site->builder, in, word, "");
	value exponent = binary(site, LLVMAnd, binary(site, LLVMLShr, all, number(all, 52)), number(all, 0x7ff));
	value part = binary(site, LLVMAnd, all, number(all, (UINT64_C(1) << 52) - 1));
	part = binary(site, LLVMOr, part, number(all, UINT64_C(1) << 52));
	value up = binary(site, LLVMSub, exponent, number(all, 1075)), down = LLVMBuildNeg(site->builder, up, "");
	value fraction = compare(site, LLVMIntSLT, up, number(up, 0));
	value gone = compare(site, LLVMIntUGT, down, number(down, HD_WIDE_WORD - 1));
	value small = choose(site, gone, number(part, 0), binary(site, LLVMLShr, part, down));
	value large = cast(site, part, bits, false);
	large = binary(site, LLVMShl, large, cast(site, up, bits, false));
	value out = choose(site, fraction, cast(site, small, bits, false), large);
	if (!is_signed)
		return out;
	value negative = compare(site, LLVMIntSLT, all, number(all, 0));
	return choose(site, negative, binary(site, LLVMSub, number(out, 0), out), out);
}

/* ---- intrinsics */

static bool has_wide(value inst)
{
	bool found = is_wide(inst);
	for (int i = 0, n = LLVMGetNumOperands(inst); i < n && !found; i++)
		found = is_wide(LLVMGetOperand(inst, (unsigned)i));
	return found;
}

/* A sum with its flag is taken apart by extractvalue, whose users get the parts. */
static value flagged(struct hd_site *site, value pair)
{
	value sum = LLVMGetOperand(LLVMGetOperand(pair, 0), 1), flag = LLVMGetOperand(pair, 1);
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(site->inst); use; use = next) {
		value user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (!LLVMIsAExtractValueInst(user))
			continue;
		LLVMReplaceAllUsesWith(user, *LLVMGetIndices(user) ? flag : sum);
		LLVMInstructionEraseFromParent(user);
	}
	return pair;
}

static value call(struct hd_site *site)
{
	value callee = LLVMGetCalledValue(site->inst);
	char name[64];
	if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee) ||
	    !hd_legal_base_name(LLVMGetValueName(callee), name, sizeof name))
		return NULL;
	value out = hd_legal_rare(site, name);
	if (out)
		return out;
	out = hd_legal_integer(site, name);
	return out && strstr(name, ".with.overflow") ? flagged(site, out) : out;
}

/* ---- divisions by powers of two, which LLVM's loops leave */

/* Of a constant 2^n; -1 for others. */
static int exponent_of(struct hd_site *site, value constant)
{
	int out = -1;
	for (unsigned i = 0; i < hd_wide_count(constant); i++) {
		value folded = extracted(site, constant, i, HD_WIDE_WORD);
		uint64_t word = LLVMIsAConstantInt(folded) ? LLVMConstIntGetZExtValue(folded) : 3;
		if (word && (out >= 0 || (word & (word - 1))))
			return -1;
		if (word)
			out = (int)i * HD_WIDE_WORD + __builtin_ctzll(word);
	}
	return out;
}

/* Towards zero: negative dividends get 2^n - 1 first. */
static value signed_quotient(struct hd_site *site, value a, unsigned n)
{
	unsigned bits = width_of(a);
	if (!n)
		return a;
	value sign = binary(site, LLVMAShr, a, number(a, bits - 1));
	value sum = binary(site, LLVMAdd, a, binary(site, LLVMLShr, sign, number(a, bits - n)));
	return binary(site, LLVMAShr, sum, number(a, n));
}

static value division(struct hd_site *site, LLVMOpcode op)
{
	value a = LLVMGetOperand(site->inst, 0), b = LLVMGetOperand(site->inst, 1);
	if (!LLVMIsAConstantInt(b))
		return NULL;
	int n = exponent_of(site, b);
	bool is_signed = op == LLVMSDiv || op == LLVMSRem, negative = is_signed && (n < 0 || n == (int)width_of(a) - 1);
	if (negative)
		n = exponent_of(site, LLVMConstNeg(b));
	if (n < 0)
		return NULL;
	value amount = number(a, (uint64_t)n),
	      quotient = is_signed ? signed_quotient(site, a, (unsigned)n) : binary(site, LLVMLShr, a, amount);
	if (op == LLVMURem || op == LLVMSRem)
		return binary(site, LLVMSub, a, binary(site, LLVMShl, quotient, amount));
	return negative ? LLVMBuildNeg(site->builder, quotient, "") : quotient;
}

/* ---- switches: by the number of the case */

static void number_cases(struct hd_site *site)
{
	value inst = site->inst, of = LLVMGetOperand(inst, 0);
	unsigned count = LLVMGetNumSuccessors(inst);
	LLVMTypeRef type = int_type(site, 32);
	value index = LLVMConstInt(type, 0, false);
	for (unsigned i = 1; i < count; i++) {
		value same = compare(site, LLVMIntEQ, of, hd_case_value(inst, i));
		index = choose(site, same, LLVMConstInt(type, i, false), index);
	}
	value by_number = LLVMBuildSwitch(site->builder, index, LLVMGetSwitchDefaultDest(inst), count - 1);
	for (unsigned i = 1; i < count; i++)
		LLVMAddCase(by_number, LLVMConstInt(type, i, false), LLVMGetSuccessor(inst, i));
	LLVMInstructionEraseFromParent(inst);
}

static value expanded(struct hd_site *site)
{
	value in = LLVMGetNumOperands(site->inst) ? LLVMGetOperand(site->inst, 0) : NULL;
	switch (LLVMGetInstructionOpcode(site->inst)) {
	case LLVMCall: return call(site);
	case LLVMUIToFP: return to_float(site, in, false);
	case LLVMSIToFP: return to_float(site, in, true);
	case LLVMFPToUI: return from_float(site, in, false);
	case LLVMFPToSI: return from_float(site, in, true);
	case LLVMBitCast: return bitcast(site, in);
	case LLVMPtrToInt:
		return cast(site, LLVMBuildPtrToInt(site->builder, in, int_type(site, HD_WIDE_WORD), ""),
			    LLVMGetIntTypeWidth(LLVMTypeOf(site->inst)), false);
	case LLVMIntToPtr:
		return LLVMBuildIntToPtr(site->builder, cast(site, in, HD_WIDE_WORD, false), LLVMTypeOf(site->inst),
					 "");
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem: return division(site, LLVMGetInstructionOpcode(site->inst));
	case LLVMSwitch: number_cases(site); return NULL;
	default: return NULL;
	}
}

static bool is_division(value inst)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	return op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
}

static bool expand_function(struct hd_site *site, value function)
{
	bool divisions = false;
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb)) {
		value next;
		for (value inst = LLVMGetFirstInstruction(bb); inst; inst = next) {
			value before = LLVMGetPreviousInstruction(inst);
			next = LLVMGetNextInstruction(inst);
			if (!has_wide(inst))
				continue;
			divisions |= is_division(inst);
			site->inst = inst;
			LLVMPositionBuilderBefore(site->builder, inst);
			value out = expanded(site);
			if (!out)
				continue;
			LLVMReplaceAllUsesWith(inst, out);
			LLVMInstructionEraseFromParent(inst);
			next = before ? LLVMGetNextInstruction(before) : LLVMGetFirstInstruction(bb); /* once more */
		}
	}
	return divisions;
}

/* ---- arguments and results */

static LLVMTypeRef signature(struct hd_site *site, LLVMTypeRef type)
{
	unsigned count = LLVMCountParamTypes(type);
	LLVMTypeRef result = LLVMGetReturnType(type), *params = hd_xcalloc(count + 1, sizeof *params);
	bool changed = hd_wide_is(result);
	LLVMGetParamTypes(type, params);
	for (unsigned i = 0; i < count; i++) {
		changed |= hd_wide_is(params[i]);
		params[i] = hd_wide_is(params[i]) ? array_of(site, params[i]) : params[i];
	}
	result = hd_wide_is(result) ? array_of(site, result) : result;
	LLVMTypeRef out = changed ? LLVMFunctionType(result, params, count, LLVMIsFunctionVarArg(type)) : NULL;
	free(params);
	return out;
}

static void new_call(struct hd_site *site, LLVMTypeRef type)
{
	unsigned count = LLVMGetNumArgOperands(site->inst);
	value *args = hd_xcalloc(count + 1, sizeof *args), old = site->inst;
	for (unsigned i = 0; i < count; i++) {
		args[i] = LLVMGetArgOperand(old, i);
		args[i] = is_wide(args[i]) ? to_array(site, args[i]) : args[i];
	}
	value out = LLVMBuildCall2(site->builder, type, LLVMGetCalledValue(old), args, count, ""), result = out;
	LLVMSetInstructionCallConv(out, LLVMGetInstructionCallConv(old));
	LLVMSetTailCallKind(out, LLVMGetTailCallKind(old));
	hd_legal_copy_attributes(out, old, LLVMAttributeFunctionIndex, false);
	for (unsigned i = 0; i < count; i++)
		if (!is_wide(LLVMGetArgOperand(old, i)))
			hd_legal_copy_attributes(out, old, i + 1, false);
	if (LLVMGetMetadata(old, site->legal->md_ordinal))
		LLVMSetMetadata(out, site->legal->md_ordinal, LLVMGetMetadata(old, site->legal->md_ordinal));
	if (is_wide(old))
		result = from_array(site, out, LLVMTypeOf(old));
	LLVMReplaceAllUsesWith(old, result);
	LLVMInstructionEraseFromParent(old);
	free(args);
}

static void copy_parameter_attributes(value to, value from, LLVMAttributeIndex index)
{
	unsigned count = LLVMGetAttributeCountAtIndex(from, index);
	LLVMAttributeRef *list = hd_xcalloc(count + 1, sizeof *list);
	LLVMGetAttributesAtIndex(from, index, list);
	for (unsigned i = 0; i < count; i++)
		LLVMAddAttributeAtIndex(to, index, list[i]);
	free(list);
}

/* The parts of a function that are not in its blocks. */
static value function_like(struct hd_site *site, value old, LLVMTypeRef type)
{
	value out = LLVMAddFunction(site->legal->module, "", type);
	size_t length, count;
	LLVMSetLinkage(out, LLVMGetLinkage(old));
	LLVMSetVisibility(out, LLVMGetVisibility(old));
	LLVMSetFunctionCallConv(out, LLVMGetFunctionCallConv(old));
	copy_parameter_attributes(out, old, LLVMAttributeFunctionIndex);
	for (unsigned i = 0; i < LLVMCountParams(old); i++)
		if (!is_wide(LLVMGetParam(old, i)))
			copy_parameter_attributes(out, old, i + 1);
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(old, &count);
	for (unsigned i = 0; i < count; i++)
		LLVMGlobalSetMetadata(out, LLVMValueMetadataEntriesGetKind(entries, i),
				      LLVMValueMetadataEntriesGetMetadata(entries, i));
	LLVMDisposeValueMetadataEntries(entries);
	LLVMGlobalClearMetadata(old);
	const char *name = LLVMGetValueName2(old, &length);
	char *kept = hd_xstrdup(name);
	LLVMSetValueName2(old, "", 0);
	LLVMSetValueName2(out, kept, length);
	free(kept);
	return out;
}

static void move_body(struct hd_site *site, value to, value from)
{
	for (LLVMBasicBlockRef bb; (bb = LLVMGetFirstBasicBlock(from));) {
		LLVMRemoveBasicBlockFromParent(bb);
		LLVMAppendExistingBasicBlock(to, bb);
	}
	if (!LLVMIsDeclaration(to))
		LLVMPositionBuilderBefore(site->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(to)));
	for (unsigned i = 0; i < LLVMCountParams(from) && !LLVMIsDeclaration(to); i++) {
		value old = LLVMGetParam(from, i), new = LLVMGetParam(to, i);
		LLVMReplaceAllUsesWith(old, is_wide(old) ? from_array(site, new, LLVMTypeOf(old)) : new);
	}
}

static void new_return(struct hd_site *site, LLVMBasicBlockRef bb)
{
	value end = LLVMGetBasicBlockTerminator(bb);
	if (!end || !LLVMIsAReturnInst(end) || !LLVMGetNumOperands(end) || !is_wide(LLVMGetOperand(end, 0)))
		return;
	LLVMPositionBuilderBefore(site->builder, end);
	LLVMBuildRet(site->builder, to_array(site, LLVMGetOperand(end, 0)));
	LLVMInstructionEraseFromParent(end);
}

static bool is_function_call(value inst)
{
	if (!LLVMIsACallInst(inst) || LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
		return false;
	return !LLVMIsAFunction(LLVMGetCalledValue(inst)) || !LLVMGetIntrinsicID(LLVMGetCalledValue(inst));
}

static void change_calls(struct hd_site *site, value function)
{
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb)) {
		for (value inst = LLVMGetFirstInstruction(bb), next; inst; inst = next) {
			next = LLVMGetNextInstruction(inst);
			LLVMTypeRef type =
				is_function_call(inst) ? signature(site, LLVMGetCalledFunctionType(inst)) : NULL;
			site->inst = inst;
			LLVMPositionBuilderBefore(site->builder, inst);
			if (type)
				new_call(site, type);
		}
		new_return(site, bb);
	}
}

/* Kernels keep theirs: a launch has the bytes of a number. */
static void change_signatures(struct hd_site *site)
{
	for (value f = LLVMGetFirstFunction(site->legal->module), next; f; f = next) {
		next = LLVMGetNextFunction(f);
		LLVMTypeRef type = LLVMGetIntrinsicID(f) || hd_is_kernel(site->legal->unit, f)
					   ? NULL
					   : signature(site, LLVMGlobalGetValueType(f));
		if (!type)
			continue;
		value to = function_like(site, f, type);
		move_body(site, to, f);
		LLVMReplaceAllUsesWith(f, to);
		LLVMDeleteFunction(f);
	}
}

/* ---- the module */

bool hd_wide_found(const struct hd_legal *legal)
{
	for (value f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
			for (value inst = LLVMGetFirstInstruction(bb); inst; inst = LLVMGetNextInstruction(inst))
				if (has_wide(inst))
					return true;
	return false;
}

bool hd_wide_expand(struct hd_legal *legal)
{
	struct hd_site site = {.legal = legal, .builder = LLVMCreateBuilderInContext(legal->context)};
	bool divisions = false;
	for (value f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		change_calls(&site, f);
	change_signatures(&site);
	for (value f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		divisions |= expand_function(&site, f);
	LLVMDisposeBuilder(site.builder);
	return divisions;
}
