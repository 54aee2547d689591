/*
 * Beyond addresses: for whom values are the same (r2d2-isca23 section 2.2 counts what machines gain from that). Linear
 * values show it in their vectors; what is computed from classified values alone, without memory that changes, has the
 * worst of their classes; for the rest there is the analysis of warps (passes/ir/uniformity.h). One walk over the
 * instructions, linear in their operands.
 */
#include <string.h>

#include "heddle/machine.h"
#include "passes/affine/affine_internal.h"
#include "passes/ir/uniformity.h"

struct fact {
	uint8_t class;
	bool iterates;
};

struct hd_affine_classes {
	struct hd_affine *affine;
	const struct hd_uniformity *uniformity;
	struct hd_map ids; /* instruction -> index in facts */
	HD_VEC(struct fact) facts;
};

static struct fact fact_of_vector(const struct hd_affine *affine, uint32_t vector)
{
	const struct hd_affine_vector *parts = hd_affine_vector(affine, vector);
	struct fact fact = {HD_CLASS_GRID, hd_poly_get(affine->polys, parts->part[HD_INDEX_C])->iterates};
	for (unsigned i = HD_INDEX_CTAID_X; i <= HD_INDEX_CTAID_Z; i++)
		if (parts->part[i] != HD_POLY_ZERO)
			fact.class = HD_CLASS_BLOCK;
	for (unsigned i = HD_INDEX_TID_X; i <= HD_INDEX_TID_Z; i++)
		if (parts->part[i] != HD_POLY_ZERO)
			fact.class = HD_CLASS_AFFINE;
	return fact;
}

static struct fact fact_of_warp(const struct hd_affine_classes *classes, LLVMValueRef value)
{
	bool uniform = LLVMIsAInstruction(value) && hd_value_is_uniform(classes->uniformity, value);
	return (struct fact){uniform ? HD_CLASS_WARP : HD_CLASS_DIVERGENT, false};
}

/* As read in `block`: outside of their loops, threads have the values of different iterations. */
static struct fact fact_of(const struct hd_affine_classes *classes, LLVMValueRef value, uint32_t block)
{
	const struct hd_affine *affine = classes->affine;
	const struct hd_map_entry *entry;
	if (LLVMIsConstant(value)) /* each thread may take another for `undef` */
		return (struct fact){LLVMIsUndef(value) ? HD_CLASS_DIVERGENT : HD_CLASS_GRID, false};
	if (LLVMIsAArgument(value))
		return (struct fact){HD_CLASS_GRID, false};
	entry = hd_map_get(&classes->ids, value);
	if (!entry)
		return fact_of_warp(classes, value);
	struct fact fact = classes->facts.data[entry->start];
	uint32_t home = hd_affine_block_of(affine, LLVMGetInstructionParent(value)), loop = affine->loops.loop_of[home];
	if (fact.iterates && loop != HD_NO_NODE && !hd_affine_in_loop(affine, block, loop))
		return (struct fact){HD_CLASS_DIVERGENT, false};
	return fact;
}

static bool is_pure_call(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
	unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
	if (LLVMIsAFunction(callee) && hd_is_helper(callee))
		return true;
	if (strncmp(name, "llvm.", 5) != 0 || !strncmp(name, "llvm.nvvm.", 10))
		return false;
	LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind);
	return memory && LLVMGetEnumAttributeValue(memory) == 0; /* memory(none) */
}

/* The result depends on the operands alone. */
static bool is_pure(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad: {
		unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0)));
		return (space == HD_AS_PARAM || space == HD_AS_CONST) && !LLVMGetVolatile(inst);
	}
	case LLVMPHI: return LLVMCountIncoming(inst) == 1;
	case LLVMCall: return is_pure_call(inst);
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMAlloca:
	case LLVMVAArg:
	case LLVMStore:
	case LLVMFreeze: return false;
	default: return !LLVMIsATerminatorInst(inst);
	}
}

static bool is_condition(LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
}

static struct fact classify(const struct hd_affine_classes *classes, LLVMValueRef inst, uint32_t block)
{
	struct fact worst = {HD_CLASS_GRID, false}, warp = fact_of_warp(classes, inst);
	struct hd_affine_value value;
	int count = LLVMIsACallInst(inst) ? (int)LLVMGetNumArgOperands(inst) : LLVMGetNumOperands(inst);
	if (hd_affine_value(classes->affine, inst, &value))
		return fact_of_vector(classes->affine, value.vector);
	if (!is_pure(inst))
		return warp;
	for (int i = 0; i < count; i++) {
		struct fact fact = fact_of(classes, LLVMGetOperand(inst, (unsigned)i), block);
		worst.class = fact.class > worst.class ? fact.class : worst.class;
		worst.iterates |= fact.iterates;
	}
	/* Comparisons of linear values, and what joins them; other functions of tid are not linear. */
	if (worst.class == HD_CLASS_AFFINE && !is_condition(inst))
		worst.class = HD_CLASS_DIVERGENT;
	return worst.class >= HD_CLASS_WARP && warp.class == HD_CLASS_WARP ? warp : worst;
}

struct hd_affine_classes *hd_affine_classify(struct hd_affine *affine, const struct hd_uniformity *uniformity)
{
	struct hd_affine_classes *classes = HD_ARENA_NEW(affine->arena, struct hd_affine_classes, 1);
	*classes =
		(struct hd_affine_classes){.affine = affine, .uniformity = uniformity, .ids = {.arena = affine->arena}};
	for (uint32_t i = 0; i < affine->rpo_count; i++) {
		uint32_t block = affine->rpo[i];
		LLVMValueRef inst = LLVMGetFirstInstruction(affine->blocks[block].block);
		for (; inst; inst = LLVMGetNextInstruction(inst)) {
			if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVoidTypeKind)
				continue;
			struct fact fact = classify(classes, inst, block);
			hd_map_put(&classes->ids, inst, classes->facts.len, 0);
			hd_vec_push_in(&classes->facts, affine->arena, fact);
		}
	}
	return classes;
}

void hd_affine_count_classes(const struct hd_affine_classes *classes, uint32_t counts[HD_CLASSES])
{
	for (uint32_t i = 0; i < classes->facts.len; i++)
		counts[classes->facts.data[i].class]++;
}

enum hd_value_class hd_affine_branch_class(const struct hd_affine_classes *classes, LLVMValueRef terminator,
					   bool *iterates)
{
	uint32_t block = hd_affine_block_of(classes->affine, LLVMGetInstructionParent(terminator));
	struct fact fact = fact_of(classes, LLVMGetOperand(terminator, 0), block);
	bool uniform = hd_branch_is_uniform(classes->uniformity, terminator);
	*iterates = fact.iterates;
	if (fact.class > HD_CLASS_WARP && uniform)
		return HD_CLASS_WARP;
	return fact.class == HD_CLASS_WARP && !uniform ? HD_CLASS_DIVERGENT : (enum hd_value_class)fact.class;
}
