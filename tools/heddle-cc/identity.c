/*
 * Identities of relocatable sources. clang derives a module's id from the path that it was
 * given, so that `util.cu` of two directories would clash at the host link; the id is
 * replaced in the finished object by one made from the real path and the macros. The same
 * source at the same place gives the same bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/object/elf.h"
#include "lib/path.h"
#include "tools/heddle-cc/relocatable.h"

#define ID_SECTION "__nv_module_id"
#define ID_PREFIX "__nv_"

/* The NUL that ends each text included. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	return hd_hash_byte(hd_hash_text(hash, text), 0);
}

const char *hd_cc_identity(struct hd_cc *cc, const char *input)
{
	/* Standard input has no place: its text tells it from others. */
	uint8_t *bytes = NULL;
	size_t size;
	bool typed = cc->from_stdin && !strcmp(input, cc->from_stdin) && !hd_read_file(input, &bytes, &size, &cc->diag);
	char *real = typed ? hd_xstrdup(hd_arena_printf(&cc->arena, "%.*s", (int)size, (const char *)bytes))
			   : hd_path_real(input);
	uint64_t hash = hash_text(HD_HASH_TEXT, real ? real : input);
	free(bytes);
	for (uint32_t i = 0; i + 1 < cc->common.len; i++)
		if (!strcmp(cc->common.data[i], "-D"))
			hash = hash_text(hash, cc->common.data[i + 1]);
	free(real);
	return hd_arena_printf(&cc->arena, "%016llx", (unsigned long long)hash);
}

static const char *find_id(const struct elf_image *image, size_t *length)
{
	struct elf_section section;
	for (size_t i = 1; i < image->section_count; i++) {
		if (elf_image_section(image, i, &section) || !section.data || strcmp(section.name, ID_SECTION) != 0)
			continue;
		*length = strnlen((const char *)section.data, section.bytes);
		bool known = !strncmp((const char *)section.data, ID_PREFIX, strlen(ID_PREFIX));
		return known ? (const char *)section.data : NULL;
	}
	return NULL;
}

/* In the section of the id, and in the names of the two symbols that are made from it. */
static void replace_all(uint8_t *bytes, size_t size, const char *id, const char *by)
{
	size_t length = strlen(id);
	for (uint8_t *at = bytes, *end = bytes + size; (at = memmem(at, (size_t)(end - at), id, length)); at += length)
		memcpy(at, by, length);
}

int hd_cc_give_identity(struct hd_cc *cc, const char *object, const char *identity)
{
	struct elf_image image;
	uint8_t *bytes;
	size_t size, length, digits;
	if (hd_read_file(object, &bytes, &size, &cc->diag))
		return -1;
	const char *id = elf_image_init(&image, bytes, size) ? NULL : find_id(&image, &length);
	id = id ? hd_arena_printf(&cc->arena, "%.*s", (int)length, id) : NULL;
	elf_image_release(&image);
	int status = 0;
	digits = id ? strlen(id) - strlen(ID_PREFIX) : 0;
	if (id && digits <= strlen(identity)) {
		replace_all(bytes, size, id,
			    hd_arena_printf(&cc->arena, ID_PREFIX "%s", identity + strlen(identity) - digits));
		status = hd_write_file(object, bytes, size, &cc->diag);
	}
	free(bytes);
	return status;
}
