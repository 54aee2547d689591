/*
 * Serialises a kernel object as an ELF64 relocatable file through libelf. Linear in the
 * object. The bytes depend on the object alone: section order is fixed, padding is zero,
 * nothing is dated. layout.h describes what ELF does not.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/metadata/pack.h"
#include "lib/object/layout.h"
#include "lib/object/parts.h"
#include "lib/strbuf.h"

/* libelf keeps pointers to section contents until the file is written, hence the arena. */
struct writer {
	const struct hd_object *object;
	enum hd_codec codec;
	struct hd_diag *diag;
	Elf *elf;
	struct hd_arena arena;
	struct hd_strbuf section_names, symbol_names;
	size_t symtab, strtab, shstrtab; /* section indices */
	size_t data, rodata, bss, shared;
	size_t *text;	      /* section of each function */
	size_t *linear_text;  /* of each linear version */
	uint32_t *elf_symbol; /* ELF index of each symbol of the object */
	uint32_t *order;      /* the object's symbols in ELF order */
	uint32_t local_symbols;
	uint8_t *note;
	bool failed;
};

static uint32_t add_name(struct hd_strbuf *names, const char *name)
{
	uint32_t offset = (uint32_t)names->len;
	hd_strbuf_append_bytes(names, name, strlen(name) + 1);
	return offset;
}

static void fail(struct writer *writer)
{
	if (!writer->failed)
		hd_error(writer->diag, HD_NOWHERE, "cannot write the kernel object: %s", elf_errmsg(-1));
	writer->failed = true;
}

struct section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, align, entry_bytes;
	Elf_Type data_type;
	const void *data; /* NULL with NOBITS; must live as long as the writer */
	size_t bytes;
};

static void fill_section(struct writer *writer, Elf_Scn *scn, const struct section *section)
{
	GElf_Shdr header;
	Elf_Data *data = elf_newdata(scn);
	if (!data || !gelf_getshdr(scn, &header)) {
		fail(writer);
		return;
	}
	header.sh_name = add_name(&writer->section_names, section->name);
	header.sh_type = section->type;
	header.sh_flags = section->flags;
	header.sh_link = section->link;
	header.sh_info = section->info;
	header.sh_entsize = section->entry_bytes;
	header.sh_addralign = section->align;
	data->d_buf = (void *)(uintptr_t)section->data;
	data->d_size = section->bytes;
	data->d_type = section->data_type;
	data->d_align = section->align;
	if (!gelf_update_shdr(scn, &header))
		fail(writer);
}

static size_t add_section(struct writer *writer, const struct section *section)
{
	Elf_Scn *scn = elf_newscn(writer->elf);
	if (!scn) {
		fail(writer);
		return 0;
	}
	fill_section(writer, scn, section);
	return elf_ndxscn(scn);
}

static void add_blob(struct writer *writer, const char *name, const void *data, size_t bytes)
{
	const struct section section = {
		.name = name, .type = SHT_PROGBITS, .align = 4, .data_type = ELF_T_BYTE, .data = data, .bytes = bytes};
	add_section(writer, &section);
}

/* ELF wants local symbols first; otherwise the object's order stays. */
static void order_symbols(struct writer *writer)
{
	const struct hd_object *object = writer->object;
	writer->order = HD_ARENA_NEW(&writer->arena, uint32_t, object->symbol_count);
	writer->elf_symbol = HD_ARENA_NEW(&writer->arena, uint32_t, object->symbol_count);
	uint32_t count = 0;
	for (int global = 0; global < 2; global++) {
		for (uint32_t i = 0; i < object->symbol_count; i++) {
			const struct hd_symbol *symbol = &object->symbols[i];
			/* What another object defines is global by nature. */
			if ((symbol->global || !symbol->defined) != (global == 1))
				continue;
			writer->order[count] = i;
			writer->elf_symbol[i] = ++count;
		}
		if (!global)
			writer->local_symbols = count;
	}
}

