/* The kernel object: round trip, determinism, errors, embedded objects, and reading of damaged bytes. */
#include "harness.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/object/parts.h"
#include "lib/strbuf.h"
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

/* The sample object's bytes, malloc'ed. */
static uint8_t *sample_bytes(size_t *size)
{
	struct hd_object object = sample_object(&arena);
	uint8_t *bytes = NULL;
	ck_assert_msg(hd_object_write(&object, &bytes, size, &diag) == 0, "%s", hd_strbuf_text(&messages));
	return bytes;
}

static void expect_message(const char *expected)
{
	ck_assert_msg(strstr(hd_strbuf_text(&messages), expected) != NULL, "%s", hd_strbuf_text(&messages));
	hd_strbuf_release(&messages);
}

static void expect_read_error(const uint8_t *bytes, size_t size, const char *expected)
{
	struct hd_object object;
	ck_assert_int_eq(hd_object_read(bytes, size, "x.hdo", &arena, &object, &diag), -1);
	ck_assert_ptr_nonnull(strstr(hd_strbuf_text(&messages), "x.hdo: "));
	expect_message(expected);
}

static void same_symbols(const struct hd_object *a, const struct hd_object *b)
{
	ck_assert_uint_eq(a->symbol_count, b->symbol_count);
	for (uint32_t i = 0; i < a->symbol_count; i++) {
		const struct hd_symbol *x = &a->symbols[i], *y = &b->symbols[i];
		ck_assert_str_eq(x->name, y->name);
		ck_assert(x->kind == y->kind && x->defined == y->defined && x->global == y->global &&
			  x->managed == y->managed && x->bss == y->bss && x->align == y->align &&
			  x->section_offset == y->section_offset && x->function == y->function);
		ck_assert(x->kind == HD_SYM_FUNCTION || (x->space == y->space && x->size == y->size));
	}
}

static void same_relocs(const struct hd_reloc *a, const struct hd_reloc *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ck_assert(a[i].kind == b[i].kind && a[i].symbol == b[i].symbol && a[i].offset == b[i].offset &&
			  a[i].addend == b[i].addend);
}

static void same_function(const struct hd_function *a, const struct hd_function *b)
{
	ck_assert_str_eq(a->name, b->name);
	ck_assert(a->kernel == b->kernel && a->inst_count == b->inst_count && a->registers == b->registers &&
		  a->frame_bytes == b->frame_bytes && a->shared_bytes == b->shared_bytes &&
		  a->param_bytes == b->param_bytes && a->result_words == b->result_words &&
		  a->table_count == b->table_count && a->reloc_count == b->reloc_count);
	for (uint32_t i = 0; i < a->inst_count; i++) {
		uint8_t x[HD_INST_BYTES], y[HD_INST_BYTES];
		hd_inst_encode(&a->insts[i], x);
		hd_inst_encode(&b->insts[i], y);
		ck_assert_mem_eq(x, y, sizeof(x));
		ck_assert_mem_eq(&a->origins[i], &b->origins[i], sizeof(a->origins[i]));
	}
	for (uint32_t i = 0; i < a->table_count; i++) {
		ck_assert_uint_eq(a->tables[i].count, b->tables[i].count);
		ck_assert_mem_eq(a->tables[i].targets, b->tables[i].targets, a->tables[i].count * sizeof(uint32_t));
	}
	same_relocs(a->relocs, b->relocs, a->reloc_count);
}

