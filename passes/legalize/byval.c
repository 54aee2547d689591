/*
 * Legalisation: by-value arguments of device functions, taken apart (byval.h), so that LLVM's scalar replacement makes
 * registers of the temporaries that hold them, in the caller and in the callee.
 *
 * The callee has its own copy of an argument that arrives in registers: a stack object that the parts are stored to at
 * the entry, which remains only where its address is needed. A caller loads the parts before the call, and the call is
 * given these in place of the address. What goes on the stack is the callee's own there already, and stays one block of
 * memory unless it is changed and can be registers after all; the caller takes it apart if it is a temporary that can
 * become registers, which then are stored where the argument lies and nowhere else.
 *
 * Before LLVM's first passes, and again for what was linked in. Linear in the uses of by-value arguments.
 */
#include "passes/ir/byval.h"
#include "lib/map.h"
#include "passes/legalize/legalize.h"

#include <llvm-c/DebugInfo.h>

#define MARK "heddle-parts" /* attribute of a parameter that was taken apart */
#define MOST_DEPTH 16	    /* of element addresses, one from the other */

static LLVMValueRef byte_address(const struct hd_legal *legal, LLVMValueRef base, uint64_t offset)
{
	LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(legal->context), offset, false);
	if (!offset)
		return base;
	return LLVMBuildInBoundsGEP2(legal->builder, LLVMInt8TypeInContext(legal->context), base, &index, 1, "");
}

/* Of the byte at the offset from something aligned. */
static unsigned known_align(uint64_t align, uint64_t offset)
{
	uint64_t known = (align | offset) & -(align | offset);
	return known < 16 ? (unsigned)known : 16;
}

static LLVMValueRef load_bytes(const struct hd_legal *legal, LLVMValueRef base, uint64_t offset, unsigned bytes,
			       uint64_t align)
{
	LLVMTypeRef type = LLVMIntTypeInContext(legal->context, 8 * bytes);
	LLVMValueRef load = LLVMBuildLoad2(legal->builder, type, byte_address(legal, base, offset), "");
	LLVMSetAlignment(load, known_align(align, offset));
	return load;
}

/* ------------------------------------------------------------------ what can become registers */

static bool is_plain_memory_intrinsic(LLVMValueRef call)
{
	static const char *const names[] = {"llvm.memcpy.", "llvm.memmove.", "llvm.memset.", "llvm.lifetime."};
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return i == 3 || (LLVMIsAConstantInt(LLVMGetArgOperand(call, 2)) &&
					  LLVMIsNull(LLVMGetArgOperand(call, 3)));
	return false;
}

/* Whether the pointer is given to the call by value and nothing else, and the call does not keep it in memory. */
static bool is_passed_apart(const struct hd_legal *legal, LLVMValueRef call, LLVMValueRef pointer)
{
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++) {
		if (LLVMGetArgOperand(call, i) != pointer)
			continue;
		struct hd_byval byval = hd_byval_of(legal->layout, call, i);
		if (!byval.type || i >= LLVMCountParamTypes(LLVMGetCalledFunctionType(call)) ||
		    byval.bytes > HD_BYVAL_MOST_BYTES)
			return false;
	}
	return LLVMGetCalledValue(call) != pointer;
}

/* `written`: set when something is stored there. */
static bool becomes_registers(const struct hd_legal *legal, LLVMValueRef pointer, unsigned depth, bool *written)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		switch (LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMUnreachable) {
		case LLVMLoad:
			if (LLVMGetVolatile(user))
				return false;
			break;
		case LLVMStore:
			if (LLVMGetVolatile(user) || LLVMGetOperand(user, 0) == pointer)
				return false;
			*written = true;
			break;
		case LLVMGetElementPtr:
			for (int i = 1, n = LLVMGetNumOperands(user); i < n; i++)
				if (!LLVMIsAConstantInt(LLVMGetOperand(user, (unsigned)i)))
					return false;
			if (depth == MOST_DEPTH || !becomes_registers(legal, user, depth + 1, written))
				return false;
			break;
		case LLVMCall:
			if (!is_plain_memory_intrinsic(user) && !is_passed_apart(legal, user, pointer))
				return false;
			break;
		default: return false;
		}
	}
	return true;
}

