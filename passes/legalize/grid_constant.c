/*
 * Legalisation: kernel parameters that CUDA C++ marks __grid_constant__ (host_defines.h makes an annotation of it), or
 * NVVM IR by the indices of "grid_constant" among the function's annotations, or by an attribute of the parameter.
 * Their addresses are addresses of the constant bank: none makes a copy in local memory. A by-value aggregate gets a
 * mark that the other steps look at; the stack object in which clang keeps any other parameter gives way to the
 * parameter's place in the bank.
 *
 * Linear in the uses of llvm.var.annotation and in the module's annotations.
 */
#include <string.h>

#include "passes/ir/byval.h"
#include "passes/legalize/legalize.h"

static const char mark[] = "heddle-grid-constant", note[] = "heddle.grid_constant";

bool hd_legal_is_grid_constant(LLVMValueRef kernel, unsigned param)
{
	return LLVMGetStringAttributeAtIndex(kernel, param + 1, mark, sizeof mark - 1) != NULL;
}

static void set_mark(const struct hd_legal *legal, LLVMValueRef kernel, unsigned param)
{
	LLVMAddAttributeAtIndex(kernel, param + 1,
				LLVMCreateStringAttribute(legal->context, mark, sizeof mark - 1, "", 0));
}

static bool is_note(LLVMValueRef call)
{
	LLVMValueRef text = LLVMGetArgOperand(call, 1);
	LLVMValueRef bytes = LLVMIsAGlobalVariable(text) ? LLVMGetInitializer(text) : NULL;
	size_t length = 0;
	return bytes && LLVMIsAConstantDataSequential(bytes) && LLVMIsConstantString(bytes) &&
	       !strcmp(LLVMGetAsString(bytes, &length), note);
}

static unsigned index_of(LLVMValueRef kernel, LLVMValueRef argument)
{
	unsigned i = 0, n = LLVMCountParams(kernel);
	while (i < n && LLVMGetParam(kernel, i) != argument)
		i++;
	return i;
}

/* The store that puts a parameter into its stack object; NULL. */
static LLVMValueRef store_of_parameter(LLVMValueRef slot)
{
	for (LLVMUseRef use = LLVMGetFirstUse(slot); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == slot &&
		    LLVMIsAArgument(LLVMGetOperand(user, 0)))
			return user;
	}
	return NULL;
}

static LLVMValueRef bank_address(const struct hd_legal *legal, LLVMValueRef kernel, unsigned param, LLVMTypeRef type)
{
	uint32_t *offsets = HD_ARENA_NEW(&legal->unit->arena, uint32_t, LLVMCountParams(kernel) + 1);
	hd_kernel_params(kernel, offsets);
	LLVMValueRef at = LLVMConstInt(LLVMInt32TypeInContext(legal->context), HD_CB_PARAMS + offsets[param], false);
	return LLVMConstAddrSpaceCast(LLVMConstIntToPtr(at, LLVMPointerTypeInContext(legal->context, HD_AS_PARAM)),
				      type);
}

static void place_in_bank(struct hd_legal *legal, LLVMValueRef kernel, LLVMValueRef slot)
{
	LLVMValueRef store = store_of_parameter(slot);
	if (!store)
		return;
	unsigned param = index_of(kernel, LLVMGetOperand(store, 0));
	LLVMInstructionEraseFromParent(store);
	LLVMReplaceAllUsesWith(slot, bank_address(legal, kernel, param, LLVMTypeOf(slot)));
}

static void heed_note(struct hd_legal *legal, LLVMValueRef call)
{
	LLVMValueRef kernel = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	LLVMValueRef place = LLVMGetArgOperand(call, 0);
	LLVMInstructionEraseFromParent(call);
	if (!hd_is_kernel(legal->unit, kernel)) /* a kernel that was inlined is no kernel here */
		return;
	if (LLVMIsAArgument(place) && hd_byval_type(kernel, index_of(kernel, place)))
		set_mark(legal, kernel, index_of(kernel, place));
	else if (LLVMIsAAllocaInst(place))
		place_in_bank(legal, kernel, place);
}

