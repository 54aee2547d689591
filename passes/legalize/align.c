/*
 * Shared arrays begin at multiples of 16 bytes, so that loads and stores of neighbours in them can become one access of
 * two or four words: their place is chosen here, and what the user's compiler says of it (4 for floats) is only the
 * least. As ptxas has it. Costs less than 16 bytes for each array. Linear in the globals; before LLVM's
 * load-store-vectorizer.
 */
#include "passes/legalize/legalize.h"

#define WIDEST 16u /* bytes of the widest access */

bool hd_legal_align(struct hd_legal *legal)
{
	bool any = false;
	if (!hd_switch_is_on(legal->unit->options.without, HD_SWITCH_ALIGNED_SHARED_ARRAYS))
		return false;
	for (LLVMValueRef global = LLVMGetFirstGlobal(legal->module); global; global = LLVMGetNextGlobal(global)) {
		if (LLVMIsDeclaration(global) || LLVMGetPointerAddressSpace(LLVMTypeOf(global)) != HD_AS_SHARED)
			continue;
		if (LLVMABISizeOfType(legal->layout, LLVMGlobalGetValueType(global)) <= WIDEST)
			continue;
		if (LLVMGetAlignment(global) < WIDEST)
			LLVMSetAlignment(global, WIDEST);
		any = true;
	}
	return any;
}
