/* Packed sections of the kernel object: codecs, items in blocks, packed metadata, reading in parts, and damaged
 * contents. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/cubin/cubin.h"
#include "lib/metadata/pack.h"
#include "lib/object/layout.h"
#include "lib/object/parts.h"
#include "sample.h"

static struct hd_arena arena;
static struct hd_strbuf messages;
static struct hd_diag diag;

static void collect(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)severity, (void)loc;
	hd_strbuf_printf(context, "%s\n", message);
}

static void set_up(void)
{
	hd_arena_init(&arena);
	messages = (struct hd_strbuf){0};
	diag = (struct hd_diag){.emit = collect, .context = &messages, .tool = "test"};
}

static void tear_down(void)
{
	hd_arena_release(&arena);
	hd_strbuf_release(&messages);
}

static void expect_message(const char *expected)
{
	ck_assert_msg(strstr(hd_strbuf_text(&messages), expected) != NULL, "%s", hd_strbuf_text(&messages));
	hd_strbuf_release(&messages);
}

/* ---- numbers and codecs */

START_TEST(numbers_come_back)
{
	static const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, UINT64_MAX};
	static const int64_t differences[] = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
	struct hd_strbuf text = {0};
	for (unsigned i = 0; i < 9; i++)
		hd_varint_append(&text, numbers[i]);
	ck_assert_uint_eq(text.len, 1 + 1 + 1 + 2 + 2 + 3 + 5 + 9 + 10);
	struct hd_span span = {(uint8_t *)text.data, (uint8_t *)text.data + text.len, false};
	for (unsigned i = 0; i < 9; i++)
		ck_assert_uint_eq(hd_span_varint(&span), numbers[i]);
	ck_assert(!span.failed && hd_span_left(&span) == 0);
	ck_assert_uint_eq(hd_span_varint(&span), 0);
	ck_assert(span.failed);
	for (unsigned i = 0; i < 7; i++)
		ck_assert_int_eq(hd_unzigzag(hd_zigzag(differences[i])), differences[i]);
	static const uint8_t too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2};
	span = (struct hd_span){too_long, too_long + 10, false};
	hd_span_varint(&span);
	ck_assert(span.failed);
	hd_strbuf_release(&text);
}
END_TEST

START_TEST(each_codec_gives_back_what_it_got)
{
	uint8_t bytes[5000], back[5000];
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i / 100);
	for (unsigned codec = 0; codec < HD_CODECS; codec++) {
		struct hd_strbuf packed = {0};
		ck_assert_int_eq(hd_packed_append(&packed, codec, bytes, sizeof bytes), 0);
		const uint8_t *data = (const uint8_t *)packed.data;
		ck_assert(codec == HD_CODEC_NONE || packed.len < sizeof bytes / 2);
		ck_assert_uint_ge(hd_packed_most(codec, packed.len), sizeof bytes);
		ck_assert_int_eq(hd_packed_read(codec, data, packed.len, back, sizeof back), 0);
		ck_assert_mem_eq(bytes, back, sizeof bytes);
		ck_assert_int_eq(hd_packed_read(codec, data, packed.len, back, sizeof back - 1), -1);
		ck_assert_int_eq(hd_packed_read(codec, data, packed.len - 1, back, sizeof back), -1);
		hd_strbuf_release(&packed);
	}
	ck_assert_str_eq(hd_codec_name(HD_CODEC_ZSTD), "zstd");
	ck_assert_ptr_null(hd_codec_name(HD_CODECS));
}
END_TEST

/* ---- items */

/* `count` items: the n-th has n bytes of n. */
static void make_items(struct hd_strbuf *to, enum hd_codec codec, uint32_t count)
{
	struct items_writer writer = {0};
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < i; k++)
			hd_strbuf_append_bytes(&writer.bytes, &(uint8_t){(uint8_t)i}, 1);
		items_writer_end(&writer);
	}
	ck_assert_int_eq(items_writer_finish(&writer, codec, to), 0);
}

