/*
 * Finds cubins in files: a cubin itself, a fat binary, a host file with fat binaries in its sections, or an archive of
 * these. A fat binary is a header and entries; an entry is PTX, a cubin or something else, packed or not.
 *
 * Cost: linear in the file and in what its entries unpack to, one entry at a time.
 */
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"
#include "lib/cubin/cubin.h"
#include "lib/object/elf.h"
#include "lib/object/layout.h"
#include "lib/packed.h"

enum {
	FATBIN_MAGIC = (int)0xba55ed50,
	FATBIN_ALIGN = 8,
	FATBIN_HEADER = 16,
	ENTRY_HEADER = 64,
	ENTRY_PTX = 1,
	ENTRY_CUBIN = 2,
	PACKED_LZ4 = 0x2000,
	PACKED_ZSTD = 0x8000,
	LZ4_MOST_RATIO = 255,
	ARCHIVE_MAGIC = 8,
	ARCHIVE_HEADER = 60,
};

static const uint64_t most_unpacked = UINT64_C(1) << 30; /* of an entry: NVIDIA's largest have some 100 MB */

struct scan {
	int (*found)(void *context, const struct hd_cubin_image *image);
	void *context;
	struct hd_cubin_rest *rest;
	struct hd_diag *diag;
	int count;
};

/* ------------------------------------------------------------------ fat binaries */

struct entry {
	unsigned kind, arch;
	const uint8_t *payload;
	uint64_t size; /* of the payload, with what pads it */
	uint32_t packed;
	uint64_t flags, unpacked;
	char name[256];
};

static int fail(const struct scan *scan, const char *path, const char *what)
{
	return hd_error(scan->diag, HD_NOWHERE, "%s: damaged fat binary: %s", path, what);
}

static int report(struct scan *scan, const char *path, const char *name, const uint8_t *bytes, size_t size)
{
	struct hd_cubin_image image = {bytes, size, path, name};
	scan->count++;
	return scan->found(scan->context, &image) == 0 ? 0 : -1;
}

/* A block into exactly `size` bytes, which are at most `most_unpacked`. 0, or -1: it is damaged. */
static int read_lz4(const uint8_t *packed, uint64_t packed_size, uint8_t *bytes, uint64_t size)
{
	int got = packed_size <= LZ4_MAX_INPUT_SIZE
			  ? LZ4_decompress_safe((const char *)packed, (char *)bytes, (int)packed_size, (int)size)
			  : -1;
	return got >= 0 && (uint64_t)got == size ? 0 : -1;
}

static int unpack(struct scan *scan, const char *path, const struct entry *entry)
{
	bool lz4 = entry->flags & PACKED_LZ4;
	uint64_t packed = entry->packed && entry->packed <= entry->size ? entry->packed : entry->size;
	uint64_t most = lz4 ? packed * LZ4_MOST_RATIO : hd_packed_most(HD_CODEC_ZSTD, packed);
	if (!entry->unpacked || entry->unpacked > most || entry->unpacked > most_unpacked)
		return fail(scan, path, "an entry cannot unpack to as many bytes as it declares");
	uint8_t *bytes = hd_xmalloc(entry->unpacked);
	int status = lz4 ? read_lz4(entry->payload, packed, bytes, entry->unpacked)
			 : hd_packed_read(HD_CODEC_ZSTD, entry->payload, packed, bytes, entry->unpacked);
	status = status == 0 ? report(scan, path, entry->name, bytes, entry->unpacked)
			     : fail(scan, path, "an entry cannot be unpacked");
	free(bytes);
	return status;
}

static int take_entry(struct scan *scan, const char *path, const struct entry *entry)
{
	if (entry->kind == ENTRY_PTX) {
		scan->rest->ptx++;
		scan->rest->newest_ptx = entry->arch > scan->rest->newest_ptx ? entry->arch : scan->rest->newest_ptx;
		return 0;
	}
	if (entry->kind != ENTRY_CUBIN) {
		scan->rest->other++;
		return 0;
	}
	if (entry->flags & (PACKED_LZ4 | PACKED_ZSTD))
		return unpack(scan, path, entry);
	return report(scan, path, entry->name, entry->payload, entry->size);
}

