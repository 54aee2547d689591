/*
 * Inline PTX: variables of a text with their initial values: numbers, and addresses of other variables and of functions
 * (the PTX ISA, Initializers). Linear in the text.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "passes/asm/parse.h"

/* ------------------------------------------------------------------ initial values */

enum { ADDRESS_BYTES = 8 };

/* 0: the whole address; `0xff00(v)`: 8, the bits below the byte; a mask of anything else is none. */
static bool shift_of(const struct hd_ptx_part *mask, unsigned *shift)
{
	for (*shift = 0; *shift < 8 * ADDRESS_BYTES; *shift += 8)
		if (mask->kind == HD_PTX_NUMBER && mask->number == (uint64_t)0xff << *shift)
			return true;
	return false;
}

/* `v`, `v+4`, `generic(v)+4`: behind a mask, or alone. */
static void initial_address(struct hd_ptx_text *text, struct hd_ptx_address *out)
{
	char name[HD_PTX_NAME];
	struct hd_ptx_part offset = {0};
	bool named = hd_ptx_take_word(text, name, sizeof name);
	out->generic = named && !strcmp(name, "generic") && hd_ptx_take(text, '(');
	if (out->generic)
		named = hd_ptx_take_word(text, name, sizeof name);
	if (!named) {
		hd_ptx_text_error(text, "expected a number or an address before \"%.16s\"", text->at);
		return;
	}
	if (!hd_ptx_find_register(text, name, strlen(name), &out->reg))
		out->reg = hd_ptx_program_variable(text, name);
	if (out->generic)
		hd_ptx_expect(text, ')');
	if (hd_ptx_take(text, '+') && (!hd_ptx_number(text, &offset) || offset.kind != HD_PTX_NUMBER))
		hd_ptx_text_error(text, "expected an offset before \"%.16s\"", text->at);
	out->offset = (int64_t)offset.number;
}

/* A number of an initial value: its bits as an element of the type; or the address of a variable or of a function,
 * whole or a byte of it. */
static void initial_element(struct hd_ptx_text *text, struct hd_ptx_variable *made, struct hd_ptx_type type)
{
	struct hd_ptx_part part = {0};
	struct hd_ptx_address address = {.at = made->initial.len, .bytes = type.bits / 8};
	uint64_t bits = 0;
	bool number = hd_ptx_number(text, &part), masked = number && hd_ptx_take(text, '(');
	if (number && !masked) {
		bits = type.class == 'f' || part.kind != HD_PTX_NUMBER ? hd_ptx_float_bits(&part, type.bits)
								       : part.number;
	} else {
		if (masked && !shift_of(&part, &address.shift))
			hd_ptx_text_error(text, "the mask of an address is one of its bytes");
		initial_address(text, &address);
		if (masked)
			hd_ptx_expect(text, ')');
		if (strchr("ub", type.class) == NULL || address.bytes != (masked ? 1 : ADDRESS_BYTES))
			hd_ptx_text_error(text, "an address fills a .u64, and a byte of one a .u8");
		hd_vec_push(&made->addresses, address);
	}
	for (unsigned i = 0; i < type.bits / 8; i++)
		hd_vec_push(&made->initial, i < 8 ? (uint8_t)(bits >> 8 * i) : 0);
}

/* `7`, `{1, 2}`, `{{1, 2}, {3}}`: what is left out of a row is zero. rows: bytes of what a brace at each depth holds.
 */
static void initial_value(struct hd_ptx_text *text, struct hd_ptx_variable *made, struct hd_ptx_type type,
			  const uint64_t *rows)
{
	if (!hd_ptx_take(text, '{')) {
		initial_element(text, made, type);
		return;
	}
	uint32_t begin = made->initial.len;
	if (!*rows)
		hd_ptx_text_error(text, "the initial value has more braces than the variable has dimensions");
	if (!hd_ptx_take(text, '}')) {
		do
			initial_value(text, made, type, rows + 1);
		while (!text->failed && hd_ptx_take(text, ','));
		hd_ptx_expect(text, '}');
	}
	if (!text->failed && *rows != UINT64_MAX && made->initial.len - begin > *rows)
		hd_ptx_text_error(text, "the initial value is longer than the variable");
	while (!text->failed && *rows != UINT64_MAX && made->initial.len - begin < *rows)
		hd_vec_push(&made->initial, 0);
}

/* ------------------------------------------------------------------ declarations */

enum { DIMENSIONS = 4, MOST_BYTES = 1 << 20 };