START_TEST(items_are_found_in_their_blocks)
{
	enum { COUNT = 700 }; /* 244,650 bytes: several blocks */
	for (unsigned codec = 0; codec < HD_CODECS; codec++) {
		struct hd_strbuf section = {0};
		struct items items;
		struct hd_span span;
		make_items(&section, codec, COUNT);
		ck_assert_ptr_null(items_open(&items, (uint8_t *)section.data, section.len, &arena));
		ck_assert(items.count == COUNT && items.block_count > 3 && items.codec == codec);
		ck_assert_ptr_null(items_get(&items, 600, &span));
		ck_assert(hd_span_left(&span) == 600 && span.at[0] == (uint8_t)600 && span.at[599] == (uint8_t)600);
		uint32_t unpacked = 0;
		for (uint32_t i = 0; i < items.block_count; i++)
			unpacked += items.blocks[i].data != NULL;
		ck_assert_uint_eq(unpacked, 1); /* the others were not touched */
		ck_assert_ptr_null(items_get(&items, 0, &span));
		ck_assert_uint_eq(hd_span_left(&span), 0);
		ck_assert_str_eq(items_get(&items, COUNT, &span), "an item is missing");
		hd_strbuf_release(&section);
	}
}
END_TEST

START_TEST(a_section_asks_for_no_more_than_it_can_hold)
{
	struct hd_strbuf section = {0};
	struct items_writer writer = {0};
	struct items items;
	char *zeros = hd_xcalloc(1 << 20, 1);
	/* 80 MiB of zeros would be a few kilobytes: more than a reader believes, so they stay as they are. */
	for (unsigned i = 0; i < 80; i++) {
		hd_strbuf_append_bytes(&writer.bytes, zeros, 1 << 20);
		items_writer_end(&writer);
	}
	ck_assert_int_eq(items_writer_finish(&writer, HD_CODEC_ZSTD, &section), 0);
	ck_assert_ptr_null(items_open(&items, (uint8_t *)section.data, section.len, &arena));
	ck_assert(items.codec == HD_CODEC_NONE);
	hd_strbuf_release(&section);
	free(zeros);
}
END_TEST

static void expect_closed(const struct hd_strbuf *section, size_t at, uint8_t value, const char *expected)
{
	struct items items;
	uint8_t *copy = hd_arena_alloc(&arena, section->len);
	memcpy(copy, section->data, section->len);
	copy[at] = value;
	const char *wrong = items_open(&items, copy, section->len, &arena);
	ck_assert_ptr_nonnull(wrong);
	ck_assert_msg(strstr(wrong, expected) != NULL, "%s", wrong);
}

START_TEST(a_section_has_so_many_items_and_no_more)
{
	for (unsigned more = 0; more < 2; more++) {
		struct items_writer writer = {0};
		struct hd_strbuf section = {0};
		for (uint32_t i = 0; i < ITEMS_MOST + more; i++)
			items_writer_end(&writer);
		ck_assert_int_eq(items_writer_finish(&writer, HD_CODEC_ZSTD, &section), more ? -1 : 0);
		hd_strbuf_release(&section);
	}
}
END_TEST

START_TEST(bad_sections_say_what_is_wrong)
{
	struct hd_strbuf section = {0};
	struct items items;
	make_items(&section, HD_CODEC_NONE, 4); /* index: 4 items in 6 bytes, which are 6; then 0 1 2 3 */
	expect_closed(&section, 0, 'X', "no header");
	expect_closed(&section, 4, 2, "no header");
	expect_closed(&section, 5, 9, "packed in a way that this Heddle does not know");
	expect_closed(&section, 5, HD_CODEC_ZSTD, "the index is damaged");
	expect_closed(&section, 8, 5, "the blocks are not the items");
	expect_closed(&section, 8, 200, "more items than the index has");
	expect_closed(&section, 20, 255, "the index is outside the section");
	expect_closed(&section, ITEMS_HEADER_BYTES + 1, 7, "a block is outside the section");
	expect_closed(&section, ITEMS_HEADER_BYTES + 1, 5, "a block claims more than it can hold");
	expect_closed(&section, ITEMS_HEADER_BYTES + 2, 5, "the items of a block are not what it holds");
	expect_closed(&section, ITEMS_HEADER_BYTES + 6, 2, "the items of a block are not what it holds");
	ck_assert_str_eq(items_open(&items, (uint8_t *)section.data, 10, &arena), "no header");
	hd_strbuf_release(&section);
}
END_TEST

