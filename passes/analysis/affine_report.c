/*
 * Beyond addresses: for whom branch conditions are the same (r2d2-isca23 section 2.2 counts what machines gain from
 * that). Linear values show it in their vectors; what is computed from values of a block alone, without memory, is the
 * block's; for the rest there is the analysis of warps (graph/uniformity.h). Each condition is followed for a bounded
 * number of operands.
 */
#include "passes/analysis/affine_internal.h"
#include "passes/graph/uniformity.h"

#define DEPTH 12u /* operations followed from a condition */

const char *const hd_uniform_class_names[HD_CLASSES] = {"grid", "block", "warp", "affine", "divergent"};

static enum hd_uniform_class class_of_vector(const struct hd_affine *affine, uint32_t vector)
{
	const struct hd_affine_vector *parts = hd_affine_vector(affine, vector);
	enum hd_uniform_class class = HD_CLASS_GRID;
	for (unsigned i = HD_INDEX_TID_X; i <= HD_INDEX_TID_Z; i++)
		if (parts->part[i] != HD_POLY_ZERO)
			return HD_CLASS_AFFINE;
	for (unsigned i = HD_INDEX_CTAID_X; i <= HD_INDEX_CTAID_Z; i++)
		if (parts->part[i] != HD_POLY_ZERO)
			class = HD_CLASS_BLOCK;
	return class;
}

/* The result depends on the operands alone. */
static bool is_pure(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMPHI:
	case LLVMLoad:
	case LLVMCall:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMAlloca:
	case LLVMVAArg:
		return false;
	default:
		return true;
	}
}

static enum hd_uniform_class classify(struct hd_affine *affine, const struct hd_uniformity *uniformity,
				      LLVMValueRef value, LLVMBasicBlockRef block, unsigned depth)
{
	struct hd_affine_value facts;
	enum hd_uniform_class warp = hd_value_is_uniform(uniformity, value) ? HD_CLASS_WARP : HD_CLASS_DIVERGENT;
	enum hd_uniform_class worst = HD_CLASS_GRID;
	if (LLVMIsConstant(value))
		return HD_CLASS_GRID;
	if (hd_affine_operand(affine, value, block, &facts))
		return class_of_vector(affine, facts.vector);
	if (!LLVMIsAInstruction(value) || !is_pure(value) || depth == DEPTH)
		return warp;
	bool compares = LLVMIsAICmpInst(value);
	for (int i = 0; i < LLVMGetNumOperands(value); i++) {
		enum hd_uniform_class class = classify(affine, uniformity, LLVMGetOperand(value, (unsigned)i),
						       LLVMGetInstructionParent(value), depth + 1);
		if (class == HD_CLASS_AFFINE && !compares &&
		    LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind &&
		    LLVMGetIntTypeWidth(LLVMTypeOf(value)) != 1)
			class = HD_CLASS_DIVERGENT; /* some function of tid */
		worst = class > worst ? class : worst;
	}
	return worst >= HD_CLASS_WARP && warp == HD_CLASS_WARP ? HD_CLASS_WARP : worst;
}

enum hd_uniform_class hd_affine_classify_branch(struct hd_affine *affine, const struct hd_uniformity *uniformity,
						LLVMValueRef terminator)
{
	return classify(affine, uniformity, LLVMGetOperand(terminator, 0), LLVMGetInstructionParent(terminator), 0);
}
