/*
 * What flows through the machine code of one function: how many registers are live before each instruction, and which
 * instructions produced what an instruction reads.
 */
#ifndef HD_TOOLS_HEDDLE_REPORT_FLOW_H
#define HD_TOOLS_HEDDLE_REPORT_FLOW_H

#include "lib/object/listing.h"

struct flow;

/* `listing` must outlive the result, which is in `arena`. */
struct flow *flow_new(const struct hd_listing *listing, struct hd_arena *arena);
/* Returns how many instructions may come right before the instruction; `before` points to them. */
uint32_t flow_before(const struct flow *flow, uint32_t index, const uint32_t **before);
/* Registers that are live before the instruction, for a warp that has not diverged. */
uint32_t flow_live(const struct flow *flow, uint32_t index);
/*
 * The instructions that the instruction may have to wait for, on any path: ascending, each once. FLOW_CALLER stands
 * first where a path from the function's entry brings a register that the caller has set. The array is in `arena`.
 */
#define FLOW_CALLER UINT32_MAX
enum flow_kind {
	FLOW_VALUE, /* results that it reads */
	FLOW_ORDER  /* earlier results and reads of the registers that it overwrites */
};
uint32_t *flow_producers(const struct flow *flow, uint32_t index, enum flow_kind kind, struct hd_arena *arena,
			 uint32_t *count);
/* The instructions that may have set registers `reg` to `reg + words - 1` as the instruction finds them, likewise. */
uint32_t *flow_setters(const struct flow *flow, uint32_t index, uint32_t reg, uint32_t words, struct hd_arena *arena,
		       uint32_t *count);

#endif
