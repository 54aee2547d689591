/*
 * Atomic additions and the like that the lanes of a warp make to one place become one for the warp:
 *
 *   - of a value that the lanes share: the first active lane adds it as often as there are lanes; each lane's result is
 *     what that found plus the value for each active lane before it;
 *   - of values of their own, where nobody asks for the result: combined by shuffles when all lanes are active, and
 *     else each by its lane.
 *
 * As ptxas has it; the memory serves one lane after the other at one address. Left alone is what one lane of a warp
 * does anyway, and what may be at different places. Each becomes a function that is inlined where it stood. Words of
 * integers only. Before LLVM's last passes; linear, and the uniformity of functions that have such operations. Switch:
 * without=aggregate
 */
#include "passes/graph/uniformity.h"
#include "passes/lower/legalize_build.h"

#include <llvm-c/DebugInfo.h>

#define FULL 0xffffffffu
#define GUARDS 4 /* branches above an operation that are looked at */

/* ---- what is aggregated ---- */

static bool is_counted(LLVMAtomicRMWBinOp op)
{
	return op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub;
}

static bool combines(LLVMAtomicRMWBinOp op)
{
	switch (op) {
	case LLVMAtomicRMWBinOpAdd:
	case LLVMAtomicRMWBinOpAnd:
	case LLVMAtomicRMWBinOpOr:
	case LLVMAtomicRMWBinOpXor:
	case LLVMAtomicRMWBinOpMax:
	case LLVMAtomicRMWBinOpMin:
	case LLVMAtomicRMWBinOpUMax:
	case LLVMAtomicRMWBinOpUMin:
		return true;
	default:
		return false;
	}
}

static bool may_aggregate(struct hd_legal *legal, value inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst);

	if (LLVMGetInstructionOpcode(inst) != LLVMAtomicRMW || LLVMGetVolatile(inst) ||
	    LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMSizeOfTypeInBits(legal->layout, type) != 32)
		return false;
	LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(inst);
	return is_counted(op) || (combines(op) && !LLVMGetFirstUse(inst));
}

static bool is_special(value v, const char *name)
{
	value callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;

	return callee && LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName(callee), name);
}

/* A number that differs from lane to lane of a warp, as long as blocks are one warp wide or more. */
static bool is_lane_number(value v)
{
	uint64_t mask;

	if (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAnd &&
	    hd_is_int_constant(LLVMGetOperand(v, 1), &mask) && (mask & 31) == 31)
		v = LLVMGetOperand(v, 0);
	return is_special(v, "llvm.nvvm.read.ptx.sreg.tid.x") || is_special(v, "llvm.nvvm.read.ptx.sreg.laneid");
}

/* The one block that branches to this one; NULL: there are none or several. */
static LLVMBasicBlockRef only_way_in(LLVMBasicBlockRef block)
{
	LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));

	if (!use || LLVMGetNextUse(use) || !LLVMIsABranchInst(LLVMGetUser(use)))
		return NULL;
	return LLVMGetInstructionParent(LLVMGetUser(use));
}

/* Whether a branch leads to the block only where a lane has one certain number. */
static bool picks_lane(const struct hd_uniformity *uniformity, LLVMBasicBlockRef from, LLVMBasicBlockRef block)
{
	value branch = LLVMGetBasicBlockTerminator(from), condition, left, right;
	LLVMIntPredicate wanted;

	if (!LLVMIsConditional(branch))
		return false;
	condition = LLVMGetCondition(branch);
	wanted = LLVMGetSuccessor(branch, 0) == block ? LLVMIntEQ : LLVMIntNE;
	if (!LLVMIsAICmpInst(condition) || LLVMGetICmpPredicate(condition) != wanted)
		return false;
	left = LLVMGetOperand(condition, 0);
	right = LLVMGetOperand(condition, 1);
	return (is_lane_number(left) && hd_value_is_uniform(uniformity, right)) ||
	       (is_lane_number(right) && hd_value_is_uniform(uniformity, left));
}

static bool is_lone(const struct hd_uniformity *uniformity, value inst)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst), from;

	for (unsigned i = 0; i < GUARDS && (from = only_way_in(block)); i++, block = from)
		if (picks_lane(uniformity, from, block))
			return true;
	return false;
}

/* Whether a pointer leads to memory that all threads share: the address of a stack object is the same in all lanes, the
 * object is not. */
static bool is_common(struct hd_legal *legal, value pointer)
{
	for (;; pointer = LLVMGetOperand(pointer, 0)) {
		unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));

		if (space == HD_AS_GLOBAL || space == HD_AS_SHARED || LLVMIsAGlobalVariable(pointer))
			return true;
		if (space != HD_AS_GENERIC)
			return false;
		if (!LLVMIsAGetElementPtrInst(pointer) && !LLVMIsAAddrSpaceCastInst(pointer))
			break;
	}
	if (!LLVMIsAArgument(pointer) || !hd_is_kernel(legal->unit, LLVMGetParamParent(pointer)))
		return false;
	value function = LLVMGetParamParent(pointer);
	unsigned index = 0;
	while (LLVMGetParam(function, index) != pointer)
		index++;
	return !hd_byval_type(function, index);
}

