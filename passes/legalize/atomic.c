/*
 * Atomic operations that neither the machine nor LLVM's expansion has: wrapping increments of 64 bits, and arithmetic
 * on vectors of 32 or 64 bits. Each kind becomes a function of the module, a loop around compare-and-exchange, that is
 * inlined where it is called. Before LLVM's passes, which take the vector operation in the loop apart.
 */
#include "passes/legalize/build.h"

#include <llvm-c/DebugInfo.h>

static bool is_wrapping(LLVMAtomicRMWBinOp op)
{
	return op == LLVMAtomicRMWBinOpUIncWrap || op == LLVMAtomicRMWBinOpUDecWrap;
}

static bool is_wanted(struct hd_legal *legal, value inst)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 1));
	unsigned long long bits = LLVMSizeOfTypeInBits(legal->layout, type);
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		return bits == 32 || bits == 64;
	return is_wrapping(LLVMGetAtomicRMWBinOp(inst)) && bits == 64;
}

/* uinc_wrap: old >= n ? 0 : old + 1; udec_wrap: old == 0 || old > n ? n : old - 1. */
static value wrapped(struct hd_site *site, bool up, value old, value n)
{
	value one = number(old, 1), zero = number(old, 0);
	if (up)
		return choose(site, compare(site, LLVMIntUGE, old, n), zero, binary(site, LLVMAdd, old, one));
	value out = choose(site, compare(site, LLVMIntUGT, old, n), n, binary(site, LLVMSub, old, one));
	return choose(site, compare(site, LLVMIntEQ, old, zero), n, out);
}

/* The value to store; NULL: the operation has no vector form. */
static value updated(struct hd_site *site, LLVMAtomicRMWBinOp op, value old, value operand)
{
	value args[2] = {old, operand};
	switch (op) {
	case LLVMAtomicRMWBinOpUIncWrap:
	case LLVMAtomicRMWBinOpUDecWrap: return wrapped(site, op == LLVMAtomicRMWBinOpUIncWrap, old, operand);
	case LLVMAtomicRMWBinOpFAdd: return LLVMBuildFAdd(site->builder, old, operand, "");
	case LLVMAtomicRMWBinOpFSub: return LLVMBuildFSub(site->builder, old, operand, "");
	case LLVMAtomicRMWBinOpFMax: return intrinsic(site, "maxnum", args, 2);
	case LLVMAtomicRMWBinOpFMin: return intrinsic(site, "minnum", args, 2);
	default: return NULL;
	}
}

/* loop: seen = phi [load], [what the exchange found]; exchange the update; until it was what was seen. */
static bool build_loop(struct hd_site *site, value function, LLVMTypeRef type)
{
	LLVMContextRef context = site->legal->context;
	LLVMBuilderRef builder = site->builder;
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, function, ""), from[2],
			  loop = LLVMAppendBasicBlockInContext(context, function, ""),
			  done = LLVMAppendBasicBlockInContext(context, function, "");
	unsigned bits = (unsigned)LLVMSizeOfTypeInBits(site->legal->layout, type);
	LLVMAtomicOrdering ordering = LLVMGetOrdering(site->inst);
	value pointer = LLVMGetParam(function, 0);
	LLVMPositionBuilderAtEnd(builder, entry);
	LLVMSetCurrentDebugLocation2(builder, NULL);
	value first = LLVMBuildLoad2(builder, int_type(site, bits), pointer, "");
	LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
	LLVMSetAlignment(first, bits / 8);
	LLVMBuildBr(builder, loop);
	LLVMPositionBuilderAtEnd(builder, loop);
	value seen = LLVMBuildPhi(builder, int_type(site, bits), "");
	value update = updated(site, LLVMGetAtomicRMWBinOp(site->inst), LLVMBuildBitCast(builder, seen, type, ""),
			       LLVMGetParam(function, 1));
	if (!update)
		return false;
	value pair = LLVMBuildAtomicCmpXchg(builder, pointer, seen,
					    LLVMBuildBitCast(builder, update, int_type(site, bits), ""), ordering,
					    LLVMAtomicOrderingMonotonic, LLVMIsAtomicSingleThread(site->inst));
	value found[2];
	found[0] = first;
	found[1] = LLVMBuildExtractValue(builder, pair, 0, "");
	from[0] = entry;
	from[1] = loop;
	LLVMAddIncoming(seen, found, from, 2);
	LLVMBuildCondBr(builder, LLVMBuildExtractValue(builder, pair, 1, ""), done, loop);
	LLVMPositionBuilderAtEnd(builder, done);
	LLVMBuildRet(builder, LLVMBuildBitCast(builder, seen, type, ""));
	return true;
}

