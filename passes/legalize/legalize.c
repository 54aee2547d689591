/*
 * Legalisation: a clone of the user's module in which every instruction can be selected. LLVM's own
 * passes do what they can (scalarising vectors, expanding atomics, spreading address spaces), each
 * only when the module has something for it: the whole step must stay a small part of the compile
 * time. Linear in the module's size.
 */
#include "passes/legalize/legalize.h"

#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

/* Instructions: LLVM's passes that compare memory accesses pair by pair do not see blocks that are longer. */
#define LONG_BLOCK 2000u
/* Blocks: for each product LLVM's strength reduction asks what guards it, block by block up to the entry. With three
 * loops nested 140 times it takes 6 s of 6.5, at twice the size 25. */
#define MANY_BLOCKS 300u

/* ------------------------------------------------------------------ ordinals */

/*
 * Every instruction of the clone carries the position of its original in its function. The two modules
 * have the same instructions in the same order; instructions that passes make later have no ordinal.
 */
static void number_instructions(struct hd_legal *legal)
{
	HD_VEC(LLVMValueRef) nodes = {0};
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f)) {
		uint32_t ordinal = 0;
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst;
			     inst = LLVMGetNextInstruction(inst)) {
				if (ordinal == nodes.len) {
					LLVMValueRef number =
						LLVMConstInt(LLVMInt32TypeInContext(legal->context), ordinal, false);
					LLVMMetadataRef wrapped = LLVMValueAsMetadata(number);
					hd_vec_push(&nodes, LLVMMetadataAsValue(legal->context,
										LLVMMDNodeInContext2(legal->context,
												     &wrapped, 1)));
				}
				LLVMSetMetadata(inst, legal->md_ordinal, nodes.data[ordinal++]);
			}
	}
	hd_vec_release(&nodes);
}

/* ------------------------------------------------------------------ what is there to do */

static bool is_vector(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

/* Vectors in memory and in the moving of elements are selected as they are; arithmetic on them is not. */
static bool is_vector_arithmetic(LLVMValueRef inst, LLVMOpcode op)
{
	switch (op) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector:
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMRet:
	case LLVMPHI:
	case LLVMFreeze:
	case LLVMBitCast: return false;
	case LLVMCall:
		return is_vector(inst) && LLVMIsAFunction(LLVMGetCalledValue(inst)) &&
		       LLVMGetIntrinsicID(LLVMGetCalledValue(inst)) &&
		       strncmp(LLVMGetValueName(LLVMGetCalledValue(inst)), "llvm.nvvm.ld", 12);
	default: return is_vector(inst) || (LLVMGetNumOperands(inst) > 0 && is_vector(LLVMGetOperand(inst, 0)));
	}
}

static bool needs_atomic_expansion(struct hd_legal *legal, LLVMValueRef inst, LLVMOpcode op)
{
	LLVMValueRef operand = LLVMGetOperand(inst, 1);
	unsigned long long bits = LLVMSizeOfTypeInBits(legal->layout, LLVMTypeOf(operand));
	if (bits < 32)
		return true;
	if (op == LLVMAtomicCmpXchg || bits > 64) /* the latter: selection says so */
		return false;
	switch (LLVMGetAtomicRMWBinOp(inst)) {
	case LLVMAtomicRMWBinOpNand:
	case LLVMAtomicRMWBinOpFMax:
	case LLVMAtomicRMWBinOpFMin: return true;
	case LLVMAtomicRMWBinOpUIncWrap:
	case LLVMAtomicRMWBinOpUDecWrap:
	default: return false;
	}
}

static bool is_intrinsic(LLVMValueRef call, const char *prefix)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	return LLVMIsAFunction(callee) && !strncmp(LLVMGetValueName(callee), prefix, strlen(prefix));
}

/* Sizes that are known at run time only: much of LLVM does not return from them. */
static bool is_scalable(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMScalableVectorTypeKind: return true;
	case LLVMArrayTypeKind: return is_scalable(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0, n = LLVMCountStructElementTypes(type); i < n; i++)
			if (is_scalable(LLVMStructGetTypeAtIndex(type, i)))
				return true;
		return false;
	default: return false;
	}
}

static void refuse_scalable(struct hd_legal *legal, LLVMValueRef inst)
{
	bool found = is_scalable(LLVMTypeOf(inst)) ||
		     (LLVMIsAAllocaInst(inst) && is_scalable(LLVMGetAllocatedType(inst))) ||
		     (LLVMIsAGetElementPtrInst(inst) && is_scalable(LLVMGetGEPSourceElementType(inst)));
	for (int i = 0, n = LLVMGetNumOperands(inst); i < n && !found; i++)
		found = is_scalable(LLVMTypeOf(LLVMGetOperand(inst, (unsigned)i)));
	if (found)
		legal->status = hd_unsupported(legal->unit, inst, "scalable vectors");
}