static void add_relocs(struct writer *writer, size_t target, const char *name, const struct hd_reloc *relocs,
		       uint32_t count, uint32_t unit)
{
	if (!count)
		return;
	Elf64_Rela *entries = HD_ARENA_NEW(&writer->arena, Elf64_Rela, count);
	for (uint32_t i = 0; i < count; i++) {
		entries[i].r_offset = (uint64_t)relocs[i].offset * unit;
		entries[i].r_info =
			ELF64_R_INFO((uint64_t)writer->elf_symbol[relocs[i].symbol], (uint32_t)relocs[i].kind + 1);
		entries[i].r_addend = relocs[i].addend;
	}
	const struct section section = {
		.name = hd_arena_printf(&writer->arena, RELA_PREFIX "%s", name),
		.type = SHT_RELA,
		.flags = SHF_INFO_LINK,
		.link = (uint32_t)writer->symtab,
		.info = (uint32_t)target,
		.align = 8,
		.entry_bytes = sizeof(Elf64_Rela),
		.data_type = ELF_T_RELA,
		.data = entries,
		.bytes = sizeof(Elf64_Rela) * count,
	};
	add_section(writer, &section);
}

static size_t add_code(struct writer *writer, const char *prefix, const struct hd_function *function)
{
	size_t bytes = (size_t)function->inst_count * HD_INST_BYTES;
	uint8_t *code = hd_arena_alloc(&writer->arena, bytes);
	for (uint32_t j = 0; j < function->inst_count; j++)
		hd_inst_encode(&function->insts[j], code + (size_t)j * HD_INST_BYTES);
	const struct section text = {
		.name = hd_arena_printf(&writer->arena, "%s%s", prefix, function->name),
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_EXECINSTR,
		.align = HD_INST_BYTES,
		.data_type = ELF_T_BYTE,
		.data = code,
		.bytes = bytes,
	};
	size_t section = add_section(writer, &text);
	add_relocs(writer, section, text.name, function->relocs, function->reloc_count, HD_INST_BYTES);
	return section;
}

static void add_functions(struct writer *writer)
{
	const struct hd_object *object = writer->object;
	writer->text = HD_ARENA_NEW(&writer->arena, size_t, object->function_count);
	for (uint32_t i = 0; i < object->function_count; i++)
		writer->text[i] = add_code(writer, TEXT_PREFIX, &object->functions[i]);
	writer->linear_text = HD_ARENA_NEW(&writer->arena, size_t, object->linear_count);
	for (uint32_t i = 0; i < object->linear_count; i++)
		writer->linear_text[i] = add_code(writer, LINEAR_PREFIX, &object->linears[i].body);
}

/* The strictest alignment of a section's variables: sections are laid out and loaded by it. */
static uint64_t section_align(const struct hd_object *object, enum hd_space space, bool bss)
{
	uint64_t align = 16;
	for (uint32_t i = 0; i < object->symbol_count; i++) {
		const struct hd_symbol *symbol = &object->symbols[i];
		bool here = symbol->kind == HD_SYM_VARIABLE && symbol->defined &&
			    (bss ? symbol->bss && symbol->space != HD_SPACE_SHARED
				 : !symbol->bss && symbol->space == space);
		/* The file itself never needs more than a page. */
		if (here && symbol->align > align && symbol->align <= 4096)
			align = symbol->align;
	}
	return align;
}

static uint64_t shared_extent(const struct hd_object *object)
{
	uint64_t extent = 0;
	for (uint32_t i = 0; i < object->symbol_count; i++) {
		const struct hd_symbol *symbol = &object->symbols[i];
		bool here = symbol->kind == HD_SYM_VARIABLE && symbol->defined && symbol->space == HD_SPACE_SHARED;
		if (here && symbol->section_offset + symbol->size > extent)
			extent = symbol->section_offset + symbol->size;
	}
	return extent;
}

static void add_data_sections(struct writer *writer)
{
	const struct hd_object *object = writer->object;
	const struct section data = {.name = ".data",
				     .type = SHT_PROGBITS,
				     .flags = SHF_ALLOC | SHF_WRITE,
				     .align = section_align(object, HD_SPACE_GLOBAL, false),
				     .data_type = ELF_T_BYTE,
				     .data = object->data,
				     .bytes = object->data_bytes};
	const struct section rodata = {.name = ".rodata",
				       .type = SHT_PROGBITS,
				       .flags = SHF_ALLOC,
				       .align = section_align(object, HD_SPACE_CONSTANT, false),
				       .data_type = ELF_T_BYTE,
				       .data = object->rodata,
				       .bytes = object->rodata_bytes};
	const struct section bss = {.name = ".bss",
				    .type = SHT_NOBITS,
				    .flags = SHF_ALLOC | SHF_WRITE,
				    .align = section_align(object, HD_SPACE_GLOBAL, true),
				    .data_type = ELF_T_BYTE,
				    .bytes = object->bss_bytes};
	const struct section shared = {.name = SECTION_SHARED,
				       .type = SHT_NOBITS,
				       .flags = SHF_ALLOC | SHF_WRITE,
				       .align = 16,
				       .data_type = ELF_T_BYTE,
				       .bytes = shared_extent(object)};
	writer->data = add_section(writer, &data);
	add_relocs(writer, writer->data, data.name, object->data_relocs, object->data_reloc_count, 1);
	writer->rodata = add_section(writer, &rodata);
	add_relocs(writer, writer->rodata, rodata.name, object->rodata_relocs, object->rodata_reloc_count, 1);
	writer->bss = add_section(writer, &bss);
	writer->shared = add_section(writer, &shared);
}

