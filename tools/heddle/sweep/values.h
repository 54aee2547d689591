/*
 * Values of plans: lists, ranges, and variables in them.
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_VALUES_H
#define HD_TOOLS_HEDDLE_SWEEP_VALUES_H

#include "lib/strbuf.h"
#include "tools/heddle/sweep/plan.h"

/*
 * Appends what the text has, separated by commas: a word or several, a range of whole numbers (1..8, 0..100+25,
 * 1..64*2), or anything in double quotes, in which commas and dots are only that. An empty text is one empty value.
 * NULL, or what is wrong.
 */
const char *values_add(struct plan_list *list, const char *text, uint32_t line, struct hd_arena *arena);

/* The name of the first {name} in the text from *at on, which moves behind it; NULL: there is none. In the arena. */
const char *values_next_variable(const char **at, struct hd_arena *arena);
/* The text with every {name} replaced; in the arena, or the text itself where it has none. */
const char *values_replace(const char *text, const char *name, const char *by, struct hd_arena *arena);

#endif