START_TEST(reads_back_what_was_written)
{
	struct hd_object object = sample_object(&arena), back;
	size_t size;
	uint8_t *bytes = sample_bytes(&size);
	ck_assert_msg(hd_object_read(bytes, size, "x.hdo", &arena, &back, &diag) == 0, "%s", hd_strbuf_text(&messages));
	memset(bytes, 0xff, size); /* nothing may point into them */
	free(bytes);

	ck_assert_uint_eq(back.function_count, 2);
	same_function(&object.functions[0], &back.functions[0]);
	same_function(&object.functions[1], &back.functions[1]);
	same_symbols(&object, &back);
	ck_assert_uint_eq(back.file_count, 2);
	ck_assert_str_eq(back.files[1], object.files[1]);
	ck_assert_uint_eq(back.inlined_count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct hd_inlined *x = &object.inlined[i], *y = &back.inlined[i];
		ck_assert_str_eq(x->callee, y->callee);
		ck_assert(x->file == y->file && x->line == y->line && x->column == y->column && x->outer == y->outer);
	}
	ck_assert(back.data_bytes == 16 && back.rodata_bytes == 16 && back.bss_bytes == 4096);
	ck_assert_mem_eq(back.data, object.data, 16);
	ck_assert_uint_eq(back.data_reloc_count, 1);
	same_relocs(object.data_relocs, back.data_relocs, 1);
	same_relocs(object.rodata_relocs, back.rodata_relocs, 1);
	ck_assert_uint_eq(back.bitcode_bytes, 4);
	ck_assert_mem_eq(back.bitcode, object.bitcode, 4);
	ck_assert_uint_eq(back.metadata.function_count, 3);
	ck_assert_str_eq(back.metadata.functions[0].name, "_Z3midf");
}
END_TEST

START_TEST(same_object_gives_same_bytes)
{
	size_t size, again_size, third_size;
	uint8_t *bytes = sample_bytes(&size), *again = sample_bytes(&again_size), *third = NULL;
	ck_assert_uint_eq(size, again_size);
	ck_assert_mem_eq(bytes, again, size);
	struct hd_object back;
	ck_assert_int_eq(hd_object_read(bytes, size, "x.hdo", &arena, &back, &diag), 0);
	ck_assert_int_eq(hd_object_write(&back, &third, &third_size, &diag), 0);
	ck_assert_uint_eq(size, third_size);
	ck_assert_mem_eq(bytes, third, size);
	ck_assert_uint_eq(hd_object_declared_size(bytes), size);
	free(bytes);
	free(again);
	free(third);
}
END_TEST

START_TEST(each_kind_of_bad_file_has_its_message)
{
	size_t size;
	uint8_t *bytes = sample_bytes(&size);
	expect_read_error((const uint8_t *)"hello world", 11, "not an ELF file");
	expect_read_error(bytes, 0, "not an ELF file");
	expect_read_error(bytes, 20, "truncated");
	expect_read_error(bytes, size - 1, "truncated");
	bytes[EI_ABIVERSION]++;
	expect_read_error(bytes, size, "version 13, but this Heddle reads versions 10 to 12");
	bytes[EI_ABIVERSION] = 9;
	expect_read_error(bytes, size, "version 9, but this Heddle reads versions 10 to 12");
	for (int version = HD_OBJECT_OLDEST; version <= HD_OBJECT_VERSION; version++) {
		struct hd_object object;
		bytes[EI_ABIVERSION] = (uint8_t)version;
		ck_assert_int_eq(hd_object_read(bytes, size, "x.hdo", &arena, &object, &diag), 0);
		ck_assert_uint_eq(hd_object_declared_size(bytes), size);
	}
	bytes[18] = EM_X86_64, bytes[19] = 0;
	expect_read_error(bytes, size, "an ELF file, but not a kernel object");
	free(bytes);
}
END_TEST

/* One change of the sample that the verifier must refuse. */
static void expect_refused(struct hd_object *object, const char *expected)
{
	uint8_t *bytes = NULL;
	size_t size;
	ck_assert_int_eq(hd_object_write(object, &bytes, &size, &diag), -1);
	expect_message(expected);
	*object = sample_object(&arena);
}

/* Of MUFU the angles' two functions alone, and in objects of version 10 alone. */
START_TEST(changed_meanings_are_known)
{
	for (uint32_t version = HD_OBJECT_OLDEST; version <= HD_OBJECT_VERSION; version++)
		for (uint32_t function = HD_MUFU_RCP; function <= HD_MUFU_RSQ64H; function++) {
			struct hd_inst inst = {.op = HD_OP_MUFU};
			inst.mods = HD_MOD(MUFUFN, function);
			uint32_t since = 0;
			const char *was = object_changed_inst(version, &inst, true, &since);
			bool angle = function == HD_MUFU_SIN || function == HD_MUFU_COS;
			ck_assert_int_eq(was != NULL, angle && version == 10);
			ck_assert_uint_eq(since, was ? 11 : 0);
			ck_assert(!was || strstr(was, function == HD_MUFU_SIN ? "MUFU.SIN" : "MUFU.COS"));
		}
}
END_TEST