static int read_entry(const uint8_t *at, uint64_t left, struct entry *entry)
{
	if (left < ENTRY_HEADER)
		return -1;
	uint64_t header = get_u32(at + 4);
	*entry = (struct entry){.kind = get_u16(at),
				.arch = get_u32(at + 28),
				.size = get_u64(at + 8),
				.packed = get_u32(at + 16),
				.flags = get_u64(at + 40),
				.unpacked = get_u64(at + 56)};
	if (header < ENTRY_HEADER || header > left || entry->size > left - header)
		return -1;
	entry->payload = at + header;
	uint64_t name = get_u32(at + 32), length = get_u32(at + 36);
	if (name <= header && length <= header - name && length < sizeof(entry->name))
		memcpy(entry->name, at + name, length);
	return 0;
}

/* How many bytes the fat binary at `at` has; 0: there is none. */
static uint64_t fatbin_at(const uint8_t *at, uint64_t left)
{
	if (left < FATBIN_HEADER || get_u32(at) != (uint32_t)FATBIN_MAGIC || get_u16(at + 6) < FATBIN_HEADER)
		return 0;
	uint64_t size = get_u64(at + 8);
	return size > UINT64_MAX - get_u16(at + 6) ? UINT64_MAX : size + get_u16(at + 6);
}

static int scan_fatbin(struct scan *scan, const char *path, const uint8_t *bytes, uint64_t size)
{
	struct entry entry;
	for (uint64_t at = get_u16(bytes + 6); at < size;) {
		if (read_entry(bytes + at, size - at, &entry) != 0)
			return fail(scan, path, "an entry does not fit into it");
		if (take_entry(scan, path, &entry) != 0)
			return -1;
		at = (uint64_t)(entry.payload - bytes) + entry.size;
	}
	return 0;
}

static int scan_fatbins(struct scan *scan, const char *path, const uint8_t *bytes, uint64_t size)
{
	for (uint64_t at = 0; at + FATBIN_HEADER <= size;) {
		uint64_t found = fatbin_at(bytes + at, size - at);
		if (found > size - at)
			return fail(scan, path, "it is cut off");
		if (found && scan_fatbin(scan, path, bytes + at, found) != 0)
			return -1;
		/* Kernel objects of Heddle's stand in the same sections. */
		if (!found && size - at >= OBJECT_HEADER_BYTES)
			found = hd_object_declared_size(bytes + at);
		found = found && found <= size - at ? found : 1;
		at += (found + FATBIN_ALIGN - 1) / FATBIN_ALIGN * FATBIN_ALIGN;
	}
	return 0;
}

/* ------------------------------------------------------------------ host files */