/* Moves a finished blob into the arena, where it lives as long as libelf needs it. */
static void add_finished_blob(struct writer *writer, const char *name, struct hd_strbuf *blob)
{
	void *copy = hd_arena_alloc(&writer->arena, blob->len);
	if (blob->len)
		memcpy(copy, blob->data, blob->len);
	add_blob(writer, name, copy, blob->len);
	hd_strbuf_release(blob);
}

static void add_function_records(struct writer *writer)
{
	const struct hd_object *object = writer->object;
	struct hd_strbuf blob = {0};
	object_append_u32(&blob, object->function_count);
	for (uint32_t i = 0; i < object->function_count; i++) {
		const struct hd_function *function = &object->functions[i];
		object_append_u32(&blob, (uint32_t)writer->text[i]);
		object_append_u32(&blob, (function->kernel ? FUNCTION_IS_KERNEL : 0) |
						 (function->helper ? FUNCTION_IS_HELPER : 0));
		object_append_u32(&blob, function->registers);
		object_append_u32(&blob, function->frame_bytes);
		object_append_u32(&blob, function->shared_bytes);
		object_append_u32(&blob, function->param_bytes);
		object_append_u32(&blob, function->table_count);
		object_append_u32(&blob, function->result_words);
	}
	for (uint32_t i = 0; i < object->function_count; i++)
		object_append_tables(&blob, &object->functions[i]);
	add_finished_blob(writer, SECTION_FUNCTIONS, &blob);
}

static void add_symbol_records(struct writer *writer)
{
	const struct hd_object *object = writer->object;
	uint8_t *records = hd_arena_alloc(&writer->arena, (size_t)object->symbol_count * SYMBOL_RECORD_BYTES);
	for (uint32_t i = 0; i < object->symbol_count; i++) {
		const struct hd_symbol *symbol = &object->symbols[writer->order[i]];
		uint8_t *record = records + (size_t)i * SYMBOL_RECORD_BYTES;
		bool variable = symbol->kind == HD_SYM_VARIABLE;
		put_u32(record, (variable ? (uint32_t)symbol->space | SYMBOL_IS_VARIABLE : 0) |
					(symbol->managed ? SYMBOL_IS_MANAGED : 0) | (symbol->bss ? SYMBOL_IS_BSS : 0));
		put_u32(record + 4, !variable && symbol->defined ? symbol->function : 0);
		put_u64(record + 8, symbol->align);
	}
	add_blob(writer, SECTION_SYMBOLS, records, (size_t)object->symbol_count * SYMBOL_RECORD_BYTES);
}

static bool has_control(const struct hd_object *object)
{
	bool all = object->function_count > 0;
	for (uint32_t i = 0; i < object->function_count + object->linear_count; i++)
		all &= object_body(object, i)->control != NULL;
	return all;
}

static int add_packed_section(struct writer *writer, const char *name, int status, struct hd_strbuf *blob)
{
	add_finished_blob(writer, name, blob);
	return status ? hd_error(writer->diag, HD_NOWHERE, "%s of the kernel object is too large", name) : 0;
}

static int add_packed(struct writer *writer)
{
	const struct hd_object *object = writer->object;
	struct hd_strbuf blob = {0};
	int status = 0;
	if (object->linear_count) {
		status = object_pack_linears(object, writer->linear_text, writer->codec, &blob);
		status = add_packed_section(writer, SECTION_LINEAR, status, &blob);
	}
	if (!status && has_control(object)) {
		status = object_pack_control(object, writer->codec, &blob);
		status = add_packed_section(writer, SECTION_CONTROL, status, &blob);
	}
	if (!status) {
		status = object_pack_origins(object, writer->elf_symbol, writer->codec, &blob);
		status = add_packed_section(writer, SECTION_ORIGINS, status, &blob);
	}
	if (!status && object->inlined_count) {
		status = object_pack_inlined(object, writer->codec, &blob);
		status = add_packed_section(writer, SECTION_INLINED, status, &blob);
	}
	if (!status) {
		status = object_pack_metadata(object, writer->codec, &blob);
		status = add_packed_section(writer, SECTION_META, status, &blob);
	}
	if (!status && object->bitcode_bytes) {
		status = object_pack_bitcode(object, writer->codec, &blob);
		status = add_packed_section(writer, SECTION_IR, status, &blob);
	}
	return status;
}

