/*
 * Calls whose callee's code stands in their place: what a place of the debug information says of the places around it.
 * Calls that are alike to a reader, as those of an unrolled loop, are one. Linear in the places.
 */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "passes/ir/ir.h"

/* Debug information's nodes have these first; LLVM's C API has no names for them. Blocks end with the scope. */
enum { OPERAND_FILE, OPERAND_SCOPE, OPERAND_NAME };

static LLVMValueRef operand_of(LLVMContextRef context, LLVMMetadataRef metadata, unsigned index)
{
	LLVMValueRef node = LLVMMetadataAsValue(context, metadata), operand = NULL;
	unsigned count = LLVMGetMDNodeNumOperands(node);
	if (index < count) { /* they come all at once */
		LLVMValueRef *operands = hd_xcalloc(count, sizeof *operands);
		LLVMGetMDNodeOperands(node, operands);
		operand = operands[index];
		free(operands);
	}
	return operand;
}

/* The function that a scope is in: blocks have the scope around them as an operand. */
static LLVMMetadataRef function_of(LLVMContextRef context, LLVMMetadataRef scope)
{
	while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind) {
		LLVMValueRef around = operand_of(context, scope, OPERAND_SCOPE);
		scope = around ? LLVMValueAsMetadata(around) : NULL;
	}
	return scope;
}

static const char *name_of(struct hd_unit *unit, LLVMContextRef context, LLVMMetadataRef place)
{
	LLVMMetadataRef function = function_of(context, LLVMDILocationGetScope(place));
	LLVMValueRef operand = function ? operand_of(context, function, OPERAND_NAME) : NULL;
	unsigned length = 0;
	const char *name = operand ? LLVMGetMDString(operand, &length) : NULL;
	return name && length ? hd_arena_printf(&unit->arena, "%.*s", (int)length, name) : "?";
}

static bool is_alike(const struct hd_inlined_calls *calls, uint32_t index, const struct hd_inlined *call,
		     const char *file)
{
	const struct hd_inlined *known = &calls->list.data[index];
	const char *other = calls->files.data[index];
	return known->line == call->line && known->column == call->column && known->outer == call->outer &&
	       (file && other ? !strcmp(file, other) : file == other) && !strcmp(known->callee, call->callee);
}

static uint32_t number_of(struct hd_inlined_calls *calls, const struct hd_inlined *call, const char *file)
{
	uint64_t hash = hd_hash_mix(hd_hash_mix(hd_hash_mix(0, call->line), call->column), call->outer);
	struct hd_hash_slot *slot;
	hash = hd_hash_text(hd_hash_text(hash, file ? file : ""), call->callee);
	HD_HASH_FIND(slot, &calls->known, hash, is_alike(calls, slot->id, call, file));
	if (hd_hash_found(slot))
		return slot->id + 1;
	hd_hash_set_put(&calls->known, slot, hash, calls->list.len);
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
