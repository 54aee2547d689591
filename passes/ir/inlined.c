/*
 * Calls whose callee's code stands in their place: what a place of the debug information says of the places around it.
 * Calls that are alike to a reader, as those of an unrolled loop, are one. Linear in the places, with a search of the
 * calls that are known for each new one.
 */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "passes/ir/ir.h"

/* The function that a scope is in: an operand of blocks, which LLVM's C API has no name for. */
static LLVMMetadataRef function_of(LLVMContextRef context, LLVMMetadataRef scope)
{
	while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind) {
		LLVMValueRef node = LLVMMetadataAsValue(context, scope), operands[8];
		unsigned count = LLVMGetMDNodeNumOperands(node);
		if (count < 2 || count > sizeof operands / sizeof *operands)
			return NULL;
		LLVMGetMDNodeOperands(node, operands); /* file, scope around it, ... */
		scope = operands[1] ? LLVMValueAsMetadata(operands[1]) : NULL;
	}
	return scope;
}

static const char *name_of(struct hd_unit *unit, LLVMContextRef context, LLVMMetadataRef place)
{
	LLVMMetadataRef function = function_of(context, LLVMDILocationGetScope(place));
	LLVMValueRef node = function ? LLVMMetadataAsValue(context, function) : NULL, operands[32];
	unsigned count = node ? LLVMGetMDNodeNumOperands(node) : 0, length = 0;
	if (count < 3 || count > sizeof operands / sizeof *operands)
		return "?";
	LLVMGetMDNodeOperands(node, operands); /* scope, file, name, ... */
	const char *name = operands[2] ? LLVMGetMDString(operands[2], &length) : NULL;
	return name && length ? hd_arena_printf(&unit->arena, "%.*s", (int)length, name) : "?";
}

static uint32_t number_of(struct hd_inlined_calls *calls, const struct hd_inlined *call, const char *file)
{
	for (uint32_t i = 0; i < calls->list.len; i++) {
		const struct hd_inlined *known = &calls->list.data[i];
		const char *other = calls->files.data[i];
		if (known->line == call->line && known->column == call->column && known->outer == call->outer &&
		    (file && other ? !strcmp(file, other) : file == other) && !strcmp(known->callee, call->callee))
			return i + 1;
	}
	hd_vec_push(&calls->list, *call);
	hd_vec_push(&calls->files, file);
	return calls->list.len;
}

uint32_t hd_ir_inlined(struct hd_unit *unit, LLVMMetadataRef place)
{
	struct hd_inlined_calls *calls = &unit->inlined;
	LLVMContextRef context = LLVMGetModuleContext(unit->module);
	LLVMMetadataRef at = LLVMDILocationGetInlinedAt(place);
	if (!at)
		return 0;
	const struct hd_map_entry *entry = hd_map_get(&calls->number, at);
	if (entry)
		return entry->start;
	/* As of places, a call in a header of the compiler's stands where the user called that. */
	LLVMMetadataRef user = hd_ir_user_place(at), file = hd_ir_file(user);
	struct hd_inlined call = {.callee = name_of(unit, context, place),
				  .file = UINT32_MAX,
				  .line = LLVMDILocationGetLine(user),
				  .column = LLVMDILocationGetColumn(user),
				  .outer = hd_ir_inlined(unit, user)};
	uint32_t number = number_of(calls, &call, file ? hd_ir_file_name(unit, file) : NULL);
	hd_map_put(&calls->number, at, number, 1);
	return number;
}