/* ---- the functions ---- */

static value combined(struct hd_site *site, LLVMAtomicRMWBinOp op, value a, value b)
{
	value args[2] = {a, b};

	switch (op) {
	case LLVMAtomicRMWBinOpAnd:
		return binary(site, LLVMAnd, a, b);
	case LLVMAtomicRMWBinOpOr:
		return binary(site, LLVMOr, a, b);
	case LLVMAtomicRMWBinOpXor:
		return binary(site, LLVMXor, a, b);
	case LLVMAtomicRMWBinOpMax:
		return intrinsic(site, "smax", args, 2);
	case LLVMAtomicRMWBinOpMin:
		return intrinsic(site, "smin", args, 2);
	case LLVMAtomicRMWBinOpUMax:
		return intrinsic(site, "umax", args, 2);
	case LLVMAtomicRMWBinOpUMin:
		return intrinsic(site, "umin", args, 2);
	default:
		return binary(site, LLVMAdd, a, b);
	}
}

/* An intrinsic of the target, which has one type. */
static value special(struct hd_site *site, const char *name, value *args, unsigned count)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));

	return LLVMBuildCall2(site->builder, LLVMIntrinsicGetType(site->legal->context, id, NULL, 0),
			      LLVMGetIntrinsicDeclaration(site->legal->module, id, NULL, 0), args, count, "");
}

static value word(struct hd_site *site, uint32_t n)
{
	return LLVMConstInt(int_type(site, 32), n, false);
}

static value shuffle(struct hd_site *site, const char *name, value mask, value v, value lane)
{
	value args[4] = {mask, v, lane, word(site, 31)};

	return special(site, name, args, 4);
}

static value population(struct hd_site *site, value v)
{
	return intrinsic(site, "ctpop", &v, 1);
}

/* The operation as the instruction has it, scope included, on another value. */
static value operate(struct hd_site *site, value pointer, value operand)
{
	value out = LLVMInstructionClone(site->inst);

	LLVMInsertIntoBuilder(site->builder, out);
	LLVMSetOperand(out, 0, pointer);
	LLVMSetOperand(out, 1, operand);
	LLVMInstructionSetDebugLoc(out, NULL);
	return out;
}

struct blocks {
	LLVMBasicBlockRef entry, one, tree, each, done;
};

/* A value that the lanes share: the first of them operates, and hands on what it found. */
static void build_shared(struct hd_site *site, value function, const struct blocks *at, bool used)
{
	LLVMBuilderRef builder = site->builder;
	LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(site->inst);
	value pointer = LLVMGetParam(function, 0), operand = LLVMGetParam(function, 1);
	value mask = special(site, "llvm.nvvm.activemask", NULL, 0);
	value before = binary(site, LLVMAnd, mask, special(site, "llvm.nvvm.read.ptx.sreg.lanemask.lt", NULL, 0));
	value total = is_counted(op) ? binary(site, LLVMMul, operand, population(site, mask)) : operand, found, base;

	LLVMBuildCondBr(builder, compare(site, LLVMIntEQ, before, word(site, 0)), at->one, at->done);
	LLVMPositionBuilderAtEnd(builder, at->one);
	found = operate(site, pointer, total);
	LLVMBuildBr(builder, at->done);
	LLVMPositionBuilderAtEnd(builder, at->done);
	if (!used) {
		LLVMBuildRetVoid(builder);
		return;
	}
	value in[2] = {LLVMGetUndef(int_type(site, 32)), found}, first[2] = {mask, truth(site, true)};
	LLVMBasicBlockRef from[2] = {at->entry, at->one};
	base = LLVMBuildPhi(builder, int_type(site, 32), "");
	LLVMAddIncoming(base, in, from, 2);
	base = shuffle(site, "llvm.nvvm.shfl.sync.idx.i32", mask, base, intrinsic(site, "cttz", first, 2));
	operand = binary(site, LLVMMul, operand, population(site, before));
	LLVMBuildRet(builder, binary(site, op == LLVMAtomicRMWBinOpSub ? LLVMSub : LLVMAdd, base, operand));
}

