/*
 * Templates of inline assembly as nvcc takes them. With operands, clang wants `%%laneid` for PTX's special registers,
 * where nvcc takes `%laneid`, too. And clang looks for the operand of each `%7` where it reads the statement, nvcc
 * where it makes code of it: a template of C++ that nobody instantiates may count wrong. With `%%7`, the reader of PTX
 * finds it then (passes/ptx). A wrong number in the host's assembly is left to the assembler in the same way.
 *
 * Needs the text of a source. Linear in it but for each sign, which moves the rest.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heddle-cc/source.h"
#include "tools/heddle-cc/templates.h"

/* The special registers of the PTX ISA, which no host's assembler knows. */
static const char *const registers[] = {
	"tid",
	"ntid",
	"ctaid",
	"nctaid",
	"laneid",
	"warpid",
	"nwarpid",
	"smid",
	"nsmid",
	"gridid",
	"lanemask_eq",
	"lanemask_le",
	"lanemask_lt",
	"lanemask_ge",
	"lanemask_gt",
	"clock",
	"clock_hi",
	"clock64",
	"globaltimer",
	"globaltimer_lo",
	"globaltimer_hi",
	"is_explicit_cluster",
	"clusterid",
	"nclusterid",
	"cluster_ctaid",
	"cluster_nctaid",
	"cluster_ctarank",
	"cluster_nctarank",
	"total_smem_size",
	"aggr_smem_size",
	"dynamic_smem_size",
	"current_graph_exec",
};

static bool is_one_of(const char *word, size_t length, const char *const names[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) == length && !strncmp(word, names[i], length))
			return true;
	return false;
}
#define IS_ONE_OF(word, length, names) is_one_of(word, length, names, sizeof(names) / sizeof *(names))

/* The special registers with a number or a place in their name. */
static bool is_numbered(const char *word, size_t length)
{
	static const char *const stems[] = {"envreg", "pm", "reserved_smem_offset_"};
	for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
		size_t stem = strlen(stems[i]);
		if (length > stem && !strncmp(word, stems[i], stem) &&
		    (stems[i][stem - 1] == '_' || isdigit((unsigned char)word[stem])))
			return true;
	}
	return false;
}

/* Behind the word at `at`, and blanks, if it is one of `names`; else NULL. */
#define BEHIND_WORD(at, names) behind_word(at, names, sizeof(names) / sizeof *(names))
static char *behind_word(char *at, const char *const names[], size_t count)
{
	size_t length = hd_source_word_length(at);
	if (!length || !is_one_of(at, length, names, count))
		return NULL;
	at += length;
	return at + strspn(at, " \t\r\n\\");
}

/* Whether clang wants a second sign in front of this. */
static bool wants_two_signs(const char *word, unsigned operands)
{
	size_t length = hd_source_word_length(word);
	if (isdigit((unsigned char)*word))
		return strtoul(word, NULL, 10) >= operands;
	return IS_ONE_OF(word, length, registers) || is_numbered(word, length);
}

/* Doubles the signs that need it in the literal from `at` to `end`; the new end. */
static char *double_signs(struct hd_text *text, char *at, char *end, unsigned operands)
{
	for (; at < end; at++) {
		if (*at != '%')
			continue;
		if (wants_two_signs(at + 1, operands)) {
			memmove(at + 1, at, (size_t)(text->data + text->size + 1 - at));
			text->size++;
			end++;
			at++;
		} else if (at[1] == '%') {
			at++;
		}
	}
	return end;
}

/* What comes behind the template that starts at `at`: a colon where there are operands; NULL: its end is not found. */
static char *template_end(char *at, const char *start)
{
	int depth = 0;
	while (*at && *at != ';') {
		char *behind = hd_source_skip_opaque(at, start);
		if (!behind && depth == 0 && (*at == ':' || *at == ')'))
			return at;
		depth += behind ? 0 : *at == '(' ? 1 : *at == ')' ? -1 : 0;
		at = behind ? behind : at + 1;
	}
	return NULL;
}

#define UNKNOWN_OPERANDS UINT_MAX

/* How many operands there are from the colon at `at` on: brackets hold one each, and what is read and written is two.
 * UNKNOWN_OPERANDS where a macro may stand for some, or the end is not found. */
static unsigned count_operands(char *at, const char *start)
{
	unsigned count = 0, colons = 0;
	while (*at && *at != ')' && *at != ';' && colons < 3) {
		char *behind = *at == '(' || *at == '[' ? hd_source_skip_brackets(at, start)
							: hd_source_skip_opaque(at, start);
		if (hd_source_word_length(at) || *at == '#' || (!behind && strchr("([", *at)))
			return UNKNOWN_OPERANDS;
		count += behind && (*at == '(' || (*at == '"' && at[1] == '+'));
		colons += *at == ':';
		at = behind ? behind : at + 1;
	}
	return *at == ')' || colons == 3 ? count : UNKNOWN_OPERANDS;
}

/* Mends the template behind the bracket before `at`; behind it. */
static char *mend_template(struct hd_text *text, char *at)
{
	char *end = template_end(at, text->data);
	if (!end || *end != ':')
		return at;
	unsigned operands = count_operands(end, text->data);
	while (at < end) {
		char *behind = hd_source_skip_opaque(at, text->data);
		if (behind && *at == '"') {
			char *now = double_signs(text, at, behind, operands);
			end += now - behind;
			behind = now;
		}
		at = behind ? behind : at + 1;
	}
	return at;
}

bool hd_templates_mend(struct hd_text *text)
{
	static const char *const assembly[] = {"asm", "__asm__", "__asm"};
	static const char *const qualifiers[] = {"volatile", "__volatile__", "__volatile", "inline", "goto"};
	size_t size = text->size;
	for (char *at = text->data; *at;) {
		char *behind = hd_source_skip_opaque(at, text->data);
		size_t length = behind ? 0 : hd_source_word_length(at);
		char *inside = length ? BEHIND_WORD(at, assembly) : NULL, *qualified;
		while (inside && (qualified = BEHIND_WORD(inside, qualifiers)))
			inside = qualified;
		if (inside && *inside == '(')
			at = mend_template(text, inside + 1);
		else if (behind)
			at = behind;
		else if (length)
			at += length;
		else
			at++;
	}
	return text->size != size;
}