static void heed_notes(struct hd_legal *legal)
{
	LLVMValueRef function = LLVMGetNamedFunction(legal->module, "llvm.var.annotation.p0.p0");
	LLVMUseRef next;
	for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = next) {
		LLVMValueRef call = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (LLVMIsACallInst(call) && is_note(call))
			heed_note(legal, call);
	}
}

/* {kernel, "grid_constant", {1, 3}}: parameters counted from 1 (NVVM IR specification, 12). */
static void heed_annotation(struct hd_legal *legal, LLVMValueRef node)
{
	unsigned count = LLVMGetMDNodeNumOperands(node), length = 0;
	LLVMValueRef *ops = HD_ARENA_NEW(&legal->unit->arena, LLVMValueRef, count + 1);
	LLVMGetMDNodeOperands(node, ops);
	for (unsigned k = 1; k + 1 < count && ops[0] && LLVMIsAFunction(ops[0]); k += 2) {
		const char *key = ops[k] ? LLVMGetMDString(ops[k], &length) : NULL;
		if (!key || length != 13 || memcmp(key, "grid_constant", 13) != 0 || !ops[k + 1] ||
		    LLVMIsAConstantInt(ops[k + 1]))
			continue;
		unsigned listed = LLVMGetMDNodeNumOperands(ops[k + 1]);
		LLVMValueRef *list = HD_ARENA_NEW(&legal->unit->arena, LLVMValueRef, listed + 1);
		LLVMGetMDNodeOperands(ops[k + 1], list);
		for (unsigned i = 0; i < listed; i++) {
			uint64_t number =
				list[i] && LLVMIsAConstantInt(list[i]) ? LLVMConstIntGetZExtValue(list[i]) : 0;
			if (number && number <= LLVMCountParams(ops[0]) && hd_byval_type(ops[0], (unsigned)number - 1))
				set_mark(legal, ops[0], (unsigned)number - 1);
		}
	}
}

static void heed_annotations(struct hd_legal *legal)
{
	unsigned count = LLVMGetNamedMetadataNumOperands(legal->module, "nvvm.annotations");
	LLVMValueRef *nodes = HD_ARENA_NEW(&legal->unit->arena, LLVMValueRef, count + 1);
	LLVMGetNamedMetadataOperands(legal->module, "nvvm.annotations", nodes);
	for (unsigned i = 0; i < count; i++)
		heed_annotation(legal, nodes[i]);
}

/* As LLVM 20 and later write it, at the parameter. */
static void heed_attributes(struct hd_legal *legal, LLVMValueRef kernel)
{
	static const char attribute[] = "nvvm.grid_constant";
	for (unsigned i = 0, n = LLVMCountParams(kernel); i < n; i++)
		if (LLVMGetStringAttributeAtIndex(kernel, i + 1, attribute, sizeof attribute - 1) &&
		    hd_byval_type(kernel, i))
			set_mark(legal, kernel, i);
}

static void address_generically(const struct hd_legal *legal, LLVMValueRef kernel, unsigned param)
{
	LLVMValueRef argument = LLVMGetParam(kernel, param);
	LLVMValueRef address = bank_address(legal, kernel, param, LLVMTypeOf(argument));
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(argument); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (LLVMIsAAddrSpaceCastInst(user) && LLVMGetPointerAddressSpace(LLVMTypeOf(user)) == HD_AS_PARAM)
			continue;
		for (int i = 0, n = LLVMGetNumOperands(user); i < n; i++)
			if (LLVMGetOperand(user, (unsigned)i) == argument)
				LLVMSetOperand(user, (unsigned)i, address);
		next = LLVMGetFirstUse(argument); /* this user may have been there more than once */
		while (next && LLVMIsAAddrSpaceCastInst(LLVMGetUser(next)))
			next = LLVMGetNextUse(next);
	}
}

void hd_legal_grid_constant_uses(struct hd_legal *legal)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (unsigned i = 0, n = LLVMIsDeclaration(f) ? 0 : LLVMCountParams(f); i < n; i++)
			if (hd_legal_is_grid_constant(f, i))
				address_generically(legal, f, i);
}

void hd_legal_grid_constants(struct hd_legal *legal)
{
	heed_notes(legal);
	heed_annotations(legal);
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			heed_attributes(legal, f);
}
