/*
 * heddle-mutate SEED FROM TO: writes a damaged copy of a file. The same seed gives the same damage: some bits flipped,
 * bytes overwritten with extreme values, parts cut out, doubled, swapped or filled, numbers in text exchanged for huge
 * ones, the end cut off. Of a kernel object every other seed damages the contents of its sections, which are packed: it
 * is written without packing first. Tools must answer any such file with an exit status of 0, 1 or 2.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/object/parts.h"

struct damage {
	uint64_t random;
	uint8_t *bytes;
	size_t size;
};

static uint64_t draw(struct damage *damage)
{
	uint64_t z = damage->random += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t below(struct damage *damage, size_t limit)
{
	return limit ? draw(damage) % limit : 0;
}

static void flip_bits(struct damage *damage)
{
	for (size_t count = 1 + below(damage, 4); count-- > 0;)
		damage->bytes[below(damage, damage->size)] ^= (uint8_t)(1u << below(damage, 8));
}

/* A word of 1, 2, 4 or 8 bytes, where such words stand, gets a value that is hard to take. */
static void extreme_word(struct damage *damage)
{
	static const uint64_t values[] = {0,
					  1,
					  0x7f,
					  0x80,
					  0xff,
					  0x7fff,
					  0xffff,
					  0x7fffffff,
					  0x80000000,
					  0xffffffff,
					  0x7fffffffffffffff,
					  0xffffffffffffffff,
					  0x100000000};
	uint64_t value = values[below(damage, sizeof values / sizeof *values)];
	size_t bytes = (size_t)1 << below(damage, 4);
	if (damage->size < bytes)
		return;
	memcpy(damage->bytes + below(damage, damage->size / bytes) * bytes, &value, bytes);
}

static void overwrite(struct damage *damage)
{
	size_t start = below(damage, damage->size),
	       length = below(damage, damage->size - start < 64 ? damage->size - start : 64);
	uint8_t fill = (uint8_t)draw(damage);
	memset(damage->bytes + start, fill, length);
}

static void cut_out(struct damage *damage)
{
	size_t start = below(damage, damage->size), length = below(damage, damage->size - start);
	length = below(damage, 4) ? length % 64 : length;
	memmove(damage->bytes + start, damage->bytes + start + length, damage->size - start - length);
	damage->size -= length;
}

static void double_part(struct damage *damage)
{
	size_t start = below(damage, damage->size), length = below(damage, damage->size - start);
	damage->bytes = hd_xrealloc(damage->bytes, damage->size + length + 1);
	memmove(damage->bytes + start + length, damage->bytes + start, damage->size - start);
	damage->size += length;
}

static void swap_parts(struct damage *damage)
{
	size_t length = 1 + below(damage, 32);
	if (damage->size < 2 * length)
		return;
	size_t a = below(damage, damage->size - length), b = below(damage, damage->size - length);
	for (size_t i = 0; i < length; i++) {
		uint8_t byte = damage->bytes[a + i];
		damage->bytes[a + i] = damage->bytes[b + i];
		damage->bytes[b + i] = byte;
	}
}

static void insert_text(struct damage *damage, size_t at, size_t replaced, const char *text)
{
	size_t length = strlen(text), tail = damage->size - at - replaced;
	damage->bytes = hd_xrealloc(damage->bytes, damage->size + length + 1);
	memmove(damage->bytes + at + length, damage->bytes + at + replaced, tail);
	memcpy(damage->bytes + at, text, length);
	damage->size = at + length + tail;
}

/* The number after some place becomes another. */
static void change_number(struct damage *damage)
{
	static const char *const numbers[] = {"0",
					      "-1",
					      "4294967295",
					      "4294967296",
					      "18446744073709551615",
					      "99999999999999999999",
					      "1e400",
					      "-0",
					      "0x",
					      "2147483648",
					      "null",
					      "\"\"",
					      "[]",
					      "{}",
					      "nan",
					      "1.5"};
	size_t at = below(damage, damage->size), length = 0;
	while (at < damage->size && !isdigit(damage->bytes[at]))
		at++;
	while (at + length < damage->size && isdigit(damage->bytes[at + length]))
		length++;
	if (length)
		insert_text(damage, at, length, numbers[below(damage, sizeof numbers / sizeof *numbers)]);
}

static void stray_text(struct damage *damage)
{
	static const char *const texts[] = {"\n", "[",	"]",	"=",   "{",	   "}",	   "\"", ",",
					    ";",  "\\", "%s%n", "../", "[arg0]\n", "\xff", "\t "};
	insert_text(damage, below(damage, damage->size), 0, texts[below(damage, sizeof texts / sizeof *texts)]);
}

static void truncate_end(struct damage *damage)
{
	damage->size = below(damage, damage->size);
}

/* The same object with its sections as they are when they are unpacked. */
static int lay_open(struct damage *damage, struct hd_diag *diag)
{
	struct hd_object object;
	struct hd_arena arena;
	uint8_t *bytes;
	size_t size;
	hd_arena_init(&arena);
	int status = hd_object_read(damage->bytes, damage->size, "the object", &arena, &object, diag);
	if (!status)
		status = object_write_packed(&object, HD_CODEC_NONE, &bytes, &size, diag);
	hd_arena_release(&arena);
	if (status)
		return -1;
	free(damage->bytes);
	damage->bytes = bytes;
	damage->size = size;
	return 0;
}

static bool is_object(const struct damage *damage)
{
	return damage->size >= 64 && hd_object_declared_size(damage->bytes) == damage->size;
}

int main(int argc, char **argv)
{
	static void (*const kinds[])(struct damage *) = {flip_bits,    flip_bits,     extreme_word,  extreme_word,
							 extreme_word, overwrite,     cut_out,	     double_part,
							 swap_parts,   change_number, change_number, change_number,
							 stray_text,   truncate_end};
	struct hd_diag diag = {.tool = "heddle-mutate"};
	struct damage damage = {0};
	if (argc != 4) {
		fprintf(stderr, "Usage: heddle-mutate SEED FROM TO\n");
		return 2;
	}
	damage.random = strtoull(argv[1], NULL, 0);
	if (hd_read_file(argv[2], &damage.bytes, &damage.size, &diag))
		return 2;
	if (is_object(&damage) && below(&damage, 2) && lay_open(&damage, &diag))
		return 2;
	for (size_t count = 1 + below(&damage, 3); count-- > 0 && damage.size;)
		kinds[below(&damage, sizeof kinds / sizeof *kinds)](&damage);
	int status = hd_write_file(argv[3], damage.bytes, damage.size, &diag);
	free(damage.bytes);
	return status ? 2 : 0;
}
