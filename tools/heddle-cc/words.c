/*
 * Words of the command line that stand for others: option files (--options-file FILE, -optf FILE, @FILE), which hold
 * options as a shell would read them, and values that are lists (-Xcompiler "-Wall,-O2 -g").
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"
#include "lib/strbuf.h"
#include "tools/heddle-cc/options.h"

enum { DEEPEST_FILE = 16 }; /* option files that name each other */

/* The next word of `*at`, which goes behind it; NULL at the end. Quotes and backslashes as the shell has them. */
static char *next_word(struct hd_cc *cc, const char **at, const char *separators)
{
	struct hd_strbuf word = {0};
	const char *text = *at + strspn(*at, separators);
	bool any = *text != '\0';
	for (char quote = 0; *text && (quote || !strchr(separators, *text)); text++) {
		if (quote ? *text == quote : *text == '"' || *text == '\'')
			quote = quote ? 0 : *text;
		else if (*text == '\\' && quote != '\'' && text[1])
			hd_strbuf_append_bytes(&word, ++text, 1);
		else
			hd_strbuf_append_bytes(&word, text, 1);
	}
	*at = text;
	char *result = any ? hd_arena_strdup(&cc->arena, hd_strbuf_text(&word)) : NULL;
	hd_strbuf_release(&word);
	return result;
}

void hd_cc_add_list(struct hd_cc *cc, hd_arguments *to, const char *list, const char *prefix)
{
	for (const char *item; (item = next_word(cc, &list, ", \t\n"));)
		if (*item) {
			if (prefix)
				hd_vec_push(to, prefix);
			hd_vec_push(to, item);
		}
}

static int expand_word(struct hd_cc *cc, const char *word, const char *next, unsigned depth, hd_arguments *words);

static int expand_file(struct hd_cc *cc, const char *name, unsigned depth, hd_arguments *words)
{
	uint8_t *bytes;
	size_t size;
	if (depth == DEEPEST_FILE)
		return hd_error(&cc->diag, HD_NOWHERE, "%s: option files include each other", name);
	if (hd_read_file(name, &bytes, &size, &cc->diag))
		return -1;
	const char *text = hd_arena_printf(&cc->arena, "%.*s", (int)size, (const char *)bytes);
	free(bytes);
	hd_arguments inside = {0};
	for (char *word; (word = next_word(cc, &text, " \t\r\n"));)
		hd_vec_push(&inside, word);
	int status = 0;
	for (uint32_t i = 0; i < inside.len && status >= 0; i += 1 + (uint32_t)status)
		status = expand_word(cc, inside.data[i], i + 1 < inside.len ? inside.data[i + 1] : NULL, depth, words);
	hd_vec_release(&inside);
	return status < 0 ? -1 : 0;
}

static int expand_files(struct hd_cc *cc, const char *names, unsigned depth, hd_arguments *words)
{
	for (const char *name; (name = next_word(cc, &names, ","));)
		if (expand_file(cc, name, depth + 1, words))
			return -1;
	return 0;
}

/* How many of the words behind it were taken, or -1. */
static int expand_word(struct hd_cc *cc, const char *word, const char *next, unsigned depth, hd_arguments *words)
{
	static const char *const options[] = {"--options-file", "-options-file", "-optf", "--optf"};
	for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
		size_t length = strlen(options[i]);
		if (strncmp(word, options[i], length) != 0)
			continue;
		if (word[length] == '=')
			return expand_files(cc, word + length + 1, depth, words);
		if (!word[length] && !next)
			return hd_error(&cc->diag, HD_NOWHERE, "%s needs a value", word);
		if (!word[length])
			return expand_files(cc, next, depth, words) ? -1 : 1;
	}
	if (*word == '@' && word[1])
		return expand_file(cc, word + 1, depth + 1, words);
	hd_vec_push(words, word);
	return 0;
}

int hd_cc_expand(struct hd_cc *cc, int argc, char **argv, hd_arguments *words)
{
	for (int i = 1, taken; i < argc; i += 1 + taken) {
		taken = expand_word(cc, argv[i], i + 1 < argc ? argv[i + 1] : NULL, 0, words);
		if (taken < 0)
			return -1;
	}
	return 0;
}