START_TEST(verifier_refuses_inconsistent_objects)
{
	struct hd_object object = sample_object(&arena);
	object.functions[0].insts[3].x = 12;
	expect_refused(&object, "pc 0x30: @!P0 BRA 0xc0: branch target outside the function");
	object.functions[0].insts[4].x = 1;
	expect_refused(&object, "no such jump table");
	object.functions[0].insts[3].reconv = 12;
	expect_refused(&object, "reconvergence point outside the function");
	object.functions[0].tables[0].targets[1] = 99;
	expect_refused(&object, "jump table entry outside the function");
	object.functions[0].registers = 17;
	expect_refused(&object, "register above the number that the function declares");
	object.functions[0].insts[11].guard = 1;
	expect_refused(&object, "the last instruction falls through");
	struct hd_reloc relocs[8];
	memcpy(relocs, object.functions[0].relocs, sizeof *relocs * object.functions[0].reloc_count);
	for (uint32_t i = 0; i < object.functions[0].reloc_count; i++)
		if (relocs[i].kind == HD_REL_CALL)
			relocs[i].addend = 0x10000;
	object.functions[0].relocs = relocs;
	expect_refused(&object, "call of a place behind a function's beginning");
	object.functions[0].reloc_count = 2;
	expect_refused(&object, "call without a relocation");
	object.functions[1].insts[0].op = HD_OP_COUNT;
	expect_refused(&object, "unknown opcode");
	object.functions[1].name = "other";
	expect_refused(&object, "symbol and function have different names");
	object.bss_bytes = 4095;
	expect_refused(&object, "symbol big: variable outside its section");
	object.data_bytes = 15;
	expect_refused(&object, "variable outside its section");
	object.metadata.function_count = 32001; /* sections have numbers of 16 bits */
	expect_refused(&object, "32001 functions in one kernel object, but the limit is 32000");
}
END_TEST

START_TEST(flow_of_a_function)
{
	struct hd_object object = sample_object(&arena);
	const struct hd_function *kernel = &object.functions[0];
	uint32_t successors[4] = {0};
	ck_assert_uint_eq(hd_inst_successors(kernel, 3, successors, 4), 2);
	ck_assert(successors[0] == 4 && successors[1] == 6);
	ck_assert_uint_eq(hd_inst_successors(kernel, 4, successors, 2), 3);
	ck_assert(successors[0] == 6 && successors[1] == 9);
	ck_assert_uint_eq(hd_inst_successors(kernel, 5, successors, 4), 0);
	ck_assert_uint_eq(hd_inst_successors(kernel, 6, successors, 4), 1);
	ck_assert_uint_eq(hd_inst_successors(kernel, 11, successors, 4), 0);
	static const uint32_t expected[] = {0, 4, 5, 6, 9};
	struct hd_bitset leaders = hd_function_leaders(kernel, &arena);
	uint32_t count = 0;
	HD_BITSET_FOREACH (&leaders, index) {
		ck_assert_uint_lt(count, 5);
		ck_assert_uint_eq(index, expected[count]);
		count++;
	}
	ck_assert_uint_eq(count, 5);
}
END_TEST

/* What a reader of the object does with it: nothing may crash on an object that was accepted. */
static void use(const struct hd_object *object)
{
	uint32_t successors[4];
	for (uint32_t i = 0; i < object->function_count; i++) {
		struct hd_bitset leaders = hd_function_leaders(&object->functions[i], object->arena);
		ck_assert_uint_ge(hd_bitset_count(&leaders), 1);
		for (uint32_t j = 0; j < object->functions[i].inst_count; j++)
			hd_inst_successors(&object->functions[i], j, successors, 4);
	}
	free(hd_metadata_to_json(&object->metadata));
}

