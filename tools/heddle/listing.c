/*
 * The facts of a function's instructions, gathered once; and the source lines beside them.
 * Linear in the function and in the source files it names.
 */
#include "tools/heddle/listing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"

static void number_blocks(struct listing *listing, struct hd_arena *arena)
{
	struct hd_bitset leaders = hd_function_leaders(listing->function, arena);
	listing->block = HD_ARENA_NEW(arena, uint32_t, listing->function->inst_count);
	uint32_t block = 0;
	for (uint32_t i = 0; i < listing->function->inst_count; i++) {
		if (i && hd_bitset_has(&leaders, i))
			block++;
		listing->block[i] = block;
	}
}

/* What the metadata knows of places in the code is true of the kernel's own code, not of its linear version. */
static void place_facts(struct listing *listing)
{
	const struct hd_function *function = listing->function;
	const struct hd_meta_function *meta = listing->meta;
	for (uint32_t i = 0; i < meta->call_count; i++) {
		uint32_t index = meta->calls[i].pc / HD_INST_BYTES;
		if (index < function->inst_count && hd_opinfo[function->insts[index].op].effects & HD_FX_CALL)
			listing->call[index] = &meta->calls[i];
	}
	for (uint32_t i = 0; i < meta->interval_count; i++)
		if (meta->intervals[i].entry_pc / HD_INST_BYTES < function->inst_count)
			listing->interval[meta->intervals[i].entry_pc / HD_INST_BYTES] = &meta->intervals[i];
}

static void init(struct listing *listing, struct hd_arena *arena)
{
	const struct hd_function *function = listing->function;
	listing->meta = hd_metadata_find(&listing->object->metadata, function->name);
	number_blocks(listing, arena);
	listing->reloc = HD_ARENA_NEW(arena, const struct hd_reloc *, function->inst_count);
	listing->call = HD_ARENA_NEW(arena, const struct hd_meta_call *, function->inst_count);
	listing->interval = HD_ARENA_NEW(arena, const struct hd_meta_interval *, function->inst_count);
	for (uint32_t i = 0; i < function->reloc_count; i++)
		listing->reloc[function->relocs[i].offset] = &function->relocs[i];
	if (listing->meta && !listing->linear)
		place_facts(listing);
}

void listing_init(struct listing *listing, const struct hd_object *object, const struct hd_function *function,
		  struct hd_arena *arena)
{
	*listing = (struct listing){.object = object, .function = function};
	init(listing, arena);
}

void listing_init_linear(struct listing *listing, const struct hd_object *object, const struct hd_linear *linear,
			 struct hd_arena *arena)
{
	*listing = (struct listing){.object = object, .function = &linear->body, .linear = linear};
	init(listing, arena);
}

const char *listing_stream(const struct listing *listing, uint32_t index)
{
	static const char *const names[HD_STREAM_COUNT] = {
		[HD_STREAM_COEFFICIENT] = "coefficients",
		[HD_STREAM_THREAD] = "thread-index parts",
		[HD_STREAM_BLOCK] = "block-index parts",
		[HD_STREAM_MAIN] = "main",
	};
	for (unsigned stream = 0; listing->linear && stream < HD_STREAM_COUNT; stream++)
		if (listing->linear->start[stream] == index)
			return names[stream];
	return NULL;
}

const char *listing_symbol(const struct listing *listing, uint32_t index)
{
	const struct hd_reloc *reloc = listing->reloc[index];
	return reloc ? listing->object->symbols[reloc->symbol].name : NULL;
}

void listing_format(const struct listing *listing, uint32_t index, char text[LISTING_TEXT])
{
	const struct hd_inst *inst = &listing->function->insts[index];
	int len = hd_inst_format(inst, text, LISTING_TEXT);
	const char *symbol = listing_symbol(listing, index);
	/* Until the object is loaded the number in a call means nothing. */
	char *number = inst->op == HD_OP_CALL && symbol && len < LISTING_TEXT ? strrchr(text, ' ') : NULL;
	if (number)
		snprintf(number + 1, LISTING_TEXT - (size_t)(number + 1 - text), "%s", symbol);
}

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

static void ignore(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)context, (void)severity, (void)loc, (void)message;
}

/* As the compiler saw the path, else beside the object. A source that is not there is no error. */
static int read_source(const struct source_lines *lines, const char *path, uint8_t **text, size_t *size)
{
	struct hd_diag silent = {.emit = ignore};
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