/* UINT64_MAX: so many rows as the initial value has. What has no 64 bits is too large anyway, and stays so. */
static uint64_t bytes_of_row(uint64_t element, uint64_t count)
{
	uint64_t bytes;
	if (count == UINT64_MAX)
		return UINT64_MAX;
	return __builtin_mul_overflow(element, count, &bytes) || bytes == UINT64_MAX ? UINT64_MAX - 1 : bytes;
}

/* Digits; what has no 64 bits is too large anyway, and stays so. */
static uint64_t rows_of(struct hd_ptx_text *text)
{
	if (!isdigit((unsigned char)*text->at)) {
		hd_ptx_text_error(text, "a dimension is a number");
		return 0;
	}
	errno = 0;
	uint64_t count = strtoull(text->at, (char **)&text->at, 0);
	return errno || count == UINT64_MAX ? UINT64_MAX - 1 : count;
}

/* `[2][3]`, of elements of so many bytes: the bytes of a row at each depth; `[]`, the first alone, is as long as its
 * initial value. */
static void dimensions(struct hd_ptx_text *text, struct hd_ptx_variable *made, uint64_t *rows)
{
	uint64_t counts[DIMENSIONS];
	unsigned depth = 0;
	while (!text->failed && hd_ptx_take(text, '[')) {
		hd_ptx_skip_space(text);
		if (depth == DIMENSIONS) {
			hd_ptx_text_error(text, "more than %d dimensions", DIMENSIONS);
			return;
		}
		counts[depth] = *text->at == ']' && !depth ? UINT64_MAX : rows_of(text);
		depth++;
		hd_ptx_expect(text, ']');
	}
	rows[depth] = 0;
	while (depth--) {
		made->bytes = bytes_of_row(made->bytes, counts[depth]);
		rows[depth] = made->bytes;
	}
}

/* Told before an initial value is filled up to this. */
static bool is_too_large(const uint64_t *rows)
{
	for (; *rows; rows++)
		if (*rows != UINT64_MAX && *rows > MOST_BYTES)
			return true;
	return false;
}

void hd_ptx_variable(struct hd_ptx_text *text, enum hd_ptx_place place)
{
	char word[HD_PTX_NAME];
	struct hd_ptx_type type = {0, 0};
	unsigned elements = 1;
	unsigned long align = 0;
	bool initialised = place == HD_PTX_GLOBAL || place == HD_PTX_CONST;
	while (hd_ptx_take_word(text, word, sizeof word)) {
		if (!strcmp(word, ".align")) {
			hd_ptx_skip_space(text);
			align = strtoul(text->at, (char **)&text->at, 0);
		} else if (!strcmp(word, ".v2") || !strcmp(word, ".v4")) {
			elements = (unsigned)(word[2] - '0');
		} else {
			type = hd_ptx_type_named(word + (*word == '.'));
			break;
		}
	}
	if (align > 256 || (align & (align - 1))) {
		hd_ptx_text_error(text, "an alignment is a power of two up to 256");
		return;
	}
	if (type.bits < 8) {
		hd_ptx_text_error(text, "expected a PTX type for the variable");
		return;
	}
	do {
		if (!hd_ptx_take_word(text, word, sizeof word)) {
			hd_ptx_text_error(text, "expected a variable name before \"%.16s\"", text->at);
			return;
		}
		struct hd_ptx_variable made = {.place = place, .bytes = (uint64_t)type.bits / 8 * elements};
		made.align = align ? (unsigned)align : (unsigned)made.bytes;
		uint64_t rows[DIMENSIONS + 2] = {0};
		dimensions(text, &made, rows);
		if (!rows[0] && elements > 1)
			rows[0] = made.bytes;
		if (!is_too_large(rows) && hd_ptx_take(text, '=')) {
			if (!initialised)
				hd_ptx_text_error(text, "variable '%s': no initial value is allowed in this space",
						  word);
			initial_value(text, &made, type, rows);
			made.bytes = made.bytes == UINT64_MAX ? made.initial.len : made.bytes;
		}
		if (!made.bytes || made.bytes > MOST_BYTES || is_too_large(rows)) {
			hd_ptx_text_error(text, "variable '%s': the size is missing or above 1 MiB", word);
			return;
		}
		made.reg = hd_ptx_text_declare(text, word, 64);
		hd_vec_push(&text->variables, made);
	} while (hd_ptx_take(text, ','));
	hd_ptx_expect(text, ';');
}