/* The object's size is known only after layout; write_out() puts it in. */
static void add_note(struct writer *writer)
{
	writer->note = hd_arena_alloc(&writer->arena, NOTE_BYTES);
	put_u32(writer->note, 7);
	put_u32(writer->note + 4, 16);
	put_u32(writer->note + 8, 1);
	memcpy(writer->note + 12, "Heddle", 7);
	put_u32(writer->note + 20, HD_OBJECT_VERSION);
	const struct section note = {.name = SECTION_NOTE,
				     .type = SHT_NOTE,
				     .align = 4,
				     .data_type = ELF_T_BYTE,
				     .data = writer->note,
				     .bytes = NOTE_BYTES};
	add_section(writer, &note);
}

static size_t symbol_section(const struct writer *writer, const struct hd_symbol *symbol)
{
	if (!symbol->defined)
		return SHN_UNDEF;
	if (symbol->kind == HD_SYM_FUNCTION)
		return writer->text[symbol->function];
	if (symbol->space == HD_SPACE_SHARED)
		return writer->shared;
	if (symbol->bss)
		return writer->bss;
	return symbol->space == HD_SPACE_CONSTANT ? writer->rodata : writer->data;
}

static void fill_symbols(struct writer *writer)
{
	const struct hd_object *object = writer->object;
	Elf64_Sym *symbols = HD_ARENA_NEW(&writer->arena, Elf64_Sym, object->symbol_count + 1);
	add_name(&writer->symbol_names, "");
	for (uint32_t i = 0; i < object->symbol_count; i++) {
		const struct hd_symbol *symbol = &object->symbols[writer->order[i]];
		bool variable = symbol->kind == HD_SYM_VARIABLE;
		bool local = i < writer->local_symbols;
		Elf64_Sym *entry = &symbols[i + 1];
		entry->st_name = add_name(&writer->symbol_names, symbol->name);
		entry->st_info = ELF64_ST_INFO(local ? STB_LOCAL : STB_GLOBAL, variable ? STT_OBJECT : STT_FUNC);
		entry->st_shndx = (Elf64_Section)symbol_section(writer, symbol);
		entry->st_value = variable && symbol->defined ? symbol->section_offset : 0;
		if (variable)
			entry->st_size = symbol->size;
		else if (symbol->defined)
			entry->st_size = (uint64_t)object->functions[symbol->function].inst_count * HD_INST_BYTES;
	}
	const struct section symtab = {.name = ".symtab",
				       .type = SHT_SYMTAB,
				       .link = (uint32_t)writer->strtab,
				       .info = writer->local_symbols + 1,
				       .align = 8,
				       .entry_bytes = sizeof(Elf64_Sym),
				       .data_type = ELF_T_SYM,
				       .data = symbols,
				       .bytes = sizeof(Elf64_Sym) * (object->symbol_count + (size_t)1)};
	fill_section(writer, elf_getscn(writer->elf, writer->symtab), &symtab);
}

/* The string tables come last: every other section adds to them. */
static void fill_strings(struct writer *writer)
{
	struct section section = {.name = ".strtab",
				  .type = SHT_STRTAB,
				  .align = 1,
				  .data_type = ELF_T_BYTE,
				  .data = writer->symbol_names.data,
				  .bytes = writer->symbol_names.len};
	fill_section(writer, elf_getscn(writer->elf, writer->strtab), &section);
	/* A section's own name must be in the table before the table's size is taken. */
	section.name = ".shstrtab";
	fill_section(writer, elf_getscn(writer->elf, writer->shstrtab), &section);
	Elf_Data *data = elf_getdata(elf_getscn(writer->elf, writer->shstrtab), NULL);
	if (data) {
		data->d_buf = writer->section_names.data;
		data->d_size = writer->section_names.len;
	}
}

