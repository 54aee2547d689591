/*
 * The places and parts of by-value aggregates in calls (byval.h). Linear in the arguments and their scalars.
 */
#include "passes/ir/byval.h"

#include <llvm-c/Core.h>

#include "passes/ir/ir.h"

struct hd_byval hd_byval_of(LLVMTargetDataRef layout, LLVMValueRef holder, unsigned param)
{
	unsigned by_value = LLVMGetEnumAttributeKindForName("byval", 5);
	unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
	bool call = LLVMIsACallInst(holder) != NULL;
	LLVMAttributeRef type = call ? LLVMGetCallSiteEnumAttribute(holder, param + 1, by_value)
				     : LLVMGetEnumAttributeAtIndex(holder, param + 1, by_value);
	LLVMAttributeRef attr = call ? LLVMGetCallSiteEnumAttribute(holder, param + 1, align)
				     : LLVMGetEnumAttributeAtIndex(holder, param + 1, align);
	struct hd_byval byval = {0};
	if (!type)
		return byval;
	byval.type = LLVMGetTypeAttributeValue(type);
	byval.bytes = LLVMABISizeOfType(layout, byval.type);
	byval.align = attr ? (uint32_t)LLVMGetEnumAttributeValue(attr) : LLVMABIAlignmentOfType(layout, byval.type);
	return byval;
}

/* Whether a scalar of 8 bytes begins at the byte. */
static bool has_pair(LLVMTargetDataRef layout, LLVMTypeRef type, uint64_t offset)
{
	for (;;) {
		LLVMTypeKind kind = LLVMGetTypeKind(type);
		if (kind == LLVMStructTypeKind) {
			if (offset >= LLVMABISizeOfType(layout, type) || !LLVMCountStructElementTypes(type))
				return false;
			unsigned element = LLVMElementAtOffset(layout, type, offset);
			offset -= LLVMOffsetOfElement(layout, type, element);
			type = LLVMStructGetTypeAtIndex(type, element);
		} else if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
			if (offset >= LLVMABISizeOfType(layout, type))
				return false;
			type = LLVMGetElementType(type);
			uint64_t stride = LLVMABISizeOfType(layout, type);
			if (!stride)
				return false;
			offset %= stride;
		} else {
			return offset == 0 && hd_scalar_bits(type) == 64;
		}
	}
}

uint32_t hd_byval_parts(LLVMTargetDataRef layout, const struct hd_byval *byval,
			struct hd_byval_part parts[HD_BYVAL_MOST_PARTS])
{
	uint32_t count = 0;
	if (byval->bytes > HD_BYVAL_MOST_BYTES)
		return 0;
	for (uint32_t at = 0; at < byval->bytes; at += 4u * parts[count++].words) {
		bool pair = byval->align >= 8 && at % 8 == 0 && has_pair(layout, byval->type, at);
		parts[count] = (struct hd_byval_part){at, pair ? 2 : 1};
	}
	return count;
}

uint8_t hd_passed_words(LLVMTypeRef type)
{
	unsigned bits = hd_scalar_bits(type);
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return 2;
	return bits > 128 ? 0 : bits > 64 ? 4 : bits > 32 ? 2 : 1;
}

/* The scalars of an argument, in order, take what registers they take. */
static void pass_scalars(struct hd_abi_cursor *cursor, LLVMTypeRef type)
{
	struct hd_abi_place place;
	switch (LLVMGetTypeKind(type)) {
	case LLVMStructTypeKind:
		for (unsigned i = 0, n = LLVMCountStructElementTypes(type); i < n; i++)
			pass_scalars(cursor, LLVMStructGetTypeAtIndex(type, i));
		break;
	case LLVMArrayTypeKind:
		/* Behind the last register nothing changes. */
		for (uint64_t i = 0, n = LLVMGetArrayLength2(type); i < n && cursor->next < cursor->end; i++)
			pass_scalars(cursor, LLVMGetElementType(type));
		break;
	case LLVMVectorTypeKind:
		for (unsigned i = 0, n = LLVMGetVectorSize(type); i < n && cursor->next < cursor->end; i++)
			pass_scalars(cursor, LLVMGetElementType(type));
		break;
	default: hd_abi_take(cursor, hd_passed_words(type), &place);
	}
}

void hd_byval_registers(const struct hd_abi *abi, LLVMTargetDataRef layout, LLVMTypeRef type, LLVMValueRef holder,
			uint8_t *first)
{
	struct hd_abi_cursor cursor = hd_abi_begin(abi, false);
	unsigned count = LLVMCountParamTypes(type);
	LLVMTypeRef *types = hd_xcalloc(count + 1, sizeof(*types));
	LLVMGetParamTypes(type, types);
	for (unsigned i = 0; i < count; i++) {
		struct hd_byval byval = hd_byval_of(layout, holder, i);
		first[i] = 0;
		if (byval.type)
			first[i] = hd_abi_take_aggregate(&cursor, byval.bytes, byval.align);
		else
			pass_scalars(&cursor, types[i]);
	}
	free(types);
}

LLVMOperandBundleRef hd_byval_bundle(LLVMValueRef call, unsigned param)
{
	for (unsigned i = 0, n = LLVMGetNumOperandBundles(call); i < n; i++) {
		LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
		size_t length;
		const char *tag = LLVMGetOperandBundleTag(bundle, &length);
		if (length == sizeof(HD_BYVAL_BUNDLE) - 1 && !memcmp(tag, HD_BYVAL_BUNDLE, length) &&
		    LLVMConstIntGetZExtValue(LLVMGetOperandBundleArgAtIndex(bundle, 0)) == param)
			return bundle;
		LLVMDisposeOperandBundle(bundle);
	}
	return NULL;
}