/* Values of their own: all lanes' in one, or each lane by itself. */
static void build_combined(struct hd_site *site, value function, const struct blocks *at)
{
	LLVMBuilderRef builder = site->builder;
	value pointer = LLVMGetParam(function, 0), all = LLVMGetParam(function, 1), lane;
	value mask = special(site, "llvm.nvvm.activemask", NULL, 0);

	LLVMBuildCondBr(builder, compare(site, LLVMIntEQ, mask, word(site, FULL)), at->tree, at->each);
	LLVMPositionBuilderAtEnd(builder, at->tree);
	for (uint32_t distance = 16; distance; distance /= 2)
		all = combined(site, LLVMGetAtomicRMWBinOp(site->inst), all,
			       shuffle(site, "llvm.nvvm.shfl.sync.bfly.i32", word(site, FULL), all,
				       word(site, distance)));
	lane = special(site, "llvm.nvvm.read.ptx.sreg.laneid", NULL, 0);
	LLVMBuildCondBr(builder, compare(site, LLVMIntEQ, lane, word(site, 0)), at->one, at->done);
	LLVMPositionBuilderAtEnd(builder, at->one);
	operate(site, pointer, all);
	LLVMBuildBr(builder, at->done);
	LLVMPositionBuilderAtEnd(builder, at->each);
	operate(site, pointer, LLVMGetParam(function, 1));
	LLVMBuildBr(builder, at->done);
	LLVMPositionBuilderAtEnd(builder, at->done);
	LLVMBuildRetVoid(builder);
}

/* What takes the operation's place. */
static value aggregate_function(struct hd_site *site, bool shared, bool used, LLVMTypeRef *type)
{
	LLVMContextRef context = site->legal->context;
	LLVMTypeRef params[2] = {LLVMTypeOf(LLVMGetOperand(site->inst, 0)), int_type(site, 32)};
	unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12),
		 convergent = LLVMGetEnumAttributeKindForName("convergent", 10);

	*type = LLVMFunctionType(used ? params[1] : LLVMVoidTypeInContext(context), params, 2, false);
	value function = LLVMAddFunction(site->legal->module, "__heddle_warp", *type);
	LLVMSetLinkage(function, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, always, 0));
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, convergent, 0));
	struct blocks at = {.entry = LLVMAppendBasicBlockInContext(context, function, "")};
	at.tree = shared ? NULL : LLVMAppendBasicBlockInContext(context, function, "");
	at.each = shared ? NULL : LLVMAppendBasicBlockInContext(context, function, "");
	at.one = LLVMAppendBasicBlockInContext(context, function, "");
	at.done = LLVMAppendBasicBlockInContext(context, function, "");
	LLVMPositionBuilderAtEnd(site->builder, at.entry);
	LLVMSetCurrentDebugLocation2(site->builder, NULL);
	if (shared)
		build_shared(site, function, &at, used);
	else
		build_combined(site, function, &at);
	return function;
}

/* ---- the step ---- */

static void replace(struct hd_site *site, bool shared)
{
	value args[2] = {LLVMGetOperand(site->inst, 0), LLVMGetOperand(site->inst, 1)};
	bool used = LLVMGetFirstUse(site->inst);
	LLVMTypeRef type;
	value function = aggregate_function(site, shared, used, &type), out;

	LLVMPositionBuilderBefore(site->builder, site->inst);
	LLVMSetCurrentDebugLocation2(site->builder, LLVMInstructionGetDebugLoc(site->inst));
	out = LLVMBuildCall2(site->builder, type, function, args, 2, "");
	if (site->ordinal)
		LLVMSetMetadata(out, site->legal->md_ordinal, site->ordinal);
	if (used)
		LLVMReplaceAllUsesWith(site->inst, out);
	LLVMInstructionEraseFromParent(site->inst);
	site->legal->linked = true;
}

static void aggregate_in(struct hd_legal *legal, value function)
{
	struct hd_site site = {.legal = legal, .builder = legal->builder};
	struct hd_uniformity *uniformity = NULL;
	HD_VEC(value) wanted = {0};
	struct hd_arena arena;

	hd_arena_init(&arena);
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
		for (value inst = LLVMGetFirstInstruction(bb); inst; inst = LLVMGetNextInstruction(inst))
			if (may_aggregate(legal, inst))
				hd_vec_push(&wanted, inst);
	if (wanted.len)
		uniformity = hd_uniformity_compute(function, hd_is_kernel(legal->unit, function), &arena);
	for (uint32_t i = 0; i < wanted.len; i++) {
		site.inst = wanted.data[i];
		site.ordinal = LLVMGetMetadata(site.inst, legal->md_ordinal);
		LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(site.inst);
		bool shared =
			op != LLVMAtomicRMWBinOpXor && hd_value_is_uniform(uniformity, LLVMGetOperand(site.inst, 1));
		bool possible = is_common(legal, LLVMGetOperand(site.inst, 0)) &&
				hd_value_is_uniform(uniformity, LLVMGetOperand(site.inst, 0)) &&
				(shared || (combines(op) && !LLVMGetFirstUse(site.inst)));
		if (possible && !is_lone(uniformity, site.inst))
			replace(&site, shared);
	}
	hd_vec_release(&wanted);
	hd_arena_release(&arena);
}

void hd_legal_aggregate(struct hd_legal *legal)
{
	if (hd_list_has(legal->unit->options.without, "aggregate"))
		return;
	for (value f = LLVMGetFirstFunction(legal->module), next; f; f = next) {
		next = LLVMGetNextFunction(f);
		if (!LLVMIsDeclaration(f) && strncmp(LLVMGetValueName(f), "__heddle_", 9))
			aggregate_in(legal, f);
	}
}
