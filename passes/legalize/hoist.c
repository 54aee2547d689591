/*
 * Addresses in constant memory are computed in front of the branch around a side that reads there: sides in a row then
 * share what their addresses have in common, and no read waits for its own (passes/opt/predicated_constants.c puts the
 * reads under predicates). Only arithmetic that is defined for every value moves, and only out of the read's own block.
 *
 * Needs constant offsets to be apart from the rest (separate-const-offset-from-gep); equal values are joined behind it.
 * Linear.
 */
#include <llvm-c/DebugInfo.h>

#include "passes/legalize/legalize.h"

static bool may_move(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMGetElementPtr:
	case LLVMAddrSpaceCast:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMAnd:
	case LLVMOr: return true;
	default: return false;
	}
}

/* Whether all that `value` is made of in the block may move; `room`: instructions that are looked at. */
static bool can_hoist(LLVMValueRef value, LLVMBasicBlockRef block, unsigned *room)
{
	if (!hd_legal_is_inside(value, block))
		return true;
	if (!may_move(value) || !*room)
		return false;
	--*room;
	for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++)
		if (!can_hoist(LLVMGetOperand(value, (unsigned)i), block, room))
			return false;
	return true;
}

/* Operands first. The builder stands where they go. Each keeps its place in the source and not the branch's, which the
 * builder gives it; those that LLVM made without one have that of the read. */
static void hoist(LLVMBuilderRef builder, LLVMValueRef value, LLVMBasicBlockRef block, LLVMMetadataRef read)
{
	if (!hd_legal_is_inside(value, block))
		return;
	for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++)
		hoist(builder, LLVMGetOperand(value, (unsigned)i), block, read);
	LLVMMetadataRef place = LLVMInstructionGetDebugLoc(value);
	LLVMInstructionRemoveFromParent(value);
	LLVMInsertIntoBuilder(builder, value);
	LLVMInstructionSetDebugLoc(value, place ? place : read);
}

/* The only block from which `block` is reached, if that ends in a branch of two ways; else NULL. */
static LLVMBasicBlockRef above(LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef from = NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (from || !LLVMIsABranchInst(user))
			return NULL;
		from = LLVMIsConditional(user) ? LLVMGetInstructionParent(user) : NULL;
		if (!from)
			return NULL;
	}
	return from == block ? NULL : from;
}

static bool reads_constants(LLVMValueRef inst)
{
	return LLVMIsALoadInst(inst) && LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0))) == HD_AS_CONST;
}

/* A side that reads constants and goes on at one place. */
static bool is_side(LLVMBasicBlockRef block)
{
	if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block)) != 1 || !above(block))
		return false;
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
		if (reads_constants(inst))
			return true;
	return false;
}

/* Whether what is behind the side ends in a branch around another one, or the block in front is behind one. */
static bool is_in_row(LLVMBasicBlockRef side, LLVMBasicBlockRef from)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetSuccessor(LLVMGetBasicBlockTerminator(side), 0));
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
		if (LLVMGetNumSuccessors(end) == 2 && is_side(LLVMGetSuccessor(end, i)))
			return true;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(from)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsABranchInst(user) && is_side(LLVMGetInstructionParent(user)))
			return true;
	}
	return false;
}

/* Instructions of one address: a base, indices of a few dimensions and their widening. */
#define ADDRESS_PARTS 16u

static void hoist_of_block(struct hd_legal *legal, LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef from = is_side(block) ? above(block) : NULL;
	if (!from || !is_in_row(block, from))
		return;
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
		unsigned room = ADDRESS_PARTS;
		if (!reads_constants(inst) || !can_hoist(LLVMGetOperand(inst, 0), block, &room))
			continue;
		LLVMPositionBuilderBefore(legal->builder, LLVMGetBasicBlockTerminator(from));
		hoist(legal->builder, LLVMGetOperand(inst, 0), block, LLVMInstructionGetDebugLoc(inst));
	}
}

void hd_legal_hoist(struct hd_legal *legal)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
			hoist_of_block(legal, bb);
}
