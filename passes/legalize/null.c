/*
 * Null pointers: shared and local memory begin at address 0, where the first variable lies, so that only a generic
 * pointer can be null. infer-address-spaces, which spreads the space of one operand of a comparison or select to the
 * other, casts a null beside it. The cast's value, and what is cast back, would be the first variable's address. So
 * such a null is an instruction while that pass runs. A comparison of an object's address with null is then constant.
 */
#include "passes/legalize/legalize.h"

#include <llvm-c/DebugInfo.h>

static bool is_generic_null(LLVMValueRef value)
{
	return LLVMIsAConstantPointerNull(value) && LLVMGetPointerAddressSpace(LLVMTypeOf(value)) == HD_AS_GENERIC;
}

static LLVMOpcode opcode_of(LLVMValueRef value)
{
	if (LLVMIsAConstantExpr(value))
		return LLVMGetConstOpcode(value);
	return LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
}

enum { MOST_SEEN = 64 };

struct origins {
	LLVMValueRef seen[MOST_SEEN];
	unsigned count;
};

/* Whether a pointer may come to be one of shared or local memory. */
static bool may_be_narrow(struct origins *origins, LLVMValueRef pointer)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	if (space != HD_AS_GENERIC || LLVMIsAAllocaInst(pointer))
		return space == HD_AS_GENERIC || space == HD_AS_SHARED || space == HD_AS_LOCAL;
	LLVMOpcode opcode = opcode_of(pointer);
	if (opcode != LLVMAddrSpaceCast && opcode != LLVMGetElementPtr && opcode != LLVMPHI && opcode != LLVMSelect)
		return false;
	for (unsigned i = 0; i < origins->count; i++)
		if (origins->seen[i] == pointer)
			return false;
	if (origins->count == MOST_SEEN)
		return true;
	origins->seen[origins->count++] = pointer;
	if (opcode == LLVMPHI) {
		for (unsigned i = 0, n = LLVMCountIncoming(pointer); i < n; i++)
			if (may_be_narrow(origins, LLVMGetIncomingValue(pointer, i)))
				return true;
		return false;
	}
	unsigned first = opcode == LLVMSelect;
	return may_be_narrow(origins, LLVMGetOperand(pointer, first)) ||
	       (first && may_be_narrow(origins, LLVMGetOperand(pointer, 2)));
}

static void hide(struct hd_legal *legal, LLVMValueRef inst)
{
	unsigned last = (unsigned)LLVMGetNumOperands(inst) - 1;
	for (unsigned i = last - 1; i <= last; i++) {
		struct origins origins = {.count = 0};
		LLVMValueRef operand = LLVMGetOperand(inst, i), other = LLVMGetOperand(inst, 2 * last - 1 - i);
		if (!is_generic_null(operand) || !may_be_narrow(&origins, other))
			continue;
		LLVMPositionBuilderBefore(legal->builder, inst);
		LLVMSetCurrentDebugLocation2(legal->builder, LLVMInstructionGetDebugLoc(inst));
		LLVMSetOperand(inst, i, LLVMBuildFreeze(legal->builder, operand, ""));
	}
}

/* Whether a pointer is the address of an object, or lies in one. */
static bool is_in_object(LLVMValueRef pointer)
{
	for (;; pointer = LLVMGetOperand(pointer, 0)) {
		LLVMOpcode opcode = opcode_of(pointer);
		if (opcode == LLVMAlloca)
			return true;
		if (LLVMIsAGlobalVariable(pointer))
			return LLVMGetLinkage(pointer) != LLVMExternalWeakLinkage;
		if (opcode != LLVMAddrSpaceCast && (opcode != LLVMGetElementPtr || !LLVMIsInBounds(pointer)))
			return false;
	}
}

/* What takes an instruction's place whose null was hidden, or NULL. */
static LLVMValueRef known(LLVMValueRef inst)
{
	if (!LLVMIsAICmpInst(inst))
		return NULL;
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(inst);
	LLVMValueRef left = LLVMGetOperand(inst, 0), right = LLVMGetOperand(inst, 1);
	if ((predicate != LLVMIntEQ && predicate != LLVMIntNE) ||
	    !((is_generic_null(left) && is_in_object(right)) || (is_generic_null(right) && is_in_object(left))))
		return NULL;
	return LLVMConstInt(LLVMTypeOf(inst), predicate == LLVMIntNE, false);
}

static void show(LLVMValueRef freeze)
{
	LLVMValueRef null = LLVMGetOperand(freeze, 0);
	LLVMUseRef use = LLVMGetFirstUse(freeze);
	LLVMValueRef user = use ? LLVMGetUser(use) : NULL;
	LLVMReplaceAllUsesWith(freeze, null);
	LLVMValueRef value = user ? known(user) : NULL;
	if (value) {
		LLVMReplaceAllUsesWith(user, value);
		LLVMInstructionEraseFromParent(user);
	}
	LLVMInstructionEraseFromParent(freeze);
}

static void each(struct hd_legal *legal, bool hidden)
{
	LLVMValueRef next;
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst; inst = next) {
				next = LLVMGetNextInstruction(inst);
				if (!hidden && (LLVMIsAICmpInst(inst) || LLVMIsASelectInst(inst)))
					hide(legal, inst);
				if (hidden && LLVMIsAFreezeInst(inst) && is_generic_null(LLVMGetOperand(inst, 0))) {
					LLVMUseRef use = LLVMGetFirstUse(inst);
					if (use && LLVMGetUser(use) == next)
						next = LLVMGetNextInstruction(next);
					show(inst);
				}
			}
}

void hd_legal_hide_nulls(struct hd_legal *legal)
{
	each(legal, false);
}

void hd_legal_show_nulls(struct hd_legal *legal)
{
	each(legal, true);
}
