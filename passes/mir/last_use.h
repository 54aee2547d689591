/*
 * Last reads of operands in finished machine IR, for the `dead` bits of emitted instructions.
 */
#ifndef HD_PASSES_MIR_LAST_USE_H
#define HD_PASSES_MIR_LAST_USE_H

#include "passes/graph/dataflow.h"
#include "passes/mir/mir.h"

struct hd_dead {
	uint32_t *start; /* by block: its first instruction's place in bits */
	uint8_t *bits;	 /* by instruction: bit 0, 1, 2 for a, b, c, as in struct hd_inst */
};

void hd_dead_compute(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_dead *dead);

/* Physical registers that are live before and after each block. */
void hd_dead_live(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_dataflow *live);
/* Whether any word of a register is among them. */
bool hd_registers_have_any(const struct hd_bitset *set, struct hd_mreg reg);

#endif