/* LLVM lets a stack object lie in any address space. */
static void scan_stack_object(struct hd_legal *legal, LLVMValueRef slot)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(slot));
	legal->allocas = true;
	if (space != HD_AS_GENERIC && space != HD_AS_LOCAL)
		legal->status = hd_unsupported(legal->unit, slot, "stack object outside local memory");
}

static void scan_instruction(struct hd_legal *legal, LLVMValueRef inst)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	switch (op) {
	case LLVMAlloca: scan_stack_object(legal, inst); break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: legal->atomics = legal->atomics || needs_atomic_expansion(legal, inst, op); break;
	case LLVMCall:
		legal->masked = legal->masked || is_intrinsic(inst, "llvm.masked.");
		legal->matrices = legal->matrices || is_intrinsic(inst, "llvm.matrix.");
		legal->questions = legal->questions || is_intrinsic(inst, "llvm.objectsize.") ||
				   is_intrinsic(inst, "llvm.is.constant.");
		break;
	default: break;
	}
	refuse_scalable(legal, inst);
	if (!legal->vectors && !legal->status)
		legal->vectors = is_vector_arithmetic(inst, op);
}

static void scan_function(struct hd_legal *legal, LLVMValueRef function)
{
	unsigned optnone = LLVMGetEnumAttributeKindForName("optnone", 7), returns = 0;
	if (LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, optnone)) {
		/* The object is code for execution, not for stepping: passes run on it as ptxas's do. */
		LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, optnone);
		legal->unoptimised = true;
	}
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb)) {
		uint32_t length = 0;
		for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst;
		     inst = LLVMGetNextInstruction(inst), length++)
			scan_instruction(legal, inst);
		legal->longest_block = length > legal->longest_block ? length : legal->longest_block;
		returns += LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(bb)) != NULL;
	}
	if (LLVMCountBasicBlocks(function) > legal->most_blocks)
		legal->most_blocks = LLVMCountBasicBlocks(function);
	legal->returns = legal->returns || returns > 1;
}

/* ------------------------------------------------------------------ LLVM's passes */

static LLVMTargetMachineRef target_machine(struct hd_legal *legal)
{
	LLVMTargetRef target = NULL;
	char *message = NULL;
	const char *triple = LLVMGetTarget(legal->module);
	LLVMInitializeNVPTXTargetInfo();
	LLVMInitializeNVPTXTarget();
	LLVMInitializeNVPTXTargetMC();
	if (LLVMGetTargetFromTriple(triple, &target, &message)) {
		hd_error(legal->unit->diag, HD_NOWHERE, "this LLVM has no NVPTX target: %s", message);
		LLVMDisposeMessage(message);
		return NULL;
	}
	return LLVMCreateTargetMachine(target, triple, "sm_70", "", LLVMCodeGenLevelDefault, LLVMRelocDefault,
				       LLVMCodeModelDefault);
}

bool hd_legal_is_inside(LLVMValueRef value, LLVMBasicBlockRef block)
{
	return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == block;
}

bool hd_legal_is_convergent(LLVMValueRef call)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
	LLVMValueRef callee = LLVMGetCalledValue(call);
	return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) || !LLVMIsAFunction(callee) ||
	       LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind);
}

int hd_legal_run(struct hd_legal *legal, LLVMTargetMachineRef machine, const char *pipeline)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(legal->module, pipeline, machine, options);
	LLVMDisposePassBuilderOptions(options);
	if (error) {
		char *message = LLVMGetErrorMessage(error);
		hd_error(legal->unit->diag, HD_NOWHERE, "cannot run '%s': %s", pipeline, message);
		LLVMDisposeErrorMessage(message);
		return -1;
	}
	return 0;
}

static int first_passes(struct hd_legal *legal, LLVMTargetMachineRef machine)
{
	char pipeline[256] = "function(";
	if (legal->assembly && hd_legal_run(legal, machine, "always-inline"))
		return -1;
	size_t empty = strlen(pipeline);
	if (legal->unoptimised)
		strcat(pipeline, "sroa,early-cse,simplifycfg,instsimplify,");
	else if (legal->allocas)
		strcat(pipeline, "sroa,");
	if (legal->questions)
		strcat(pipeline, "lower-constant-intrinsics,");
	if (legal->matrices)
		strcat(pipeline, "lower-matrix-intrinsics,");
	if (legal->masked) {
		hd_legal_masked(legal);
		strcat(pipeline, "scalarize-masked-mem-intrin,");
	}
	if (legal->vectors || legal->matrices || legal->masked)
		strcat(pipeline, "scalarizer,instsimplify,dce,");
	if (strlen(pipeline) > empty) {
		pipeline[strlen(pipeline) - 1] = ')';
		if (hd_legal_run(legal, machine, pipeline))
			return -1;
	}
	if (legal->atomics && hd_legal_expand_atomics(legal, machine))
		return -1;
	return legal->returns ? hd_legal_run(legal, machine, "function(mergereturn)") : 0;
}

