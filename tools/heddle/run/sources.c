/*
 * The source lines of a run's statistics: see sources.h. Cost: O(rows), and each source once.
 */
#include "tools/heddle/run/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "heddle/object.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/metadata/json.h"
#include "lib/strbuf.h"

enum { MOST_SOURCE = 1 << 24 /* bytes */ };

/* A source that is read. */
struct source {
	char *text; /* with NUL for newlines */
	size_t size;
	const char **lines;
	size_t count;
};

/* A source that has changed since the program was built is none of its. */
static bool read_source(struct source *source, const char *path, const char *program)
{
	struct hd_diag silent = hd_diag_silent();
	struct stat status, built;
	uint8_t *bytes;
	if (stat(path, &status) || !S_ISREG(status.st_mode) || status.st_size > MOST_SOURCE ||
	    (stat(program, &built) == 0 && status.st_mtime > built.st_mtime) ||
	    hd_read_file(path, &bytes, &source->size, &silent))
		return false;
	source->text = hd_xstrndup((const char *)bytes, source->size);
	bool is_text = strlen(source->text) == source->size;
	free(bytes);
	if (!is_text)
		free(source->text);
	return is_text;
}

static void split(struct source *source)
{
	size_t room = 1;
	for (const char *at = source->text; (at = strchr(at, '\n')); at++)
		room++;
	source->lines = hd_xcalloc(room, sizeof *source->lines);
	for (char *rest = source->text, *line; (line = strsep(&rest, "\n"));)
		source->lines[source->count++] = line;
}

static bool find_source(struct source *source, const char *file, const char *program)
{
	const char *slash = strrchr(program, '/');
	struct hd_strbuf beside = {0};
	bool found = false;
	if (slash && file[0] != '/') {
		hd_strbuf_printf(&beside, "%.*s/%s", (int)(slash - program), program, file);
		found = read_source(source, hd_strbuf_text(&beside), program);
	}
	hd_strbuf_release(&beside);
	found = found || read_source(source, file, program);
	if (found)
		split(source);
	return found;
}

static void want_lines(json_t *sources, const json_t *rows)
{
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *file = json_string_value(json_object_get(row, "file"));
		char line[32];
		if (!file)
			continue;
		if (!json_object_get(sources, file))
			json_object_set_new(sources, file, json_object());
		snprintf(line, sizeof line, "%lld", (long long)json_integer_value(json_object_get(row, "line")));
		json_object_set_new(json_object_get(sources, file), line, json_null());
	}
}

void run_sources_add(json_t *document, const char *program)
{
	json_t *slots = json_object_get(document, "slots"), *sources = json_object(), *lines, *none;
	const char *file, *number;
	void *next;
	want_lines(sources, json_object_get(slots, "lines"));
	want_lines(sources, json_object_get(slots, "instructions"));
	json_object_foreach_safe(sources, next, file, lines)
	{
		struct source source = {0};
		if (!find_source(&source, file, program)) {
			json_object_del(sources, file);
			continue;
		}
		json_object_foreach(lines, number, none)
		{
			unsigned long at = strtoul(number, NULL, 10);
			if (at && at <= source.count)
				json_object_set_new(lines, number, hd_json_text(source.lines[at - 1]));
		}
		free(source.lines);
		free(source.text);
	}
	if (json_object_size(sources))
		json_object_set(slots, "sources", sources);
	json_decref(sources);
}