/* ---- metadata */

static void unpack_all(const struct hd_metadata *from, struct hd_metadata *to)
{
	const struct hd_meta_function **order = hd_meta_pack_order(from, &arena);
	struct hd_strbuf document = {0};
	hd_meta_pack_document(&document, from, order);
	struct hd_span span = {hd_arena_alloc(&arena, document.len), NULL, false};
	memcpy((void *)(uintptr_t)span.at, document.data, document.len);
	span.end = span.at + document.len;
	ck_assert_msg(hd_meta_unpack_document(&span, "x", &arena, to, &diag) == 0, "%s", hd_strbuf_text(&messages));
	hd_strbuf_release(&document);
	for (uint32_t i = 0; i < to->function_count; i++)
		for (enum hd_meta_part part = 0; part < HD_META_PARTS; part++) {
			struct hd_strbuf bytes = {0};
			hd_meta_pack_function(&bytes, order[i], part);
			uint8_t *copy = hd_arena_alloc(&arena, bytes.len);
			memcpy(copy, bytes.data, bytes.len);
			span = (struct hd_span){copy, copy + bytes.len, false};
			ck_assert_msg(hd_meta_unpack_function(&span, "x", to, &to->functions[i], part, &diag) == 0,
				      "%s", hd_strbuf_text(&messages));
			hd_strbuf_release(&bytes);
		}
}

START_TEST(packed_metadata_gives_the_same_document)
{
	struct hd_metadata metadata = sample_metadata(&arena), back;
	unpack_all(&metadata, &back);
	char *text = hd_metadata_to_json(&metadata), *again = hd_metadata_to_json(&back);
	ck_assert_str_eq(text, again);
	free(text);
	free(again);
}
END_TEST

/* What a JSON document would be refused for is refused here. */
static void expect_unpacked(struct hd_meta_function *function, enum hd_meta_part part, const char *expected)
{
	struct hd_strbuf bytes = {0};
	struct hd_meta_function back = *function; /* its figures say how long lists are */
	const struct hd_metadata present = {.arena = &arena, .edition = HD_META_EDITION};
	hd_meta_pack_function(&bytes, function, part);
	struct hd_span span = {(uint8_t *)bytes.data, (uint8_t *)bytes.data + bytes.len, false};
	ck_assert_int_eq(hd_meta_unpack_function(&span, "x.hdo", &present, &back, part, &diag), -1);
	expect_message(hd_arena_printf(&arena, "x.hdo: damaged kernel object: metadata: %s: %s", back.name, expected));
	hd_strbuf_release(&bytes);
	struct hd_metadata again = sample_metadata(&arena);
	*function = again.functions[1];
}

START_TEST(values_out_of_range_are_refused)
{
	struct hd_metadata metadata = sample_metadata(&arena);
	struct hd_meta_function copy = metadata.functions[1], *kernel = &copy;
	struct hd_meta_call call = kernel->calls[0];
	struct hd_meta_save save = kernel->saves[0];
	struct hd_meta_point point = kernel->points[0], wrong = point;
	call.kind = 7;
	kernel->calls = &call;
	expect_unpacked(kernel, HD_META_FIGURES, "kind of its call: out of range");
	save.reg = 255;
	kernel->saves = &save;
	kernel->save_count = 1;
	expect_unpacked(kernel, HD_META_TABLES, "register of its save: out of range");
	save.reg = 200;
	save.count = 56; /* R200 to R255 */
	kernel->saves = &save;
	kernel->save_count = 1;
	expect_unpacked(kernel, HD_META_TABLES, "count of its save: out of range");
	kernel->points = &wrong;
	kernel->point_count = 1;
	wrong.mask = UINT64_C(1) << 54;
	expect_unpacked(kernel, HD_META_TABLES, "mask of its preemption_point: out of range");
	kernel->points = &wrong;
	kernel->point_count = 1;
	wrong = point;
	wrong.live.preds = 0x80;
	expect_unpacked(kernel, HD_META_TABLES, "predicates of its preemption_point: out of range");
	kernel->points = &wrong;
	kernel->point_count = 1;
	wrong = point;
	wrong.live.regs[3] = UINT64_C(1) << 63;
	expect_unpacked(kernel, HD_META_TABLES, "live of its preemption_point: out of range");
	kernel->dead_operands = (uint8_t[]){0};
	kernel->dead_operand_count = 1;
	expect_unpacked(kernel, HD_META_TABLES, "dead_operands of its function: not a digit for each instruction");
	kernel->divergent_pcs = (uint32_t[]){16, 16};
	kernel->divergent_pc_count = 2;
	expect_unpacked(kernel, HD_META_TABLES, "divergent_pcs of its function: no pcs in ascending order");
}
END_TEST

