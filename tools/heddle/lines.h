/*
 * Which source lines of two runs are the same line. Commits move lines: by number, a row would compare a line with
 * another one that has come to stand in its place.
 */
#ifndef HD_TOOLS_HEDDLE_LINES_H
#define HD_TOOLS_HEDDLE_LINES_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/strbuf.h"

/*
 * Compares the sources of two runs, whose `slots` these are, and returns
 *
 *     [{"a": file of run A, "b": the same file of run B, "lines": [line of A, line of B, ...]}]
 *
 * with those lines that have slots in one of the runs and do not have one number in both; 0: that run does not have the
 * line. What is in no pair has the same number in both. A file of which a run has no digests (run/sources.h), or that
 * has no counterpart, is not there. Where both files have the same text, `lines` is empty, and with the same name they
 * are not there either: runs of one program are compared by number. Lines that went to another file are in one run
 * alone.
 */
json_t *lines_match(const json_t *const slots[2]);
/*
 * Of what lines_match returned, names of the places of A and B for rows that compare the runs: B's place, with A's
 * number where it differs, or the run's own place `in A alone`. The page has the same (page/script/compare.js). The
 * caller frees both.
 */
void lines_names(const json_t *matches, json_t *names[2]);
/* Appends the name of a line of the run with these names. False: it has none but its place. */
bool lines_name(const json_t *names, const char *file, json_int_t line, struct hd_strbuf *out);

#endif
