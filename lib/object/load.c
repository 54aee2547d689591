/*
 * The parts of a kernel object that wait until somebody asks for a function: its code, relocations, linear version,
 * control bits, origins and metadata. The bytes may be anything, and what is read is verified. An object that was made
 * and not read has all of them. Linear in what is read.
 */
#include <stdarg.h>
#include <string.h>

#include <elf.h>

#include "heddle/control.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "lib/metadata/pack.h"
#include "lib/object/layout.h"
#include "lib/object/parts.h"

/* What is being read. */
struct loading {
	struct hd_object *object;
	struct hd_object_rest *rest;
	struct hd_diag *diag;
	struct hd_function *function;
};

int object_damaged(const char *name, struct hd_diag *diag, const char *format, ...)
{
	va_list args;
	struct hd_strbuf what = {0};
	va_start(args, format);
	hd_strbuf_vprintf(&what, format, args);
	va_end(args);
	hd_error(diag, HD_NOWHERE, "%s: damaged kernel object: %s", name, hd_strbuf_text(&what));
	hd_strbuf_release(&what);
	return -1;
}

#define DAMAGED(loading, ...) object_damaged((loading)->rest->name, (loading)->diag, __VA_ARGS__)

static int get_item(struct loading *loading, struct items *items, const char *section, uint32_t index,
		    struct hd_span *span)
{
	const char *wrong = items_get(items, index, span);
	if (!wrong)
		return 0;
	return loading->function
		       ? DAMAGED(loading, "section %s, function %s: %s", section, loading->function->name, wrong)
		       : DAMAGED(loading, "section %s: %s", section, wrong);
}

static int spend(struct loading *loading, uint64_t bytes)
{
	if (bytes > loading->rest->budget)
		return DAMAGED(loading, "sections overlap");
	loading->rest->budget -= bytes;
	return 0;
}

/* ------------------------------------------------------------------ code */

/* An instruction of an earlier version that is executed differently today. */
static int check_meaning(struct loading *loading, uint32_t index, bool before_atomic)
{
	uint32_t since = 0, version = loading->rest->version;
	const char *was = object_changed_inst(version, &loading->function->insts[index], before_atomic, &since);
	return was ? hd_error(loading->diag, HD_NOWHERE,
			      "%s: function %s, pc 0x%x: the object of version %u has %s "
			      "since version %u (compile again)",
			      loading->rest->name, loading->function->name, index * HD_INST_BYTES, version, was, since)
		   : 0;
}

static int check_meanings(struct loading *loading)
{
	const struct hd_function *function = loading->function;
	uint32_t last_atomic = function->inst_count;
	int status = 0;
	while (last_atomic && !(hd_opinfo[function->insts[last_atomic - 1].op].effects & HD_FX_ATOMIC))
		last_atomic--;
	for (uint32_t i = 0; i < function->inst_count && !status; i++)
		status = check_meaning(loading, i, i < last_atomic);
	return status;
}

static int load_code(struct loading *loading, const struct object_body *body)
{
	struct hd_function *function = loading->function;
	struct hd_arena *arena = loading->object->arena;
	if (spend(loading, body->text_bytes) != 0)
		return -1;
	function->insts = HD_ARENA_NEW(arena, struct hd_inst, function->inst_count);
	function->origins = HD_ARENA_NEW(arena, struct hd_origin, function->inst_count);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		function->origins[i] = (struct hd_origin){.file = UINT32_MAX, .ir = UINT32_MAX};
		if (hd_inst_decode(body->text + (size_t)i * HD_INST_BYTES, &function->insts[i]) != 0)
			return DAMAGED(loading, "function %s, pc 0x%x: no instruction", function->name,
				       i * HD_INST_BYTES);
	}
	return loading->rest->version == HD_OBJECT_VERSION ? 0 : check_meanings(loading);
}

static int load_relocs(struct loading *loading, const struct object_body *body)
{
	struct hd_function *function = loading->function;
	uint64_t count = body->reloc_bytes / sizeof(Elf64_Rela);
	if (!body->relocs)
		return 0;
	if (spend(loading, body->reloc_bytes) != 0)
		return -1;
	function->relocs = HD_ARENA_NEW(loading->object->arena, struct hd_reloc, count);
	function->reloc_count = (uint32_t)count;
	for (uint32_t i = 0; i < count; i++)
		if (object_read_reloc(body->relocs + (size_t)i * sizeof(Elf64_Rela), HD_INST_BYTES,
				      loading->object->symbol_count, &function->relocs[i]) != 0)
			return DAMAGED(loading, "relocation %u of function %s", i, function->name);
	return 0;
}

