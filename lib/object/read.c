/*
 * Reads a kernel object from bytes that may be anything. The bytes are copied into the
 * arena once and everything points into that copy, so memory is linear in the file:
 * sections that claim the same bytes twice run out of `budget`.
 *
 * Order: header, sections by name, records of functions, symbols, relocations of data, the list of functions in the
 * metadata; then what the parts say about each other. Opening an object ends here and costs what its symbols and
 * sections do; load.c reads code, origins and metadata of a function, hd_object_read those of all.
 */
#include <string.h>

#include "lib/metadata/pack.h"
#include "lib/object/elf.h"
#include "lib/object/layout.h"
#include "lib/object/parts.h"

struct reader {
	const char *name;
	struct hd_arena *arena;
	struct hd_object *object;
	struct hd_diag *diag;
	struct elf_image image;
	struct elf_section data, rodata, bss, shared, functions, linears, symbols, control, origins, inlined, meta, ir,
		symtab;
	size_t data_index, rodata_index, bss_index, shared_index;
	uint32_t *function_of; /* function + 1 by section index, 0 none; linear versions follow the functions */
	size_t *text;	       /* section index by function */
	struct hd_object_rest *rest;
	struct object_body *bodies; /* of the rest */
	const uint8_t *linear_records;
};

__attribute__((format(printf, 2, 3))) static int damaged(struct reader *reader, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *what = NULL;
	if (vasprintf(&what, format, args) < 0)
		what = NULL;
	va_end(args);
	hd_error(reader->diag, HD_NOWHERE, "%s: damaged kernel object: %s", reader->name, what ? what : "");
	free(what);
	return -1;
}

/* A message for each way in which a file is no object at all. */
static int check_header(struct reader *reader, const uint8_t *bytes, size_t *size, uint32_t *version)
{
	uint64_t declared = 0;
	if (*size < 4 || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return hd_error(reader->diag, HD_NOWHERE, "%s: not a kernel object (not an ELF file)", reader->name);
	if (*size < OBJECT_HEADER_BYTES)
		return hd_error(reader->diag, HD_NOWHERE, "%s: truncated: %zu bytes, less than an ELF header",
				reader->name, *size);
	switch (object_header_check(bytes, &declared, version)) {
	case OBJECT_NOT_ELF:
	case OBJECT_OTHER_ELF:
		return hd_error(reader->diag, HD_NOWHERE, "%s: an ELF file, but not a kernel object", reader->name);
	case OBJECT_OTHER_VERSION:
		return hd_error(reader->diag, HD_NOWHERE,
				"%s: kernel object of version %u, but this Heddle reads versions %d to %d "
				"(compile again)",
				reader->name, *version, HD_OBJECT_OLDEST, HD_OBJECT_VERSION);
	case OBJECT_BAD_HEADER: return damaged(reader, "bad ELF header");
	case OBJECT_OK: break;
	}
	if (declared > *size)
		return hd_error(reader->diag, HD_NOWHERE, "%s: truncated: %zu bytes of %llu", reader->name, *size,
				(unsigned long long)declared);
	*size = (size_t)declared;
	return 0;
}

static int find_sections(struct reader *reader)
{
	const struct {
		const char *name;
		uint32_t type;
		struct elf_section *section;
		size_t *index;
		bool optional;
	} wanted[] = {
		{".symtab", SHT_SYMTAB, &reader->symtab, NULL, false},
		{".data", SHT_PROGBITS, &reader->data, &reader->data_index, false},
		{".rodata", SHT_PROGBITS, &reader->rodata, &reader->rodata_index, false},
		{".bss", SHT_NOBITS, &reader->bss, &reader->bss_index, false},
		{SECTION_SHARED, SHT_NOBITS, &reader->shared, &reader->shared_index, false},
		{SECTION_FUNCTIONS, SHT_PROGBITS, &reader->functions, NULL, false},
		{SECTION_LINEAR, SHT_PROGBITS, &reader->linears, NULL, true},
		{SECTION_SYMBOLS, SHT_PROGBITS, &reader->symbols, NULL, false},
		{SECTION_CONTROL, SHT_PROGBITS, &reader->control, NULL, true},
		{SECTION_ORIGINS, SHT_PROGBITS, &reader->origins, NULL, true},
		{SECTION_INLINED, SHT_PROGBITS, &reader->inlined, NULL, true},
		{SECTION_META, SHT_PROGBITS, &reader->meta, NULL, false},
		{SECTION_IR, SHT_PROGBITS, &reader->ir, NULL, true},
	};
	for (size_t index = 1; index < reader->image.section_count; index++) {
		struct elf_section section;
		if (elf_image_section(&reader->image, index, &section) != 0)
			return damaged(reader, "section %zu is outside the file", index);
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
			if (strcmp(section.name, wanted[i].name) != 0)
				continue;
			if (section.type != wanted[i].type || section.flags & SHF_COMPRESSED || wanted[i].section->scn)
				return damaged(reader, "section %s has the wrong kind or is a duplicate", section.name);
			*wanted[i].section = section;
			if (wanted[i].index)
				*wanted[i].index = index;
		}
	}
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!wanted[i].section->scn && !wanted[i].optional)
			return damaged(reader, "no section %s", wanted[i].name);
	return 0;
}

