/*
 * Which instruction each lost issue slot waits for: blame that is handed back from the instruction that waits to the
 * one that produces what it waits for.
 */
#ifndef HD_TOOLS_HEDDLE_REPORT_WAITS_H
#define HD_TOOLS_HEDDLE_REPORT_WAITS_H

#include <jansson.h>

#include "tools/heddle/report/flow.h"

/*
 * Appends to `rows` one array for each part of the slots that an instruction lost for a reason:
 *
 *     [waiting instruction, reason, slots, instruction that it waits for]
 *
 * with indices in the function; the last is -1 for a value that the caller brought, and null where a warp waits for no
 * other instruction of its own (a barrier, the instruction cache, the policy). Waits for a unit are not found here: the
 * statistics count who has it (`holders`, runtime/watch/blame.c). Slots of one instruction and
 * reason are shared among those that it may wait for as often as these issued (`issued`, of each instruction; NULL:
 * equally), and add up to `slots`.
 */
void waits_add(json_t *rows, const struct flow *flow, const struct hd_function *function, uint32_t index,
	       unsigned reason, uint64_t slots, const uint64_t *issued, struct hd_arena *arena);

#endif