START_TEST(a_list_is_as_long_as_its_figure_says)
{
	struct hd_metadata metadata = sample_metadata(&arena);
	struct hd_strbuf tables = {0};
	metadata.edition = HD_META_EDITION;
	struct hd_meta_function back = {.name = "k",
					.interval_count = 1,
					.instructions = metadata.functions[1].instructions};
	hd_meta_pack_function(&tables, &metadata.functions[1], HD_META_TABLES);
	struct hd_span span = {(uint8_t *)tables.data, (uint8_t *)tables.data + tables.len, false};
	ck_assert_int_eq(hd_meta_unpack_function(&span, "x", &metadata, &back, HD_META_TABLES, &diag), -1);
	expect_message("k: intervals of its function: not as many as its figure says");
	hd_strbuf_release(&tables);
}
END_TEST

/* ---- objects in parts */

static uint8_t *write_sample(enum hd_codec codec, size_t *size)
{
	struct hd_object object = sample_object(&arena);
	uint8_t *bytes = NULL;
	ck_assert_msg(object_write_packed(&object, codec, &bytes, size, &diag) == 0, "%s", hd_strbuf_text(&messages));
	return bytes;
}

START_TEST(every_codec_gives_the_same_object)
{
	size_t sizes[HD_CODECS];
	uint8_t *objects[HD_CODECS], *again;
	for (unsigned codec = 0; codec < HD_CODECS; codec++) {
		struct hd_object back;
		size_t size;
		objects[codec] = write_sample(codec, &sizes[codec]);
		ck_assert_int_eq(hd_object_read(objects[codec], sizes[codec], "x", &arena, &back, &diag), 0);
		ck_assert_int_eq(object_write_packed(&back, HD_CODEC_NONE, &again, &size, &diag), 0);
		ck_assert_uint_eq(size, sizes[HD_CODEC_NONE]);
		ck_assert_mem_eq(again, objects[HD_CODEC_NONE], size);
		free(again);
	}
	for (unsigned codec = 0; codec < HD_CODECS; codec++)
		free(objects[codec]);
}
END_TEST

START_TEST(an_open_object_reads_what_is_asked_for)
{
	struct hd_object object;
	size_t size;
	uint8_t *bytes = write_sample(HD_CODEC_ZSTD, &size);
	ck_assert_int_eq(hd_object_open(bytes, size, "x", &arena, &object, &diag), 0);
	memset(bytes, 0xff, size); /* nothing may point into them */
	free(bytes);
	ck_assert(object.function_count == 2 && object.functions[0].inst_count == 12);
	ck_assert(!object.functions[0].insts && !object.functions[0].relocs && object.functions[0].table_count == 1);
	ck_assert_ptr_null(object.bitcode);
	struct hd_meta_function *kernel = &object.metadata.functions[1];
	ck_assert(kernel->name && kernel->demangled && kernel->kernel && !kernel->registers);
	ck_assert_int_eq(hd_object_load_metadata(&object, 1, false, &diag), 0);
	ck_assert(kernel->call_count && kernel->param_count && kernel->registers && !kernel->points);
	const struct hd_meta_param *params = kernel->params;
	ck_assert_int_eq(hd_object_load_metadata(&object, 1, true, &diag), 0);
	ck_assert(kernel->points && kernel->params == params);
	ck_assert_int_eq(hd_object_load_code(&object, 0, &diag), 0);
	ck_assert(object.functions[0].insts && object.functions[0].reloc_count && !object.functions[1].insts);
	struct hd_inst *insts = object.functions[0].insts;
	ck_assert_int_eq(hd_object_load_all(&object, &diag), 0);
	ck_assert(object.functions[0].insts == insts && object.functions[1].insts);
}
END_TEST

