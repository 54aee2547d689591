/*
 * The last row: the kernel object with the metadata and the annotated bitcode inside, and the
 * metadata beside it. Both are complete in memory before the first is written, each is
 * renamed into place, and the object goes away again if the JSON cannot be written, so that
 * a failure leaves no half of the output. Same input, same bytes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/BitWriter.h>

#include "passes/ir/ir.h"
#include "passes/pass.h"

/* The module's id is the path that the compiler happened to read; the copy is named after the source. */
static LLVMMemoryBufferRef write_bitcode(struct hd_unit *unit)
{
	const char *name = unit->metadata.module;
	LLVMModuleRef copy = LLVMCloneModule(unit->source);
	LLVMSetModuleIdentifier(copy, name, strlen(name));
	LLVMSetSourceFileName(copy, name, strlen(name));
	LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(copy);
	LLVMDisposeModule(copy);
	return buffer;
}

static int write_both(struct hd_unit *unit, const char *json)
{
	const char *object = hd_arena_printf(&unit->arena, "%s.hdo", unit->options.output);
	const char *beside = hd_arena_printf(&unit->arena, "%s.heddle.json", unit->options.output);
	if (hd_object_write_file(&unit->object, object, unit->diag))
		return -1;
	if (!hd_write_file(beside, json, strlen(json), unit->diag))
		return 0;
	unlink(object);
	return -1;
}

int hd_output_run(struct hd_unit *unit)
{
	struct hd_object *object = &unit->object;
	if (!unit->options.output)
		return 0;
	char *json = hd_metadata_to_json(&unit->metadata);
	if (!json)
		return hd_error(unit->diag, HD_NOWHERE, "out of memory for the metadata");
	LLVMMemoryBufferRef bitcode = write_bitcode(unit);
	object->bitcode = (const uint8_t *)LLVMGetBufferStart(bitcode);
	object->bitcode_bytes = LLVMGetBufferSize(bitcode);
	object->metadata = unit->metadata;
	if (unit->options.offload)
		object->offload_sm = hd_target_number(hd_unit_target(unit));
	int status = write_both(unit, json);
	object->bitcode = NULL;
	object->bitcode_bytes = 0;
	LLVMDisposeMemoryBuffer(bitcode);
	free(json);
	return status;
}
