/*
 * Legalisation: arithmetic on addresses that LLVM folds into constants and no relocation can express, such as the
 * negated address of an array (the difference of a pointer and that array), becomes instructions on the plain address
 * where it is used; so do generic addresses of kernel parameters (grid_constant.c), which only the launch knows. A
 * freeze keeps it from being folded again. After LLVM's passes; linear in the operands.
 */
#include <llvm-c/DebugInfo.h>

#include "passes/legalize/build.h"

static bool names_global(value constant)
{
	if (LLVMIsAGlobalValue(constant))
		return true;
	if (!LLVMIsAConstantExpr(constant))
		return false;
	for (int i = 0, n = LLVMGetNumOperands(constant); i < n; i++)
		if (names_global(LLVMGetOperand(constant, (unsigned)i)))
			return true;
	return false;
}

static bool is_arithmetic(LLVMOpcode op)
{
	return op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl || op == LLVMXor;
}

static bool points_to_parameter(value constant)
{
	if (!LLVMIsAConstantExpr(constant))
		return false;
	value first = LLVMGetOperand(constant, 0);
	if (LLVMGetConstOpcode(constant) == LLVMAddrSpaceCast &&
	    LLVMGetPointerAddressSpace(LLVMTypeOf(first)) == HD_AS_PARAM)
		return true;
	return points_to_parameter(first);
}

/* An expression that selection cannot take as it is, and that instructions can compute. */
static bool needs_instructions(const struct hd_legal *legal, value constant)
{
	if (!LLVMIsAConstantExpr(constant) || !hd_is_scalar(LLVMTypeOf(constant)))
		return false;
	LLVMOpcode op = LLVMGetConstOpcode(constant);
	struct hd_const_addr address;
	if (points_to_parameter(constant))
		return true;
	return (is_arithmetic(op) || op == LLVMTrunc || op == LLVMIntToPtr) &&
	       !hd_const_address(legal->layout, constant, &address) && names_global(constant);
}

static value computed(const struct hd_legal *legal, value constant);

static value element_address(const struct hd_legal *legal, value constant)
{
	unsigned count = (unsigned)LLVMGetNumOperands(constant) - 1;
	value *indices = HD_ARENA_NEW(&legal->unit->arena, value, count + 1);
	for (unsigned i = 0; i < count; i++)
		indices[i] = LLVMGetOperand(constant, i + 1);
	return LLVMBuildGEP2(legal->builder, LLVMGetGEPSourceElementType(constant),
			     computed(legal, LLVMGetOperand(constant, 0)), indices, count, "");
}

static value computed(const struct hd_legal *legal, value constant)
{
	LLVMTypeRef type = LLVMTypeOf(constant);
	if (!needs_instructions(legal, constant))
		return LLVMIsAConstantExpr(constant) ? LLVMBuildFreeze(legal->builder, constant, "") : constant;
	LLVMOpcode op = LLVMGetConstOpcode(constant);
	if (op == LLVMGetElementPtr)
		return element_address(legal, constant);
	value first = computed(legal, LLVMGetOperand(constant, 0));
	if (!is_arithmetic(op))
		return LLVMBuildCast(legal->builder, op, first, type, "");
	return LLVMBuildBinOp(legal->builder, op, first, computed(legal, LLVMGetOperand(constant, 1)), "");
}

/* What a PHI has from the block of its incoming value `index` already: it takes the same for each edge from there. */
static value same_way(value phi, unsigned index)
{
	for (unsigned i = 0; i < index; i++)
		if (LLVMGetIncomingBlock(phi, i) == LLVMGetIncomingBlock(phi, index))
			return LLVMGetOperand(phi, i);
	return NULL;
}

static void visit(const struct hd_legal *legal, value inst)
{
	LLVMBasicBlockRef from;
	for (unsigned i = 0, n = (unsigned)LLVMGetNumOperands(inst); i < n; i++) {
		value constant = LLVMGetOperand(inst, i);
		if (!needs_instructions(legal, constant))
			continue;
		from = LLVMIsAPHINode(inst) ? LLVMGetIncomingBlock(inst, i) : NULL;
		if (from && same_way(inst, i)) {
			LLVMSetOperand(inst, i, same_way(inst, i));
			continue;
		}
		LLVMPositionBuilderBefore(legal->builder, from ? LLVMGetBasicBlockTerminator(from) : inst);
		LLVMSetCurrentDebugLocation2(legal->builder, LLVMInstructionGetDebugLoc(inst));
		LLVMSetOperand(inst, i, computed(legal, constant));
	}
}

void hd_legal_constants(const struct hd_legal *legal)
{
	for (value f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (value inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst))
				visit(legal, inst);
}