/* Takes a code section for function number `index`, linear versions counted behind the functions. */
static int take_code(struct reader *reader, uint32_t index, uint32_t section, const char *prefix,
		     struct hd_function *function)
{
	struct elf_section text;
	if (section == 0 || section >= reader->image.section_count || reader->function_of[section] ||
	    elf_image_section(&reader->image, section, &text) != 0 || strncmp(text.name, prefix, strlen(prefix)) != 0 ||
	    !text.name[strlen(prefix)])
		return damaged(reader, "function %u has no code section", index);
	if (text.type != SHT_PROGBITS || text.bytes % HD_INST_BYTES || text.bytes / HD_INST_BYTES > UINT32_MAX)
		return damaged(reader, "section %s holds no code", text.name);
	reader->function_of[section] = index + 1;
	function->name = text.name + strlen(prefix);
	function->inst_count = (uint32_t)(text.bytes / HD_INST_BYTES);
	reader->bodies[index].text = text.data;
	reader->bodies[index].text_bytes = text.bytes;
	return 0;
}

static int read_function(struct reader *reader, uint32_t index, const uint8_t *record)
{
	struct hd_function *function = &reader->object->functions[index];
	uint32_t flags = get_u32(record + 4);
	if (flags & ~(uint32_t)FUNCTION_FLAGS || flags == FUNCTION_FLAGS)
		return damaged(reader, "function %u has unknown flags", index);
	reader->text[index] = get_u32(record);
	function->kernel = flags & FUNCTION_IS_KERNEL;
	function->helper = flags & FUNCTION_IS_HELPER;
	function->registers = get_u32(record + 8);
	function->frame_bytes = get_u32(record + 12);
	function->shared_bytes = get_u32(record + 16);
	function->param_bytes = get_u32(record + 20);
	function->table_count = get_u32(record + 24);
	function->result_words = get_u32(record + 28);
	if (function->result_words > HD_MAX_REGS)
		return damaged(reader, "function %u has %u registers of results", index, function->result_words);
	return take_code(reader, index, get_u32(record), TEXT_PREFIX, function);
}

/* Jump tables stand behind the records, in order. */
static int read_all_tables(struct reader *reader, uint64_t at)
{
	const uint8_t *data = reader->functions.data;
	struct hd_span tables = {data + at, data + reader->functions.bytes, false};
	for (uint32_t i = 0; i < reader->object->function_count; i++)
		if (object_read_tables(&tables, &reader->object->functions[i], reader->arena) != 0)
			return damaged(reader, "jump tables of function %s", reader->object->functions[i].name);
	return hd_span_left(&tables) ? damaged(reader, "bytes after the jump tables") : 0;
}

static int read_linear(struct reader *reader, uint32_t index, const uint8_t *record)
{
	struct hd_linear *linear = &reader->object->linears[index];
	linear->kernel = get_u32(record + 4);
	linear->body.registers = get_u32(record + 8);
	linear->body.frame_bytes = get_u32(record + 12);
	linear->body.table_count = get_u32(record + 16);
	for (unsigned i = 0; i < HD_STREAM_COUNT; i++)
		linear->start[i] = get_u32(record + 20 + 4 * i);
	linear->coefficients = get_u32(record + 36);
	linear->threads = get_u32(record + 40);
	linear->linears = get_u32(record + 44);
	linear->check_count = get_u32(record + 48);
	linear->saved = get_u32(record + 52);
	memcpy(linear->thread_of, record + 56, sizeof linear->thread_of);
	return take_code(reader, reader->object->function_count + index, get_u32(record), LINEAR_PREFIX, &linear->body);
}

