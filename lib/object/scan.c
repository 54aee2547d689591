/*
 * Finds kernel objects in a file: an object itself, or a host program whose device code
 * clang's host half embedded. The embedding passes no length on and starts at multiples of
 * 8, so each object is found by its header and measured by the size that it declares.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"
#include "lib/object/elf.h"
#include "lib/object/layout.h"

enum { EMBEDDING_ALIGN = 8 };

struct scan {
	int (*found)(void *context, const uint8_t *bytes, size_t size);
	void *context;
	const char *path;
	struct hd_diag *diag;
	int count;
};

/* In a linked program, the relocatable objects are there only as the linked one was made from them. */
static bool holds_device_code(const char *section, bool linked)
{
	return strcmp(section, ".nv_fatbin") == 0 || (!linked && strcmp(section, "__nv_relfatbin") == 0);
}

/* An object of another version is found, too: the reader has the better message for it. */
static size_t object_at(const uint8_t *bytes, size_t left)
{
	uint64_t size;
	uint32_t version;
	if (left < OBJECT_HEADER_BYTES)
		return 0;
	enum object_header header = object_header_check(bytes, &size, &version);
	if (header == OBJECT_OTHER_VERSION || (header == OBJECT_OK && size > left))
		return left;
	return header == OBJECT_OK ? (size_t)size : 0;
}

static int scan_section(struct scan *scan, const struct elf_section *section)
{
	/* The section starts at a multiple of 8 in memory; in the file it does, too, but nothing here relies on it. */
	for (size_t at = 0; at < section->bytes;) {
		size_t size = object_at(section->data + at, section->bytes - at);
		if (size) {
			scan->count++;
			if (scan->found(scan->context, section->data + at, size) != 0)
				return -1;
		}
		size_t step = size ? size : 1;
		at += (step + EMBEDDING_ALIGN - 1) / EMBEDDING_ALIGN * EMBEDDING_ALIGN;
	}
	return 0;
}

static int scan_host_program(struct scan *scan, const uint8_t *bytes, size_t size)
{
	struct elf_image image;
	bool linked = get_u16(bytes + 16) != ET_REL;
	int result = 0;
	if (elf_image_init(&image, bytes, size) != 0)
		result = hd_error(scan->diag, HD_NOWHERE, "%s: truncated or damaged ELF file", scan->path);
	for (size_t index = 1; result == 0 && index < image.section_count; index++) {
		struct elf_section section;
		if (elf_image_section(&image, index, &section) != 0)
			result = hd_error(scan->diag, HD_NOWHERE, "%s: truncated or damaged ELF file", scan->path);
		else if (section.data && holds_device_code(section.name, linked))
			result = scan_section(scan, &section);
	}
	elf_image_release(&image);
	return result;
}

static int scan_bytes(struct scan *scan, const uint8_t *bytes, size_t size)
{
	if (size >= 8 && memcmp(bytes, "!<arch>\n", 8) == 0)
		return hd_error(scan->diag, HD_NOWHERE, "%s: is an archive (name the objects in it)", scan->path);
	if (size < 4 || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return hd_error(scan->diag, HD_NOWHERE,
				"%s: neither a kernel object nor a program with one (not an ELF file)", scan->path);
	if (size < OBJECT_HEADER_BYTES || object_header_is_ours(bytes)) {
		/* An object by its machine; what is wrong with it the reader says. */
		scan->count++;
		return scan->found(scan->context, bytes, size) == 0 ? 0 : -1;
	}
	return scan_host_program(scan, bytes, size);
}

int hd_object_scan_file(const char *path, int (*found)(void *context, const uint8_t *bytes, size_t size), void *context,
			struct hd_diag *diag)
{
	struct scan scan = {.found = found, .context = context, .path = path, .diag = diag};
	uint8_t *bytes = NULL;
	size_t size = 0;
	if (hd_read_file(path, &bytes, &size, diag) != 0)
		return -1;
	int result = scan_bytes(&scan, bytes, size);
	free(bytes);
	return result == 0 ? scan.count : -1;
}
