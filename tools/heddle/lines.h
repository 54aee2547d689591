/*
 * Which source lines of two runs are the same line. Commits move lines: by number, a row would compare a line with
 * another one that has come to stand in its place.
 */
#ifndef HD_TOOLS_HEDDLE_LINES_H
#define HD_TOOLS_HEDDLE_LINES_H

#include <jansson.h>

/*
 * The names of the places of runs A and B, for rows that compare them: {"FILE:LINE" as the run has it: name}. `slots`
 * are those of the two runs' statistics. Lines whose texts are the same, in order, have one name: B's place, with A's
 * number where it differs. Other lines of files whose texts both runs have are named as A's or B's alone. Places of
 * other files are in neither. The caller frees both.
 */
void lines_match(const json_t *const slots[2], json_t *names[2]);

#endif