int object_read_reloc(const uint8_t *entry, uint32_t unit, uint32_t symbol_count, struct hd_reloc *reloc)
{
	uint64_t offset = get_u64(entry), type = get_u32(entry + 8), symbol = get_u32(entry + 12);
	if (type < 1 || type > (uint32_t)HD_REL_ABS64 + 1 || symbol < 1 || symbol > symbol_count || offset % unit ||
	    offset / unit > UINT32_MAX)
		return -1;
	*reloc = (struct hd_reloc){.kind = (enum hd_relkind)(type - 1),
				   .symbol = (uint32_t)symbol - 1,
				   .offset = (uint32_t)(offset / unit),
				   .addend = (int64_t)get_u64(entry + 16)};
	return 0;
}

static int load_origins(struct loading *loading, uint32_t body)
{
	struct hd_span span;
	int64_t line = 0, ir = 0;
	if (!loading->rest->has_origins)
		return 0; /* stripped */
	if (get_item(loading, &loading->rest->origins, SECTION_ORIGINS, body + 1, &span) != 0)
		return -1;
	for (uint32_t i = 0; i < loading->function->inst_count; i++) {
		uint64_t file = hd_span_varint(&span);
		line += hd_unzigzag(hd_span_varint(&span));
		uint64_t column = hd_span_varint(&span);
		ir += hd_unzigzag(hd_span_varint(&span));
		uint64_t variable = hd_span_varint(&span);
		if (span.failed || file > loading->object->file_count || line < 0 || line > UINT32_MAX ||
		    column > UINT32_MAX || ir < 0 || ir > UINT32_MAX || variable > loading->object->symbol_count)
			return DAMAGED(loading, "origins of function %s", loading->function->name);
		loading->function->origins[i] = (struct hd_origin){.file = (uint32_t)file - 1,
								   .line = (uint32_t)line,
								   .column = (uint32_t)column,
								   .ir = (uint32_t)ir - 1,
								   .variable = (uint32_t)variable};
	}
	return hd_span_left(&span)
		       ? DAMAGED(loading, "origins of function %s do not fit its code", loading->function->name)
		       : 0;
}

static int load_control(struct loading *loading, uint32_t body)
{
	struct hd_function *function = loading->function;
	struct hd_span span;
	if (!loading->rest->has_control)
		return 0;
	if (get_item(loading, &loading->rest->control, SECTION_CONTROL, body, &span) != 0)
		return -1;
	if (hd_span_left(&span) != (size_t)function->inst_count * 4)
		return DAMAGED(loading, "control bits of function %s do not fit its code", function->name);
	function->control = HD_ARENA_NEW(loading->object->arena, struct hd_control, function->inst_count);
	for (uint32_t j = 0; j < function->inst_count; j++)
		if (hd_control_decode(get_u32(span.at + (size_t)j * 4), &function->control[j]) != 0)
			return DAMAGED(loading, "control bits of function %s, pc 0x%x", function->name,
				       j * HD_INST_BYTES);
	return 0;
}

static int load_body(struct loading *loading, uint32_t body)
{
	loading->function = object_body(loading->object, body);
	const struct object_body *bytes = &loading->rest->bodies[body];
	return load_code(loading, bytes) || load_relocs(loading, bytes) || load_control(loading, body) ||
			       load_origins(loading, body)
		       ? -1
		       : 0;
}

/* ------------------------------------------------------------------ linear versions */

int object_read_tables(struct hd_span *bytes, struct hd_function *function, struct hd_arena *arena)
{
	if (function->table_count > hd_span_left(bytes) / 4)
		return -1;
	function->tables = HD_ARENA_NEW(arena, struct hd_jump_table, function->table_count);
	for (uint32_t j = 0; j < function->table_count; j++) {
		struct hd_jump_table *table = &function->tables[j];
		const uint8_t *count = hd_span_take(bytes, 4);
		const uint8_t *targets = count ? hd_span_take(bytes, (uint64_t)get_u32(count) * 4) : NULL;
		if (!targets)
			return -1;
		table->count = get_u32(count);
		table->targets = HD_ARENA_NEW(arena, uint32_t, table->count);
		for (uint32_t k = 0; k < table->count; k++)
			table->targets[k] = get_u32(targets + (size_t)k * 4);
	}
	return 0;
}