/* Constant parts of addresses as offsets, the rest shared: as NVPTX's own. */
static int address_passes(struct hd_legal *legal, LLVMTargetMachineRef machine)
{
	if (hd_legal_run(legal, machine, "function(separate-const-offset-from-gep)"))
		return -1;
	if (hd_switch_is_on(legal->unit->options.without, HD_SWITCH_PREDICATED_CONSTANTS))
		hd_legal_hoist(legal);
	if (legal->longest_block <= LONG_BLOCK && legal->most_blocks <= MANY_BLOCKS && hd_legal_reduce(legal, machine))
		return -1;
	return hd_legal_run(legal, machine, "function(early-cse)");
}

static int last_passes(struct hd_legal *legal, LLVMTargetMachineRef machine)
{
	if (legal->linked && hd_legal_run(legal, machine, "always-inline"))
		return -1;
	hd_legal_hide_nulls(legal);
	if (hd_legal_run(legal, machine, "function(infer-address-spaces)"))
		return -1;
	hd_legal_show_nulls(legal);
	if (!hd_switch_is_on(legal->unit->options.without, HD_SWITCH_ADDRESS_PASSES))
		return 0;
	if (hd_switch_is_on(legal->unit->options.without, HD_SWITCH_SHARED_BASES))
		hd_legal_share_bases(legal);
	if (address_passes(legal, machine))
		return -1;
	if (legal->longest_block > LONG_BLOCK)
		return 0;
	/* Neighbours in memory become vectors. */
	hd_legal_note_accesses(legal);
	if (hd_legal_run(legal, machine,
			 hd_legal_align(legal) ? "function(infer-alignment,load-store-vectorizer)"
					       : "function(load-store-vectorizer)"))
		return -1;
	hd_legal_masked(legal);
	hd_legal_find_accesses(legal);
	return 0;
}

/* What is linked in may itself need helpers. */
static void replace_operations(struct hd_legal *legal)
{
	if (hd_legal_openmp(legal))
		legal->status = -1;
	legal->needs_device = hd_legal_calls_device(legal->module);
	hd_legal_expand(legal);
	if (legal->needs_device) {
		legal->status = hd_legal_device(legal);
		hd_legal_expand(legal);
	}
	hd_legal_math(legal);
	while (!legal->status && legal->needs_builtins) {
		legal->needs_builtins = false;
		legal->linked = true;
		legal->status = hd_legal_builtins(legal);
		hd_legal_expand(legal);
		hd_legal_math(legal);
	}
}

int hd_legalize(struct hd_unit *unit)
{
	struct hd_legal legal = {.unit = unit, .status = hd_check_attributes(unit)};
	unit->module = LLVMCloneModule(unit->source);
	legal.module = unit->module;
	legal.context = LLVMGetModuleContext(unit->module);
	legal.layout = LLVMGetModuleDataLayout(unit->module);
	legal.md_ordinal = LLVMGetMDKindIDInContext(legal.context, "heddle.ord", 10);
	legal.md_fpmath = LLVMGetMDKindIDInContext(legal.context, "fpmath", 6);
	legal.md_scaled = LLVMGetMDKindIDInContext(legal.context, HD_SCALED_DIVISION, sizeof HD_SCALED_DIVISION - 1);
	number_instructions(&legal);
	legal.builder = LLVMCreateBuilderInContext(legal.context);
	hd_legal_dependences(legal.module);
	hd_legal_allow_undefined(legal.module);
	hd_legal_strict(&legal);
	hd_legal_grid_constants(&legal);
	hd_legal_asm(&legal);
	hd_legal_blocks(&legal);
	hd_legal_atomics(&legal);
	LLVMTargetMachineRef machine = target_machine(&legal);
	if (machine && hd_legal_release_openmp(&legal) && hd_legal_run(&legal, machine, "globaldce"))
		legal.status = -1;
	if (!machine || hd_legal_wide_integers(&legal, machine))
		legal.status = -1;
	hd_legal_byval(&legal);
	for (LLVMValueRef f = LLVMGetFirstFunction(legal.module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			scan_function(&legal, f);
	if (!legal.status)
		legal.status = first_passes(&legal, machine) ? -1 : hd_legal_unroll(&legal, machine);
	if (!legal.status)
		replace_operations(&legal);
	if (!legal.status) {
		hd_legal_flush_once(legal.module);
		hd_legal_byval(&legal);
		hd_legal_spaces(&legal);
		legal.status = last_passes(&legal, machine);
	}
	if (!legal.status) {
		hd_legal_grid_constant_uses(&legal);
		hd_legal_exits(&legal);
		hd_legal_constants(&legal);
		hd_legal_freezes(&legal);
	}
	LLVMDisposeBuilder(legal.builder);
	if (machine)
		LLVMDisposeTargetMachine(machine);
	return legal.status;
}
