/*
 * The history file of `heddle check --history`: a line of JSON for each commit, with the figures that baselines
 * compare. Lines stand in the order in which they were added; a commit that is checked again takes the place of its
 * line.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_HISTORY_H
#define HD_TOOLS_HEDDLE_GATE_HISTORY_H

#include "tools/heddle/gate/baseline.h"

/*
 * The name of the commit in the working tree of `root`, in the arena, with a `+` where tracked files other than the
 * history at `path` were modified; NULL: there is no git or no commit.
 */
const char *gate_history_commit(const struct gate_root *root, const char *path, struct hd_arena *arena);
/*
 * Adds what `baseline` measured to the file, which need not be there yet. *records: all lines as an array, which the
 * caller drops. 0, or -1 with the error reported.
 */
int gate_history_add(const char *path, const char *commit, const struct gate_baseline *baseline, json_t **records,
		     struct hd_diag *diag);

#endif