/* `known`: the answers for the function's stack objects, for a temporary may be passed many times. */
static bool is_temporary(const struct hd_legal *legal, LLVMValueRef pointer, struct hd_map *known)
{
	while (LLVMIsAGetElementPtrInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	if (!LLVMIsAAllocaInst(pointer))
		return false;
	const struct hd_map_entry *entry = hd_map_get(known, pointer);
	bool written;
	if (!entry) {
		hd_map_put(known, pointer, becomes_registers(legal, pointer, 0, &written), 1);
		entry = hd_map_get(known, pointer);
	}
	return entry->start;
}

/* ------------------------------------------------------------------ callees */

static void receive_parameter(struct hd_legal *legal, LLVMValueRef function, unsigned index,
			      const struct hd_byval *byval)
{
	LLVMBuilderRef builder = legal->builder;
	LLVMValueRef param = LLVMGetParam(function, index);
	struct hd_byval_part parts[HD_BYVAL_MOST_PARTS];
	uint32_t count = hd_byval_parts(legal->layout, byval, parts);
	uint32_t words = (uint32_t)(byval->bytes + 3) / 4;
	LLVMTypeRef word = LLVMInt32TypeInContext(legal->context);
	LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
	LLVMSetCurrentDebugLocation2(builder, NULL);
	LLVMValueRef own;
	/* Whole words, also where the aggregate ends within one; as aligned as costs nothing, for wide stores. */
	own = LLVMBuildAlloca(builder, LLVMArrayType2(word, words), "");
	uint32_t align = words % 4 ? words % 2 ? 4 : 8 : 16;
	align = byval->align > align ? byval->align : align;
	LLVMSetAlignment(own, align);
	LLVMValueRef address = LLVMTypeOf(param) == LLVMTypeOf(own)
				       ? own
				       : LLVMBuildAddrSpaceCast(builder, own, LLVMTypeOf(param), "");
	LLVMReplaceAllUsesWith(param, address);
	LLVMValueRef in =
		LLVMBuildAddrSpaceCast(builder, param, LLVMPointerTypeInContext(legal->context, HD_AS_LOCAL), "");
	LLVMValueRef values[HD_BYVAL_MOST_PARTS];
	for (uint32_t i = 0; i < count; i++)
		values[i] = load_bytes(legal, in, parts[i].offset, 4u * parts[i].words, 4u * parts[i].words);
	for (uint32_t i = 0; i < count; i++) {
		LLVMValueRef store = LLVMBuildStore(builder, values[i], byte_address(legal, own, parts[i].offset));
		LLVMSetAlignment(store, known_align(align, parts[i].offset));
	}
	LLVMAddAttributeAtIndex(function, index + 1,
				LLVMCreateStringAttribute(legal->context, MARK, sizeof(MARK) - 1, "", 0));
	legal->allocas = true;
}

static bool is_apart(LLVMValueRef function, unsigned param)
{
	return LLVMGetStringAttributeAtIndex(function, param + 1, MARK, sizeof(MARK) - 1) != NULL;
}

static bool makes_calls(LLVMValueRef function)
{
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst; inst = LLVMGetNextInstruction(inst))
			if (LLVMIsACallInst(inst) && (!LLVMIsAFunction(LLVMGetCalledValue(inst)) ||
						      !LLVMGetIntrinsicID(LLVMGetCalledValue(inst))))
				return true;
	return false;
}

/*
 * What is only read is read where it is needed; what is changed as well would be stored to be read again. Across calls
 * it is better off where it lies: registers would be saved for it.
 */
static bool pays_on_stack(const struct hd_legal *legal, LLVMValueRef function, unsigned param,
			  const struct hd_byval *byval)
{
	bool written = false;
	return byval->bytes <= HD_BYVAL_MOST_BYTES &&
	       becomes_registers(legal, LLVMGetParam(function, param), 0, &written) && written &&
	       !makes_calls(function);
}