/* The function for this operation, type, address space, ordering and scope: one for all that are alike. */
static value loop_function(struct hd_site *site, LLVMTypeRef *function_type)
{
	LLVMTypeRef params[2] = {LLVMTypeOf(LLVMGetOperand(site->inst, 0)), LLVMTypeOf(LLVMGetOperand(site->inst, 1))};
	unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	char *type = LLVMPrintTypeToString(params[1]);
	char name[96];
	snprintf(name, sizeof name, "__heddle_rmw%u.%s.p%u.%u.%u", (unsigned)LLVMGetAtomicRMWBinOp(site->inst), type,
		 LLVMGetPointerAddressSpace(params[0]), (unsigned)LLVMGetOrdering(site->inst),
		 (unsigned)LLVMIsAtomicSingleThread(site->inst));
	LLVMDisposeMessage(type);
	*function_type = LLVMFunctionType(params[1], params, 2, false);
	value function = LLVMGetNamedFunction(site->legal->module, name);
	if (function)
		return function;
	function = LLVMAddFunction(site->legal->module, name, *function_type);
	LLVMSetLinkage(function, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(site->legal->context, always, 0));
	if (!build_loop(site, function, params[1])) {
		LLVMDeleteFunction(function);
		return NULL;
	}
	return function;
}

static void replace(struct hd_site *site)
{
	value args[2] = {LLVMGetOperand(site->inst, 0), LLVMGetOperand(site->inst, 1)};
	LLVMTypeRef type;
	value function = loop_function(site, &type);
	if (!function)
		return;
	LLVMPositionBuilderBefore(site->builder, site->inst);
	LLVMSetCurrentDebugLocation2(site->builder, LLVMInstructionGetDebugLoc(site->inst));
	value out = LLVMBuildCall2(site->builder, type, function, args, 2, "");
	if (site->ordinal)
		LLVMSetMetadata(out, site->legal->md_ordinal, site->ordinal);
	LLVMReplaceAllUsesWith(site->inst, out);
	LLVMInstructionEraseFromParent(site->inst);
	site->legal->linked = true;
}

void hd_legal_atomics(struct hd_legal *legal)
{
	struct hd_site site = {.legal = legal, .builder = legal->builder};
	for (value f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
			for (value inst = LLVMGetFirstInstruction(bb), next; inst; inst = next) {
				next = LLVMGetNextInstruction(inst);
				if (LLVMGetInstructionOpcode(inst) != LLVMAtomicRMW || !is_wanted(legal, inst))
					continue;
				site.inst = inst;
				site.ordinal = LLVMGetMetadata(inst, legal->md_ordinal);
				replace(&site);
			}
}

/* ------------------------------------------------------------------ LLVM's expansion */

typedef void load_fn(LLVMValueRef load, struct hd_map *known);

static void each_load(LLVMModuleRef module, load_fn *function, struct hd_map *known)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
			for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
				if (LLVMIsALoadInst(i))
					function(i, known);
}

static void note(LLVMValueRef load, struct hd_map *known)
{
	hd_map_put(known, load, 0, 0);
}

static void make_strong(LLVMValueRef load, struct hd_map *known)
{
	if (!hd_map_get(known, load) && LLVMGetOrdering(load) == LLVMAtomicOrderingNotAtomic)
		LLVMSetOrdering(load, LLVMAtomicOrderingMonotonic);
}

/* Its loops begin with a plain load of the word, which would race with the exchanges of others. */
int hd_legal_expand_atomics(struct hd_legal *legal, LLVMTargetMachineRef machine)
{
	struct hd_map known = {.arena = &legal->unit->arena};
	each_load(legal->module, note, &known);
	if (hd_legal_run(legal, machine, "function(atomic-expand)"))
		return -1;
	each_load(legal->module, make_strong, &known);
	return 0;
}
