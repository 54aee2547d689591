/*
 * The metadata document as a jansson value, for tools that print it with something of
 * their own around it. Keys and their order are those of the tables in fields.c, as the schema says.
 */
#ifndef HD_LIB_METADATA_JSON_H
#define HD_LIB_METADATA_JSON_H

#include <jansson.h>

#include "heddle/facts.h"
#include "heddle/metadata.h"

/* A new reference; NULL only when out of memory. */
json_t *hd_metadata_json(const struct hd_metadata *metadata);
json_t *hd_metadata_function_json(const struct hd_meta_function *function);
/* Any text as a JSON string; bytes that are no UTF-8 become '?'. NULL gives null. */
json_t *hd_json_text(const char *text);
/* `{"file": ..., "line": ...}`; file null and line 0 when unknown. */
json_t *hd_json_source(const struct hd_meta_source *source);
/* Its JSON Schema. */
json_t *hd_metadata_schema_json(void);
/* The text in the project's form: two spaces, keys in the order of their making, newline at the end. malloc'ed. */
char *hd_json_dump(const json_t *value);
/* Values are made where they are used, and a member that could not be made would be missing in what is written, or read
 * as absent. From this call on jansson ends the process as hd_xmalloc does. Allocators that the program chose stay. */
void hd_json_never_null(void);

#endif