static int read_twins(struct hd_span *bytes, struct hd_linear *linear, struct hd_arena *arena)
{
	const uint8_t *twins = hd_span_take(bytes, (uint64_t)linear->body.inst_count * 4);
	const uint8_t *count = hd_span_take(bytes, 4);
	const uint8_t *undefined = count ? hd_span_take(bytes, (uint64_t)get_u32(count) * 8) : NULL;
	if (!twins || !undefined)
		return -1;
	linear->twins = HD_ARENA_NEW(arena, uint32_t, linear->body.inst_count);
	for (uint32_t i = 0; i < linear->body.inst_count; i++)
		linear->twins[i] = get_u32(twins + (size_t)i * 4);
	linear->undefined_count = get_u32(count);
	linear->undefined = HD_ARENA_NEW(arena, struct hd_undefined, linear->undefined_count);
	for (uint32_t i = 0; i < linear->undefined_count; i++, undefined += 8)
		linear->undefined[i] =
			(struct hd_undefined){.pc = get_u32(undefined), .reg = undefined[4], .words = undefined[5]};
	return 0;
}

static int read_check(struct hd_span *bytes, struct hd_linear_check *check, struct hd_arena *arena)
{
	const uint8_t *head = hd_span_take(bytes, LINEAR_CHECK_BYTES);
	const uint8_t *words = head ? hd_span_take(bytes, (uint64_t)get_u32(head + 16) * 8) : NULL;
	if (!words)
		return -1;
	check->low = (int64_t)get_u64(head);
	check->high = (int64_t)get_u64(head + 8);
	check->count = get_u32(head + 16);
	check->words = HD_ARENA_NEW(arena, int64_t, check->count);
	for (uint32_t i = 0; i < check->count; i++)
		check->words[i] = (int64_t)get_u64(words + (size_t)i * 8);
	return 0;
}

static int load_linear(struct loading *loading, uint32_t index)
{
	struct hd_linear *linear = &loading->object->linears[index];
	struct hd_arena *arena = loading->object->arena;
	struct hd_span span;
	loading->function = &linear->body;
	if (get_item(loading, &loading->rest->linears, SECTION_LINEAR, index + 1, &span) != 0)
		return -1;
	bool fits = read_twins(&span, linear, arena) == 0 && object_read_tables(&span, &linear->body, arena) == 0 &&
		    linear->check_count <= hd_span_left(&span) / LINEAR_CHECK_BYTES;
	linear->checks = HD_ARENA_NEW(arena, struct hd_linear_check, fits ? linear->check_count : 0);
	for (uint32_t i = 0; fits && i < linear->check_count; i++)
		fits = read_check(&span, &linear->checks[i], arena) == 0;
	if (!fits || hd_span_left(&span))
		return DAMAGED(loading, "linear version of %s", linear->body.name);
	return load_body(loading, loading->object->function_count + index);
}

int hd_object_load_code(struct hd_object *object, uint32_t function, struct hd_diag *diag)
{
	struct loading loading = {.object = object, .rest = object->rest, .diag = diag};
	const struct hd_linear *linear = hd_object_linear(object, function);
	if (!object->rest || object->rest->code_read[function])
		return 0;
	if (load_body(&loading, function) != 0 ||
	    (linear && load_linear(&loading, (uint32_t)(linear - object->linears)) != 0) ||
	    object_verify_function(object, function, object->rest->name, diag) != 0) {
		object->functions[function].insts = NULL;
		return -1;
	}
	object->rest->code_read[function] = true;
	return 0;
}

/* ------------------------------------------------------------------ metadata */

static int load_part(struct loading *loading, uint32_t index, enum hd_meta_part part)
{
	const struct hd_metadata *metadata = &loading->object->metadata;
	struct hd_span span;
	if (loading->rest->meta_read[index] >> part & 1)
		return 0;
	const char *wrong = items_get(&loading->rest->meta, 1 + part * metadata->function_count + index, &span);
	if (wrong)
		return DAMAGED(loading, "metadata: %s: %s", metadata->functions[index].name, wrong);
	if (hd_meta_unpack_function(&span, loading->rest->name, metadata, &metadata->functions[index], part,
				    loading->diag) != 0)
		return -1;
	loading->rest->meta_read[index] |= (uint8_t)(1u << part);
	return 0;
}

int hd_object_load_metadata(struct hd_object *object, uint32_t function, bool tables, struct hd_diag *diag)
{
	struct loading loading = {.object = object, .rest = object->rest, .diag = diag};
	if (!object->rest)
		return 0;
	int status = load_part(&loading, function, HD_META_FIGURES);
	return status || !tables ? status : load_part(&loading, function, HD_META_TABLES);
}

int hd_object_load_all(struct hd_object *object, struct hd_diag *diag)
{
	for (uint32_t i = 0; i < object->function_count; i++)
		if (hd_object_load_code(object, i, diag) != 0)
			return -1;
	return hd_object_load_all_metadata(object, diag);
}

int hd_object_load_all_metadata(struct hd_object *object, struct hd_diag *diag)
{
	for (uint32_t i = 0; i < object->metadata.function_count; i++)
		if (hd_object_load_metadata(object, i, true, diag) != 0)
			return -1;
	return 0;
}
