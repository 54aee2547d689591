/*
 * Which relocatable kernel objects a device link joins. Host objects and kernel objects on the
 * command line all count. Of archives, the members count that define what something needs, as the host
 * linker has it, but without its order and for device symbols, too. Reads each input once;
 * linear in symbols, times the depth of the chain of archive members.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/hash.h"
#include "lib/object/elf.h"
#include "tools/heddle-cc/relocatable.h"

/* A host symbol under its name, a device symbol behind '@'. */
struct name {
	const char *text;
	bool needed, defined;
};

struct candidate {
	const char *name;
	bool member, taken;
	hd_arguments defines, needs, modules;
	HD_VEC(struct hd_cc_device) devices;
};

struct collect {
	struct hd_cc *cc;
	HD_VEC(struct name) names;
	struct hd_hash_set name_ids;
	HD_VEC(struct candidate) candidates;
};

/* ------------------------------------------------------------ one host object */

static const char *device_name(struct collect *collect, const char *name)
{
	return hd_arena_printf(&collect->cc->arena, "@%s", name);
}

static int add_device(struct collect *collect, struct candidate *candidate, const uint8_t *bytes, size_t size)
{
	struct hd_cc *cc = collect->cc;
	struct hd_cc_device device = {.name = candidate->name};
	if (hd_object_read(bytes, size, candidate->name, &cc->arena, &device.object, &cc->diag))
		return -1;
	for (uint32_t i = 0; i < device.object.symbol_count; i++) {
		const struct hd_symbol *symbol = &device.object.symbols[i];
		if (symbol->defined && symbol->global)
			hd_vec_push(&candidate->defines, device_name(collect, symbol->name));
		if (!symbol->defined && (symbol->kind == HD_SYM_FUNCTION || symbol->space != HD_SPACE_SHARED))
			hd_vec_push(&candidate->needs, device_name(collect, symbol->name));
	}
	hd_vec_push(&candidate->devices, device);
	return 0;
}

/* `ld -r` puts several behind each other, padded to 8 bytes. */
static int add_devices(struct collect *collect, struct candidate *candidate, const struct elf_section *section)
{
	uint64_t at = 0;
	while (at + 64 <= section->bytes) {
		size_t size = hd_object_declared_size(section->data + at);
		if (!size || size > section->bytes - at)
			return hd_error(&collect->cc->diag, HD_NOWHERE,
					"%s: its device code is not a kernel object of this version of Heddle",
					candidate->name);
		if (add_device(collect, candidate, section->data + at, size))
			return -1;
		at += (size + 7) & ~UINT64_C(7);
	}
	return 0;
}

/* One id after the other, padded with zeros. */
static void add_modules(struct collect *collect, struct candidate *candidate, const struct elf_section *section)
{
	const char *data = (const char *)section->data;
	for (size_t at = 0, length; at < section->bytes; at += length + 1) {
		length = strnlen(data + at, section->bytes - at);
		if (length)
			hd_vec_push(&candidate->modules,
				    hd_arena_printf(&collect->cc->arena, "%.*s", (int)length, data + at));
	}
}

static void add_symbols(struct collect *collect, struct candidate *candidate, Elf *elf,
			const struct elf_section *section)
{
	Elf_Data *data = elf_getdata(section->scn, NULL);
	GElf_Sym symbol;
	for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
		const char *text = elf_strptr(elf, section->link, symbol.st_name);
		unsigned bind = GELF_ST_BIND(symbol.st_info);
		if (!text || bind == STB_LOCAL)
			continue;
		text = hd_arena_strdup(&collect->cc->arena, text);
		if (symbol.st_shndx != SHN_UNDEF)
			hd_vec_push(&candidate->defines, text);
		else if (bind != STB_WEAK)
			hd_vec_push(&candidate->needs, text);
	}
}

