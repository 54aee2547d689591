/*
 * What calls change (ipra.c): the registers of the calling convention that no callee saves, or, with interprocedural
 * allocation, those that the function called and all that it calls really write.
 */
#ifndef HD_PASSES_REGALLOC_IPRA_H
#define HD_PASSES_REGALLOC_IPRA_H

#include "passes/mir/mir.h"

struct hd_unit;

struct hd_clobbers {
	uint64_t regs[4];
	uint8_t preds; /* bit per predicate */
	bool known;    /* else the convention holds */
};

static inline bool hd_clobbers_has(const struct hd_clobbers *set, uint32_t reg)
{
	if (reg >= HD_MREG_PRED)
		return reg < HD_MREG_PT && set->preds >> (reg - HD_MREG_PRED) & 1;
	return set->regs[reg / 64] >> (reg % 64) & 1;
}

/* What a call instruction of `func` may change; R1 never. */
struct hd_clobbers hd_clobbers_of_call(const struct hd_mfunc *func, const struct hd_minst *call);

/*
 * Before lowering: nothing is known yet. Returns the order of lowering, callees before callers and cycles cut
 * somewhere: indices of unit->functions, in the unit's arena.
 */
uint32_t *hd_ipra_begin(struct hd_unit *unit);
/* Makes known what calls of the finished function change, unless another module may replace it. */
void hd_ipra_note(struct hd_unit *unit, struct hd_mfunc *func);

#endif
