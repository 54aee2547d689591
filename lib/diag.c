/*
 * Diagnostics: formats a message, counts it and hands it to the caller's sink or
 * prints it on stderr, in the form that editors and CI systems read.
 */
#include "lib/diag.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/arena.h"
#include "lib/strbuf.h"

static const char *severity_name(enum hd_severity severity)
{
	switch (severity) {
	case HD_NOTE: return "note";
	case HD_WARNING: return "warning";
	case HD_ERROR: break;
	}
	return "error";
}

void hd_loc_append(struct hd_strbuf *text, struct hd_loc loc)
{
	hd_strbuf_append(text, loc.file ? loc.file : "");
	if (loc.line)
		hd_strbuf_printf(text, ":%u", loc.line);
	if (loc.line && loc.column)
		hd_strbuf_printf(text, ":%u", loc.column);
}

static void print(const struct hd_diag *diag, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	struct hd_strbuf line = {0};
	if (loc.file)
		hd_loc_append(&line, loc);
	else
		hd_strbuf_append(&line, diag->tool ? diag->tool : "heddle");
	/* One call, so that messages of several threads do not mix. */
	fprintf(stderr, "%s: %s: %s\n", hd_strbuf_text(&line), severity_name(severity), message);
	hd_strbuf_release(&line);
}

static void ignore(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)context, (void)severity, (void)loc, (void)message;
}

struct hd_diag hd_diag_silent(void)
{
	return (struct hd_diag){.emit = ignore};
}

void hd_diag_vreport(struct hd_diag *diag, enum hd_severity severity, struct hd_loc loc, const char *format,
		     va_list args)
{
	struct hd_strbuf message = {0};
	hd_strbuf_vprintf(&message, format, args);
	if (severity == HD_ERROR)
		diag->errors++;
	if (diag->emit)
		diag->emit(diag->context, severity, loc, hd_strbuf_text(&message));
	else
		print(diag, severity, loc, hd_strbuf_text(&message));
	hd_strbuf_release(&message);
}

int hd_error(struct hd_diag *diag, struct hd_loc loc, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	hd_diag_vreport(diag, HD_ERROR, loc, format, args);
	va_end(args);
	return -1;
}

void hd_note(struct hd_diag *diag, struct hd_loc loc, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	hd_diag_vreport(diag, HD_NOTE, loc, format, args);
	va_end(args);
}

void hd_warning(struct hd_diag *diag, struct hd_loc loc, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	hd_diag_vreport(diag, HD_WARNING, loc, format, args);
	va_end(args);
}

/*
 * Levenshtein distance without regard to case, or limit + 1 where it is larger than that: the least number of a row
 * only grows from row to row. `row` has room for strlen(b) + 1 numbers.
 */
static unsigned edit_distance(const char *a, const char *b, unsigned *row, unsigned limit)
{
	unsigned columns = (unsigned)strlen(b);
	for (unsigned j = 0; j <= columns; j++)
		row[j] = j;
	for (unsigned i = 1; a[i - 1]; i++) {
		unsigned diagonal = row[0], least = i;
		row[0] = i;
		for (unsigned j = 1; j <= columns; j++) {
			bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
			unsigned best = diagonal + !same;
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = row[j];
			row[j] = best;
			if (best < least)
				least = best;
		}
		if (least > limit)
			return limit + 1;
	}
	return row[columns];
}

char *hd_nearest_names(const char *wanted, const char *const *names, unsigned count)
{
	enum { SHOWN = 3 };
	size_t length = strlen(wanted);
	/* A third of the letters may be wrong, and at least one. A beginning of a name is near, too. */
	unsigned limit = (unsigned)(length / 3 > 1 ? length / 3 : 1);
	unsigned *distance = hd_xcalloc(count, sizeof(*distance));
	for (unsigned i = 0; i < count; i++) {
		size_t columns = strlen(names[i]);
		distance[i] = limit + 1;
		/* The difference of the lengths is the least distance: most names cost nothing more. */
		if (columns <= length + limit && length <= columns + limit) {
			unsigned *row = hd_xcalloc(columns + 1, sizeof(*row));
			distance[i] = edit_distance(wanted, names[i], row, limit);
			free(row);
		}
		if (distance[i] > limit && length >= 2 && strncasecmp(wanted, names[i], length) == 0)
			distance[i] = limit;
	}

	struct hd_strbuf text = {0};
	unsigned shown = 0;
	for (unsigned d = 0; d <= limit; d++) {
		for (unsigned i = 0; i < count && shown < SHOWN; i++) {
			if (distance[i] != d)
				continue;
			hd_strbuf_printf(&text, "%s%s", shown ? ", " : "", names[i]);
			shown++;
		}
	}
	free(distance);
	return hd_strbuf_detach(&text);
}

int hd_unknown_name(struct hd_diag *diag, const char *before, const char *name, const char *const *names,
		    unsigned count)
{
	struct hd_strbuf all = {0};
	char *nearest = hd_nearest_names(name, names, count);
	for (unsigned i = 0; i < count; i++)
		hd_strbuf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	int status = hd_error(diag, HD_NOWHERE, "%s '%s'; %s%s%s %s", before, name, *nearest ? "did you mean " : "",
			      nearest, *nearest ? "? There are" : "there are", hd_strbuf_text(&all));
	hd_strbuf_release(&all);
	free(nearest);
	return status;
}