/* A section of items. */
static int open_items(struct reader *reader, const struct elf_section *section, struct items *items)
{
	const char *wrong = items_open(items, section->data, section->bytes, reader->arena);
	return wrong ? damaged(reader, "section %s: %s", section->name, wrong) : 0;
}

static int get_item(struct reader *reader, const struct elf_section *section, struct items *items, uint32_t index,
		    struct hd_span *span)
{
	const char *wrong = items_get(items, index, span);
	return wrong ? damaged(reader, "section %s: %s", section->name, wrong) : 0;
}

/* Before code is taken. */
static int read_linears(struct reader *reader)
{
	struct hd_object *object = reader->object;
	struct hd_span records = {0};
	if (reader->linears.scn && (open_items(reader, &reader->linears, &reader->rest->linears) != 0 ||
				    get_item(reader, &reader->linears, &reader->rest->linears, 0, &records) != 0))
		return -1;
	uint64_t count = hd_span_left(&records) / LINEAR_RECORD_BYTES;
	if (hd_span_left(&records) % LINEAR_RECORD_BYTES || count > reader->image.section_count ||
	    (reader->linears.scn && reader->rest->linears.count != count + 1))
		return damaged(reader, "linear versions");
	object->linear_count = (uint32_t)count;
	object->linears = HD_ARENA_NEW(reader->arena, struct hd_linear, count);
	reader->linear_records = records.at;
	return 0;
}

static int read_functions(struct reader *reader)
{
	const struct elf_section *blob = &reader->functions;
	struct hd_object *object = reader->object;
	uint32_t count = blob->bytes >= 4 ? get_u32(blob->data) : UINT32_MAX;
	if (blob->bytes < 4 || count > (blob->bytes - 4) / FUNCTION_RECORD_BYTES)
		return damaged(reader, "function records");
	if (read_linears(reader) != 0)
		return -1;
	object->function_count = count;
	object->functions = HD_ARENA_NEW(reader->arena, struct hd_function, count);
	reader->rest->body_count = count + object->linear_count;
	reader->bodies = reader->rest->bodies =
		HD_ARENA_NEW(reader->arena, struct object_body, reader->rest->body_count);
	reader->rest->code_read = HD_ARENA_NEW(reader->arena, bool, count);
	reader->text = HD_ARENA_NEW(reader->arena, size_t, count);
	reader->function_of = HD_ARENA_NEW(reader->arena, uint32_t, reader->image.section_count);
	for (uint32_t i = 0; i < count; i++)
		if (read_function(reader, i, blob->data + 4 + (size_t)i * FUNCTION_RECORD_BYTES) != 0)
			return -1;
	for (uint32_t i = 0; i < object->linear_count; i++)
		if (read_linear(reader, i, reader->linear_records + (size_t)i * LINEAR_RECORD_BYTES) != 0)
			return -1;
	return read_all_tables(reader, 4 + (uint64_t)count * FUNCTION_RECORD_BYTES);
}

/* The section that a symbol with these properties must be in. */
static size_t expected_section(const struct reader *reader, const struct hd_symbol *symbol)
{
	if (symbol->kind == HD_SYM_FUNCTION)
		return symbol->function < reader->object->function_count ? reader->text[symbol->function] : SHN_UNDEF;
	if (symbol->space == HD_SPACE_SHARED)
		return reader->shared_index;
	if (symbol->bss)
		return reader->bss_index;
	return symbol->space == HD_SPACE_CONSTANT ? reader->rodata_index : reader->data_index;
}

