/*
 * What runs beside a warp's instructions, and which of it an instruction waits for: asynchronous copies and their
 * groups, copies in bulk, products of warpgroups, arrivals at barriers in shared memory, and accesses that a fence
 * waits for.
 */
#ifndef HD_TOOLS_HEDDLE_REPORT_PENDING_H
#define HD_TOOLS_HEDDLE_REPORT_PENDING_H

#include "tools/heddle/report/flow.h"

/*
 * The instructions of the function that instruction `index` may wait for when it loses slots for `reason`, on any path:
 * ascending, each once. None where the reason is another one, or where another function has started what is awaited.
 * The array is in `arena`.
 */
uint32_t *pending_find(const struct flow *flow, const struct hd_function *function, uint32_t index, unsigned reason,
		       struct hd_arena *arena, uint32_t *count);

#endif