static int read_sections(struct collect *collect, struct candidate *candidate, const struct elf_image *image)
{
	struct elf_section section;
	for (size_t i = 1; i < image->section_count; i++) {
		if (elf_image_section(image, i, &section) || (!section.data && section.bytes))
			continue;
		if (section.type == SHT_SYMTAB)
			add_symbols(collect, candidate, image->elf, &section);
		else if (!strcmp(section.name, "__nv_module_id"))
			add_modules(collect, candidate, &section);
		else if (!strcmp(section.name, "__nv_relfatbin") && add_devices(collect, candidate, &section))
			return -1;
	}
	return 0;
}

/* ------------------------------------------------------------ files */

static bool is_relocatable(const uint8_t *bytes, size_t size)
{
	return size >= 64 && !memcmp(bytes, ELFMAG, SELFMAG) && bytes[EI_CLASS] == ELFCLASS64 &&
	       (bytes[16] | bytes[17] << 8) == ET_REL;
}

static int add_object(struct collect *collect, const char *name, const uint8_t *bytes, size_t size, bool member)
{
	struct elf_image image;
	struct candidate candidate = {.name = name, .member = member};
	if (!is_relocatable(bytes, size))
		return 0;
	if (hd_object_declared_size(bytes)) { /* a kernel object without a host half: -cubin */
		int read = add_device(collect, &candidate, bytes, size);
		hd_vec_push(&collect->candidates, candidate);
		return read;
	}
	int status = elf_image_init(&image, bytes, size)
			     ? hd_error(&collect->cc->diag, HD_NOWHERE, "%s: truncated or damaged object file", name)
			     : read_sections(collect, &candidate, &image);
	elf_image_release(&image);
	hd_vec_push(&collect->candidates, candidate);
	return status;
}

/* Members lie at even addresses only; the copy is aligned. */
static int add_member(struct collect *collect, const char *path, Elf *member)
{
	const Elf_Arhdr *header = elf_getarhdr(member);
	size_t size;
	const char *bytes = elf_rawfile(member, &size);
	if (!header || !bytes || *header->ar_name == '/')
		return 0;
	uint8_t *copy = hd_xmalloc(size);
	memcpy(copy, bytes, size);
	const char *name = hd_arena_printf(&collect->cc->arena, "%s(%s)", path, header->ar_name);
	int status = add_object(collect, name, copy, size, true);
	free(copy);
	return status;
}

/* libelf takes archives from files only. */
static int add_members(struct collect *collect, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), status = 0;
	Elf *archive = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Elf_Cmd command = ELF_C_READ_MMAP;
	for (Elf *member; archive && !status && (member = elf_begin(fd, command, archive));) {
		status = add_member(collect, path, member);
		command = elf_next(member);
		elf_end(member);
	}
	if (archive)
		elf_end(archive);
	if (fd >= 0)
		close(fd);
	return status;
}

static int add_file(struct collect *collect, const char *path)
{
	uint8_t *bytes;
	size_t size;
	int status = 0;
	if (collect->cc->dry_run && access(path, R_OK))
		return 0;
	if (hd_read_file(path, &bytes, &size, &collect->cc->diag))
		return -1;
	elf_version(EV_CURRENT);
	if (size >= 8 && !memcmp(bytes, "!<thin>\n", 8)) {
		status = hd_error(&collect->cc->diag, HD_NOWHERE,
				  "%s: is a thin archive (create it without T, so that its device code can be linked)",
				  path);
	} else if (size >= 8 && !memcmp(bytes, "!<arch>\n", 8)) {
		status = add_members(collect, path);
	} else {
		status = add_object(collect, path, bytes, size, false);
	}
	free(bytes);
	return status;
}

/* As the host linker: the first directory with the library decides, and there a shared one wins. */
static int add_library(struct collect *collect, const char *name)
{
	struct hd_cc *cc = collect->cc;
	for (uint32_t i = 0; i < cc->link.len; i++) {
		if (strncmp(cc->link.data[i], "-L", 2) != 0)
			continue;
		const char *directory = cc->link.data[i] + 2;
		const char *archive = hd_arena_printf(&cc->arena, "%s/lib%s.a", directory, name);
		if (!access(hd_arena_printf(&cc->arena, "%s/lib%s.so", directory, name), R_OK))
			return 0;
		if (!access(archive, R_OK))
			return add_file(collect, archive);
	}
	return 0;
}

