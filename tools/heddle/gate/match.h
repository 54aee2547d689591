/*
 * Matching of two sequences, old and new: what stays, what goes and what comes.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_MATCH_H
#define HD_TOOLS_HEDDLE_GATE_MATCH_H

#include <stdbool.h>
#include <stdint.h>

/* One element: ' ' in both, '-' only in the old sequence, '+' only in the new one; `old` and `new` are where each
 * stands. */
struct gate_edit {
	char kind;
	uint32_t old, new;
};

/*
 * Writes the edits that lead from `old_count` elements to `new_count` in order to `edits`, which has room for the sum
 * of both; returns how many. `same` says whether an old element is a new one.
 */
uint32_t gate_match(uint32_t old_count, uint32_t new_count,
		    bool (*same)(const void *context, uint32_t old, uint32_t new), const void *context,
		    struct gate_edit *edits);

#endif
