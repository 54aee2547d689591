/*
 * What the parts of leaving SSA form share: out_of_ssa.c makes parallel copies and puts what
 * is left of them into sequence, coalesce.c joins registers in between.
 */
#ifndef HD_PASSES_REGALLOC_OUT_OF_SSA_H
#define HD_PASSES_REGALLOC_OUT_OF_SSA_H

#include "passes/mir/live.h"

typedef HD_VEC(struct hd_segment) hd_segments;

struct hd_affinity {
	double frequency;
	uint32_t index;
	struct hd_mreg dst, src;
	bool equal; /* both have one definition: wherever both live they have one value */
};

/* What a register is known to hold in front of a block's end: the value of another one, or a constant. */
struct hd_holding {
	struct hd_mreg reg;
	uint32_t value[3]; /* equal: the same value */
};

/* The end of a block from its last parallel copy or constants on. */
struct hd_tail {
	uint32_t start, end;   /* positions, as in segments */
	uint32_t first, count; /* of its holdings */
};

struct hd_out_of_ssa {
	struct hd_mfunc *func;
	struct hd_arena arena; /* scratch */
	struct hd_minst *defs; /* by register: its definition where that is a constant or undefined, else op 0xffff */
	HD_VEC(struct hd_affinity) affinities;
	HD_VEC(struct hd_holding) holdings;
	HD_VEC(struct hd_tail) tails; /* by start */
	/* coalescing: classes of registers */
	struct hd_live_intervals intervals;
	uint8_t *written;      /* by word: definitions, up to 2 */
	uint32_t *parent;      /* union-find over registers */
	uint8_t *offset;       /* word offset in the parent */
	hd_segments *segments; /* by word of the class's root */
	/* sequencing, by word */
	uint32_t *loc;
};

/* Joins the two sides of parallel moves where their live intervals do not meet, and renames all operands. */
void hd_out_of_ssa_coalesce(struct hd_out_of_ssa *ssa);

#endif
