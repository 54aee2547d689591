/*
 * Checked access to the sections of an ELF file in memory. libelf parses; what it hands out
 * is checked here against the file's size before anybody reads it.
 */
#ifndef HD_LIB_OBJECT_ELF_H
#define HD_LIB_OBJECT_ELF_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_section {
	const char *name; /* "" where the file's own is bad */
	uint32_t type, link, info;
	uint64_t flags;
	const uint8_t *data; /* NULL for a section without bytes in the file */
	uint64_t bytes;	     /* as declared; checked against the file unless data is NULL */
	Elf_Scn *scn;
};

struct elf_image {
	Elf *elf;
	const uint8_t *bytes;
	size_t size;
	size_t names; /* section of section names */
	size_t section_count;
};

/* 0, or -1 for bytes that libelf does not take for an ELF file. Release it either way. */
int elf_image_init(struct elf_image *image, const uint8_t *bytes, size_t size);
void elf_image_release(struct elf_image *image);
/* 0, or -1 for a section that is not inside the file. */
int elf_image_section(const struct elf_image *image, size_t index, struct elf_section *section);

/* Whether an ELF header is one of a kernel object, of whatever version. Reads 64 bytes. */
bool object_header_is_ours(const uint8_t bytes[64]);
/* What the header of a kernel object says; everything else reads nothing behind these 64 bytes. */
enum object_header { OBJECT_OK, OBJECT_NOT_ELF, OBJECT_OTHER_ELF, OBJECT_OTHER_VERSION, OBJECT_BAD_HEADER };
enum object_header object_header_check(const uint8_t bytes[64], uint64_t *declared_size, uint32_t *version);

#endif