static bool is_elf(const uint8_t *bytes, size_t size)
{
	return size >= OBJECT_HEADER_BYTES && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static bool is_cubin(const uint8_t *bytes, size_t size)
{
	return is_elf(bytes, size) && get_u16(bytes + 18) == EM_CUDA && !object_header_is_ours(bytes);
}

static bool is_archive(const uint8_t *bytes, size_t size)
{
	return size >= ARCHIVE_MAGIC && memcmp(bytes, "!<arch>\n", ARCHIVE_MAGIC) == 0;
}

/* In a linked file, relocatable code is there only as what was linked of it. */
static bool holds_fatbins(const struct elf_section *section, bool linked)
{
	return section->data &&
	       (strcmp(section->name, ".nv_fatbin") == 0 || (!linked && strcmp(section->name, "__nv_relfatbin") == 0));
}

static int scan_host(struct scan *scan, const char *path, const uint8_t *bytes, size_t size)
{
	struct elf_image image;
	bool linked = get_u16(bytes + 16) != ET_REL;
	int status = elf_image_init(&image, bytes, size);
	for (size_t i = 1; status == 0 && i < image.section_count; i++) {
		struct elf_section section;
		status = elf_image_section(&image, i, &section);
		if (status == 0 && holds_fatbins(&section, linked) &&
		    scan_fatbins(scan, path, section.data, section.bytes) != 0) {
			elf_image_release(&image);
			return -1;
		}
	}
	elf_image_release(&image);
	return status == 0 ? 0 : hd_error(scan->diag, HD_NOWHERE, "%s: truncated or damaged ELF file", path);
}

static int scan_file(struct scan *scan, const char *path, const uint8_t *bytes, size_t size)
{
	if (is_cubin(bytes, size))
		return report(scan, path, "", bytes, size);
	if (is_elf(bytes, size))
		return scan_host(scan, path, bytes, size);
	return fatbin_at(bytes, size) ? scan_fatbins(scan, path, bytes, size) : 0;
}

/* ------------------------------------------------------------------ archives */

struct member {
	const uint8_t *bytes;
	uint64_t size;
	char name[256];
};

/* A field of decimal digits, padded with blanks. */
static int read_decimal(const uint8_t *at, size_t width, uint64_t *value)
{
	size_t i = 0;
	for (*value = 0; i < width && at[i] >= '0' && at[i] <= '9'; i++)
		*value = *value * 10 + (at[i] - '0');
	return i ? 0 : -1;
}

/* "member.o/", or "/N": at N of the table of long names, up to a slash. */
static void read_name(struct member *member, const uint8_t *header, const struct member *names)
{
	const uint8_t *from = header;
	uint64_t at, most = 16;
	if (header[0] == '/' && read_decimal(header + 1, 15, &at) == 0 && at < names->size) {
		from = names->bytes + at;
		most = names->size - at;
	}
	size_t length = 0;
	while (length < most && length < sizeof(member->name) - 1 && from[length] != '/' && from[length] != '\n')
		length++;
	memcpy(member->name, from, length);
	member->name[length] = '\0';
}

static int scan_archive(struct scan *scan, const char *path, const uint8_t *bytes, size_t size)
{
	struct hd_arena arena;
	struct member names = {0}, member;
	int status = 0;
	hd_arena_init(&arena);
	for (size_t at = ARCHIVE_MAGIC; status == 0 && at < size;) {
		const uint8_t *header = bytes + at;
		if (size - at < ARCHIVE_HEADER || read_decimal(header + 48, 10, &member.size) != 0 ||
		    member.size > size - at - ARCHIVE_HEADER) {
			status = hd_error(scan->diag, HD_NOWHERE, "%s: truncated or damaged archive", path);
			break;
		}
		member.bytes = header + ARCHIVE_HEADER;
		read_name(&member, header, &names);
		if (memcmp(header, "// ", 3) == 0)
			names = member;
		else if (member.name[0])
			status = scan_file(scan, hd_arena_printf(&arena, "%s(%s)", path, member.name), member.bytes,
					   member.size);
		at += ARCHIVE_HEADER + member.size + (member.size & 1);
	}
	hd_arena_release(&arena);
	return status;
}

bool hd_cubin_expected(const uint8_t *bytes, size_t size)
{
	return is_archive(bytes, size) || hd_cubin_certain(bytes, size);
}

bool hd_cubin_certain(const uint8_t *bytes, size_t size)
{
	struct elf_image image;
	bool found = false;
	if (is_cubin(bytes, size) || fatbin_at(bytes, size))
		return true;
	if (!is_elf(bytes, size) || object_header_is_ours(bytes))
		return false;
	bool linked = get_u16(bytes + 16) != ET_REL;
	int status = elf_image_init(&image, bytes, size);
	for (size_t i = 1; status == 0 && !found && i < image.section_count; i++) {
		struct elf_section section;
		status = elf_image_section(&image, i, &section);
		found = status == 0 && holds_fatbins(&section, linked) && fatbin_at(section.data, section.bytes);
	}
	elf_image_release(&image);
	return found;
}

int hd_cubin_scan(const uint8_t *bytes, size_t size, const char *path, struct hd_cubin_rest *rest,
		  int (*found)(void *context, const struct hd_cubin_image *image), void *context, struct hd_diag *diag)
{
	struct scan scan = {found, context, rest, diag, 0};
	*rest = (struct hd_cubin_rest){0};
	int status =
		is_archive(bytes, size) ? scan_archive(&scan, path, bytes, size) : scan_file(&scan, path, bytes, size);
	return status == 0 ? scan.count : -1;
}
