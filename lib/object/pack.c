/*
 * Contents of the packed sections (parts.h). Linear in the object.
 */
#include <string.h>

#include "heddle/control.h"
#include "lib/metadata/pack.h"
#include "lib/object/layout.h"
#include "lib/object/parts.h"

void object_append_u32(struct hd_strbuf *blob, uint32_t value)
{
	uint8_t bytes[4];
	put_u32(bytes, value);
	hd_strbuf_append_bytes(blob, bytes, sizeof(bytes));
}

static void append_u64(struct hd_strbuf *blob, uint64_t value)
{
	object_append_u32(blob, (uint32_t)value);
	object_append_u32(blob, (uint32_t)(value >> 32));
}

void object_append_tables(struct hd_strbuf *blob, const struct hd_function *function)
{
	for (uint32_t i = 0; i < function->table_count; i++) {
		const struct hd_jump_table *table = &function->tables[i];
		object_append_u32(blob, table->count);
		for (uint32_t k = 0; k < table->count; k++)
			object_append_u32(blob, table->targets[k]);
	}
}

struct hd_function *object_body(const struct hd_object *object, uint32_t index)
{
	return index < object->function_count ? &object->functions[index]
					      : &object->linears[index - object->function_count].body;
}

/* ------------------------------------------------------------------ metadata, origins, control bits, bitcode */

int object_pack_metadata(const struct hd_object *object, enum hd_codec codec, struct hd_strbuf *to)
{
	const struct hd_metadata *metadata = &object->metadata;
	struct items_writer writer = {0};
	struct hd_arena scratch;
	hd_arena_init(&scratch);
	const struct hd_meta_function **functions = hd_meta_pack_order(metadata, &scratch);
	hd_meta_pack_document(&writer.bytes, metadata, functions);
	items_writer_end(&writer);
	for (enum hd_meta_part part = 0; part < HD_META_PARTS; part++)
		for (uint32_t i = 0; i < metadata->function_count; i++) {
			hd_meta_pack_function(&writer.bytes, functions[i], part);
			items_writer_end(&writer);
		}
	hd_arena_release(&scratch);
	return items_writer_finish(&writer, codec, to);
}

static void append_origins(struct hd_strbuf *to, const struct hd_function *function, const uint32_t *symbols)
{
	static const struct hd_origin unknown = {.file = UINT32_MAX, .ir = UINT32_MAX};
	int64_t line = 0, ir = 0;
	for (uint32_t j = 0; j < function->inst_count; j++) {
		const struct hd_origin *origin = function->origins ? &function->origins[j] : &unknown;
		int64_t ordinal = (uint32_t)(origin->ir + 1);
		hd_varint_append(to, (uint32_t)(origin->file + 1));
		hd_varint_append(to, hd_zigzag(origin->line - line));
		hd_varint_append(to, origin->column);
		hd_varint_append(to, hd_zigzag(ordinal - ir));
		hd_varint_append(to, origin->variable ? symbols[origin->variable - 1] : 0);
		line = origin->line;
		ir = ordinal;
	}
}

int object_pack_origins(const struct hd_object *object, const uint32_t *symbols, enum hd_codec codec,
			struct hd_strbuf *to)
{
	struct items_writer writer = {0};
	object_append_u32(&writer.bytes, object->file_count);
	for (uint32_t i = 0; i < object->file_count; i++)
		hd_strbuf_append_bytes(&writer.bytes, object->files[i], strlen(object->files[i]) + 1);
	items_writer_end(&writer);
	for (uint32_t i = 0; i < object->function_count + object->linear_count; i++) {
		append_origins(&writer.bytes, object_body(object, i), symbols);
		items_writer_end(&writer);
	}
	return items_writer_finish(&writer, codec, to);
}

static void append_inlined(struct hd_strbuf *to, const struct hd_function *function)
{
	int64_t before = 0;
	for (uint32_t j = 0; j < function->inst_count; j++) {
		int64_t inlined = function->origins ? function->origins[j].inlined : 0;
		hd_varint_append(to, hd_zigzag(inlined - before));
		before = inlined;
	}
}

