/*
 * Questions about NVPTX IR: integer constants, constant addresses, scalars.
 */
#include <stdlib.h>
#include <string.h>

#include <llvm/Config/llvm-config.h>

#include "passes/ir/ir.h"

bool hd_is_scalar(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMStructTypeKind:
	case LLVMArrayTypeKind:
	case LLVMVectorTypeKind:
	case LLVMVoidTypeKind: return false;
	default: return true;
	}
}

static bool is_narrow_space(unsigned space)
{
	return space == HD_AS_SHARED || space == HD_AS_LOCAL || space == HD_AS_PARAM;
}

unsigned hd_scalar_bits(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type);
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind: return 16;
	case LLVMFloatTypeKind: return 32;
	case LLVMDoubleTypeKind: return 64;
	case LLVMPointerTypeKind: return is_narrow_space(LLVMGetPointerAddressSpace(type)) ? 32 : 64;
	default: return 0;
	}
}

/* One scalar starts at bit 0 whatever its width; of several, each has a bit, a byte, half a word or whole words. */
static bool lies_in_words(LLVMTypeRef type, unsigned bits)
{
	bool several = LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) > 1;
	return !several || bits == 1 || bits == 8 || bits == 16 || bits % 32 == 0;
}

bool hd_is_word_bitcast(LLVMTypeRef from, LLVMTypeRef to)
{
	unsigned from_bits = hd_scalar_bits(hd_is_scalar(from) ? from : LLVMGetElementType(from));
	unsigned to_bits = hd_scalar_bits(hd_is_scalar(to) ? to : LLVMGetElementType(to));
	return from_bits == to_bits || (lies_in_words(from, from_bits) && lies_in_words(to, to_bits));
}

static void parse_decimal(const char *text, uint64_t words[2])
{
	unsigned __int128 value = 0;
	bool negative = *text == '-';
	for (text += negative; *text >= '0' && *text <= '9'; text++)
		value = value * 10 + (unsigned)(*text - '0');
	if (negative)
		value = -value;
	words[0] = (uint64_t)value;
	words[1] = (uint64_t)(value >> 64);
}

bool hd_const_int(LLVMValueRef value, uint64_t words[2])
{
	if (!LLVMIsAConstantInt(value))
		return false;
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
	if (bits > 128)
		return false;
	words[1] = 0;
	if (bits <= 64) {
		words[0] = LLVMConstIntGetZExtValue(value);
		return true;
	}
	/* The C API gives no access to more than 64 bits but through the text. */
	char *text = LLVMPrintValueToString(value);
	const char *digits = strchr(text, ' ');

	if (digits)
		parse_decimal(digits + 1, words);
	LLVMDisposeMessage(text);
	return digits != NULL;
}

bool hd_is_int_constant(LLVMValueRef value, uint64_t *out)
{
	if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
		return false;
	*out = LLVMConstIntGetZExtValue(value);
	return true;
}

/* Up to LLVM 21 operands are the value, the default destination, and a value and a destination of each case. */
LLVMValueRef hd_case_value(LLVMValueRef inst, unsigned i)
{
#if LLVM_VERSION_MAJOR >= 22
	return LLVMGetSwitchCaseValue(inst, i);
#else
	return LLVMGetOperand(inst, 2 * i);
#endif
}

bool hd_single_use(LLVMValueRef value)
{
	LLVMUseRef use = LLVMGetFirstUse(value);
	return use && !LLVMGetNextUse(use);
}

static bool constant_gep(LLVMTargetDataRef layout, LLVMValueRef value, struct hd_const_addr *out)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
	if (!hd_const_address(layout, LLVMGetOperand(value, 0), out))
		return false;
	for (int i = 1; i < LLVMGetNumOperands(value); i++) {
		LLVMValueRef index = LLVMGetOperand(value, (unsigned)i);
		if (!LLVMIsAConstantInt(index))
			return false;
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
			out->addend += LLVMOffsetOfElement(layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
			continue;
		}
		if (i > 1)
			type = LLVMGetElementType(type);
		out->addend += (uint64_t)LLVMConstIntGetSExtValue(index) * LLVMABISizeOfType(layout, type);
	}
	return true;
}

bool hd_const_address(LLVMTargetDataRef layout, LLVMValueRef value, struct hd_const_addr *out)
{
	*out = (struct hd_const_addr){NULL, 0};
	while (LLVMIsAGlobalAlias(value))
		value = LLVMAliasGetAliasee(value);
	if (LLVMIsAFunction(value) || LLVMIsAGlobalVariable(value)) {
		out->global = value;
		return true;
	}
	if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64) {
		out->addend = LLVMConstIntGetZExtValue(value);
		return true;
	}
	if (LLVMIsNull(value))
		return true;
	if (!LLVMIsAConstantExpr(value))
		return false;
	struct hd_const_addr other;
	switch (LLVMGetConstOpcode(value)) {
	case LLVMGetElementPtr: return constant_gep(layout, value, out);
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMPtrToInt:
	case LLVMIntToPtr: return hd_const_address(layout, LLVMGetOperand(value, 0), out);
	case LLVMAdd:
		if (!hd_const_address(layout, LLVMGetOperand(value, 0), out) ||
		    !hd_const_address(layout, LLVMGetOperand(value, 1), &other) || (out->global && other.global))
			return false;
		out->global = out->global ? out->global : other.global;
		out->addend += other.addend;
		return true;
	case LLVMSub:
		if (!hd_const_address(layout, LLVMGetOperand(value, 0), out) ||
		    !hd_const_address(layout, LLVMGetOperand(value, 1), &other) ||
		    (other.global && other.global != out->global))
			return false;
		out->global = other.global ? NULL : out->global;
		out->addend -= other.addend;
		return true;
	default: return false;
	}
}

unsigned hd_access_alignment(LLVMValueRef inst)
{
	unsigned align = LLVMGetAlignment(inst);
	return align ? align : 1u << 31;
}
