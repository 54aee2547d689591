/* The file of a checkpoint: written, read, and what is wrong with it told; device memory's changes; the heap of its
 * own. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/store.h"
#include "runtime/checkpoint/file.h"
#include "runtime/checkpoint/image.h"
#include "runtime/checkpoint/memory.h"
#include "runtime/exec/devmem.h"

static char path[64], told[512];

static void take(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)context, (void)severity, (void)loc;
	snprintf(told, sizeof told, "%s", message);
}

static struct hd_diag diag = {.emit = take};

static void set_up(void)
{
	snprintf(path, sizeof path, "/tmp/heddle-checkpoint-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	*told = '\0';
}

static void tear_down(void)
{
	unlink(path);
}

/* Two entries, of 5 and of 0 bytes. Returns the file's size. */
static size_t write_file(void)
{
	struct hd_entry_writer writer = {.to = fopen(path, "wb")};
	hd_entry_head(&writer, "{\"a\":1}");
	hd_entry_begin(&writer, HD_ENTRY_LOAD, 5);
	hd_entry_put(&writer, "ab", 2);
	hd_entry_put(&writer, "cde", 3);
	hd_entry_begin(&writer, HD_ENTRY_STEP, 0);
	hd_entry_end(&writer);
	ck_assert(!writer.failed);
	size_t size = (size_t)ftell(writer.to);
	fclose(writer.to);
	return size;
}

static size_t read_bytes(uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "rb");
	size_t got = fread(bytes, 1, size, file);
	fclose(file);
	return got;
}

