/*
 * The source lines of a run's statistics (the key `sources` of `slots`): with them, lines of two builds are compared
 * even where their numbers have moved and the sources have changed since.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_SOURCES_H
#define HD_TOOLS_HEDDLE_RUN_SOURCES_H

#include <jansson.h>

/*
 * Adds to a document's slots, for the files of its `lines` and `instructions`,
 *
 *     {file: {"digests": of all lines of the file, 8 hexadecimal digits each, "lines": {number: text, as
 * source_line.h}}}
 *
 * with the texts of those lines that have slots. `program` is what was run, and found as execvp(3) finds it. Only files
 * that kernel objects in it name are read: beside the program if they are there, else as they are named. Left out is a
 * file that is younger than the program, too short for its lines, no regular text file, or larger than 16 MiB or 65,536
 * lines.
 */
void run_sources_add(json_t *document, const char *program);

#endif
