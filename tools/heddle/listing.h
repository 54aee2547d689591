/*
 * What `heddle dis` adds to a listing (lib/object/listing.h): lines of source text, and the form for other programs.
 */
#ifndef HD_TOOLS_HEDDLE_LISTING_H
#define HD_TOOLS_HEDDLE_LISTING_H

#include "lib/object/listing.h"

/* Lines of source files, read when they are first asked for. */
struct source_lines;
struct source_lines *source_lines_new(const struct hd_object *object, const char *object_path);
void source_lines_free(struct source_lines *lines);
/* The line without its indentation, safe to print; NULL when the file cannot be read or is shorter. */
const char *source_line(struct source_lines *lines, uint32_t file, uint32_t line);

struct json_t;
/* Of one instruction, by slot: its operands (listing_operands.c says the form); its predicates; the number that belongs
 * to it, such as a displacement, or null. */
struct json_t *listing_operands(const struct hd_inst *inst);
struct json_t *listing_predicates(const struct hd_inst *inst);
struct json_t *listing_number(const struct hd_inst *inst);
/* The function as `heddle dis --json` prints it; `version`: its linear version, or NULL. */
struct json_t *listing_json(const struct hd_listing *listing, const struct hd_listing *version);

#endif