static void write_bytes(const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

START_TEST(what_is_written_is_read)
{
	struct hd_entry_reader reader;
	enum hd_entry_kind kind;
	uint64_t bytes;
	char text[8] = "";
	write_file();
	ck_assert_int_eq(hd_entry_open(&reader, path, &diag), 0);
	ck_assert_str_eq(reader.head, "{\"a\":1}");
	ck_assert_int_eq(hd_entry_next(&reader, &kind, &bytes), 0);
	ck_assert_int_eq(kind, HD_ENTRY_LOAD);
	ck_assert_uint_eq(bytes, 5);
	ck_assert_int_eq(hd_entry_get(&reader, text, 5), 0);
	ck_assert_str_eq(text, "abcde");
	ck_assert_int_eq(hd_entry_next(&reader, &kind, &bytes), 0);
	ck_assert_int_eq(kind, HD_ENTRY_STEP);
	ck_assert_uint_eq(bytes, 0);
	ck_assert_int_eq(hd_entry_next(&reader, &kind, &bytes), 0);
	ck_assert_int_eq(kind, HD_ENTRY_END);
	hd_entry_close(&reader);
}
END_TEST

/* Wherever it ends, and whichever bit is another one, the file is refused, by name. */
START_TEST(any_damage_is_seen)
{
	struct hd_entry_reader reader;
	uint8_t bytes[512];
	size_t size = write_file();
	ck_assert_uint_le(size, sizeof bytes);
	ck_assert_uint_eq(read_bytes(bytes, sizeof bytes), size);
	for (size_t end = 0; end < size; end++) {
		write_bytes(bytes, end);
		*told = '\0';
		ck_assert_int_eq(hd_entry_open(&reader, path, &diag), -1);
		ck_assert_ptr_nonnull(strstr(told, path));
		ck_assert_msg(strstr(told, end < 8 ? "not a checkpoint" : "truncated"), "%zu bytes: %s", end, told);
	}
	for (size_t bit = 0; bit < 8 * size; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		write_bytes(bytes, size);
		*told = '\0';
		ck_assert_msg(hd_entry_open(&reader, path, &diag) == -1, "bit %zu", bit);
		ck_assert_ptr_nonnull(strstr(told, path));
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	write_bytes(bytes, size);
	ck_assert_int_eq(hd_entry_open(&reader, path, &diag), 0);
	hd_entry_close(&reader);
}
END_TEST

static void fill(struct hd_devmem *memory, uint64_t address, uint8_t value, uint64_t bytes)
{
	memset(hd_devmem_at(memory, address, bytes), value, bytes);
}

/* What a step changed in one memory, put into another that was as the first, makes it the same; and what the host's
 * half wrote, or gave back, has one digest in both. */
START_TEST(changes_of_memory)
{
	enum { BYTES = 100000 };
	struct hd_devmem *memory[2];
	struct hd_mirror *mirror[2];
	struct hd_strbuf changes = {0};
	uint64_t address[2], other[2], digest[2];
	for (uint32_t i = 0; i < 2; i++) {
		memory[i] = hd_devmem_new(UINT64_C(1) << 24);
		mirror[i] = hd_mirror_new(memory[i]);
		ck_assert_int_eq(hd_devmem_alloc(memory[i], BYTES, 256, &address[i]), 0);
		ck_assert_int_eq(hd_devmem_alloc(memory[i], BYTES, 256, &other[i]), 0);
		fill(memory[i], address[i] + 10, 3, 9000);
		fill(memory[i], other[i], 4, 9000);
		digest[i] = hd_mirror_follow(mirror[i]);
	}
	ck_assert_uint_eq(address[0], address[1]);
	ck_assert_uint_eq(digest[0], digest[1]);
	ck_assert_uint_ne(digest[0], 0);
	ck_assert_uint_eq(hd_mirror_follow(mirror[0]), 0);

	fill(memory[0], address[0] + 4000, 5, 200);
	fill(memory[0], address[0] + BYTES - 1, 6, 1);
	hd_mirror_compare(mirror[0], &changes, true);
	ck_assert_uint_gt(changes.len, 200);
	ck_assert_uint_lt(changes.len, 1000); /* lines, not pages */
	ck_assert_int_eq(hd_mirror_put(mirror[1], changes.data, changes.len), 0);
	ck_assert_mem_eq(hd_devmem_at(memory[0], address[0], BYTES), hd_devmem_at(memory[1], address[1], BYTES), BYTES);
	hd_mirror_follow(mirror[1]);
	ck_assert_int_eq(hd_mirror_put(mirror[1], changes.data, changes.len - 1), -1);

	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_int_eq(hd_devmem_release(memory[i], other[i]), 0);
		digest[i] = hd_mirror_follow(mirror[i]);
	}
	ck_assert_uint_eq(digest[0], digest[1]);
	ck_assert_uint_ne(digest[0], 0);
	for (uint32_t i = 0; i < 2; i++) {
		fill(memory[i], address[i] + 50000, (uint8_t)(7 + i), 1);
		digest[i] = hd_mirror_follow(mirror[i]);
	}
	ck_assert_uint_ne(digest[0], digest[1]);
	hd_strbuf_release(&changes);
	for (uint32_t i = 0; i < 2; i++) {
		hd_mirror_free(mirror[i]);
		hd_devmem_free(memory[i]);
	}
}
END_TEST

/* The host's memory that the device has adopted is followed, too, whatever its place in a page. */
START_TEST(adopted_memory)
{
	static uint8_t host[10000];
	struct hd_devmem *memory = hd_devmem_new(UINT64_C(1) << 24);
	struct hd_mirror *mirror = hd_mirror_new(memory);
	struct hd_strbuf changes = {0};
	ck_assert_int_eq(hd_devmem_adopt(memory, host + 3, sizeof host - 5), 0);
	host[2] = host[sizeof host - 1] = 1; /* beside it */
	ck_assert_uint_eq(hd_mirror_follow(mirror), 0);
	host[3] = host[5000] = host[sizeof host - 3] = 1;
	hd_mirror_compare(mirror, &changes, false);
	memset(host + 3, 0, sizeof host - 5);
	ck_assert_int_eq(hd_mirror_put(mirror, changes.data, changes.len), 0);
	ck_assert_uint_eq(host[3] + host[5000] + host[sizeof host - 3], 3);
	ck_assert_uint_ne(hd_mirror_follow(mirror), 0);
	ck_assert_int_eq(hd_devmem_drop(memory, host + 3), 0);
	ck_assert_int_eq(hd_mirror_put(mirror, changes.data, changes.len), -1);
	hd_strbuf_release(&changes);
	hd_mirror_free(mirror);
	hd_devmem_free(memory);
}
END_TEST

static bool is_all(const uint8_t *bytes, uint8_t value, size_t size)
{
	return bytes[0] == value && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Blocks do not overlap, are aligned, zero, and used again in one area and not in the other; and an image of it all
 * comes back, with pointers to code where it is. Forks: a heap is for the rest of a process. */
START_TEST(the_heap_and_its_image)
{
	ck_assert_int_eq(hd_store_enter(HD_STORE_STATE), HD_STORE_OUTSIDE);
	ck_assert_int_eq(hd_store_here(), HD_STORE_OUTSIDE);
	ck_assert_int_eq(hd_store_open(), 0);
	hd_store_enter(HD_STORE_STATE);
	uint8_t *blocks[200];
	for (size_t i = 0; i < 200; i++) {
		size_t size = i * i * 7 + 1, align = (size_t)16 << i % 5;
		blocks[i] = hd_store_alloc(size, align);
		ck_assert(hd_store_has(blocks[i]));
		ck_assert_uint_eq((uintptr_t)blocks[i] % align, 0);
		ck_assert_uint_ge(hd_store_room(blocks[i]), size);
		ck_assert(is_all(blocks[i], 0, size));
		memset(blocks[i], (int)i, size);
	}
	for (size_t i = 0; i < 200; i++)
		ck_assert(is_all(blocks[i], (uint8_t)i, i * i * 7 + 1));
	hd_store_free(blocks[150]);
	uint8_t *again = hd_store_alloc(150 * 150 * 7 + 1, 1);
	ck_assert_ptr_eq(again, blocks[150]);
	ck_assert(is_all(again, 0, 150 * 150 * 7 + 1));
	hd_store_enter(HD_STORE_LASTING);
	void **lasting = hd_store_alloc(64, 1);
	hd_store_free(lasting);
	ck_assert_ptr_ne(hd_store_alloc(64, 1), lasting);
	uint8_t *pages = hd_pages_new((size_t)1 << 34);
	ck_assert(hd_store_has(pages));
	pages[(size_t)1 << 33] = 11;
	lasting[0] = blocks[10];
	struct hd_image_code code = hd_image_code();
	lasting[1] = (void *)(uintptr_t)(code.base + 5);
	memcpy(pages + 8, &lasting[1], sizeof(void *)); /* what programs compute with, and no pointer of ours */
	hd_store_enter(HD_STORE_OUTSIDE);

	struct hd_entry_writer writer = {.to = fopen(path, "wb")};
	hd_entry_head(&writer, "{}");
	hd_image_write(&writer);
	hd_entry_end(&writer);
	ck_assert(!writer.failed);
	fclose(writer.to);

	memset(blocks[10], 99, 10 * 10 * 7 + 1);
	lasting[0] = NULL;
	pages[(size_t)1 << 33] = 12;
	struct hd_entry_reader reader;
	ck_assert_int_eq(hd_entry_open(&reader, path, &diag), 0);
	/* as if the code had been elsewhere: where the pointer is to 0x1000 bytes into it */
	struct hd_image_code then = {code.base - 0x1000, code.bytes};
	ck_assert_int_eq(hd_image_read(&reader, &then), 0);
	hd_entry_close(&reader);
	ck_assert_ptr_eq(lasting[0], blocks[10]);
	ck_assert_uint_eq((uintptr_t)lasting[1], code.base + 5 + 0x1000);
	ck_assert_uint_eq(blocks[10][0], 10);
	ck_assert_uint_eq(pages[(size_t)1 << 33], 11);
	uint64_t word;
	memcpy(&word, pages + 8, sizeof word);
	ck_assert_uint_eq(word, code.base + 5);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {what_is_written_is_read, any_damage_is_seen,     changes_of_memory,
				      adopted_memory,	       the_heap_and_its_image, NULL};
	return hd_suite_with("checkpoint", tests, set_up, tear_down);
}
