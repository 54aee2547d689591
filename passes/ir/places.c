/*
 * Questions about NVPTX IR: where an instruction or a function is in the user's sources, and messages that say so.
 */
#include "passes/ir/ir.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/DebugInfo.h>

/*
 * Relative to the working directory where the file lies below it, so that objects do not depend on where a project is
 * built. clang splits names into directory and rest as it likes, so the two are joined first.
 */
const char *hd_ir_file_name(struct hd_unit *unit, LLVMMetadataRef file)
{
	unsigned name_len = 0, dir_len = 0;
	const char *name = LLVMDIFileGetFilename(file, &name_len), *dir = LLVMDIFileGetDirectory(file, &dir_len);
	if (!name_len)
		return NULL;
	if (name[0] == '/' || !dir_len)
		return hd_arena_printf(&unit->arena, "%.*s", (int)name_len, name);
	const char *full = hd_arena_printf(&unit->arena, "%.*s/%.*s", (int)dir_len, dir, (int)name_len, name);
	char here[PATH_MAX];
	size_t here_len = getcwd(here, sizeof here) ? strlen(here) : 0;
	return here_len && !strncmp(full, here, here_len) && full[here_len] == '/' ? full + here_len + 1 : full;
}

static bool is_compiler_header(LLVMMetadataRef file)
{
	/* clang's, those that come with Heddle, and the parts of a toolkit's that are written as functions. */
	static const char *const marks[] = {"/__clang_cuda_",  "/share/heddle/include/",   "/cooperative_groups",
					    "_intrinsics.hpp", "/device_atomic_functions", "/crt/"};
	unsigned length = 0, dir_length = 0;
	const char *name = LLVMDIFileGetFilename(file, &length), *dir = LLVMDIFileGetDirectory(file, &dir_length);
	char full[2 * PATH_MAX];
	if (!length)
		return false;
	/* Where the working directory is above it the name begins behind that. */
	snprintf(full, sizeof full, "%.*s/%.*s", name[0] == '/' ? 0 : (int)dir_length, dir, (int)length, name);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (strstr(full, marks[i]))
			return true;
	return false;
}

LLVMMetadataRef hd_ir_file(LLVMMetadataRef place)
{
	LLVMMetadataRef scope = LLVMDILocationGetScope(place);
	return scope ? LLVMDIScopeGetFile(scope) : NULL;
}

/* `threadIdx.x`, `__syncthreads()`, `atomicAdd` and their kin are functions of headers: their place is where the user
 * wrote them. */
LLVMMetadataRef hd_ir_user_place(LLVMMetadataRef place)
{
	LLVMMetadataRef file, caller;
	while ((file = hd_ir_file(place)) && is_compiler_header(file) && (caller = LLVMDILocationGetInlinedAt(place)))
		place = caller;
	return place;
}

static struct hd_loc function_loc(struct hd_unit *unit, LLVMValueRef function)
{
	LLVMMetadataRef program = LLVMGetSubprogram(function);
	LLVMMetadataRef file;
	if (!program || !(file = LLVMDIScopeGetFile(program)))
		return HD_NOWHERE;
	return (struct hd_loc){hd_ir_file_name(unit, file), LLVMDISubprogramGetLine(program), 0};
}

struct hd_loc hd_ir_loc(struct hd_unit *unit, LLVMValueRef value)
{
	LLVMValueRef function = NULL;
	if (!value)
		return HD_NOWHERE;
	if (LLVMIsAFunction(value))
		return function_loc(unit, value);
	if (!LLVMIsAInstruction(value))
		return HD_NOWHERE;
	LLVMMetadataRef place = LLVMInstructionGetDebugLoc(value);
	LLVMMetadataRef file;
	if (place && LLVMDILocationGetLine(place)) {
		place = hd_ir_user_place(place);
		file = hd_ir_file(place);
		if (file)
			return (struct hd_loc){hd_ir_file_name(unit, file), LLVMDILocationGetLine(place),
					       LLVMDILocationGetColumn(place)};
	}
	if (LLVMGetInstructionParent(value))
		function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(value));
	return function ? function_loc(unit, function) : HD_NOWHERE;
}

/* The instruction as one line of text, without its metadata. The caller disposes of it. */
static char *quoted(LLVMValueRef inst)
{
	char *text = LLVMPrintValueToString(inst), *end = strstr(text, ", !");
	if (end)
		*end = 0;
	text[strcspn(text, "\n")] = 0;
	return text;
}

int hd_unsupported(struct hd_unit *unit, LLVMValueRef value, const char *what)
{
	struct hd_loc loc = hd_ir_loc(unit, value);
	LLVMValueRef function = value && LLVMIsAInstruction(value) && LLVMGetInstructionParent(value)
					? LLVMGetBasicBlockParent(LLVMGetInstructionParent(value))
					: NULL;
	char *text;
	if (!loc.file && function) {
		text = quoted(value);
		hd_error(unit->diag, loc, "unsupported %s, in '%s' at '%s'", what, LLVMGetValueName(function),
			 text + strspn(text, " "));
		LLVMDisposeMessage(text);
		return -1;
	}
	if (!loc.file && value && LLVMIsAFunction(value))
		return hd_error(unit->diag, loc, "unsupported %s, in '%s'", what, LLVMGetValueName(value));
	return hd_error(unit->diag, loc, "unsupported %s", what);
}
