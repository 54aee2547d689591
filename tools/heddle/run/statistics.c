/*
 * Statistics of a run, its launches in a file: see statistics.h. Cost: a launch's text is made once and copied.
 */
#include "tools/heddle/run/statistics.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "tools/heddle/run/figures.h"
#include "tools/heddle/run/grids.h"

/* As many digits as the simulator promises. */
enum { STEP = 2, FORMAT = JSON_INDENT(STEP) | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12) };

struct run_statistics *run_statistics_new(json_t *document, bool wanted, FILE *launches, struct hd_diag *diag)
{
	struct run_statistics *statistics = hd_xcalloc(1, sizeof *statistics);
	if (wanted && !launches)
		hd_error(diag, HD_NOWHERE, "cannot make a temporary file for statistics: %s", strerror(errno));
	*statistics = (struct run_statistics){document, json_object(), json_object(), wanted, launches};
	return statistics;
}

struct run_statistics *run_statistics_of(const char *text, bool wanted, struct hd_diag *diag)
{
	json_t *document = text ? json_loads(text, 0, NULL) : NULL;
	if (!document)
		return NULL;
	struct run_statistics *statistics = run_statistics_new(document, wanted, wanted ? tmpfile() : NULL, diag);
	json_t *launches = json_object_get(document, "launches");
	for (size_t i = 0; i < json_array_size(launches); i++)
		run_statistics_add(statistics, json_array_get(launches, i));
	json_array_clear(launches);
	return statistics;
}

void run_statistics_free(struct run_statistics *statistics)
{
	if (!statistics)
		return;
	json_decref(statistics->document);
	json_decref(statistics->kernels);
	json_decref(statistics->grids);
	if (statistics->launches)
		fclose(statistics->launches);
	free(statistics);
}

static int to_file(const char *text, size_t size, void *file)
{
	return fwrite(text, 1, size, file) == size ? 0 : -1;
}

void run_statistics_add(struct run_statistics *statistics, const json_t *launch)
{
	figure_kernels_add(statistics->kernels, launch);
	run_grids_add(statistics->grids, launch);
	if (!statistics->launches)
		return;
	json_dump_callback(launch, to_file, statistics->launches, FORMAT);
	fputc('\n', statistics->launches);
}

/* ------------------------------------------------------------ writing */

static void indent(FILE *to, unsigned columns)
{
	fprintf(to, "\n%*s", (int)columns, "");
}

/* A JSON text on from where the file is, with its further lines as far right as its place is deep. */
static void put_value(FILE *to, const json_t *value, unsigned columns)
{
	char *text = json_dumps(value, FORMAT);
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (line != text)
			indent(to, columns);
		fprintf(to, "%.*s", (int)strcspn(line, "\n"), line);
	}
	free(text);
}

/* An object's text ends with the line that is a bare brace. 0 or -1: some could not be read. */
static int put_launches(FILE *to, FILE *launches, unsigned columns)
{
	char *line = NULL;
	size_t size = 0;
	bool first = true, any = false;
	if (fseek(launches, 0, SEEK_SET))
		return -1;
	fputc('[', to);
	for (ssize_t length; (length = getline(&line, &size, launches)) > 0; any = true) {
		line[length - (line[length - 1] == '\n')] = '\0';
		if (any && first)
			fputc(',', to);
		indent(to, columns + STEP);
		fputs(line, to);
		first = !strcmp(line, "}");
	}
	if (any)
		indent(to, columns);
	fputc(']', to);
	free(line);
	return feof(launches) ? 0 : -1;
}

static int put_document(FILE *to, const struct run_statistics *statistics, unsigned columns)
{
	const char *key, *separator = "{";
	/* Going back to the start would write the rest and forget that it failed. */
	int status = statistics->launches && !fflush(statistics->launches) && !ferror(statistics->launches) ? 0 : -1;
	json_t *value;
	json_object_foreach(statistics->document, key, value)
	{
		fputs(separator, to);
		indent(to, columns + STEP);
		fprintf(to, "\"%s\": ", key); /* our own, and policies' names */
		if (!strcmp(key, "launches") && statistics->launches)
			status = put_launches(to, statistics->launches, columns + STEP) || status ? -1 : 0;
		else
			put_value(to, value, columns + STEP);
		separator = ",";
	}
	indent(to, columns);
	fputc('}', to);
	return status;
}

int run_statistics_write(struct run_statistics *const *list, uint32_t count, FILE *to)
{
	int status = 0;
	if (count == 1) {
		status = put_document(to, list[0], 0);
		fputc('\n', to);
		return status;
	}
	fprintf(to, "{\n%*s\"runs\": [", STEP, "");
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? "," : "", to);
		indent(to, 2 * STEP);
		if (!list[i])
			fputs("null", to);
		else if (put_document(to, list[i], 2 * STEP))
			status = -1;
	}
	fprintf(to, "\n%*s]\n}\n", STEP, "");
	return status;
}