static void receive_parameters(struct hd_legal *legal, LLVMValueRef function)
{
	unsigned count = LLVMCountParams(function);
	uint8_t *first = hd_xcalloc(count + 1, sizeof(*first));
	hd_byval_registers(legal->unit->abi, legal->layout, LLVMGlobalGetValueType(function), function, first);
	for (unsigned i = 0; i < count; i++) {
		struct hd_byval byval = hd_byval_of(legal->layout, function, i);
		if (byval.type && !is_apart(function, i) && (first[i] || pays_on_stack(legal, function, i, &byval)))
			receive_parameter(legal, function, i, &byval);
	}
	free(first);
}

/* ------------------------------------------------------------------ callers */

/* The last bytes of an aggregate, in a word. */
static LLVMValueRef load_end(const struct hd_legal *legal, LLVMValueRef base, uint64_t offset, unsigned bytes,
			     uint64_t align)
{
	LLVMTypeRef word = LLVMInt32TypeInContext(legal->context);
	LLVMValueRef low = load_bytes(legal, base, offset, bytes > 1 ? 2 : 1, align);
	low = LLVMBuildZExt(legal->builder, low, word, "");
	if (bytes < 3)
		return low;
	LLVMValueRef high = LLVMBuildZExt(legal->builder, load_bytes(legal, base, offset + 2, 1, align), word, "");
	high = LLVMBuildShl(legal->builder, high, LLVMConstInt(word, 16, false), "");
	return LLVMBuildOr(legal->builder, high, low, "");
}

static LLVMOperandBundleRef load_parts(const struct hd_legal *legal, LLVMValueRef call, unsigned index,
				       const struct hd_byval *byval)
{
	LLVMValueRef base = LLVMGetArgOperand(call, index);
	struct hd_byval_part parts[HD_BYVAL_MOST_PARTS];
	uint32_t count = hd_byval_parts(legal->layout, byval, parts);
	LLVMValueRef values[HD_BYVAL_MOST_PARTS + 1];
	values[0] = LLVMConstInt(LLVMInt32TypeInContext(legal->context), index, false);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = parts[i].offset, left = byval->bytes - at;
		values[i + 1] = left < 4 ? load_end(legal, base, at, (unsigned)left, byval->align)
					 : load_bytes(legal, base, at, 4u * parts[i].words, byval->align);
	}
	return LLVMCreateOperandBundle(HD_BYVAL_BUNDLE, sizeof(HD_BYVAL_BUNDLE) - 1, values, count + 1);
}

/* Of an argument whose address is no longer given, only what says how it is passed. */
void hd_legal_copy_attributes(LLVMValueRef to, LLVMValueRef from, unsigned index, bool apart)
{
	unsigned count = LLVMGetCallSiteAttributeCount(from, index);
	LLVMAttributeRef *list = hd_xcalloc(count + 1, sizeof(LLVMAttributeRef));
	unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMGetCallSiteAttributes(from, index, list);
	for (unsigned i = 0; i < count; i++)
		if (!apart || LLVMIsTypeAttribute(list[i]) ||
		    (LLVMIsEnumAttribute(list[i]) && LLVMGetEnumAttributeKind(list[i]) == align))
			LLVMAddCallSiteAttribute(to, index, list[i]);
	free(list);
}

static void copy_traits(const struct hd_legal *legal, LLVMValueRef to, LLVMValueRef from, const bool *apart)
{
	size_t count;
	LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &count);
	for (size_t i = 0; i < count; i++)
		LLVMSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, (unsigned)i),
				LLVMMetadataAsValue(legal->context,
						    LLVMValueMetadataEntriesGetMetadata(entries, (unsigned)i)));
	LLVMDisposeValueMetadataEntries(entries);
	hd_legal_copy_attributes(to, from, LLVMAttributeFunctionIndex, false);
	hd_legal_copy_attributes(to, from, LLVMAttributeReturnIndex, false);
	for (unsigned i = 0, n = LLVMGetNumArgOperands(from); i < n; i++)
		hd_legal_copy_attributes(to, from, i + 1, apart[i]);
	LLVMSetInstructionCallConv(to, LLVMGetInstructionCallConv(from));
	LLVMSetTailCallKind(to, LLVMGetTailCallKind(from));
	if (LLVMCanValueUseFastMathFlags(from))
		LLVMSetFastMathFlags(to, LLVMGetFastMathFlags(from));
}