static bool read_silently(const uint8_t *bytes, size_t size)
{
	/* A block of exactly this size, so that a sanitizer sees a read behind the end. */
	uint8_t *copy = malloc(size ? size : 1);
	struct hd_arena local;
	struct hd_object object;
	memcpy(copy, bytes, size);
	hd_arena_init(&local);
	bool good = hd_object_read(copy, size, "x.hdo", &local, &object, &diag) == 0;
	if (good)
		use(&object);
	else
		ck_assert_uint_gt(messages.len, 0); /* never a failure without a word */
	hd_arena_release(&local);
	hd_strbuf_release(&messages);
	free(copy);
	return good;
}

START_TEST(every_truncation_is_an_error)
{
	size_t size;
	uint8_t *bytes = sample_bytes(&size);
	for (size_t cut = 0; cut < size; cut++)
		ck_assert(!read_silently(bytes, cut));
	ck_assert(read_silently(bytes, size));
	free(bytes);
}
END_TEST

START_TEST(mutated_bytes_never_crash)
{
	static const uint64_t interesting[] = {0,	   1,	       2,
					       7,	   0x7f,       0xff,
					       0x7fffffff, 0xffffffff, 0x8000000000000000,
					       UINT64_MAX};
	uint64_t state = 88172645463325252u;
	size_t size;
	uint8_t *bytes = sample_bytes(&size), *mutant = malloc(size);
	uint64_t sections;
	memcpy(&sections, bytes + 40, sizeof(sections));
	unsigned accepted = 0;
	for (unsigned round = 0; round < 20000; round++) {
		memcpy(mutant, bytes, size);
		unsigned changes = 1 + (unsigned)(sample_random(&state) % 4);
		for (unsigned i = 0; i < changes; i++) {
			/* A third of the changes each: the ELF header, the section headers, anywhere. */
			uint64_t where = sample_random(&state), area = sample_random(&state) % 3;
			size_t at = area == 0	? where % 64
				    : area == 1 ? sections + where % (size - sections)
						: where % size;
			uint64_t value = interesting[sample_random(&state) % 10];
			size_t width = (size_t)1 << sample_random(&state) % 4;
			if (width > size - at)
				width = size - at;
			if (sample_random(&state) % 2)
				value = sample_random(&state);
			memcpy(mutant + at, &value, width);
		}
		accepted += read_silently(mutant, size);
	}
	ck_assert_uint_lt(accepted, 20000);
	free(mutant);
	free(bytes);
}
END_TEST

static char *temporary_path(const char *name)
{
	static char directory[] = "/tmp/heddle-test-XXXXXX";
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	return hd_arena_printf(&arena, "%s/%s", directory, name);
}

static void remove_with_directory(char *path)
{
	unlink(path);
	*strrchr(path, '/') = '\0';
	/* Fails if a temporary file was left. */
	ck_assert_int_eq(rmdir(path), 0);
}

struct found {
	unsigned count;
	size_t size;
};

static int count_object(void *context, const uint8_t *bytes, size_t size)
{
	struct found *found = context;
	struct hd_object object;
	found->count++;
	found->size = size;
	return hd_object_read(bytes, size, "found", &arena, &object, &diag);
}

START_TEST(file_is_written_whole_and_scanned)
{
	struct hd_object object = sample_object(&arena);
	struct found found = {0};
	char *path = temporary_path("x.hdo");
	ck_assert_int_eq(hd_object_write_file(&object, path, &diag), 0);
	ck_assert_int_eq(hd_object_scan_file(path, count_object, &found, &diag), 1);
	ck_assert_uint_eq(found.count, 1);
	/* Replacing works, and what cannot be written is an error that leaves the file alone. */
	ck_assert_int_eq(hd_write_file(path, "short", 5, &diag), 0);
	ck_assert_int_eq(hd_object_scan_file(path, count_object, &found, &diag), -1);
	expect_message("not an ELF file");
	ck_assert_int_eq(hd_write_file("/nonexistent/x.hdo", "", 0, &diag), -1);
	expect_message("/nonexistent/x.hdo: No such file or directory");
	ck_assert_int_eq(hd_object_scan_file("/tmp", count_object, &found, &diag), -1);
	expect_message("/tmp: Is a directory");
	ck_assert_int_eq(hd_write_file("/dev/null", "x", 1, &diag), 0);
	remove_with_directory(path);
}
END_TEST

