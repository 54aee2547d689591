/*
 * What both forms of `heddle dis` know about one function of an object, or about the linear version of a kernel: its
 * blocks, the relocation and the call record of each instruction, and its metadata.
 */
#ifndef HD_TOOLS_HEDDLE_LISTING_H
#define HD_TOOLS_HEDDLE_LISTING_H

#include "heddle/object.h"

struct listing {
	const struct hd_object *object;
	const struct hd_function *function;
	const struct hd_linear *linear;	     /* whose body the function is, or NULL */
	const struct hd_meta_function *meta; /* NULL when the metadata has no such function */
	uint32_t *block;		     /* of each instruction; blocks are numbered in order of address */
	const struct hd_reloc **reloc;	     /* of each instruction, or NULL */
	const struct hd_meta_call **call;    /* of each instruction, or NULL */
	const struct hd_meta_interval **interval; /* whose entry the instruction is, or NULL */
};

/* Everything is in the arena. */
void listing_init_linear(struct listing *listing, const struct hd_object *object, const struct hd_linear *linear,
			 struct hd_arena *arena);
void listing_init(struct listing *listing, const struct hd_object *object, const struct hd_function *function,
		  struct hd_arena *arena);
/* Name of the symbol that the instruction's relocation names, or NULL. */
const char *listing_symbol(const struct listing *listing, uint32_t index);
/* Assembly text with the callee's name in place of its number; `text` has LISTING_TEXT bytes. */
enum { LISTING_TEXT = 512 };
void listing_format(const struct listing *listing, uint32_t index, char text[LISTING_TEXT]);

/* "block-index parts" where one of a linear version's streams begins, else NULL. */
const char *listing_stream(const struct listing *listing, uint32_t index);

/* Lines of source files, read when they are first asked for. */
struct source_lines;
struct source_lines *source_lines_new(const struct hd_object *object, const char *object_path);
void source_lines_free(struct source_lines *lines);
/* The line without its indentation, safe to print; NULL when the file cannot be read or is shorter. */
const char *source_line(struct source_lines *lines, uint32_t file, uint32_t line);

struct json_t;
/* The function as `heddle dis --json` prints it; `version`: its linear version, or NULL. */
struct json_t *listing_json(const struct listing *listing, const struct listing *version);

#endif
