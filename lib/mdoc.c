/*
 * Writing of mdoc(7), read by mandoc and groff. Text is escaped so that nothing in it is taken for a macro or an
 * escape.
 */
#include "lib/mdoc.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "heddle/version.h"

static void put(FILE *out, char c)
{
	if (c == '\\')
		fputs("\\e", out);
	else if (c == '`')
		fputs("\\(ga", out);
	else if (c == '\'')
		fputs("\\(aq", out);
	else if (c == '-')
		fputs("\\-", out);
	else
		fputc(c, out);
}

/* The length of a word that mdoc would call a macro, so that it wants an escape among a macro's arguments. */
static void put_word(FILE *out, const char *word, size_t len)
{
	if (len <= 3 && isupper((unsigned char)*word))
		fputs("\\&", out);
	for (size_t i = 0; i < len; i++)
		put(out, word[i]);
}

static void put_words(FILE *out, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, " ");
		put_word(out, words, len);
		words += len;
		if (*words)
			fputc(*words++, out);
	}
}

/* Sentences end with the line, as roff wants it. */
static void put_paragraph(FILE *out, const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (size_t i = 0; i < len; i++) {
		bool ends = strchr(".:?!", text[i]) && i + 2 < len && text[i + 1] == ' ' &&
			    isupper((unsigned char)text[i + 2]);
		put(out, text[i]);
		if (ends) {
			fputc('\n', out);
			i++;
		}
	}
	fputc('\n', out);
}

void hd_mdoc_begin(FILE *out, const char *name, unsigned section, const char *about)
{
	fprintf(out, ".\\\" Made from the tables of options; do not edit.\n.Dd %s\n.Dt ", HD_VERSION_DATE);
	for (const char *at = name; *at; at++)
		fputc(toupper((unsigned char)*at), out);
	fprintf(out, " %u\n.Os Heddle %s\n.Sh NAME\n.Nm %s\n.Nd ", section, HD_VERSION, name);
	put_words(out, about);
	fputc('\n', out);
}

void hd_mdoc_section(FILE *out, const char *title)
{
	fprintf(out, ".Sh %s\n", title);
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');
	return end ? end + 1 : line + strlen(line);
}

/* Literal lines, with the empty ones between them. */
static const char *put_literal(FILE *out, const char *line)
{
	fputs(".Bd -literal -offset indent\n", out);
	for (;;) {
		size_t len = strcspn(line, "\n"), indent = strspn(line, " ");
		if (line[indent] == '.' || line[indent] == '\'')
			fputs("\\&", out);
		for (size_t i = indent > 2 ? 2 : indent; i < len; i++)
			put(out, line[i]);
		fputc('\n', out);
		line = next_line(line);
		if (*line == ' ')
			continue;
		if (*line != '\n' || *next_line(line) != ' ')
			break;
		fputc('\n', out);
		line = next_line(line);
	}
	fputs(".Ed\n", out);
	return line;
}

void hd_mdoc_text(FILE *out, const char *text)
{
	bool paragraph = false;
	for (const char *line = text; *line;) {
		if (*line == '\n') {
			paragraph = true;
			line++;
		} else if (*line == ' ') {
			line = put_literal(out, line);
			paragraph = false;
		} else {
			if (paragraph)
				fputs(".Pp\n", out);
			put_paragraph(out, line, strcspn(line, "\n"));
			paragraph = false;
			line = next_line(line);
		}
	}
}

void hd_mdoc_line(FILE *out, const char *macro, const char *arguments)
{
	fprintf(out, ".%s ", macro);
	put_words(out, arguments);
	fputc('\n', out);
}

void hd_mdoc_option(FILE *out, char short_name, const char *long_name, const char *value, const char *meaning)
{
	fputs(".It", out);
	if (short_name)
		fprintf(out, " Fl %c%s", short_name, long_name ? " ," : "");
	if (long_name) {
		fputs(" Fl ", out);
		put_words(out, long_name + 1);
	}
	if (value) {
		fputs(long_name && long_name[1] == '-' ? " Ns = Ns Ar " : " Ar ", out);
		put_words(out, value);
	}
	fputc('\n', out);
	hd_mdoc_text(out, meaning);
}

void hd_mdoc_list_begin(FILE *out)
{
	fputs(".Bl -tag -width Ds\n", out);
}

void hd_mdoc_item(FILE *out, const char *name, const char *meaning)
{
	fputs(".It Cm ", out);
	put_words(out, name);
	fputc('\n', out);
	hd_mdoc_text(out, meaning);
}

void hd_mdoc_list_end(FILE *out)
{
	fputs(".El\n", out);
}

void hd_mdoc_see_also(FILE *out, const char *const *pages)
{
	hd_mdoc_section(out, "SEE ALSO");
	for (; *pages; pages++)
		fprintf(out, ".Xr %s%s\n", *pages, pages[1] ? " ," : "");
}