static int reserve_section(struct writer *writer, size_t *index)
{
	Elf_Scn *scn = elf_newscn(writer->elf);
	if (!scn)
		return -1;
	*index = elf_ndxscn(scn);
	return 0;
}

static int begin(struct writer *writer)
{
	GElf_Ehdr header;
	if (!gelf_newehdr(writer->elf, ELFCLASS64) || !gelf_getehdr(writer->elf, &header))
		return -1;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_OSABI] = ELFOSABI_STANDALONE;
	header.e_ident[EI_ABIVERSION] = HD_OBJECT_VERSION;
	header.e_type = ET_REL;
	header.e_machine = OBJECT_MACHINE;
	header.e_version = EV_CURRENT;
	for (uint32_t i = 0; i < writer->object->symbol_count; i++)
		if (writer->object->symbols[i].managed && writer->object->symbols[i].defined)
			header.e_flags = OBJECT_HAS_MANAGED;
	if (writer->object->offload_sm) {
		header.e_type = ET_EXEC;
		header.e_machine = EM_CUDA;
		header.e_flags = OBJECT_ADDRESS_64 | writer->object->offload_sm;
	}
	if (reserve_section(writer, &writer->symtab) || reserve_section(writer, &writer->strtab) ||
	    reserve_section(writer, &writer->shstrtab))
		return -1;
	header.e_shstrndx = (uint16_t)writer->shstrtab;
	add_name(&writer->section_names, "");
	return gelf_update_ehdr(writer->elf, &header) ? 0 : -1;
}

static int build(struct writer *writer)
{
	if (begin(writer) != 0) {
		fail(writer);
		return -1;
	}
	order_symbols(writer);
	add_functions(writer);
	add_data_sections(writer);
	add_function_records(writer);
	add_symbol_records(writer);
	if (add_packed(writer) != 0)
		return -1;
	add_note(writer);
	fill_symbols(writer);
	fill_strings(writer);
	return writer->failed ? -1 : 0;
}

/* Layout first, for the size; then the file. */
static int write_out(struct writer *writer, int fd, uint8_t **bytes, size_t *size)
{
	off_t total = elf_update(writer->elf, ELF_C_NULL);
	if (total < 0) {
		fail(writer);
		return -1;
	}
	put_u64(writer->note + NOTE_SIZE_OFFSET, (uint64_t)total);
	if (elf_update(writer->elf, ELF_C_WRITE) != total) {
		fail(writer);
		return -1;
	}
	*bytes = hd_xmalloc((size_t)total);
	for (size_t done = 0; done < (size_t)total;) {
		ssize_t got = pread(fd, *bytes + done, (size_t)total - done, (off_t)done);
		if (got <= 0) {
			free(*bytes);
			return hd_error(writer->diag, HD_NOWHERE, "cannot write the kernel object: short read");
		}
		done += (size_t)got;
	}
	*size = (size_t)total;
	return 0;
}

int object_write_packed(const struct hd_object *object, enum hd_codec codec, uint8_t **bytes, size_t *size,
			struct hd_diag *diag)
{
	uint32_t functions = object->function_count > object->metadata.function_count ? object->function_count
										      : object->metadata.function_count;
	if (functions > HD_META_MOST_FUNCTIONS)
		return hd_error(diag, HD_NOWHERE, "%u functions in one kernel object, but the limit is %d", functions,
				HD_META_MOST_FUNCTIONS);
	if (hd_object_verify(object, "kernel object", diag) != 0)
		return -1;

	struct writer writer = {.object = object, .codec = codec, .diag = diag};
	hd_arena_init(&writer.arena);
	elf_version(EV_CURRENT);
	/* libelf writes to files only; this one has no name and no disk. */
	int fd = memfd_create("heddle", MFD_CLOEXEC);
	writer.elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_WRITE, NULL);
	int result = -1;
	if (!writer.elf)
		hd_error(diag, HD_NOWHERE, "cannot make a temporary file for the kernel object");
	else if (build(&writer) == 0)
		result = write_out(&writer, fd, bytes, size);
	if (writer.elf)
		elf_end(writer.elf);
	if (fd >= 0)
		close(fd);
	hd_strbuf_release(&writer.section_names);
	hd_strbuf_release(&writer.symbol_names);
	hd_arena_release(&writer.arena);
	return result;
}

int hd_object_write(const struct hd_object *object, uint8_t **bytes, size_t *size, struct hd_diag *diag)
{
	return object_write_packed(object, HD_CODEC_ZSTD, bytes, size, diag);
}
