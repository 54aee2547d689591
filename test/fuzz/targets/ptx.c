/*
 * Inline PTX: the input is the text of an inline assembly in a kernel, with operands of all kinds.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "test/fuzz/targets/compile.h"

/* $0 and $1 are written and read; $2 to $6 are read. */
static const char constraints[] = "=r,=l,r,l,f,d,h,0,1";

static void add_kernel(LLVMModuleRef module, const char *text, size_t size)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
	LLVMTypeRef parts[] = {i32, i64}, pair = LLVMStructTypeInContext(context, parts, 2, false);
	LLVMTypeRef global = LLVMPointerTypeInContext(context, 1), taken[] = {i32,
									      i64,
									      LLVMFloatTypeInContext(context),
									      LLVMDoubleTypeInContext(context),
									      LLVMInt16TypeInContext(context),
									      i32,
									      i64};
	LLVMTypeRef parameters[] = {global, i32, i64, taken[2], taken[3], taken[4]};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, 6, false);
	LLVMValueRef kernel = LLVMAddFunction(module, "k", type), values[7];
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, kernel, ""));
	for (unsigned i = 0; i < 5; i++)
		values[i] = LLVMGetParam(kernel, 1 + i);
	values[5] = values[0];
	values[6] = values[1];
	LLVMTypeRef assembly = LLVMFunctionType(pair, taken, 7, false);
	LLVMValueRef called = LLVMGetInlineAsm(assembly, text, size, constraints, strlen(constraints), true, false,
					       LLVMInlineAsmDialectATT, false);
	LLVMValueRef result = LLVMBuildCall2(builder, assembly, called, values, 7, "");
	LLVMBuildStore(builder, LLVMBuildExtractValue(builder, result, 0, ""), LLVMGetParam(kernel, 0));
	LLVMBuildStore(builder, LLVMBuildExtractValue(builder, result, 1, ""), LLVMGetParam(kernel, 0));
	LLVMBuildRetVoid(builder);
	LLVMDisposeBuilder(builder);
	LLVMValueRef notes[] = {kernel, LLVMMDStringInContext(context, "kernel", 6), LLVMConstInt(i32, 1, false)};
	LLVMAddNamedMetadataOperand(module, "nvvm.annotations", LLVMMDNodeInContext(context, notes, 3));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("input", context);
	LLVMSetTarget(module, "nvptx64-nvidia-cuda");
	if (!memchr(bytes, 0, size)) {
		add_kernel(module, (const char *)bytes, size);
		fuzz_compile(module);
	}
	LLVMDisposeModule(module);
	LLVMContextDispose(context);
	return 0;
}
