/*
 * Damage to bytes, the same for the same seed (damage.h).
 */
#include "test/fuzz/damage.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"

uint64_t damage_draw(struct damage *damage)
{
	uint64_t z = damage->random += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t below(struct damage *damage, size_t limit)
{
	return limit ? damage_draw(damage) % limit : 0;
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
	uint8_t fill = (uint8_t)damage_draw(damage);
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

void damage_some(struct damage *damage)
{
	static void (*const kinds[])(struct damage *) = {flip_bits,    flip_bits,     extreme_word,  extreme_word,
							 extreme_word, overwrite,     cut_out,	     double_part,
							 swap_parts,   change_number, change_number, change_number,
							 stray_text,   truncate_end};
	for (size_t count = 1 + below(damage, 3); count-- > 0 && damage->size;)
		kinds[below(damage, sizeof kinds / sizeof *kinds)](damage);
}
