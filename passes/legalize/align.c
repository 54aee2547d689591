/*
 * Alignments that LLVM's passes would lose or get wrong.
 *
 * Shared arrays begin at multiples of 16 bytes and constant ones at multiples of 8, so that loads and stores of
 * neighbours in them can become one access of two or four words: their place is chosen here, and what the user's
 * compiler says of it (4 for floats) is only the least. As ptxas has it. Constants keep their alignment where
 * the gaps between them would fill constant memory. Linear in the globals; before LLVM's load-store-vectorizer.
 *
 * A load of a whole structure or array that is less aligned than its parts (a packed one, or by value at an odd place)
 * becomes loads of its parts with the alignment that each has: LLVM 19's InstCombine turns `extractvalue (load)` into a
 * load that claims the part's natural alignment. Before LLVM's passes; linear in the module.
 */
#include "passes/legalize/legalize.h"

#define LARGE 16u	       /* arrays above so many bytes */
#define SHARED_ALIGN 16u       /* as many bytes as the widest access has */
#define CONSTANT_ALIGN 8u      /* the same of constants */

/* The alignment that is wished for a variable; 0: it stays as it is. */
static unsigned wanted_alignment(struct hd_legal *legal, LLVMValueRef global)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(global));
	if (LLVMIsDeclaration(global) || (space != HD_AS_SHARED && space != HD_AS_CONST) ||
	    LLVMABISizeOfType(legal->layout, LLVMGlobalGetValueType(global)) <= LARGE)
		return 0;
	return space == HD_AS_SHARED ? SHARED_ALIGN : CONSTANT_ALIGN;
}

/* Whether the constants fit, one behind the other. */
static bool has_room_for_constants(struct hd_legal *legal)
{
	uint64_t end = 0;
	for (LLVMValueRef global = LLVMGetFirstGlobal(legal->module); global; global = LLVMGetNextGlobal(global)) {
		LLVMTypeRef type = LLVMGlobalGetValueType(global);
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(global)) != HD_AS_CONST || !LLVMTypeIsSized(type))
			continue;
		unsigned align = LLVMGetAlignment(global), wanted = wanted_alignment(legal, global);
		align = align ? align : LLVMABIAlignmentOfType(legal->layout, type);
		align = align > wanted ? align : wanted;
		end = (end + align - 1) / align * align + LLVMABISizeOfType(legal->layout, type);
	}
	return end <= HD_CONSTANT_BYTES;
}

bool hd_legal_align(struct hd_legal *legal)
{
	bool any = false;
	if (!hd_switch_is_on(legal->unit->options.without, HD_SWITCH_ALIGNED_SHARED_ARRAYS))
		return false;
	bool room = has_room_for_constants(legal);
	for (LLVMValueRef global = LLVMGetFirstGlobal(legal->module); global; global = LLVMGetNextGlobal(global)) {
		unsigned wanted = wanted_alignment(legal, global);
		if (LLVMGetAlignment(global) < wanted && (room || wanted == SHARED_ALIGN))
			LLVMSetAlignment(global, wanted);
		any |= wanted != 0;
	}
	return any;
}

/* ---- loads of whole aggregates */

/* The alignment of `base` bytes aligned address plus `offset`. */
static unsigned common_alignment(unsigned base, uint64_t offset)
{
	uint64_t both = base | offset;
	return (unsigned)(both & -both);
}

static bool is_aggregate(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind || LLVMGetTypeKind(type) == LLVMArrayTypeKind;
}

/* The value of `type` at `offset` bytes behind what `load` reads, leaf by leaf. */
static LLVMValueRef load_leaves(LLVMBuilderRef builder, LLVMTargetDataRef layout, LLVMValueRef load, LLVMTypeRef type,
				uint64_t offset)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
	if (!is_aggregate(type)) {
		LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(type)), offset, false);
		LLVMValueRef place = LLVMBuildGEP2(builder, byte, LLVMGetOperand(load, 0), &at, 1, "");
		LLVMValueRef leaf = LLVMBuildLoad2(builder, type, place, "");
		LLVMSetAlignment(leaf, common_alignment(LLVMGetAlignment(load), offset));
		return leaf;
	}
	bool array = LLVMGetTypeKind(type) == LLVMArrayTypeKind;
	unsigned count = array ? (unsigned)LLVMGetArrayLength2(type) : LLVMCountStructElementTypes(type);
	LLVMValueRef whole = LLVMGetPoison(type);
	for (unsigned i = 0; i < count; i++) {
		LLVMTypeRef part = array ? LLVMGetElementType(type) : LLVMStructGetTypeAtIndex(type, i);
		uint64_t place =
			offset + (array ? i * LLVMABISizeOfType(layout, part) : LLVMOffsetOfElement(layout, type, i));
		whole = LLVMBuildInsertValue(builder, whole, load_leaves(builder, layout, load, part, place), i, "");
	}
	return whole;
}

/* Whether a leaf of `type`, at `offset` bytes behind an address of this alignment, is less aligned than such values
 * are. */
static bool is_misplaced(LLVMTargetDataRef layout, LLVMTypeRef type, unsigned base, uint64_t offset)
{
	if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
		LLVMTypeRef element = LLVMGetElementType(type);
		uint64_t next =
			offset + LLVMABISizeOfType(layout, element); /* others are as aligned as one of the two */
		return LLVMGetArrayLength2(type) &&
		       (is_misplaced(layout, element, base, offset) || is_misplaced(layout, element, base, next));
	}
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return common_alignment(base, offset) < LLVMABIAlignmentOfType(layout, type);
	for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
		if (is_misplaced(layout, LLVMStructGetTypeAtIndex(type, i), base,
				 offset + LLVMOffsetOfElement(layout, type, i)))
			return true;
	return false;
}

void hd_legal_split_loads(LLVMModuleRef module)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(b), next; inst; inst = next) {
				LLVMTypeRef type = LLVMTypeOf(inst);
				next = LLVMGetNextInstruction(inst);
				if (!LLVMIsALoadInst(inst) || LLVMGetVolatile(inst) || !is_aggregate(type) ||
				    !is_misplaced(layout, type, LLVMGetAlignment(inst), 0))
					continue;
				LLVMPositionBuilderBefore(builder, inst);
				LLVMReplaceAllUsesWith(inst, load_leaves(builder, layout, inst, type, 0));
				LLVMInstructionEraseFromParent(inst);
			}
	LLVMDisposeBuilder(builder);
}
