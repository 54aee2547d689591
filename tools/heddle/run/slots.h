/*
 * At which instructions and source lines issue slots went, from what the simulator counts at instructions (the key
 * `slots` of the statistics, runtime/watch/blame.c).
 */
#ifndef HD_TOOLS_HEDDLE_RUN_SLOTS_H
#define HD_TOOLS_HEDDLE_RUN_SLOTS_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/strbuf.h"

/* The sum of `to` (taken; NULL: nothing yet) and `from` (may be NULL) of another process; NULL where there is none. */
json_t *run_slots_add(json_t *to, const json_t *from);
/* Of a document with `slots`: adds `lines`, and keeps of these and `instructions` what is asked for. */
void run_slots_choose(json_t *document, bool by_line, bool by_instruction);
/* The tables that a document has, on stdout; nothing where it has none. */
void run_slots_print(const json_t *document);

/* Slots of a row (its `stalls`) in which nothing was issued. */
double run_slots_lost(const json_t *row);
/* Of a document the slots with an instruction, issued ones included: what shares are of. */
double run_slots_with_warps(const json_t *document);
/* The reasons of lost slots, the most frequent ones first, with their shares of these in percent; at most three. */
void run_slots_reasons(const json_t *row, struct hd_strbuf *out);
/* "FILE:LINE", or of an instruction without a line in which function it is. */
void run_slots_place(const json_t *row, struct hd_strbuf *out);
/* The rows of `lines` or `instructions` with lost slots, most of them first; a new array of the same rows. */
json_t *run_slots_sorted(const json_t *rows);

#endif
