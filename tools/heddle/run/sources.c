/*
 * The source lines of a run's statistics: see sources.h. Cost: O(rows), and each source and the program once.
 */
#include "tools/heddle/run/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/metadata/json.h"
#include "lib/strbuf.h"
#include "tools/heddle/source_line.h"

enum { MOST_SOURCE = 1 << 24 /* bytes */, MOST_LINES = 1 << 16 };

struct program {
	char *path;
	struct stat status;
	json_t *files; /* that its kernel objects name, as keys */
};

/* A source that is read. */
struct source {
	char *text; /* with NUL for newlines */
	size_t size;
	const char **lines;
	size_t count;
};

/* ------------------------------------------------------------------ the program */

static bool is_program(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* As execvp(3) finds it; the caller frees it. NULL: it is not there. */
static char *find_program(const char *name)
{
	char standard[256] = "";
	const char *folders = getenv("PATH");
	struct hd_strbuf path = {0};
	if (strchr(name, '/'))
		return is_program(name) ? hd_xstrdup(name) : NULL;
	if (!folders && confstr(_CS_PATH, standard, sizeof standard) <= sizeof standard)
		folders = standard;
	while (folders) {
		size_t length = strcspn(folders, ":");
		hd_strbuf_clear(&path);
		hd_strbuf_printf(&path, "%.*s/%s", length ? (int)length : 1, length ? folders : ".", name);
		if (is_program(hd_strbuf_text(&path)))
			return hd_strbuf_detach(&path);
		folders = folders[length] ? folders + length + 1 : NULL;
	}
	hd_strbuf_release(&path);
	return NULL;
}

static int add_files(void *context, const uint8_t *bytes, size_t size)
{
	struct program *program = context;
	struct hd_diag silent = hd_diag_silent();
	struct hd_arena arena;
	struct hd_object object;
	hd_arena_init(&arena);
	if (hd_object_read(bytes, size, program->path, &arena, &object, &silent) == 0)
		for (uint32_t i = 0; i < object.file_count; i++)
			json_object_set_new(program->files, object.files[i], json_true());
	hd_arena_release(&arena);
	return 0;
}

/* ------------------------------------------------------------------ sources */

static bool is_younger(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
						      : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
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

static void release(struct source *source)
{
	free(source->lines);
	free(source->text);
	*source = (struct source){0};
}

/* A source that has changed since the program was built is none of its. */
static bool read_source(struct source *source, const char *path, const struct stat *status,
			const struct program *program)
{
	struct hd_diag silent = hd_diag_silent();
	uint8_t *bytes;
	if (!S_ISREG(status->st_mode) || status->st_size > MOST_SOURCE || is_younger(status, &program->status) ||
	    hd_read_file(path, &bytes, &source->size, &silent))
		return false;
	source->text = hd_xstrndup((const char *)bytes, source->size);
	bool is_text = strlen(source->text) == source->size;
	free(bytes);
	split(source);
	if (!is_text || source->count > MOST_LINES)
		release(source);
	return source->text;
}

/* The first one that is there: where that is not to be used, another one of its name is not either. */
static bool find_source(struct source *source, const char *file, const struct program *program)
{
	const char *slash = strrchr(program->path, '/');
	struct hd_strbuf beside = {0};
	struct stat status;
	bool found = false;
	if (file[0] != '/')
		hd_strbuf_printf(&beside, "%.*s/%s", (int)(slash - program->path), program->path, file);
	if (beside.len && lstat(hd_strbuf_text(&beside), &status) == 0)
		found = stat(hd_strbuf_text(&beside), &status) == 0 &&
			read_source(source, hd_strbuf_text(&beside), &status, program);
	else if (stat(file, &status) == 0)
		found = read_source(source, file, &status, program);
	hd_strbuf_release(&beside);
	return found;
}

/* ------------------------------------------------------------------ statistics */

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
		if (json_integer_value(json_object_get(row, "line")) > 0)
			json_object_set_new(json_object_get(sources, file), line, json_null());
	}
}

/* NULL: the source is shorter than its lines say, and another one. */
static json_t *source_json(const struct source *source, json_t *lines)
{
	struct hd_strbuf digests = {0};
	const char *number;
	json_t *none;
	json_object_foreach(lines, number, none)
	{
		size_t at = strtoul(number, NULL, 10);
		struct hd_strbuf shown = {0};
		if (at > source->count)
			return NULL;
		source_line_show(&shown, source->lines[at - 1], SOURCE_LINE_MOST);
		json_object_set_new(lines, number, hd_json_text(hd_strbuf_text(&shown)));
		hd_strbuf_release(&shown);
	}
	for (size_t i = 0; i < source->count; i++) {
		size_t length = strlen(source->lines[i]);
		const char *text = source_line_trim(source->lines[i], &length);
		hd_strbuf_printf(&digests, "%08x", source_line_digest(text, length));
	}
	json_t *json = json_pack("{s:s,s:O}", "digests", hd_strbuf_text(&digests), "lines", lines);
	hd_strbuf_release(&digests);
	return json;
}

static void add_sources(json_t *slots, const struct program *program)
{
	json_t *wanted = json_object(), *sources = json_object(), *lines;
	const char *file;
	want_lines(wanted, json_object_get(slots, "lines"));
	want_lines(wanted, json_object_get(slots, "instructions"));
	json_object_foreach(wanted, file, lines)
	{
		struct source source = {0};
		if (!json_object_get(program->files, file) || !find_source(&source, file, program))
			continue;
		json_t *json = source_json(&source, lines);
		if (json)
			json_object_set_new(sources, file, json);
		release(&source);
	}
	if (json_object_size(sources))
		json_object_set(slots, "sources", sources);
	json_decref(sources);
	json_decref(wanted);
}

void run_sources_add(json_t *document, const char *name)
{
	struct hd_diag silent = hd_diag_silent();
	struct program program = {.path = name ? find_program(name) : NULL, .files = json_object()};
	json_t *slots = json_object_get(document, "slots");
	if (slots && program.path && stat(program.path, &program.status) == 0 &&
	    hd_object_scan_file(program.path, add_files, &program, &silent) > 0)
		add_sources(slots, &program);
	json_decref(program.files);
	free(program.path);
}