static int read_symbol(struct reader *reader, const GElf_Sym *entry, const uint8_t *record, struct hd_symbol *symbol)
{
	uint32_t flags = get_u32(record);
	bool variable = flags & SYMBOL_IS_VARIABLE;
	symbol->name = elf_strptr(reader->image.elf, reader->symtab.link, entry->st_name);
	if (!symbol->name || !symbol->name[0])
		return damaged(reader, "symbol without a name");
	symbol->kind = variable ? HD_SYM_VARIABLE : HD_SYM_FUNCTION;
	symbol->defined = entry->st_shndx != SHN_UNDEF;
	symbol->global = GELF_ST_BIND(entry->st_info) == STB_GLOBAL;
	symbol->managed = flags & SYMBOL_IS_MANAGED;
	symbol->bss = flags & SYMBOL_IS_BSS;
	symbol->space = (enum hd_space)(flags & SYMBOL_SPACE_MASK);
	symbol->function = get_u32(record + 4);
	symbol->align = get_u64(record + 8);
	symbol->size = entry->st_size;
	symbol->section_offset = (uint32_t)entry->st_value;
	bool consistent = !(flags & ~(uint32_t)SYMBOL_FLAGS) && entry->st_value <= UINT32_MAX &&
			  GELF_ST_TYPE(entry->st_info) == (variable ? STT_OBJECT : STT_FUNC) &&
			  (symbol->global || GELF_ST_BIND(entry->st_info) == STB_LOCAL) &&
			  (!symbol->defined || entry->st_shndx == expected_section(reader, symbol));
	return consistent ? 0 : damaged(reader, "symbol %s contradicts itself", symbol->name);
}

static int read_symbols(struct reader *reader)
{
	struct hd_object *object = reader->object;
	uint64_t count = reader->symtab.bytes / sizeof(Elf64_Sym);
	Elf_Data *data = elf_getdata(reader->symtab.scn, NULL);
	if (!data || count == 0 || count - 1 != reader->symbols.bytes / SYMBOL_RECORD_BYTES || count > INT32_MAX)
		return damaged(reader, "symbol records do not match the symbol table");
	object->symbol_count = (uint32_t)count - 1;
	object->symbols = HD_ARENA_NEW(reader->arena, struct hd_symbol, object->symbol_count);
	for (uint32_t i = 0; i < object->symbol_count; i++) {
		GElf_Sym entry;
		if (!gelf_getsym(data, (int)i + 1, &entry))
			return damaged(reader, "symbol table");
		if (read_symbol(reader, &entry, reader->symbols.data + (size_t)i * SYMBOL_RECORD_BYTES,
				&object->symbols[i]) != 0)
			return -1;
	}
	return 0;
}

static int read_data_relocs(struct reader *reader, const struct elf_section *section, struct hd_reloc **relocs,
			    uint32_t *reloc_count)
{
	uint64_t count = section->bytes / sizeof(Elf64_Rela);
	if (*relocs || count > INT32_MAX)
		return damaged(reader, "relocations in %s", section->name);
	if (section->bytes > reader->rest->budget)
		return damaged(reader, "sections overlap");
	reader->rest->budget -= section->bytes;
	*relocs = HD_ARENA_NEW(reader->arena, struct hd_reloc, count);
	*reloc_count = (uint32_t)count;
	for (uint32_t i = 0; i < count; i++)
		if (object_read_reloc(section->data + (size_t)i * sizeof(Elf64_Rela), 1, reader->object->symbol_count,
				      &(*relocs)[i]) != 0)
			return damaged(reader, "relocation %u in %s", i, section->name);
	return 0;
}

/* Those of code wait until it is read. */
static int take_code_relocs(struct reader *reader, const struct elf_section *section, uint32_t index)
{
	struct object_body *body = &reader->bodies[index];
	if (body->relocs || section->bytes / sizeof(Elf64_Rela) > INT32_MAX)
		return damaged(reader, "relocations in %s", section->name);
	body->relocs = section->data;
	body->reloc_bytes = section->bytes;
	return 0;
}

static int read_all_relocs(struct reader *reader)
{
	struct hd_object *object = reader->object;
	for (size_t index = 1; index < reader->image.section_count; index++) {
		struct elf_section section;
		int result = 0;
		if (elf_image_section(&reader->image, index, &section) != 0)
			return damaged(reader, "section %zu is outside the file", index);
		if (section.type != SHT_RELA)
			continue;
		if (section.info < reader->image.section_count && reader->function_of[section.info])
			result = take_code_relocs(reader, &section, reader->function_of[section.info] - 1);
		else if (section.info == reader->data_index)
			result = read_data_relocs(reader, &section, &object->data_relocs, &object->data_reloc_count);
		else if (section.info == reader->rodata_index)
			result =
				read_data_relocs(reader, &section, &object->rodata_relocs, &object->rodata_reloc_count);
		else
			result = damaged(reader, "section %s relocates an unknown section", section.name);
		if (result != 0)
			return -1;
	}
	return 0;
}