/* The call again with the bundles that it had and those of its arguments. `apart` says which these are. */
static void rebuild_call(struct hd_legal *legal, LLVMValueRef call, const bool *apart)
{
	unsigned count = LLVMGetNumArgOperands(call), had = LLVMGetNumOperandBundles(call), bundles = 0;
	LLVMValueRef *args = hd_xcalloc(count + 1, sizeof(LLVMValueRef));
	LLVMOperandBundleRef *list = hd_xcalloc(count + had + 1, sizeof(LLVMOperandBundleRef));
	LLVMPositionBuilderBefore(legal->builder, call);
	LLVMSetCurrentDebugLocation2(legal->builder, LLVMInstructionGetDebugLoc(call));
	for (; bundles < had; bundles++)
		list[bundles] = LLVMGetOperandBundleAtIndex(call, bundles);
	for (unsigned i = 0; i < count; i++) {
		struct hd_byval byval = hd_byval_of(legal->layout, call, i);
		args[i] = LLVMGetArgOperand(call, i);
		if (!apart[i])
			continue;
		list[bundles++] = load_parts(legal, call, i, &byval);
		args[i] = LLVMGetPoison(LLVMTypeOf(args[i]));
	}
	LLVMValueRef made = LLVMBuildCallWithOperandBundles(legal->builder, LLVMGetCalledFunctionType(call),
							    LLVMGetCalledValue(call), args, count, list, bundles, "");
	copy_traits(legal, made, call, apart);
	LLVMReplaceAllUsesWith(call, made);
	LLVMInstructionEraseFromParent(call);
	for (unsigned i = 0; i < bundles; i++)
		LLVMDisposeOperandBundle(list[i]);
	free(list);
	free(args);
}

static void send_arguments(struct hd_legal *legal, LLVMValueRef call, struct hd_map *known)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(call);
	unsigned params = LLVMCountParamTypes(type);
	uint8_t *first = hd_xcalloc(params + 1, sizeof(*first));
	bool *apart = hd_xcalloc(LLVMGetNumArgOperands(call) + 1, sizeof(*apart)), any = false;
	hd_byval_registers(legal->unit->abi, legal->layout, type, call, first);
	for (unsigned i = 0; i < params; i++) {
		struct hd_byval byval = hd_byval_of(legal->layout, call, i);
		LLVMOperandBundleRef bundle = byval.type ? hd_byval_bundle(call, i) : NULL;
		if (bundle)
			LLVMDisposeOperandBundle(bundle);
		else if (byval.type)
			apart[i] = first[i] || (byval.bytes && byval.bytes <= HD_BYVAL_MOST_BYTES &&
						is_temporary(legal, LLVMGetArgOperand(call, i), known));
		any = any || apart[i];
	}
	if (any)
		rebuild_call(legal, call, apart);
	free(apart);
	free(first);
}

static bool has_byval(const struct hd_legal *legal, LLVMValueRef inst)
{
	if (!LLVMIsACallInst(inst) || LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
		return false;
	for (unsigned i = 0, n = LLVMCountParamTypes(LLVMGetCalledFunctionType(inst)); i < n; i++)
		if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetArgOperand(inst, i))) == LLVMPointerTypeKind &&
		    hd_byval_of(legal->layout, inst, i).type)
			return true;
	return false;
}

void hd_legal_byval(struct hd_legal *legal)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f)) {
		struct hd_map known = {0};
		if (LLVMIsDeclaration(f))
			continue;
		if (!hd_is_kernel(legal->unit, f))
			receive_parameters(legal, f);
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(bb), next; inst; inst = next) {
				next = LLVMGetNextInstruction(inst);
				if (has_byval(legal, inst))
					send_arguments(legal, inst, &known);
			}
		if (hd_is_kernel(legal->unit, f))
			hd_legal_own_parameters(legal, f);
		hd_map_release(&known);
	}
}