static int add_files(struct collect *collect, const hd_arguments *files)
{
	const hd_arguments *link = &collect->cc->link;
	for (uint32_t i = 0; i < files->len; i++)
		if (add_file(collect, files->data[i]))
			return -1;
	for (uint32_t i = 0; i < link->len; i++)
		if (!strncmp(link->data[i], "-l", 2) && add_library(collect, link->data[i] + 2))
			return -1;
	return 0;
}

/* ------------------------------------------------------------ choice */

/* Valid until the next call. */
static struct name *intern(struct collect *collect, const char *text)
{
	uint64_t hash = hd_hash_text(HD_HASH_TEXT, text);
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &collect->name_ids, hash, !strcmp(collect->names.data[slot->id].text, text));
	if (!hd_hash_found(slot)) {
		hd_hash_set_put(&collect->name_ids, slot, hash, collect->names.len);
		hd_vec_push(&collect->names, (struct name){.text = text});
	}
	return &collect->names.data[slot->id];
}

static void take(struct collect *collect, struct candidate *candidate)
{
	candidate->taken = true;
	for (uint32_t i = 0; i < candidate->needs.len; i++)
		intern(collect, candidate->needs.data[i])->needed = true;
	for (uint32_t i = 0; i < candidate->defines.len; i++)
		intern(collect, candidate->defines.data[i])->defined = true;
}

static bool is_wanted(struct collect *collect, const struct candidate *candidate)
{
	for (uint32_t i = 0; i < candidate->defines.len; i++) {
		const struct name *name = intern(collect, candidate->defines.data[i]);
		if (name->needed && !name->defined)
			return true;
	}
	return false;
}

static void choose(struct collect *collect, bool whole_archives)
{
	bool more = true;
	for (uint32_t i = 0; i < collect->candidates.len; i++)
		if (!collect->candidates.data[i].member || whole_archives)
			take(collect, &collect->candidates.data[i]);
	while (more) {
		more = false;
		for (uint32_t i = 0; i < collect->candidates.len; i++) {
			struct candidate *candidate = &collect->candidates.data[i];
			if (!candidate->taken && is_wanted(collect, candidate)) {
				take(collect, candidate);
				more = true;
			}
		}
	}
}

static bool has_whole_archive(const struct hd_cc *cc)
{
	for (uint32_t i = 0; i < cc->link.len; i++)
		if (!strcmp(cc->link.data[i], "--whole-archive"))
			return true;
	return false;
}

static void hand_over(struct candidate *candidate, struct hd_cc_collected *collected)
{
	for (uint32_t i = 0; i < candidate->devices.len; i++)
		hd_vec_push(&collected->devices, candidate->devices.data[i]);
	for (uint32_t i = 0; i < candidate->modules.len; i++)
		hd_vec_push(&collected->modules, candidate->modules.data[i]);
}

static void release(struct collect *collect)
{
	for (uint32_t i = 0; i < collect->candidates.len; i++) {
		struct candidate *candidate = &collect->candidates.data[i];
		hd_vec_release(&candidate->defines);
		hd_vec_release(&candidate->needs);
		hd_vec_release(&candidate->modules);
		hd_vec_release(&candidate->devices);
	}
	hd_vec_release(&collect->names);
	hd_hash_set_release(&collect->name_ids);
	hd_vec_release(&collect->candidates);
}

int hd_cc_collect(struct hd_cc *cc, const hd_arguments *files, bool whole_archives, struct hd_cc_collected *collected)
{
	struct collect collect = {.cc = cc};
	int status = add_files(&collect, files);
	if (!status)
		choose(&collect, whole_archives || has_whole_archive(cc));
	for (uint32_t i = 0; !status && i < collect.candidates.len; i++)
		if (collect.candidates.data[i].taken)
			hand_over(&collect.candidates.data[i], collected);
	release(&collect);
	return status;
}

void hd_cc_collected_release(struct hd_cc_collected *collected)
{
	hd_vec_release(&collected->devices);
	hd_vec_release(&collected->modules);
}