/* The last byte of a packed section is the end of what belongs to the last function. */
START_TEST(damage_is_found_where_it_is_read)
{
	struct hd_object object;
	size_t size, bytes;
	uint8_t *file = write_sample(HD_CODEC_NONE, &size);
	uint8_t *meta = sample_section(file, SECTION_META, &bytes);
	meta[bytes - 1] = 9; /* whether the last function has a linear version */
	ck_assert_int_eq(hd_object_open(file, size, "x", &arena, &object, &diag), 0);
	ck_assert_int_eq(hd_object_load_metadata(&object, 0, true, &diag), 0);
	ck_assert_int_eq(hd_object_load_metadata(&object, 2, false, &diag), 0);
	ck_assert_int_eq(hd_object_load_metadata(&object, 2, true, &diag), -1);
	expect_message(": linear_version of its function: out of range");
	ck_assert_int_eq(hd_object_read(file, size, "x", &arena, &object, &diag), -1);
	expect_message(": linear_version of its function: out of range");
	free(file);

	file = write_sample(HD_CODEC_ZLIB, &size);
	meta = sample_section(file, SECTION_META, &bytes);
	meta[bytes - 8]++;
	ck_assert_int_eq(hd_object_read(file, size, "x", &arena, &object, &diag), -1);
	expect_message("x: damaged kernel object: section .heddle.meta: a block is damaged");
	free(file);
}
END_TEST

START_TEST(another_layout_is_said_to_be_one)
{
	struct hd_object object;
	size_t size, bytes;
	uint8_t *file = write_sample(HD_CODEC_NONE, &size), *meta = sample_section(file, SECTION_META, &bytes);
	meta[ITEMS_HEADER_BYTES + get_u32(meta + 20)] ^= 1;
	ck_assert_int_eq(hd_object_open(file, size, "x.hdo", &arena, &object, &diag), -1);
	expect_message("x.hdo: metadata fields differ from this Heddle's (compile it again)");
	free(file);
}
END_TEST

/* Contents as they are after unpacking: a packed section hides them from damage. */
START_TEST(damaged_contents_never_crash)
{
	static const char *const sections[] = {SECTION_META, SECTION_ORIGINS, SECTION_IR};
	uint64_t state = 88172645463325252u;
	size_t size, bytes;
	uint8_t *file = write_sample(HD_CODEC_NONE, &size), *mutant = malloc(size);
	unsigned accepted = 0;
	for (unsigned round = 0; round < 20000; round++) {
		struct hd_arena local;
		struct hd_object object;
		memcpy(mutant, file, size);
		uint8_t *at = sample_section(mutant, sections[round % 8 ? 0 : 1 + round / 8 % 2], &bytes);
		for (unsigned i = 0; i <= round % 3; i++) {
			uint64_t random = sample_random(&state);
			at[random % bytes] = (uint8_t)(random >> 40 & 1 ? random >> 32 : 0xff * (random >> 41 & 1));
		}
		hd_arena_init(&local);
		if (hd_object_read(mutant, size, "x", &local, &object, &diag) == 0) {
			free(hd_metadata_to_json(&object.metadata));
			accepted++;
		} else {
			ck_assert_uint_gt(messages.len, 0);
		}
		hd_arena_release(&local);
		hd_strbuf_release(&messages);
	}
	ck_assert(accepted > 100 && accepted < 20000); /* a changed figure is a figure */
	free(mutant);
	free(file);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {numbers_come_back,
				      each_codec_gives_back_what_it_got,
				      items_are_found_in_their_blocks,
				      a_section_asks_for_no_more_than_it_can_hold,
				      a_section_has_so_many_items_and_no_more,
				      bad_sections_say_what_is_wrong,
				      packed_metadata_gives_the_same_document,
				      values_out_of_range_are_refused,
				      a_list_is_as_long_as_its_figure_says,
				      every_codec_gives_the_same_object,
				      an_open_object_reads_what_is_asked_for,
				      damage_is_found_where_it_is_read,
				      another_layout_is_said_to_be_one,
				      damaged_contents_never_crash,
				      NULL};
	return hd_suite_with("packed", tests, set_up, tear_down);
}