/* A host ELF file with one section, by hand: enough of one for scanning. */
static void append_host_file(struct hd_strbuf *file, const char *section, const void *contents, size_t size)
{
	static const char zeroes[64];
	char names[64] = "";
	size_t names_size = 1 + strlen(section) + 1;
	memcpy(names + 1, section, strlen(section));
	size_t padded = (size + 63) / 64 * 64;
	Elf64_Ehdr header = {.e_type = ET_EXEC,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_shoff = 64 + padded + 64,
			     .e_ehsize = 64,
			     .e_shentsize = 64,
			     .e_shnum = 3,
			     .e_shstrndx = 2};
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64, header.e_ident[EI_DATA] = ELFDATA2LSB, header.e_ident[EI_VERSION] = 1;
	Elf64_Shdr sections[3] = {{0},
				  {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = 64, .sh_size = size},
				  {.sh_type = SHT_STRTAB, .sh_offset = 64 + padded, .sh_size = names_size}};
	hd_strbuf_append_bytes(file, &header, sizeof(header));
	hd_strbuf_append_bytes(file, contents, size);
	hd_strbuf_append_bytes(file, zeroes, padded - size);
	hd_strbuf_append_bytes(file, names, sizeof(names));
	hd_strbuf_append_bytes(file, sections, sizeof(sections));
}

START_TEST(objects_in_host_programs_are_found)
{
	size_t size;
	uint8_t *bytes = sample_bytes(&size);
	struct hd_strbuf contents = {0}, file = {0};
	struct found found = {0};
	char *path = temporary_path("program");
	/* Two objects, each at a multiple of 8, with something else before them. */
	hd_strbuf_append_bytes(&contents, "\x50\xed\x55\xba\1\0\x10\0", 8);
	for (int i = 0; i < 2; i++) {
		hd_strbuf_append_bytes(&contents, bytes, size);
		while (contents.len % 8)
			hd_strbuf_append_bytes(&contents, "", 1);
	}
	append_host_file(&file, ".nv_fatbin", contents.data, contents.len);
	ck_assert_int_eq(hd_write_file(path, file.data, file.len, &diag), 0);
	ck_assert_int_eq(hd_object_scan_file(path, count_object, &found, &diag), 2);
	ck_assert_uint_eq(found.size, size);
	hd_strbuf_release(&file);

	append_host_file(&file, ".nothing", contents.data, contents.len);
	ck_assert_int_eq(hd_write_file(path, file.data, file.len, &diag), 0);
	ck_assert_int_eq(hd_object_scan_file(path, count_object, &found, &diag), 0);
	hd_strbuf_release(&file);

	/* An object that the section cuts off is an error, not silence. */
	append_host_file(&file, ".nv_fatbin", bytes, size - 8);
	ck_assert_int_eq(hd_write_file(path, file.data, file.len, &diag), 0);
	ck_assert_int_eq(hd_object_scan_file(path, count_object, &found, &diag), -1);
	expect_message("truncated");
	ck_assert_int_eq(hd_write_file(path, file.data, file.len / 2, &diag), 0);
	ck_assert_int_eq(hd_object_scan_file(path, count_object, &found, &diag), -1);
	expect_message("truncated or damaged ELF file");
	hd_strbuf_release(&file);
	hd_strbuf_release(&contents);
	free(bytes);
	remove_with_directory(path);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("object");
	TCase *tests = tcase_create("object");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, reads_back_what_was_written);
	tcase_add_test(tests, same_object_gives_same_bytes);
	tcase_add_test(tests, each_kind_of_bad_file_has_its_message);
	tcase_add_test(tests, changed_meanings_are_known);
	tcase_add_test(tests, verifier_refuses_inconsistent_objects);
	tcase_add_test(tests, flow_of_a_function);
	tcase_add_test(tests, every_truncation_is_an_error);
	tcase_add_test(tests, mutated_bytes_never_crash);
	tcase_add_test(tests, file_is_written_whole_and_scanned);
	tcase_add_test(tests, objects_in_host_programs_are_found);
	suite_add_tcase(suite, tests);
	return suite;
}
