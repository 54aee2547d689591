/*
 * Last reads of operands in finished machine IR, for the `dead` bits of emitted instructions.
 */
#ifndef HD_PASSES_MIR_LAST_USE_H
#define HD_PASSES_MIR_LAST_USE_H

#include "passes/mir/mir.h"

struct hd_dead {
	uint32_t *start; /* by block: its first instruction's place in bits */
	uint8_t *bits;	 /* by instruction: bit 0, 1, 2 for a, b, c, as in struct hd_inst */
};

void hd_dead_compute(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_dead *dead);

/* Physical registers. */
struct hd_lower_regs {
	uint64_t words[4];
};
/* Whether any word of a register is among them. */
bool hd_lower_regs_has_any(const struct hd_lower_regs *set, struct hd_mreg reg);
/* Those live into each block, by id; `order`: the reachable blocks, in reverse post-order or nearly so. */
struct hd_lower_regs *hd_dead_live_in(const struct hd_mfunc *func, const uint32_t *order, uint32_t count,
				      struct hd_arena *arena);

#endif
