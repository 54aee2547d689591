/*
 * The texts of the source lines that have slots in a run's statistics (the key `sources` of `slots`): with them, lines
 * of two builds are compared even where their numbers have moved and the sources have changed since.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_SOURCES_H
#define HD_TOOLS_HEDDLE_RUN_SOURCES_H

#include <jansson.h>

/*
 * Adds to a document's slots {file: {line: text}} for its `lines` and `instructions`. Sources are looked for as the
 * program's lines name them, else beside `program`; those that are not there, or are no regular text files, are left
 * out.
 */
void run_sources_add(json_t *document, const char *program);

#endif
