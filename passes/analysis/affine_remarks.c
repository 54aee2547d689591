/*
 * Remarks about linear values (r2d2-isca23 3.1): a summary of each kernel, and a sentence about each access of which a
 * warp's share is proven to be larger than it had to be. Linear in the accesses.
 */
#include "passes/analysis/affine_remarks.h"

#include <string.h>

#include "passes/pass.h"
#include "passes/session.h"

typedef void remark_function(LLVMValueRef, const char *, const char *, const struct hd_remark_part *, unsigned);

static void remark_summary(struct hd_arena *arena, const struct hd_meta_function *kernel, LLVMValueRef function,
			   remark_function *remark)
{
	const struct hd_meta_affine *facts = kernel->affine;
#define NUMBER(field) hd_arena_printf(arena, "%u", facts->field)
	const struct hd_remark_part parts[] = {
		{NULL, "kernel "},
		{"Kernel", kernel->name},
		{NULL, ": linear values "},
		{"LinearValues", NUMBER(linear_values)},
		{NULL, " of "},
		{"Values", NUMBER(values)},
		{NULL, ", linear registers "},
		{"LinearRegisters", NUMBER(register_count)},
		{NULL, " of "},
		{"WantedRegisters", NUMBER(wanted_registers)},
		{NULL, ", instructions removed "},
		{"Removed", NUMBER(removed)},
		{NULL, ", conditions of launches "},
		{"Conditions", NUMBER(condition_count)},
		{NULL, ", branches the same for all threads "},
		{"UniformGrid", NUMBER(branch_classes[HD_CLASS_GRID])},
		{NULL, ", for a block "},
		{"UniformBlock", NUMBER(branch_classes[HD_CLASS_BLOCK])},
		{NULL, ", for a warp "},
		{"UniformWarp", NUMBER(branch_classes[HD_CLASS_WARP])},
		{NULL, ", linear in the thread index "},
		{"Affine", NUMBER(branch_classes[HD_CLASS_AFFINE])},
		{NULL, ", divergent "},
		{"Divergent", NUMBER(branch_classes[HD_CLASS_DIVERGENT])},
	};
#undef NUMBER
	remark(function, hd_passes[HD_PASS_AFFINE].title, "LinearValues", parts, sizeof(parts) / sizeof(*parts));
}

static void remark_access(struct hd_arena *arena, const struct hd_meta_function *kernel,
			  const struct hd_meta_access *access, const char *text, LLVMValueRef function,
			  remark_function *remark)
{
	const char *place = access->source.file
				    ? hd_arena_printf(arena, "%s:%u", access->source.file, access->source.line)
				    : hd_arena_printf(arena, "pc %04x", access->pc);
	const struct hd_remark_part parts[] = {
		{NULL, "kernel "}, {"Kernel", kernel->name}, {NULL, ": "}, {"Place", place},
		{NULL, ": "},	   {"Advice", text},
	};
	remark(function, hd_passes[HD_PASS_AFFINE].title, "Access", parts, sizeof(parts) / sizeof(*parts));
}

/* Members of one structure and unrolled copies say the same: once is enough. */
static void remark_accesses(struct hd_arena *arena, const struct hd_meta_function *kernel, LLVMValueRef function,
			    remark_function *remark)
{
	char text[256], before[256] = "";
	uint32_t line = 0;
	for (uint32_t i = 0; i < kernel->affine->access_count; i++) {
		const struct hd_meta_access *access = &kernel->affine->accesses[i];
		if (!hd_meta_access_advice(access, text, sizeof(text)) ||
		    (line && access->source.line == line && strcmp(text, before) == 0))
			continue;
		line = access->source.line;
		memcpy(before, text, sizeof(before));
		remark_access(arena, kernel, access, text, function, remark);
	}
}

void hd_affine_remarks(const struct hd_unit *unit, remark_function *remark)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	for (uint32_t f = 0; f < unit->metadata.function_count; f++) {
		const struct hd_meta_function *kernel = &unit->metadata.functions[f];
		LLVMValueRef function = LLVMGetNamedFunction(unit->source, kernel->name);
		if (!kernel->affine || !function || !LLVMCountBasicBlocks(function))
			continue;
		remark_summary(&arena, kernel, function, remark);
		remark_accesses(&arena, kernel, function, remark);
	}
	hd_arena_release(&arena);
}
