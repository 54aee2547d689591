/*
 * What the files of the plan of a decoupled kernel share: see linear_plan.h. linear_plan.c has the candidates and the
 * registers, linear_offsets.c the loop offsets.
 */
#ifndef HD_PASSES_AFFINE_LINEAR_PLAN_INTERNAL_H
#define HD_PASSES_AFFINE_LINEAR_PLAN_INTERNAL_H

#include "lib/vec.h"
#include "passes/affine/affine_internal.h"
#include "passes/affine/linear_plan.h"

/* An operand that might be covered. */
struct hd_candidate {
	uint32_t inst, operand;		/* inst: its number */
	uint32_t group, launch, offset; /* launch: the constant part without iterations */
	uint8_t bits;
	bool direct; /* a memory operand: what is added costs nothing */
	double value;
};

struct hd_group {
	struct hd_affine_vector key; /* c: HD_NO_POLY, or of all uses, but for a number: they add an offset */
	double value;
	uint32_t best; /* its most valuable candidate */
	uint32_t reg;
	uint8_t bits;
	uint32_t uses;
};

struct hd_linear_index {
	struct hd_map insts; /* instruction -> number */
	uint32_t *first_use; /* by instruction: index in uses */
	bool *needed;
};

struct hd_planner {
	struct hd_affine *affine;
	struct hd_linear_plan *plan;
	struct hd_linear_index *index;
	LLVMValueRef *insts;
	uint32_t *block_of, inst_count;
	double *share; /* what a reader saves that need not have the instruction's value */
	HD_VEC(struct hd_candidate) candidates;
	HD_VEC(struct hd_group) groups;
	HD_VEC(struct hd_linear_offset) offsets;
	HD_VEC(double) offset_values;
	struct hd_hash_set group_ids; /* by the key without c; in the arena */
	HD_VEC(uint32_t) work;
	HD_VEC(struct hd_linear_use) uses;
};

/* linear_plan.c: the number of an instruction, HD_LINEAR_NONE for other values; the index of a scalar, made when it is
 * new, HD_LINEAR_NONE for 0 and HD_LINEAR_SCALARS where there is no room. */
uint32_t hd_plan_number(const struct hd_planner *planner, LLVMValueRef value);
uint32_t hd_plan_scalar(struct hd_planner *planner, uint32_t poly);

/* linear_offsets.c */
/* The offset that holds the polynomial of iterations in the block; HD_LINEAR_NONE: it is 0. */
uint32_t hd_plan_offset(struct hd_planner *planner, uint32_t poly, uint32_t block, uint8_t bits);
void hd_plan_weigh_offsets(struct hd_planner *planner);
/* Of no offset, too. */
bool hd_plan_is_worth(const struct hd_planner *planner, uint32_t offset);
/* Makes the scalars by which an offset and those that it starts from grow. False: there is no room. */
bool hd_plan_step_scalars(struct hd_planner *planner, uint32_t offset);
/* Numbers the offsets of the plan. */
void hd_plan_keep_offsets(struct hd_planner *planner);

#endif
