/*
 * Lines of source files beside a listing. Linear in the source files that are asked for.
 */
#include "tools/heddle/listing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct source_file {
	char *text;
	HD_VEC(const char *) lines; /* into text */
	bool tried;
};

struct source_lines {
	const struct hd_object *object;
	const char *object_path;
	struct source_file *files;
};

struct source_lines *source_lines_new(const struct hd_object *object, const char *object_path)
{
	struct source_lines *lines = hd_xcalloc(1, sizeof(*lines));
	lines->object = object;
	lines->object_path = object_path;
	lines->files = hd_xcalloc(object->file_count, sizeof(*lines->files));
	return lines;
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	for (uint32_t i = 0; i < lines->object->file_count; i++) {
		free(lines->files[i].text);
		hd_vec_release(&lines->files[i].lines);
	}
	free(lines->files);
	free(lines);
}

/* As the compiler saw the path, else beside the object. A source that is not there is no error. */
static int read_source(const struct source_lines *lines, const char *path, uint8_t **text, size_t *size)
{
	struct hd_diag silent = hd_diag_silent();
	if (hd_read_file(path, text, size, &silent) == 0)
		return 0;
	const char *slash = strrchr(lines->object_path, '/');
	if (path[0] == '/' || !slash)
		return -1;
	size_t directory = (size_t)(slash + 1 - lines->object_path);
	char *beside = hd_xmalloc(directory + strlen(path) + 1);
	memcpy(beside, lines->object_path, directory);
	strcpy(beside + directory, path);
	int result = hd_read_file(beside, text, size, &silent);
	free(beside);
	return result;
}

/* Cuts the text into lines, without indentation and without what a terminal would obey. */
static void split_lines(struct source_file *file, size_t size)
{
	char *line = file->text, *end = file->text + size;
	while (line < end) {
		char *stop = memchr(line, '\n', (size_t)(end - line));
		stop = stop ? stop : end;
		*stop = '\0';
		for (char *at = line; at < stop; at++)
			if (iscntrl((unsigned char)*at))
				*at = ' ';
		for (char *last = stop; last > line && last[-1] == ' '; last--)
			last[-1] = '\0';
		line += strspn(line, " ");
		hd_vec_push(&file->lines, line);
		line = stop + 1;
	}
}

const char *source_line(struct source_lines *lines, uint32_t file, uint32_t line)
{
	if (file >= lines->object->file_count || !line)
		return NULL;
	struct source_file *source = &lines->files[file];
	if (!source->tried) {
		uint8_t *text = NULL;
		size_t size = 0;
		source->tried = true;
		if (read_source(lines, lines->object->files[file], &text, &size) == 0) {
			source->text = (char *)text;
			split_lines(source, size);
		}
	}
	return line <= source->lines.len ? source->lines.data[line - 1] : NULL;
}
