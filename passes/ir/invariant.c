/*
 * Values that are the same in all threads of a block, even where these have come by different paths: made of
 * constants, addresses of variables, a kernel's parameters, constant memory and the grid's dimensions, by arithmetic
 * alone. Uniformity (uniformity.h) holds for lanes that execute together and have stayed together; this holds for any.
 * And instructions that only threads of one index execute: those that one edge after another leads to from a test of
 * the index, not those behind a join or in a loop.
 *
 * Costs a walk over the operands, or over the blocks in front, of a bounded number.
 */
#include <string.h>

#include "passes/ir/ir.h"

enum { MOST = 64 }; /* instructions, or blocks, that are looked at */

struct walk {
	bool kernel;
	unsigned left;
};

static bool is_of_block(LLVMValueRef call)
{
	static const char *const names[] = {"llvm.nvvm.read.ptx.sreg.ctaid.", "llvm.nvvm.read.ptx.sreg.nctaid.",
					    "llvm.nvvm.read.ptx.sreg.ntid."};
	LLVMValueRef callee = LLVMGetCalledValue(call);
	for (unsigned i = 0; LLVMIsAFunction(callee) && i < sizeof names / sizeof names[0]; i++)
		if (!strncmp(LLVMGetValueName(callee), names[i], strlen(names[i])))
			return true;
	return false;
}

static bool reads_constants(LLVMValueRef load)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(load, 0)));
	return space == HD_AS_PARAM || space == HD_AS_CONST;
}

static bool is_arithmetic(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMAddrSpaceCast: return true;
	case LLVMLoad: return reads_constants(inst);
	default: return false;
	}
}

static bool is_invariant(struct walk *walk, LLVMValueRef value)
{
	if (LLVMIsAArgument(value))
		return walk->kernel;
	if (LLVMIsConstant(value))
		return !LLVMIsUndef(value); /* poison, too: each lane may have another one */
	if (!LLVMIsAInstruction(value) || !walk->left--)
		return false;
	if (LLVMIsACallInst(value))
		return is_of_block(value);
	bool all = is_arithmetic(value);
	for (int i = 0, n = LLVMGetNumOperands(value); i < n && all; i++)
		all = is_invariant(walk, LLVMGetOperand(value, (unsigned)i));
	return all;
}

bool hd_value_is_invariant(LLVMValueRef value, bool kernel)
{
	struct walk walk = {kernel, MOST};
	return is_invariant(&walk, value);
}

/* ---- one thread */

static bool is_thread_index(LLVMValueRef value)
{
	while (LLVMIsAZExtInst(value) || LLVMIsATruncInst(value))
		value = LLVMGetOperand(value, 0);
	return LLVMIsACallInst(value) && LLVMIsAFunction(LLVMGetCalledValue(value)) &&
	       !strcmp(LLVMGetValueName(LLVMGetCalledValue(value)), "llvm.nvvm.read.ptx.sreg.tid.x");
}

/* The block that is entered from this one alone. */
static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef from = NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsATerminatorInst(user))
			continue;
		if (from)
			return NULL;
		from = LLVMGetInstructionParent(user);
	}
	return from;
}

/* Whether the branch leads there only where the thread's index equals a number. */
static bool is_one_index(LLVMValueRef branch, LLVMBasicBlockRef to)
{
	if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
		return false;
	LLVMValueRef test = LLVMGetCondition(branch);
	if (!LLVMIsAICmpInst(test) || !is_thread_index(LLVMGetOperand(test, 0)) ||
	    !LLVMIsAConstantInt(LLVMGetOperand(test, 1)))
		return false;
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
	return (predicate == LLVMIntEQ && LLVMGetSuccessor(branch, 0) == to) ||
	       (predicate == LLVMIntNE && LLVMGetSuccessor(branch, 1) == to);
}

bool hd_is_for_one_index(LLVMValueRef inst)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
	for (unsigned i = 0; i < MOST; i++) {
		LLVMBasicBlockRef from = only_predecessor(block);
		if (!from)
			return false;
		if (is_one_index(LLVMGetBasicBlockTerminator(from), block))
			return true;
		block = from;
	}
	return false;
}
