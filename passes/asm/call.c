/*
 * Inline PTX: calls, and the declarations of what they call. A function is declared, never defined, inside of another.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/asm/parse.h"

/* `.param .align 8 .b8 a[16]` or `.reg .b32 a`, up to a comma or parenthesis. */
static void parameter(struct hd_ptx_text *text, struct hd_ptx_prototype *to)
{
	char word[64];
	uint64_t bytes = 0;
	while (hd_ptx_take_word(text, word, sizeof word)) {
		if (!strcmp(word, ".align")) {
			hd_ptx_skip_space(text);
			strtoul(text->at, (char **)&text->at, 0);
		} else if (!bytes && strcmp(word, ".param") != 0 && strcmp(word, ".reg") != 0) {
			bytes = hd_ptx_register_bits(word) / 8;
		}
	}
	while (hd_ptx_take(text, '[')) {
		hd_ptx_skip_space(text);
		bytes *= strtoull(text->at, (char **)&text->at, 0);
		hd_ptx_expect(text, ']');
	}
	if (!bytes)
		hd_ptx_text_error(text, "expected a parameter before \"%.16s\"", text->at);
	else if (to->count == HD_PTX_PARAMS)
		hd_ptx_text_error(text, "more than %d parameters", HD_PTX_PARAMS - 1);
	else
		to->bytes[to->count++] = bytes;
}

/* In parentheses; there may be none. */
static bool parameters(struct hd_ptx_text *text, struct hd_ptx_prototype *to)
{
	if (!hd_ptx_take(text, '('))
		return false;
	if (hd_ptx_take(text, ')'))
		return true;
	do
		parameter(text, to);
	while (!text->failed && hd_ptx_take(text, ','));
	hd_ptx_expect(text, ')');
	return true;
}

void hd_ptx_prototype(struct hd_ptx_text *text, const char *name)
{
	struct hd_ptx_prototype made = {.count = 0};
	char word[sizeof made.name];
	parameters(text, &made);
	if (made.count > 1)
		hd_ptx_text_error(text, "more than one result");
	made.result = made.count;
	if (!hd_ptx_take_word(text, word, sizeof word))
		hd_ptx_text_error(text, "expected the name of a function before \"%.16s\"", text->at);
	snprintf(made.name, sizeof made.name, "%s", name ? name : word);
	parameters(text, &made);
	while (hd_ptx_take_word(text, word, sizeof word) && *word == '.')
		; /* .noreturn */
	hd_ptx_skip_space(text);
	if (*text->at == '{')
		hd_ptx_text_error(text, "a function cannot be defined inside of another");
	hd_ptx_expect(text, ';');
	if (!text->failed)
		hd_vec_push(&text->prototypes, made);
}

void hd_ptx_function(struct hd_ptx_text *text, const char *word)
{
	char next[16];
	if (strcmp(word, ".func") != 0 && (!hd_ptx_take_word(text, next, sizeof next) || strcmp(next, ".func") != 0))
		hd_ptx_text_error(text, "expected .func behind '%s'", word);
	if (!text->failed)
		hd_ptx_prototype(text, NULL);
}

/* `(r, ...)`; none is an empty vector. */
static void list(struct hd_ptx_text *text, struct hd_ptx_operand *out)
{
	*out = hd_ptx_new_operand(text);
	out->form = HD_PTX_VECTOR;
	if (hd_ptx_take(text, '(') && !hd_ptx_take(text, ')'))
		hd_ptx_parts_until(text, out, ')');
}

void hd_ptx_call(struct hd_ptx_text *text, struct hd_ptx_statement *statement)
{
	hd_ptx_skip_space(text);
	bool results = *text->at == '(';
	list(text, &statement->operands[0]);
	if (results)
		hd_ptx_expect(text, ',');
	statement->operands[1] = hd_ptx_new_operand(text);
	statement->operands[1].count = 1;
	hd_ptx_part(text, &statement->operands[1].parts[0]);
	statement->operands[2] = hd_ptx_new_operand(text);
	statement->operands[2].form = HD_PTX_VECTOR;
	statement->count = 3;
	if (!hd_ptx_take(text, ','))
		return;
	hd_ptx_skip_space(text);
	if (*text->at == '(') {
		list(text, &statement->operands[2]);
		hd_ptx_take(text, ',');
	}
}
