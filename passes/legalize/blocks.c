/*
 * Addresses of blocks become numbers, and jumps to them switches over these: the machine has jump tables and no jumps
 * to addresses. Blocks are numbered from 1 in their function, in order. Linear.
 */
#include "lib/map.h"
#include "passes/legalize/legalize.h"

#include <llvm-c/DebugInfo.h>

/*
 * The constant that is the address of a block of the function; NULL when nothing takes it. LLVMCloneModule leaves the
 * blocks of the original in the initialisers of the clone's variables, so that `block` may be either.
 */
static LLVMValueRef address_of(LLVMValueRef function, LLVMBasicBlockRef block)
{
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsABlockAddress(user) && LLVMGetOperand(user, 0) == function)
			return user;
	}
	return NULL;
}

/* Numbers of the blocks whose address is taken, in order; the others get none. Returns the last. */
static uint64_t number_blocks(LLVMValueRef function, LLVMValueRef original, struct hd_map *numbers)
{
	LLVMBasicBlockRef twin = LLVMGetFirstBasicBlock(original);
	uint32_t count = 0;
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb && twin;
	     bb = LLVMGetNextBasicBlock(bb), twin = LLVMGetNextBasicBlock(twin))
		if (address_of(function, bb) || address_of(function, twin))
			hd_map_put(numbers, bb, ++count, 1);
	return count;
}

/* One case for each successor, so that the PHIs behind stay as they are: an edge to a block without a number, or again
 * to one that has a case, gets a number that no block has. */
static void replace_jump(struct hd_legal *legal, LLVMValueRef jump, const struct hd_map *numbers, uint64_t last)
{
	LLVMBuilderRef builder = legal->builder;
	LLVMTypeRef word = LLVMInt64TypeInContext(legal->context);
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(jump));
	LLVMBasicBlockRef nowhere = LLVMAppendBasicBlockInContext(legal->context, function, "");
	unsigned count = LLVMGetNumSuccessors(jump);
	struct hd_map seen = {0};
	LLVMPositionBuilderAtEnd(builder, nowhere);
	LLVMSetCurrentDebugLocation2(builder, NULL);
	LLVMBuildUnreachable(builder);
	LLVMPositionBuilderBefore(builder, jump);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(jump));
	LLVMValueRef target = LLVMBuildPtrToInt(builder, LLVMGetOperand(jump, 0), word, "");
	LLVMValueRef out = LLVMBuildSwitch(builder, target, nowhere, count);
	for (unsigned i = 0; i < count; i++) {
		LLVMBasicBlockRef block = LLVMGetSuccessor(jump, i);
		const struct hd_map_entry *known = hd_map_get(numbers, block);
		bool used = !known || hd_map_get(&seen, block);
		LLVMAddCase(out, LLVMConstInt(word, used ? ++last : known->start, false), block);
		hd_map_put(&seen, block, 0, 1);
	}
	LLVMSetMetadata(out, legal->md_ordinal, LLVMGetMetadata(jump, legal->md_ordinal));
	LLVMInstructionEraseFromParent(jump);
	hd_map_release(&seen);
}

/* Before the jumps are replaced, which adds blocks. */
static void replace_addresses(struct hd_legal *legal, LLVMValueRef function, LLVMValueRef original,
			      const struct hd_map *numbers)
{
	LLVMTypeRef word = LLVMInt64TypeInContext(legal->context);
	LLVMTypeRef pointer = LLVMPointerTypeInContext(legal->context, HD_AS_GENERIC);
	LLVMBasicBlockRef twin = LLVMGetFirstBasicBlock(original);
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb && twin;
	     bb = LLVMGetNextBasicBlock(bb), twin = LLVMGetNextBasicBlock(twin)) {
		const struct hd_map_entry *known = hd_map_get(numbers, bb);
		LLVMValueRef address[2] = {address_of(function, bb), address_of(function, twin)};
		LLVMValueRef number = LLVMConstInt(word, known ? known->start : 0, false);
		for (unsigned i = 0; i < 2; i++)
			if (address[i])
				LLVMReplaceAllUsesWith(address[i], LLVMConstIntToPtr(number, pointer));
	}
}

void hd_legal_blocks(struct hd_legal *legal)
{
	LLVMValueRef original = LLVMGetFirstFunction(legal->unit->source);
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f && original;
	     f = LLVMGetNextFunction(f), original = LLVMGetNextFunction(original)) {
		struct hd_map numbers = {0};
		uint64_t last = number_blocks(f, original, &numbers);
		if (last)
			replace_addresses(legal, f, original, &numbers);
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb)) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(bb);
			if (end && LLVMGetInstructionOpcode(end) == LLVMIndirectBr)
				replace_jump(legal, end, &numbers, last);
		}
		hd_map_release(&numbers);
	}
}
