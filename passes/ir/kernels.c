/*
 * Questions about NVPTX IR: which functions are kernels, what is annotated at them, and where their parameters lie.
 * Linear in the module's annotations.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "passes/ir/byval.h"
#include "passes/ir/ir.h"

uint32_t hd_annotation(LLVMValueRef value, const char *name)
{
	LLVMModuleRef module = LLVMGetGlobalParent(value);
	unsigned count = LLVMGetNamedMetadataNumOperands(module, "nvvm.annotations");
	uint32_t found = 0;
	if (!count)
		return 0;
	LLVMValueRef *nodes = hd_xcalloc(count, sizeof(LLVMValueRef));
	LLVMGetNamedMetadataOperands(module, "nvvm.annotations", nodes);
	for (unsigned i = 0; i < count && !found; i++) {
		unsigned n = LLVMGetMDNodeNumOperands(nodes[i]), length = 0;
		LLVMValueRef *ops = hd_xcalloc(n + 1, sizeof(LLVMValueRef));
		LLVMGetMDNodeOperands(nodes[i], ops);
		for (unsigned k = 1; n && ops[0] == value && k + 1 < n; k += 2) {
			const char *key = ops[k] ? LLVMGetMDString(ops[k], &length) : NULL;
			if (key && strlen(name) == length && !memcmp(key, name, length) && ops[k + 1] &&
			    LLVMIsAConstantInt(ops[k + 1]))
				found = (uint32_t)LLVMConstIntGetZExtValue(ops[k + 1]);
		}
		free(ops);
	}
	free(nodes);
	return found;
}

bool hd_is_kernel(LLVMValueRef function)
{
	enum { PTX_KERNEL = 71 };
	return LLVMGetFunctionCallConv(function) == PTX_KERNEL || hd_annotation(function, "kernel");
}

LLVMTypeRef hd_byval_type(LLVMValueRef function, unsigned param)
{
	LLVMAttributeRef attr =
		LLVMGetEnumAttributeAtIndex(function, param + 1, LLVMGetEnumAttributeKindForName("byval", 5));
	return attr ? LLVMGetTypeAttributeValue(attr) : NULL;
}

uint32_t hd_kernel_params(LLVMValueRef function, uint32_t *offsets)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
	uint64_t at = 0;
	for (unsigned i = 0, n = LLVMCountParams(function); i < n; i++) {
		struct hd_byval byval = hd_byval_of(layout, function, i);
		LLVMTypeRef type = byval.type ? byval.type : LLVMTypeOf(LLVMGetParam(function, i));
		uint64_t align = byval.type ? byval.align : LLVMABIAlignmentOfType(layout, type);
		at = (at + align - 1) & ~(align - 1);
		offsets[i] = (uint32_t)at;
		at += LLVMABISizeOfType(layout, type);
	}
	return at > UINT32_MAX ? UINT32_MAX : (uint32_t)at;
}
