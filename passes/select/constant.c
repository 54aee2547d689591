/*
 * Constant expressions that LLVM leaves unfolded between vectors and other types of the same size, of up to 128 bits:
 * bitcasts, elements of such vectors, and integer arithmetic on them. A vector's elements lie in its bits from the
 * lowest up, without gaps.
 */
#include "passes/select/select.h"

enum { MOST_BITS = 128 };

/* Width of a scalar or of a vector of them; 0: of anything else. */
static unsigned width_of(LLVMTypeRef type)
{
	if (hd_is_scalar(type))
		return hd_scalar_bits(type);
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		return LLVMGetVectorSize(type) * hd_scalar_bits(LLVMGetElementType(type));
	return 0;
}

static unsigned __int128 wide(const uint64_t words[2])
{
	return (unsigned __int128)words[1] << 64 | words[0];
}

static unsigned __int128 low_bits(unsigned __int128 bits, unsigned width)
{
	return width < MOST_BITS ? bits & (((unsigned __int128)1 << width) - 1) : bits;
}

static bool vector_bits(struct hd_select *sel, LLVMValueRef value, unsigned __int128 *bits)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned count = LLVMGetVectorSize(type), width = width_of(type) / count;
	*bits = 0;
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef element = LLVMGetAggregateElement(value, i);
		uint64_t words[2];
		if (!element || !hd_sel_constant_bits(sel, element, words))
			return false;
		*bits |= wide(words) << i * width;
	}
	return true;
}

/* Element `index` of a vector, whatever kind of constant it is. */
static bool element_bits(struct hd_select *sel, LLVMValueRef vector, uint64_t index, unsigned __int128 *bits)
{
	LLVMTypeRef type = LLVMTypeOf(vector);
	unsigned count = LLVMGetVectorSize(type), width = width_of(type) / count;
	uint64_t words[2];
	if (index >= count || !hd_sel_constant_bits(sel, vector, words))
		return false;
	*bits = low_bits(wide(words) >> index * width, width);
	return true;
}

static unsigned __int128 combine(LLVMOpcode op, unsigned __int128 a, unsigned __int128 b)
{
	switch (op) {
	case LLVMAdd: return a + b;
	case LLVMSub: return a - b;
	case LLVMMul: return a * b;
	case LLVMShl: return b < MOST_BITS ? a << b : 0;
	default: return a ^ b;
	}
}

/* Element by element; a scalar is one. */
static bool arithmetic_bits(struct hd_select *sel, LLVMValueRef value, unsigned __int128 *bits)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned count = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
	unsigned width = width_of(type) / count;
	uint64_t left[2], right[2];
	if (!hd_sel_constant_bits(sel, LLVMGetOperand(value, 0), left) ||
	    !hd_sel_constant_bits(sel, LLVMGetOperand(value, 1), right))
		return false;
	*bits = 0;
	for (unsigned at = 0; at < count * width; at += width) {
		unsigned __int128 a = low_bits(wide(left) >> at, width), b = low_bits(wide(right) >> at, width);
		*bits |= low_bits(combine(LLVMGetConstOpcode(value), a, b), width) << at;
	}
	return true;
}

static bool expression_bits(struct hd_select *sel, LLVMValueRef value, unsigned __int128 *bits)
{
	uint64_t words[2], index;
	switch (LLVMGetConstOpcode(value)) {
	case LLVMBitCast:
		if (!hd_sel_constant_bits(sel, LLVMGetOperand(value, 0), words))
			return false;
		*bits = wide(words);
		return true;
	case LLVMExtractElement:
		return hd_is_int_constant(LLVMGetOperand(value, 1), &index) &&
		       element_bits(sel, LLVMGetOperand(value, 0), index, bits);
	case LLVMTrunc:
		if (!hd_sel_constant_bits(sel, LLVMGetOperand(value, 0), words))
			return false;
		*bits = low_bits(wide(words), width_of(LLVMTypeOf(value)));
		return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMXor: return arithmetic_bits(sel, value, bits);
	default: return false;
	}
}

bool hd_sel_constant_bits(struct hd_select *sel, LLVMValueRef value, uint64_t words[2])
{
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned width = width_of(type);
	unsigned __int128 bits = 0;
	bool known = width && width <= MOST_BITS;
	if (!known)
		return false;
	if (hd_const_int(value, words))
		return true;
	if (LLVMIsAConstantFP(value))
		bits = LLVMConstIntGetZExtValue(LLVMConstBitCast(value, LLVMIntTypeInContext(sel->context, width)));
	else if (LLVMIsAConstantExpr(value))
		known = expression_bits(sel, value, &bits);
	else if (!LLVMIsUndef(value) && !LLVMIsPoison(value) && !LLVMIsNull(value))
		known = LLVMGetTypeKind(type) == LLVMVectorTypeKind && vector_bits(sel, value, &bits);
	words[0] = (uint64_t)bits;
	words[1] = (uint64_t)(bits >> 64);
	return known;
}

bool hd_sel_constant_element(struct hd_select *sel, LLVMValueRef vector, unsigned index, struct hd_leaf *leaf)
{
	LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(vector));
	unsigned __int128 bits;
	if (hd_sel_words(sel, type) < 0 || !element_bits(sel, vector, index, &bits))
		return false;
	*leaf = hd_leaf_imm((uint64_t)bits, (unsigned)hd_sel_words(sel, type));
	leaf->imm[1] = (uint64_t)(bits >> 64);
	return true;
}
