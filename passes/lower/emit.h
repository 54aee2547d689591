/*
 * Last reads of operands in finished machine IR, for the `dead` bits of emitted instructions.
 */
#ifndef HD_PASSES_LOWER_EMIT_H
#define HD_PASSES_LOWER_EMIT_H

#include "passes/lower/mir.h"

struct hd_dead {
	uint32_t *start; /* by block: its first instruction's place in bits */
	uint8_t *bits;	 /* by instruction: bit 0, 1, 2 for a, b, c, as in struct hd_inst */
};

void hd_dead_compute(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_dead *dead);

#endif
