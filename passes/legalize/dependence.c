/*
 * Grids that begin before the one they follow has ended (PTX's griddepcontrol): at griddepcontrol.wait the memory that
 * the earlier grid wrote changes under the later one. So what a program says of the whole grid does not hold across
 * the wait: `const __restrict__`, which clang makes noalias of, and !invariant.load. LLVM, which knows no such wait,
 * would move loads over it by both. The parameters of functions that wait, and of those that call them, lose the first;
 * in a module with a wait all loads lose the second. __ldg and ld.global.nc stay, and keep their order with the wait.
 * Before the optimizer, and again in what comes without. Linear in the module for each level of calls.
 */
#include <string.h>

#include "lib/map.h"
#include "lib/vec.h"
#include "passes/legalize/legalize.h"

#define WAIT "griddepcontrol.wait"

struct waits {
	HD_VEC(LLVMValueRef) functions;
	struct hd_map known; /* the same */
};

static bool is_wait(LLVMValueRef callee)
{
	size_t length = 0;
	if (LLVMIsAInlineAsm(callee)) {
		const char *text = LLVMGetInlineAsmAsmString(callee, &length);
		return text && strstr(text, WAIT);
	}
	return LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName2(callee, &length), "llvm.nvvm." WAIT);
}

static bool waits_in(const struct waits *waits, LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst)) {
			LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
			if (callee && (is_wait(callee) || hd_map_get(&waits->known, callee)))
				return true;
		}
	return false;
}

static bool find_more(struct waits *waits, LLVMModuleRef module)
{
	uint32_t before = waits->functions.len;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!hd_map_get(&waits->known, f) && waits_in(waits, f)) {
			hd_vec_push(&waits->functions, f);
			hd_map_put(&waits->known, f, 0, 1);
		}
	return waits->functions.len > before;
}

static void forget_invariant(LLVMModuleRef module)
{
	unsigned invariant = LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), "invariant.load", 14);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst))
				if (LLVMIsALoadInst(inst))
					LLVMSetMetadata(inst, invariant, NULL);
}

void hd_legal_dependences(LLVMModuleRef module)
{
	unsigned restricted = LLVMGetEnumAttributeKindForName("noalias", 7);
	struct waits waits = {0};
	while (find_more(&waits, module))
		;
	for (uint32_t i = 0; i < waits.functions.len; i++)
		for (unsigned p = 0; p < LLVMCountParams(waits.functions.data[i]); p++)
			LLVMRemoveEnumAttributeAtIndex(waits.functions.data[i], p + 1, restricted);
	if (waits.functions.len)
		forget_invariant(module);
	hd_vec_release(&waits.functions);
	hd_map_release(&waits.known);
}
