/*
 * Reads a kernel object from bytes that may be anything. The bytes are copied into the
 * arena once and everything points into that copy, so memory is linear in the file:
 * sections that claim the same bytes twice run out of `budget`.
 *
 * Order: header, sections by name, functions and code, symbols, relocations, origins,
 * metadata; then hd_object_verify() for what the parts say about each other.
 */
#include <string.h>

#include "heddle/control.h"
#include "lib/object/elf.h"
#include "lib/object/layout.h"

struct reader {
	const char *name;
	struct hd_arena *arena;
	struct hd_object *object;
	struct hd_diag *diag;
	struct elf_image image;
	struct elf_section data, rodata, bss, shared, functions, linears, symbols, control, origins, meta, ir, symtab;
	size_t data_index, rodata_index, bss_index, shared_index;
	uint32_t *function_of; /* function + 1 by section index, 0 none; linear versions follow the functions */
	size_t *text;	       /* section index by function */
	uint64_t budget;       /* bytes of code and relocations that may still be taken */
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
static int check_header(struct reader *reader, const uint8_t *bytes, size_t *size)
{
	uint64_t declared = 0;
	uint32_t version = 0;
	if (*size < 4 || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return hd_error(reader->diag, HD_NOWHERE, "%s: not a kernel object (not an ELF file)", reader->name);
	if (*size < OBJECT_HEADER_BYTES)
		return hd_error(reader->diag, HD_NOWHERE, "%s: truncated: %zu bytes are no whole ELF header",
				reader->name, *size);
	switch (object_header_check(bytes, &declared, &version)) {
	case OBJECT_NOT_ELF:
	case OBJECT_OTHER_ELF:
		return hd_error(reader->diag, HD_NOWHERE, "%s: an ELF file, but not a kernel object", reader->name);
	case OBJECT_OTHER_VERSION:
		return hd_error(reader->diag, HD_NOWHERE,
				"%s: kernel object of version %u; this Heddle reads version %d", reader->name, version,
				HD_OBJECT_VERSION);
	case OBJECT_BAD_HEADER: return damaged(reader, "bad ELF header");
	case OBJECT_OK: break;
	}
	if (declared > *size)
		return hd_error(reader->diag, HD_NOWHERE, "%s: truncated: %zu bytes of %llu", reader->name, *size,
				(unsigned long long)declared);
	*size = (size_t)declared;
	return 0;
}

static int spend(struct reader *reader, uint64_t bytes)
{
	if (bytes > reader->budget)
		return damaged(reader, "sections overlap");
	reader->budget -= bytes;
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
				return damaged(reader, "section %s is of the wrong kind or there twice", section.name);
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

static int read_code(struct reader *reader, struct hd_function *function, const struct elf_section *text)
{
	if (text->type != SHT_PROGBITS || text->bytes % HD_INST_BYTES)
		return damaged(reader, "section %s is no code", text->name);
	if (spend(reader, text->bytes) != 0)
		return -1;
	function->inst_count = (uint32_t)(text->bytes / HD_INST_BYTES);
	function->insts = HD_ARENA_NEW(reader->arena, struct hd_inst, function->inst_count);
	function->origins = HD_ARENA_NEW(reader->arena, struct hd_origin, function->inst_count);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		function->origins[i] = (struct hd_origin){.file = UINT32_MAX, .ir = UINT32_MAX};
		if (hd_inst_decode(text->data + (size_t)i * HD_INST_BYTES, &function->insts[i]) != 0)
			return damaged(reader, "function %s, pc 0x%x: no instruction", function->name,
				       i * HD_INST_BYTES);
	}
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
	reader->function_of[section] = index + 1;
	function->name = text.name + strlen(prefix);
	return read_code(reader, function, &text);
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
	return take_code(reader, index, get_u32(record), TEXT_PREFIX, function);
}

static int read_tables(struct reader *reader, const struct elf_section *blob, uint64_t *at,
		       struct hd_function *function)
{
	if (function->table_count > (blob->bytes - *at) / 4)
		return damaged(reader, "jump tables of function %s", function->name);
	function->tables = HD_ARENA_NEW(reader->arena, struct hd_jump_table, function->table_count);
	for (uint32_t j = 0; j < function->table_count; j++) {
		struct hd_jump_table *table = &function->tables[j];
		if (blob->bytes - *at < 4)
			return damaged(reader, "jump tables of function %s", function->name);
		table->count = get_u32(blob->data + *at);
		*at += 4;
		if (table->count > (blob->bytes - *at) / 4)
			return damaged(reader, "jump tables of function %s", function->name);
		table->targets = HD_ARENA_NEW(reader->arena, uint32_t, table->count);
		for (uint32_t k = 0; k < table->count; k++, *at += 4)
			table->targets[k] = get_u32(blob->data + *at);
	}
	return 0;
}

/* Jump tables stand behind the records, in order. */
static int read_all_tables(struct reader *reader, uint64_t at)
{
	for (uint32_t i = 0; i < reader->object->function_count; i++)
		if (read_tables(reader, &reader->functions, &at, &reader->object->functions[i]) != 0)
			return -1;
	return at == reader->functions.bytes ? 0 : damaged(reader, "bytes behind the jump tables");
}

static int read_check(struct reader *reader, uint64_t *at, struct hd_linear_check *check)
{
	const struct elf_section *blob = &reader->linears;
	const uint8_t *data = blob->data + *at;
	if (blob->bytes - *at < 24)
		return damaged(reader, "checks of a linear version");
	check->low = (int64_t)get_u64(data);
	check->high = (int64_t)get_u64(data + 8);
	check->count = get_u32(data + 16);
	*at += 24;
	if (check->count > (blob->bytes - *at) / 8)
		return damaged(reader, "checks of a linear version");
	check->words = HD_ARENA_NEW(reader->arena, int64_t, check->count);
	for (uint32_t i = 0; i < check->count; i++, *at += 8)
		check->words[i] = (int64_t)get_u64(blob->data + *at);
	return 0;
}

static int read_undefined(struct reader *reader, uint64_t *at, struct hd_linear *linear)
{
	const struct elf_section *blob = &reader->linears;
	if (blob->bytes - *at < 4)
		return damaged(reader, "linear version of %s", linear->body.name);
	linear->undefined_count = get_u32(blob->data + *at);
	*at += 4;
	if (linear->undefined_count > (blob->bytes - *at) / 8)
		return damaged(reader, "linear version of %s", linear->body.name);
	linear->undefined = HD_ARENA_NEW(reader->arena, struct hd_undefined, linear->undefined_count);
	for (uint32_t i = 0; i < linear->undefined_count; i++, *at += 8)
		linear->undefined[i] = (struct hd_undefined){.pc = get_u32(blob->data + *at),
							     .reg = blob->data[*at + 4],
							     .words = blob->data[*at + 5]};
	return 0;
}

static int read_linear_parts(struct reader *reader, uint64_t *at, struct hd_linear *linear)
{
	const struct elf_section *blob = &reader->linears;
	if (linear->body.inst_count > (blob->bytes - *at) / 4)
		return damaged(reader, "linear version of %s", linear->body.name);
	linear->twins = HD_ARENA_NEW(reader->arena, uint32_t, linear->body.inst_count);
	for (uint32_t i = 0; i < linear->body.inst_count; i++, *at += 4)
		linear->twins[i] = get_u32(blob->data + *at);
	if (read_undefined(reader, at, linear) != 0)
		return -1;
	if (read_tables(reader, blob, at, &linear->body) != 0)
		return -1;
	if (linear->check_count > (blob->bytes - *at) / 24)
		return damaged(reader, "checks of a linear version");
	linear->checks = HD_ARENA_NEW(reader->arena, struct hd_linear_check, linear->check_count);
	for (uint32_t i = 0; i < linear->check_count; i++)
		if (read_check(reader, at, &linear->checks[i]) != 0)
			return -1;
	return 0;
}

static int read_linear(struct reader *reader, uint32_t index, uint64_t *at)
{
	struct hd_linear *linear = &reader->object->linears[index];
	const uint8_t *record = reader->linears.data + *at;
	if (reader->linears.bytes - *at < LINEAR_RECORD_BYTES)
		return damaged(reader, "linear versions");
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
	*at += LINEAR_RECORD_BYTES;
	if (take_code(reader, reader->object->function_count + index, get_u32(record), LINEAR_PREFIX, &linear->body) !=
	    0)
		return -1;
	return read_linear_parts(reader, at, linear);
}

static int read_linears(struct reader *reader)
{
	const struct elf_section *blob = &reader->linears;
	struct hd_object *object = reader->object;
	uint64_t at = 4;
	if (!blob->scn)
		return 0;
	uint32_t count = blob->bytes >= 4 ? get_u32(blob->data) : UINT32_MAX;
	if (blob->bytes < 4 || count > (blob->bytes - 4) / LINEAR_RECORD_BYTES)
		return damaged(reader, "linear versions");
	object->linear_count = count;
	object->linears = HD_ARENA_NEW(reader->arena, struct hd_linear, count);
	for (uint32_t i = 0; i < count; i++)
		if (read_linear(reader, i, &at) != 0)
			return -1;
	return at == blob->bytes ? 0 : damaged(reader, "bytes behind the linear versions");
}

static int read_functions(struct reader *reader)
{
	const struct elf_section *blob = &reader->functions;
	struct hd_object *object = reader->object;
	uint32_t count = blob->bytes >= 4 ? get_u32(blob->data) : UINT32_MAX;
	if (blob->bytes < 4 || count > (blob->bytes - 4) / FUNCTION_RECORD_BYTES)
		return damaged(reader, "function records");
	object->function_count = count;
	object->functions = HD_ARENA_NEW(reader->arena, struct hd_function, count);
	reader->text = HD_ARENA_NEW(reader->arena, size_t, count);
	reader->function_of = HD_ARENA_NEW(reader->arena, uint32_t, reader->image.section_count);
	for (uint32_t i = 0; i < count; i++)
		if (read_function(reader, i, blob->data + 4 + (size_t)i * FUNCTION_RECORD_BYTES) != 0)
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
		return damaged(reader, "symbol records do not fit the symbol table");
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

/* `unit`: bytes that one step of hd_reloc.offset stands for. */
static int read_relocs(struct reader *reader, const struct elf_section *section, uint32_t unit,
		       struct hd_reloc **relocs, uint32_t *reloc_count)
{
	uint64_t count = section->bytes / sizeof(Elf64_Rela);
	Elf_Data *data = elf_getdata(section->scn, NULL);
	if (*relocs || !data || count > INT32_MAX)
		return damaged(reader, "relocations in %s", section->name);
	if (spend(reader, section->bytes) != 0)
		return -1;
	*relocs = HD_ARENA_NEW(reader->arena, struct hd_reloc, count);
	*reloc_count = (uint32_t)count;
	for (uint32_t i = 0; i < count; i++) {
		GElf_Rela entry;
		if (!gelf_getrela(data, (int)i, &entry))
			return damaged(reader, "relocations in %s", section->name);
		uint64_t type = GELF_R_TYPE(entry.r_info), symbol = GELF_R_SYM(entry.r_info);
		if (type < 1 || type > (uint32_t)HD_REL_ABS64 + 1 || symbol < 1 ||
		    symbol > reader->object->symbol_count || entry.r_offset % unit ||
		    entry.r_offset / unit > UINT32_MAX)
			return damaged(reader, "relocation %u in %s", i, section->name);
		(*relocs)[i] = (struct hd_reloc){.kind = (enum hd_relkind)(type - 1),
						 .symbol = (uint32_t)symbol - 1,
						 .offset = (uint32_t)(entry.r_offset / unit),
						 .addend = entry.r_addend};
	}
	return 0;
}

static struct hd_function *code_of(const struct hd_object *object, uint32_t index)
{
	return index < object->function_count ? &object->functions[index]
					      : &object->linears[index - object->function_count].body;
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
		if (section.info < reader->image.section_count && reader->function_of[section.info]) {
			struct hd_function *function = code_of(object, reader->function_of[section.info] - 1);
			result =
				read_relocs(reader, &section, HD_INST_BYTES, &function->relocs, &function->reloc_count);
		} else if (section.info == reader->data_index) {
			result = read_relocs(reader, &section, 1, &object->data_relocs, &object->data_reloc_count);
		} else if (section.info == reader->rodata_index) {
			result = read_relocs(reader, &section, 1, &object->rodata_relocs, &object->rodata_reloc_count);
		} else {
			result = damaged(reader, "section %s relocates nothing that is known", section.name);
		}
		if (result != 0)
			return -1;
	}
	return 0;
}

static int read_file_names(struct reader *reader, const uint8_t *names, uint32_t bytes)
{
	struct hd_object *object = reader->object;
	object->files = HD_ARENA_NEW(reader->arena, const char *, object->file_count);
	for (uint32_t i = 0; i < object->file_count; i++) {
		const uint8_t *end = memchr(names, '\0', bytes);
		if (!end)
			return damaged(reader, "names of source files");
		object->files[i] = (const char *)names;
		bytes -= (uint32_t)(end + 1 - names);
		names = end + 1;
	}
	return 0;
}

static int read_origins(struct reader *reader)
{
	const struct elf_section *blob = &reader->origins;
	struct hd_object *object = reader->object;
	uint64_t total = 0;
	if (!blob->scn)
		return 0; /* stripped */
	if (blob->bytes < 8)
		return damaged(reader, "origins of instructions");
	uint32_t name_bytes = get_u32(blob->data + 4);
	object->file_count = get_u32(blob->data);
	uint32_t bodies = object->function_count + object->linear_count;
	for (uint32_t i = 0; i < bodies; i++)
		total += code_of(object, i)->inst_count;
	if (name_bytes > blob->bytes - 8 || object->file_count > name_bytes ||
	    blob->bytes - 8 - name_bytes != total * ORIGIN_RECORD_BYTES)
		return damaged(reader, "origins of instructions do not fit the code");
	if (read_file_names(reader, blob->data + 8, name_bytes) != 0)
		return -1;
	const uint8_t *at = blob->data + 8 + name_bytes;
	for (uint32_t i = 0; i < bodies; i++) {
		for (uint32_t j = 0; j < code_of(object, i)->inst_count; j++, at += ORIGIN_RECORD_BYTES) {
			struct hd_origin *origin = &code_of(object, i)->origins[j];
			*origin = (struct hd_origin){get_u32(at), get_u32(at + 4), get_u32(at + 8), get_u32(at + 12)};
			if (origin->file != UINT32_MAX && origin->file >= object->file_count)
				return damaged(reader, "origin names a source file that is not there");
		}
	}
	return 0;
}

static int read_control(struct reader *reader)
{
	const struct elf_section *blob = &reader->control;
	struct hd_object *object = reader->object;
	uint64_t at = 0;
	for (uint32_t i = 0; blob->scn && i < object->function_count + object->linear_count; i++) {
		struct hd_function *function = code_of(object, i);
		if (function->inst_count > (blob->bytes - at) / 4)
			return damaged(reader, "control bits do not fit the code");
		function->control = HD_ARENA_NEW(reader->arena, struct hd_control, function->inst_count);
		for (uint32_t j = 0; j < function->inst_count; j++, at += 4)
			if (hd_control_decode(get_u32(blob->data + at), &function->control[j]) != 0)
				return damaged(reader, "control bits of function %s, pc 0x%x", function->name,
					       j * HD_INST_BYTES);
	}
	return !blob->scn || at == blob->bytes ? 0 : damaged(reader, "control bits do not fit the code");
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
	object->bitcode = reader->ir.data;
	object->bitcode_bytes = reader->ir.scn ? reader->ir.bytes : 0;
	object->metadata_json = hd_arena_alloc(reader->arena, reader->meta.bytes + 1);
	object->metadata_bytes = reader->meta.bytes;
	memcpy((char *)(uintptr_t)object->metadata_json, reader->meta.data, reader->meta.bytes);
	return hd_metadata_from_json(object->metadata_json, object->metadata_bytes, reader->name, reader->arena,
				     &object->metadata, reader->diag);
}

static int read_sections(struct reader *reader)
{
	if (find_sections(reader) != 0 || read_functions(reader) != 0 || read_linears(reader) != 0 ||
	    read_symbols(reader) != 0 || read_all_relocs(reader) != 0 || read_control(reader) != 0 ||
	    read_origins(reader) != 0 || read_data(reader) != 0)
		return -1;
	return hd_object_verify(reader->object, reader->name, reader->diag);
}

int hd_object_read(const uint8_t *bytes, size_t size, const char *name, struct hd_arena *arena,
		   struct hd_object *object, struct hd_diag *diag)
{
	struct reader reader = {.name = name, .arena = arena, .object = object, .diag = diag};
	*object = (struct hd_object){.arena = arena};
	if (check_header(&reader, bytes, &size) != 0)
		return -1;
	uint8_t *copy = hd_arena_alloc(arena, size);
	memcpy(copy, bytes, size);
	reader.budget = size;
	int result = elf_image_init(&reader.image, copy, size) == 0 ? read_sections(&reader)
								    : damaged(&reader, "not readable as ELF");
	elf_image_release(&reader.image);
	return result;
}