static int read_file_names(struct reader *reader)
{
	struct hd_object *object = reader->object;
	struct hd_span names;
	if (!reader->origins.scn)
		return 0; /* stripped */
	if (open_items(reader, &reader->origins, &reader->rest->origins) != 0 ||
	    get_item(reader, &reader->origins, &reader->rest->origins, 0, &names) != 0)
		return -1;
	const uint8_t *count = hd_span_take(&names, 4);
	if (!count || get_u32(count) > hd_span_left(&names) ||
	    reader->rest->origins.count != reader->rest->body_count + 1)
		return damaged(reader, "origins of instructions do not match the code");
	object->file_count = get_u32(count);
	object->files = HD_ARENA_NEW(reader->arena, const char *, object->file_count);
	for (uint32_t i = 0; i < object->file_count; i++)
		object->files[i] = hd_span_text(&names);
	reader->rest->has_origins = true;
	return names.failed || hd_span_left(&names) ? damaged(reader, "names of source files") : 0;
}

static int open_control(struct reader *reader)
{
	if (!reader->control.scn)
		return 0;
	reader->rest->has_control = true;
	if (open_items(reader, &reader->control, &reader->rest->control) != 0)
		return -1;
	return reader->rest->control.count == reader->rest->body_count
		       ? 0
		       : damaged(reader, "control bits do not match the code");
}

static int open_metadata(struct reader *reader)
{
	struct hd_metadata *metadata = &reader->object->metadata;
	struct items *items = &reader->rest->meta;
	struct hd_span document;
	if (open_items(reader, &reader->meta, items) != 0 ||
	    get_item(reader, &reader->meta, items, 0, &document) != 0 ||
	    hd_meta_unpack_document(&document, reader->name, reader->arena, metadata, reader->diag) != 0)
		return -1;
	if (items->count != 1 + HD_META_PARTS * metadata->function_count)
		return damaged(reader, "section %s: its parts do not match its functions", reader->meta.name);
	reader->rest->meta_read = HD_ARENA_NEW(reader->arena, uint8_t, metadata->function_count);
	return 0;
}

static int read_data(struct reader *reader)
{
	struct hd_object *object = reader->object;
	if (reader->data.bytes > UINT32_MAX || reader->rodata.bytes > UINT32_MAX || reader->bss.bytes > UINT32_MAX)
		return damaged(reader, "data of more than 4 GiB");
	/* Into the arena's copy of the file, which nobody else has. */
	object->data = (uint8_t *)(uintptr_t)reader->data.data;
	object->data_bytes = (uint32_t)reader->data.bytes;
	object->rodata = (uint8_t *)(uintptr_t)reader->rodata.data;
	object->rodata_bytes = (uint32_t)reader->rodata.bytes;
	object->bss_bytes = (uint32_t)reader->bss.bytes;
	return 0;
}

static int read_sections(struct reader *reader)
{
	if (find_sections(reader) != 0 || read_functions(reader) != 0 || read_symbols(reader) != 0 ||
	    read_all_relocs(reader) != 0 || open_control(reader) != 0 || read_file_names(reader) != 0 ||
	    read_data(reader) != 0 || open_metadata(reader) != 0)
		return -1;
	return object_verify_frame(reader->object, reader->name, reader->diag);
}

/* Annotated bitcode, where there is some. */
static int read_bitcode(struct reader *reader)
{
	struct items items;
	struct hd_span bitcode;
	if (!reader->ir.scn)
		return 0;
	if (open_items(reader, &reader->ir, &items) != 0 || get_item(reader, &reader->ir, &items, 0, &bitcode) != 0)
		return -1;
	reader->object->bitcode = bitcode.at;
	reader->object->bitcode_bytes = hd_span_left(&bitcode);
	return 0;
}