int object_pack_inlined(const struct hd_object *object, enum hd_codec codec, struct hd_strbuf *to)
{
	struct items_writer writer = {0};
	hd_varint_append(&writer.bytes, object->inlined_count);
	for (uint32_t i = 0; i < object->inlined_count; i++) {
		const struct hd_inlined *call = &object->inlined[i];
		hd_varint_append(&writer.bytes, (uint32_t)(call->file + 1));
		hd_varint_append(&writer.bytes, call->line);
		hd_varint_append(&writer.bytes, call->column);
		hd_varint_append(&writer.bytes, call->outer);
	}
	for (uint32_t i = 0; i < object->inlined_count; i++)
		hd_strbuf_append_bytes(&writer.bytes, object->inlined[i].callee, strlen(object->inlined[i].callee) + 1);
	items_writer_end(&writer);
	for (uint32_t i = 0; i < object->function_count + object->linear_count; i++) {
		append_inlined(&writer.bytes, object_body(object, i));
		items_writer_end(&writer);
	}
	return items_writer_finish(&writer, codec, to);
}

int object_pack_control(const struct hd_object *object, enum hd_codec codec, struct hd_strbuf *to)
{
	struct items_writer writer = {0};
	for (uint32_t i = 0; i < object->function_count + object->linear_count; i++) {
		const struct hd_function *function = object_body(object, i);
		for (uint32_t j = 0; j < function->inst_count; j++)
			object_append_u32(&writer.bytes, hd_control_encode(&function->control[j]));
		items_writer_end(&writer);
	}
	return items_writer_finish(&writer, codec, to);
}

int object_pack_bitcode(const struct hd_object *object, enum hd_codec codec, struct hd_strbuf *to)
{
	struct items_writer writer = {0};
	hd_strbuf_append_bytes(&writer.bytes, object->bitcode, object->bitcode_bytes);
	items_writer_end(&writer);
	return items_writer_finish(&writer, codec, to);
}

/* ------------------------------------------------------------------ linear versions */

static void append_record(struct hd_strbuf *blob, const struct hd_linear *linear, size_t section)
{
	object_append_u32(blob, (uint32_t)section);
	object_append_u32(blob, linear->kernel);
	object_append_u32(blob, linear->body.registers);
	object_append_u32(blob, linear->body.frame_bytes);
	object_append_u32(blob, linear->body.table_count);
	for (unsigned i = 0; i < HD_STREAM_COUNT; i++)
		object_append_u32(blob, linear->start[i]);
	object_append_u32(blob, linear->coefficients);
	object_append_u32(blob, linear->threads);
	object_append_u32(blob, linear->linears);
	object_append_u32(blob, linear->check_count);
	object_append_u32(blob, linear->saved);
	hd_strbuf_append_bytes(blob, linear->thread_of, sizeof linear->thread_of);
}

static void append_parts(struct hd_strbuf *blob, const struct hd_linear *linear)
{
	for (uint32_t i = 0; i < linear->body.inst_count; i++)
		object_append_u32(blob, linear->twins[i]);
	object_append_u32(blob, linear->undefined_count);
	for (uint32_t i = 0; i < linear->undefined_count; i++) {
		object_append_u32(blob, linear->undefined[i].pc);
		object_append_u32(blob, linear->undefined[i].reg | (uint32_t)linear->undefined[i].words << 8);
	}
	object_append_tables(blob, &linear->body);
	for (uint32_t i = 0; i < linear->check_count; i++) {
		const struct hd_linear_check *check = &linear->checks[i];
		append_u64(blob, (uint64_t)check->low);
		append_u64(blob, (uint64_t)check->high);
		object_append_u32(blob, check->count);
		object_append_u32(blob, 0);
		for (uint32_t k = 0; k < check->count; k++)
			append_u64(blob, (uint64_t)check->words[k]);
	}
}

int object_pack_linears(const struct hd_object *object, const size_t *sections, enum hd_codec codec,
			struct hd_strbuf *to)
{
	struct items_writer writer = {0};
	for (uint32_t i = 0; i < object->linear_count; i++)
		append_record(&writer.bytes, &object->linears[i], sections[i]);
	items_writer_end(&writer);
	for (uint32_t i = 0; i < object->linear_count; i++) {
		append_parts(&writer.bytes, &object->linears[i]);
		items_writer_end(&writer);
	}
	return items_writer_finish(&writer, codec, to);
}
