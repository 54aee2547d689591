/*
 * Checked access to ELF sections, and the kernel object's own header. Constant time for
 * each section.
 */
#include "lib/object/elf.h"

#include <string.h>

#include "heddle/object.h"
#include "lib/object/layout.h"

int elf_image_init(struct elf_image *image, const uint8_t *bytes, size_t size)
{
	*image = (struct elf_image){.bytes = bytes, .size = size};
	elf_version(EV_CURRENT);
	/* libelf wants a pointer to non-const and does not write through it. */
	image->elf = elf_memory((char *)(uintptr_t)bytes, size);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF)
		return -1;
	/* libelf counts no sections at all when their headers are cut off. */
	GElf_Ehdr header;
	if (elf_getshdrnum(image->elf, &image->section_count) != 0 || !gelf_getehdr(image->elf, &header) ||
	    image->section_count < header.e_shnum)
		return -1;
	return elf_getshdrstrndx(image->elf, &image->names) == 0 ? 0 : -1;
}

void elf_image_release(struct elf_image *image)
{
	if (image->elf)
		elf_end(image->elf);
	image->elf = NULL;
}

int elf_image_section(const struct elf_image *image, size_t index, struct elf_section *section)
{
	GElf_Shdr header;
	*section = (struct elf_section){.name = "", .scn = elf_getscn(image->elf, index)};
	if (!section->scn || !gelf_getshdr(section->scn, &header))
		return -1;
	const char *name = elf_strptr(image->elf, image->names, header.sh_name);
	section->name = name ? name : "";
	section->type = header.sh_type;
	section->flags = header.sh_flags;
	section->link = header.sh_link;
	section->info = header.sh_info;
	section->bytes = header.sh_size;
	if (header.sh_type == SHT_NOBITS || header.sh_type == SHT_NULL)
		return 0;
	if (header.sh_offset > image->size || header.sh_size > image->size - header.sh_offset)
		return -1;
	section->data = image->bytes + header.sh_offset;
	return 0;
}

static bool is_offload_image(const uint8_t bytes[64])
{
	return get_u16(bytes + 18) == EM_CUDA && bytes[EI_OSABI] == ELFOSABI_STANDALONE;
}

bool object_header_is_ours(const uint8_t bytes[64])
{
	return get_u16(bytes + 18) == OBJECT_MACHINE || is_offload_image(bytes);
}

enum object_header object_header_check(const uint8_t bytes[64], uint64_t *declared_size, uint32_t *version)
{
	*declared_size = 0;
	*version = bytes[EI_ABIVERSION];
	if (memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return OBJECT_NOT_ELF;
	if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB || !object_header_is_ours(bytes))
		return OBJECT_OTHER_ELF;
	if (bytes[EI_ABIVERSION] < HD_OBJECT_OLDEST || bytes[EI_ABIVERSION] > HD_OBJECT_VERSION)
		return OBJECT_OTHER_VERSION;
	uint64_t sections = get_u64(bytes + 40), count = get_u16(bytes + 60);
	if (get_u16(bytes + 16) != (is_offload_image(bytes) ? ET_EXEC : ET_REL) ||
	    get_u16(bytes + 58) != SECTION_HEADER_BYTES || count == 0 || sections < OBJECT_HEADER_BYTES ||
	    sections > UINT64_C(1) << 40)
		return OBJECT_BAD_HEADER;
	*declared_size = sections + count * SECTION_HEADER_BYTES;
	return OBJECT_OK;
}

bool hd_object_has_managed(const uint8_t *bytes)
{
	return hd_object_declared_size(bytes) && !is_offload_image(bytes) &&
	       bytes[48] & OBJECT_HAS_MANAGED; /* e_flags */
}

size_t hd_object_declared_size(const uint8_t *bytes)
{
	uint64_t size;
	uint32_t version;
	return object_header_check(bytes, &size, &version) == OBJECT_OK ? (size_t)size : 0;
}
