/*
 * Values that are the same in all threads of a block, even where these have come by different paths: made of
 * constants, addresses of variables, a kernel's parameters, constant memory and the grid's dimensions, by arithmetic
 * alone. Uniformity (uniformity.h) holds for lanes that execute together and have stayed together; this holds for any.
 * And instructions that only threads of one threadIdx.x execute: those to which all ways lead over an edge of a test of
 * it, also behind joins and in loops.
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

/* ---- one index of the thread in x */

static bool is_thread_index(LLVMValueRef value)
{
	while (LLVMIsAZExtInst(value) || LLVMIsATruncInst(value))
		value = LLVMGetOperand(value, 0);
	return LLVMIsACallInst(value) && LLVMIsAFunction(LLVMGetCalledValue(value)) &&
	       !strcmp(LLVMGetValueName(LLVMGetCalledValue(value)), "llvm.nvvm.read.ptx.sreg.tid.x");
}

/* The number of the thread's index with which alone the branch leads there, or NULL. */
static LLVMValueRef index_on_edge(LLVMValueRef branch, LLVMBasicBlockRef to)
{
	if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
	    LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
		return NULL;
	LLVMValueRef test = LLVMGetCondition(branch);
	if (!LLVMIsAICmpInst(test) || !is_thread_index(LLVMGetOperand(test, 0)) ||
	    !LLVMIsAConstantInt(LLVMGetOperand(test, 1)))
		return NULL;
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
	bool leads = (predicate == LLVMIntEQ && LLVMGetSuccessor(branch, 0) == to) ||
		     (predicate == LLVMIntNE && LLVMGetSuccessor(branch, 1) == to);
	return leads ? LLVMGetOperand(test, 1) : NULL;
}

/* Blocks from which the walk back goes on: each of them has been reached without an edge that names the index. */
struct backward {
	LLVMBasicBlockRef blocks[MOST];
	unsigned count;
	LLVMValueRef index; /* of the edges that were met; NULL: none yet */
};

static bool add_block(struct backward *walk, LLVMBasicBlockRef block)
{
	for (unsigned i = 0; i < walk->count; i++)
		if (walk->blocks[i] == block)
			return true;
	if (walk->count == MOST)
		return false;
	walk->blocks[walk->count++] = block;
	return true;
}

/* Over the edges that lead to the block. False: threads of other indices come, or it is not known. */
static bool step_back(struct backward *walk, LLVMBasicBlockRef block)
{
	bool entered = false;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use), index;
		if (!LLVMIsATerminatorInst(user))
			continue;
		entered = true;
		index = index_on_edge(user, block);
		if (index && walk->index && index != walk->index)
			return false;
		walk->index = index ? index : walk->index;
		if (!index && !add_block(walk, LLVMGetInstructionParent(user)))
			return false;
	}
	return entered; /* else it is the function's first */
}

/* However loops and joins lie between, all ways there go over an edge that only one index takes. */
bool hd_is_for_one_index(LLVMValueRef inst)
{
	struct backward walk = {.count = 0};
	add_block(&walk, LLVMGetInstructionParent(inst));
	for (unsigned i = 0; i < walk.count; i++)
		if (!step_back(&walk, walk.blocks[i]))
			return false;
	return true;
}
