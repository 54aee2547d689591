/*
 * LLVM IR, as text or bitcode. libFuzzer's own changes would hardly ever leave a valid module, so that the mutator here
 * changes a module through LLVM: operands become other values of the same type, constants change, instructions go or
 * come twice, branches lead elsewhere. Changes that the verifier refuses are taken back.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/IRReader.h>

#include "lib/vec.h"
#include "test/fuzz/targets/compile.h"

enum { TRIES = 16 };

static void ignore(LLVMDiagnosticInfoRef info, void *context)
{
	(void)info, (void)context;
}

static LLVMModuleRef parse(LLVMContextRef context, const uint8_t *bytes, size_t size)
{
	LLVMModuleRef module = NULL;
	char *message = NULL;
	LLVMContextSetDiagnosticHandler(context, ignore, NULL);
	LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)bytes, size, "input");
	if (LLVMParseIRInContext(context, text, &module, &message))
		module = NULL;
	LLVMDisposeMessage(message);
	if (module && LLVMVerifyModule(module, LLVMReturnStatusAction, NULL)) {
		LLVMDisposeModule(module);
		return NULL;
	}
	return module;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module = parse(context, bytes, size);
	if (module) {
		fuzz_compile(module);
		LLVMDisposeModule(module);
	}
	LLVMContextDispose(context);
	return 0;
}

/* ---- the mutator */

typedef HD_VEC(LLVMValueRef) values;

static uint32_t below(uint64_t *random, uint32_t limit)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return limit ? (uint32_t)(*random >> 33) % limit : 0;
}

static void list(LLVMModuleRef module, values *insts)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				hd_vec_push(insts, i);
}

static LLVMValueRef constant_of(LLVMTypeRef type, uint64_t *random)
{
	static const uint64_t edge[] = {0, 1, 2, 31, 32, 33, 63, 64, 127, 0x7fffffff, 0x80000000, UINT64_MAX};
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind: return LLVMConstInt(type, edge[below(random, sizeof edge / sizeof *edge)], true);
	case LLVMHalfTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind: return LLVMConstReal(type, (double)below(random, 1000) / 8 - 50);
	default: return LLVMConstNull(type);
	}
}

/* An operand becomes a constant, or the result of another instruction of its type, or a parameter. */
static void change_operand(LLVMValueRef inst, const values *insts, uint64_t *random)
{
	int count = LLVMGetNumOperands(inst);
	unsigned which = below(random, (uint32_t)count);
	if (!count || LLVMIsAPHINode(inst) || LLVMIsACallInst(inst))
		return;
	LLVMValueRef old = LLVMGetOperand(inst, which);
	LLVMTypeRef type = LLVMTypeOf(old);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMLabelTypeKind || kind == LLVMMetadataTypeKind || kind == LLVMTokenTypeKind)
		return;
	if (below(random, 3) == 0) {
		if (kind != LLVMPointerTypeKind || !LLVMIsAConstant(old))
			LLVMSetOperand(inst, which, constant_of(type, random));
		return;
	}
	for (int i = 0; i < TRIES; i++) {
		LLVMValueRef other = insts->data[below(random, insts->len)];
		if (other == inst || LLVMTypeOf(other) != type)
			continue;
		LLVMSetOperand(inst, which, other);
		return;
	}
}

static void change_branch(LLVMValueRef inst, const values *insts, uint64_t *random)
{
	if (!LLVMIsATerminatorInst(inst) || !LLVMGetNumSuccessors(inst))
		return;
	LLVMBasicBlockRef target = LLVMGetInstructionParent(insts->data[below(random, insts->len)]);
	if (LLVMGetBasicBlockParent(target) == LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)))
		LLVMSetSuccessor(inst, below(random, LLVMGetNumSuccessors(inst)), target);
}

static void change_comparison(LLVMValueRef inst, uint64_t *random)
{
	if (!LLVMIsAICmpInst(inst))
		return;
	LLVMIntPredicate predicate = (LLVMIntPredicate)(LLVMIntEQ + below(random, 10));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(inst)));
	LLVMPositionBuilderBefore(builder, inst);
	LLVMReplaceAllUsesWith(inst,
			       LLVMBuildICmp(builder, predicate, LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1), ""));
	LLVMInstructionEraseFromParent(inst);
	LLVMDisposeBuilder(builder);
}

static void drop(LLVMValueRef inst, uint64_t *random)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (LLVMIsATerminatorInst(inst) || kind == LLVMTokenTypeKind)
		return;
	if (kind != LLVMVoidTypeKind)
		LLVMReplaceAllUsesWith(inst, constant_of(type, random));
	LLVMInstructionEraseFromParent(inst);
}

static void repeat(LLVMValueRef inst)
{
	if (LLVMIsATerminatorInst(inst) || LLVMIsAPHINode(inst) || LLVMIsAAllocaInst(inst))
		return;
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(inst)));
	LLVMPositionBuilderBefore(builder, inst);
	LLVMInsertIntoBuilder(builder, LLVMInstructionClone(inst));
	LLVMDisposeBuilder(builder);
}

static void change(LLVMModuleRef module, uint64_t *random)
{
	values insts = {0};
	list(module, &insts);
	if (insts.len) {
		LLVMValueRef inst = insts.data[below(random, insts.len)];
		switch (below(random, 8)) {
		case 0: drop(inst, random); break;
		case 1: repeat(inst); break;
		case 2: change_branch(inst, &insts, random); break;
		case 3: change_comparison(inst, random); break;
		default: change_operand(inst, &insts, random);
		}
	}
	hd_vec_release(&insts);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
	uint64_t random = seed;
	size_t result = size;
	for (int i = 0; i < TRIES && result == size; i++) {
		LLVMContextRef context = LLVMContextCreate();
		LLVMModuleRef module = parse(context, bytes, size);
		if (module) {
			for (uint32_t count = 1 + below(&random, 4); count-- > 0;)
				change(module, &random);
			if (!LLVMVerifyModule(module, LLVMReturnStatusAction, NULL)) {
				LLVMMemoryBufferRef written = LLVMWriteBitcodeToMemoryBuffer(module);
				size_t length = LLVMGetBufferSize(written);
				if (length <= most) {
					memcpy(bytes, LLVMGetBufferStart(written), length);
					result = length;
				}
				LLVMDisposeMemoryBuffer(written);
			}
			LLVMDisposeModule(module);
		}
		LLVMContextDispose(context);
		if (result != size || !module)
			break;
	}
	return result;
}
