/*
 * reuse: how soon a register is read again (malekeh, sections 3 and 4). For each register operand of
 * an instruction, the distance to the next read of that register, in instructions of the same
 * warp: 1 is the next instruction. The row REUSE computes one struct hd_reuse for each of
 * hd_object.functions, in that order.
 */
#ifndef HD_PASSES_ANALYSIS_REUSE_H
#define HD_PASSES_ANALYSIS_REUSE_H

#include "heddle/figures.h"
#include "passes/analysis/flow.h"
#include "passes/unit.h"

/* What is expected after an operand, over all paths on from there. A 64- or 128-bit operand has its nearest register's.
 */
struct hd_reuse_distance {
	float chance;	/* of a read before the register is written: 0 is dead, an infinite distance */
	float distance; /* instructions to that read, the mean of the paths on which it comes; 0: dead */
};

/* How often the parts of a function run: estimated, or counted in a run. */
struct hd_reuse_weights {
	double *frequency;   /* of each block, for one execution of the function */
	double *probability; /* of each edge, in the order of graph.succ; those of a block add up to 1 or are all 0 */
	bool profiled;
};

struct hd_reuse {
	const struct hd_flow *flow;
	struct hd_reuse_weights weights;
	struct hd_reuse_distance (*operands)[4]; /* of each instruction, by enum hd_slot */
	double length; /* instructions that one execution of the function takes, calls included */
	struct hd_meta_reuse facts;
};

/* The operand names registers, RZ not counted. */
bool hd_reuse_has(const struct hd_inst *inst, enum hd_slot slot);

/* The estimate of flow.h. */
void hd_reuse_estimate(const struct hd_flow *flow, struct hd_reuse_weights *weights, struct hd_arena *arena);

/*
 * Distances of one function with reuse->flow and reuse->weights given (reuse_distance.c). `call_length` has an entry
 * for each of flow->calls: instructions that run between the call and the one behind it; NULL: none do. Exact to the
 * last few bits of the arithmetic for reducible flow, to one part in 10,000 or so otherwise. Costs edges x registers x
 * (2 + nesting of loops); memory is freed but for the result.
 */
void hd_reuse_distances(struct hd_reuse *reuse, const double *call_length, struct hd_arena *arena);
/* The tags and what they add up to: reuse->facts. A value is near below `rthld` (malekeh, 4). */
void hd_reuse_tag(struct hd_reuse *reuse, uint32_t rthld, struct hd_arena *arena);

/* Four for each instruction, by enum hd_slot: what is certain, as hd_meta_reuse.exact has it (reuse_exact.c). */
uint8_t *hd_reuse_claims(const struct hd_flow *flow, struct hd_arena *arena);

/* Whether hd_reuse_tag calls it near. */
static inline bool hd_reuse_is_near(const struct hd_reuse_distance *operand, uint32_t rthld)
{
	return operand->chance >= 0.5f && operand->distance < (float)rthld;
}

/* The remark about the analysis of a function. */
void hd_reuse_remark(struct hd_remarks *remarks, uint32_t function);

#endif
