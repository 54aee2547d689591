/*
 * Legalisation: what CUDA programs may do with undefined values. A variable that one lane sets goes through a shuffle
 * in all lanes, and on the paths where nobody looks at a result there may be none. C++ has no such values, so that
 * clang marks parameters, results and loaded booleans `noundef`, and LLVM takes the path to an undefined one for
 * impossible: the test around an atomic operation goes, and every lane does it. Without the mark they are values like
 * others.
 *
 * The second part makes `freeze` what it says: one value, whoever reads it. Selection leaves a PHI's undefined operands
 * to the register allocator, and two pieces of such a value need not hold the same. Where a freeze relies on one, the
 * operand is zero.
 *
 * Linear in the module's size.
 */
#include "lib/map.h"
#include "passes/legalize/build.h"

/* ------------------------------------------------------------------ noundef */

struct marks {
	unsigned attribute, metadata;
};

static void unmark_function(const struct marks *marks, value function)
{
	for (unsigned i = 0, n = LLVMCountParams(function); i <= n; i++) /* 0 is the result */
		LLVMRemoveEnumAttributeAtIndex(function, i, marks->attribute);
}

static void unmark_instruction(const struct marks *marks, value inst)
{
	if (LLVMHasMetadata(inst))
		LLVMSetMetadata(inst, marks->metadata, NULL);
	if (!LLVMIsACallInst(inst) && !LLVMIsAInvokeInst(inst))
		return;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(inst); i <= n; i++)
		LLVMRemoveCallSiteEnumAttribute(inst, i, marks->attribute);
}

void hd_legal_allow_undefined(LLVMModuleRef module)
{
	const struct marks marks = {
		LLVMGetEnumAttributeKindForName("noundef", 7),
		LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), "noundef", 7),
	};
	for (value f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (!LLVMGetIntrinsicID(f))
			unmark_function(&marks, f);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (value inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst))
				unmark_instruction(&marks, inst);
	}
}

/* ------------------------------------------------------------------ freeze */

struct frozen {
	struct hd_map seen;
	HD_VEC(value) open;
};

static void reach(struct frozen *frozen, value operand)
{
	if (!LLVMIsAInstruction(operand) || hd_map_get(&frozen->seen, operand))
		return;
	hd_map_put(&frozen->seen, operand, 0, 0);
	hd_vec_push(&frozen->open, operand);
}

/* What memory and functions return is in one register, once; arithmetic may be folded into each of its users. */
static void follow(struct frozen *frozen, value inst)
{
	if (LLVMIsALoadInst(inst) || LLVMIsACallInst(inst) || LLVMIsAAtomicRMWInst(inst))
		return;
	for (unsigned i = 0, n = (unsigned)LLVMGetNumOperands(inst); i < n; i++) {
		value operand = LLVMGetOperand(inst, i);
		if (LLVMIsAPHINode(inst) && LLVMIsUndef(operand))
			LLVMSetOperand(inst, i, LLVMConstNull(LLVMTypeOf(operand)));
		else
			reach(frozen, operand);
	}
}

void hd_legal_freezes(const struct hd_legal *legal)
{
	struct frozen frozen = {0};
	for (value f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (value inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst))
				if (LLVMIsAFreezeInst(inst))
					reach(&frozen, inst);
	while (frozen.open.len)
		follow(&frozen, frozen.open.data[--frozen.open.len]);
	hd_vec_release(&frozen.open);
	hd_map_release(&frozen.seen);
}
