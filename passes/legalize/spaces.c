/*
 * Address spaces: kernel parameters point to global memory, by-value parameters of kernels lie in
 * the parameter space, stack objects and by-value parameters of device functions in local memory.
 * Each gets a cast to its space and back; infer-address-spaces then rewrites the accesses behind.
 */
#include "passes/legalize/legalize.h"

#include <llvm-c/DebugInfo.h>

#include "passes/ir/byval.h"

/* Replaces all uses of a pointer by a copy that went through `space`. The builder is in place. */
static void route_through(struct hd_legal *legal, LLVMValueRef pointer, unsigned space)
{
	LLVMTypeRef narrow = LLVMPointerTypeInContext(legal->context, space);
	LLVMValueRef in = LLVMBuildCast(legal->builder, LLVMAddrSpaceCast, pointer, narrow, "");
	LLVMValueRef out = LLVMBuildCast(legal->builder, LLVMAddrSpaceCast, in, LLVMTypeOf(pointer), "");
	LLVMReplaceAllUsesWith(pointer, out);
	LLVMSetOperand(in, 0, pointer); /* it was replaced with the rest */
}

/* Erases addresses that nothing uses: no access would tell infer-address-spaces of their space. */
static void drop_dead_addresses(LLVMValueRef pointer, unsigned depth)
{
	LLVMUseRef next;
	for (LLVMUseRef use = depth > 64 ? NULL : LLVMGetFirstUse(pointer); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (!LLVMIsAGetElementPtrInst(user) && !LLVMIsABitCastInst(user) && !LLVMIsAAddrSpaceCastInst(user))
			continue;
		drop_dead_addresses(user, depth + 1);
		if (!LLVMGetFirstUse(user))
			LLVMInstructionEraseFromParent(user);
	}
}

/* Whether a by-value parameter is only read, in ways that constant-bank loads can serve. */
static bool only_read(LLVMValueRef pointer, unsigned depth)
{
	if (depth > 64)
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user))
			return false;
		switch (LLVMGetInstructionOpcode(user)) {
		case LLVMLoad:
			if (LLVMGetVolatile(user) || LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic)
				return false;
			break;
		case LLVMGetElementPtr:
			if (LLVMGetOperand(user, 0) != pointer || !only_read(user, depth + 1))
				return false;
			break;
		case LLVMAddrSpaceCast:
			if (LLVMGetPointerAddressSpace(LLVMTypeOf(user)) != HD_AS_PARAM || !only_read(user, depth + 1))
				return false;
			break;
		case LLVMBitCast:
			if (!only_read(user, depth + 1))
				return false;
			break;
		case LLVMCall: {
			LLVMValueRef callee = LLVMGetCalledValue(user);
			if (!LLVMIsAFunction(callee) || strncmp(LLVMGetValueName(callee), "llvm.memcpy.", 12) ||
			    LLVMGetOperand(user, 0) == pointer)
				return false;
			break;
		}
		default: return false;
		}
	}
	return true;
}

/* Copies a by-value kernel parameter to the stack, where it may be written and pointed to. */
static void copy_to_stack(struct hd_legal *legal, LLVMValueRef param, const struct hd_byval *byval)
{
	LLVMBuilderRef builder = legal->builder;
	LLVMValueRef slot = LLVMBuildAlloca(builder, byval->type, "");
	LLVMTypeRef space = LLVMPointerTypeInContext(legal->context, HD_AS_PARAM);
	LLVMTypeRef size = LLVMInt64TypeInContext(legal->context);
	LLVMSetAlignment(slot, byval->align);
	LLVMReplaceAllUsesWith(param, slot);
	LLVMValueRef in = LLVMBuildCast(builder, LLVMAddrSpaceCast, param, space, "");
	LLVMBuildMemCpy(builder, slot, byval->align, in, byval->align, LLVMConstInt(size, byval->bytes, false));
}

static bool is_in_param_space(LLVMValueRef param)
{
	for (LLVMUseRef use = LLVMGetFirstUse(param); use; use = LLVMGetNextUse(use))
		if (!LLVMIsAAddrSpaceCastInst(LLVMGetUser(use)) ||
		    LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetUser(use))) != HD_AS_PARAM)
			return false;
	return true;
}

void hd_legal_own_parameters(struct hd_legal *legal, LLVMValueRef kernel)
{
	for (unsigned i = 0, n = LLVMCountParams(kernel); i < n; i++) {
		LLVMValueRef param = LLVMGetParam(kernel, i);
		struct hd_byval byval = hd_byval_of(legal->layout, kernel, i);
		if (!byval.type || LLVMGetPointerAddressSpace(LLVMTypeOf(param)) != HD_AS_GENERIC ||
		    is_in_param_space(param) || hd_legal_is_grid_constant(kernel, i) || only_read(param, 0))
			continue;
		LLVMPositionBuilderBefore(legal->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
		LLVMSetCurrentDebugLocation2(legal->builder, NULL);
		copy_to_stack(legal, param, &byval);
		legal->allocas = true;
	}
}

static void route_parameters(struct hd_legal *legal, LLVMValueRef function, bool kernel)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	for (unsigned i = 0, n = LLVMCountParams(function); i < n; i++) {
		LLVMValueRef param = LLVMGetParam(function, i);
		LLVMTypeRef byval = hd_byval_type(function, i);
		if (kernel && byval)
			drop_dead_addresses(param, 0);
		if (LLVMGetTypeKind(LLVMTypeOf(param)) != LLVMPointerTypeKind || !LLVMGetFirstUse(param) ||
		    LLVMGetPointerAddressSpace(LLVMTypeOf(param)) != HD_AS_GENERIC || (!kernel && !byval))
			continue;
		LLVMPositionBuilderBefore(legal->builder, LLVMGetFirstInstruction(entry));
		LLVMSetCurrentDebugLocation2(legal->builder, NULL);
		if (!byval)
			route_through(legal, param, HD_AS_GLOBAL);
		else if (!kernel)
			route_through(legal, param, HD_AS_LOCAL);
		else if (!is_in_param_space(param))
			route_through(legal, param, HD_AS_PARAM);
	}
}

static void route_stack_objects(struct hd_legal *legal, LLVMValueRef function)
{
	HD_VEC(LLVMValueRef) slots = {0};
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	for (LLVMValueRef inst = LLVMGetFirstInstruction(entry); inst; inst = LLVMGetNextInstruction(inst))
		if (LLVMIsAAllocaInst(inst) && LLVMGetPointerAddressSpace(LLVMTypeOf(inst)) == HD_AS_GENERIC)
			hd_vec_push(&slots, inst);
	for (uint32_t i = 0; i < slots.len; i++) {
		LLVMPositionBuilderBefore(legal->builder, LLVMGetNextInstruction(slots.data[i]));
		LLVMSetCurrentDebugLocation2(legal->builder, LLVMInstructionGetDebugLoc(slots.data[i]));
		route_through(legal, slots.data[i], HD_AS_LOCAL);
	}
	hd_vec_release(&slots);
}

void hd_legal_spaces(struct hd_legal *legal)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		if (hd_is_kernel(legal->unit, f))
			hd_legal_own_parameters(legal, f);
		route_stack_objects(legal, f);
		route_parameters(legal, f, hd_is_kernel(legal->unit, f));
	}
}