/* ------------------------------------------------------------------ inlined calls */

static int read_calls(struct reader *reader, struct hd_span *span)
{
	struct hd_object *object = reader->object;
	uint64_t count = hd_span_varint(span);
	if (span->failed || count > hd_span_left(span))
		return damaged(reader, "section %s", SECTION_INLINED);
	object->inlined = HD_ARENA_NEW(reader->arena, struct hd_inlined, count);
	object->inlined_count = (uint32_t)count;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t file = hd_span_varint(span), line = hd_span_varint(span), column = hd_span_varint(span);
		uint64_t outer = hd_span_varint(span);
		if (span->failed || file > object->file_count || line > UINT32_MAX || column > UINT32_MAX || outer > i)
			return damaged(reader, "inlined call %u", i);
		object->inlined[i] = (struct hd_inlined){.file = (uint32_t)file - 1,
							 .line = (uint32_t)line,
							 .column = (uint32_t)column,
							 .outer = (uint32_t)outer};
	}
	for (uint32_t i = 0; i < count; i++)
		object->inlined[i].callee = hd_span_text(span);
	return span->failed || hd_span_left(span) ? damaged(reader, "names of inlined functions") : 0;
}

static int read_calls_of(struct reader *reader, struct hd_span *span, struct hd_function *function)
{
	int64_t inlined = 0;
	for (uint32_t i = 0; i < function->inst_count; i++) {
		inlined += hd_unzigzag(hd_span_varint(span));
		if (span->failed || inlined < 0 || inlined > reader->object->inlined_count)
			return damaged(reader, "inlined calls of function %s", function->name);
		function->origins[i].inlined = (uint32_t)inlined;
	}
	return hd_span_left(span) ? damaged(reader, "inlined calls of function %s do not fit its code", function->name)
				  : 0;
}

/* Of all functions, whose code is there: who executes does not ask. */
static int read_inlined(struct reader *reader)
{
	struct items items;
	struct hd_span span;
	if (!reader->inlined.scn)
		return 0;
	if (open_items(reader, &reader->inlined, &items) != 0 ||
	    get_item(reader, &reader->inlined, &items, 0, &span) != 0 || read_calls(reader, &span) != 0)
		return -1;
	if (items.count != reader->rest->body_count + 1)
		return damaged(reader, "inlined calls do not match the code");
	for (uint32_t i = 0; i < reader->rest->body_count; i++)
		if (get_item(reader, &reader->inlined, &items, i + 1, &span) != 0 ||
		    read_calls_of(reader, &span, object_body(reader->object, i)) != 0)
			return -1;
	return 0;
}

static int open_object(struct reader *reader, const uint8_t *bytes, size_t size, bool whole)
{
	*reader->object = (struct hd_object){.arena = reader->arena};
	uint32_t version = 0;
	if (check_header(reader, bytes, &size, &version) != 0)
		return -1;
	uint8_t *copy = hd_arena_alloc(reader->arena, size);
	memcpy(copy, bytes, size);
	reader->rest = HD_ARENA_NEW(reader->arena, struct hd_object_rest, 1);
	reader->rest->name = hd_arena_strdup(reader->arena, reader->name);
	reader->rest->version = version;
	reader->rest->budget = size;
	reader->object->rest = reader->rest;
	int result = elf_image_init(&reader->image, copy, size) == 0 ? read_sections(reader)
								     : damaged(reader, "not readable as ELF");
	if (result == 0 && whole)
		result =
			hd_object_load_all(reader->object, reader->diag) || read_inlined(reader) || read_bitcode(reader)
				? -1
				: 0;
	elf_image_release(&reader->image);
	return result;
}

int hd_object_read(const uint8_t *bytes, size_t size, const char *name, struct hd_arena *arena,
		   struct hd_object *object, struct hd_diag *diag)
{
	struct reader reader = {.name = name, .arena = arena, .object = object, .diag = diag};
	return open_object(&reader, bytes, size, true);
}

int hd_object_open(const uint8_t *bytes, size_t size, const char *name, struct hd_arena *arena,
		   struct hd_object *object, struct hd_diag *diag)
{
	struct reader reader = {.name = name, .arena = arena, .object = object, .diag = diag};
	return open_object(&reader, bytes, size, false);
}
