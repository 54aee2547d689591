/*
 * What the decoupled kernel reads in place of linear values (r2d2-isca23 sections 3.1.2 to 3.1.4): which uses are
 *covered, by which linear register, coefficient register, loop offset and immediate.
 *
 * A linear register %lr is a thread-index part %tr (shared between linear registers, one value a thread of a
 * block) plus a block-index part %br (one value a block, in which the base is added). A covered use reads
 *
 *	%lr + scalar + offset + immediate
 *
 * each of which may be missing. A scalar is a launch constant that stands in a coefficient register; an
 * offset is a general register that the kernel counts up in a loop. A use is covered where the reader is not itself
 * linear, or is no longer: memory operands, comparisons, arithmetic, operands of phis (the move of a
 * multi-write register, at the end of the predecessor). What linear instructions compute is dead where all
 * their uses are covered or dead.
 *
 * The generator selects the kernel a second time and asks hd_linear_use for each operand.
 */
#ifndef HD_PASSES_AFFINE_LINEAR_PLAN_H
#define HD_PASSES_AFFINE_LINEAR_PLAN_H

#include "passes/affine/affine.h"

#define HD_LINEAR_REGISTERS 16u /* the register table has so many entries (section 3.3) */
#define HD_LINEAR_SCALARS 192u	/* most coefficient registers that uses may ask for */
#define HD_LINEAR_NONE 0xffffffffu

/* Coefficients of tid.x, tid.y, tid.z: polynomials, not all zero. */
struct hd_thread_part {
	uint32_t x, y, z;
};

/* thread_part: index in hd_linear_plan.thread_parts, HD_LINEAR_NONE where no tid is in it. base, x, y, z: polynomials.
 */
struct hd_linear_register {
	uint32_t thread_part;
	uint32_t base, x, y, z; /* x, y, z: of ctaid */
	uint8_t bits;		/* 32 or 64: the widest that a use reads */
	double value;		/* dynamic instructions of a thread that it saves, estimated */
	uint32_t uses;
};

/*
 * A general register that is `start` (another offset, or 0 for HD_LINEAR_NONE) when `loop` is entered, and grows by
 * `step` with each back edge to its header. A step of 64 bits that is `unit` times a constant factor, where the unit is
 * a number of 32 bits, is added by one multiplication; factor 0: it is not, and the unit is the step.
 */
struct hd_linear_offset {
	uint32_t loop; /* index in hd_affine.loop_facts */
	uint32_t step; /* a polynomial without iterations */
	uint32_t unit; /* a polynomial */
	int32_t factor;
	uint32_t scalar; /* of the unit, index in hd_linear_plan.scalars; HD_LINEAR_NONE: the step is a constant */
	uint32_t start;	 /* of an enclosing loop */
	uint8_t bits;
	LLVMValueRef phi; /* of the kernel, which counts the same and is there anyway; NULL: none */
};

struct hd_linear_use {
	LLVMValueRef inst;	      /* the reader */
	uint32_t operand;	      /* of it, as LLVMGetOperand counts; phis: the incoming value */
	uint32_t reg, scalar, offset; /* indices in the plan, or HD_LINEAR_NONE */
	int32_t imm;		      /* at most HD_LINEAR_IMM_BITS bits, signed */
	uint8_t bits;		      /* of the value that is read */
};

#define HD_LINEAR_IMM_BITS 24 /* of a memory operand's offset */

struct hd_linear_plan {
	struct hd_affine *affine;
	struct hd_thread_part *thread_parts;
	struct hd_linear_register *registers; /* most valuable first */
	uint32_t *scalars;		      /* polynomials */
	struct hd_linear_offset *offsets;     /* outer loops first */
	struct hd_linear_use *uses;	      /* in the order of blocks and instructions */
	uint32_t thread_part_count, register_count, scalar_count, offset_count, use_count;
	uint32_t candidates;	       /* groups that asked for a linear register */
	uint64_t conditions;	       /* of the analysis: bit i must hold at launch */
	uint32_t removed;	       /* IR instructions that need not be executed */
	double removed_share;	       /* of all, by estimated frequency */
	struct hd_linear_index *index; /* linear_plan.c's own */
};

/* Everything lives in the analysis's arena. Near linear in the uses of linear values. */
struct hd_linear_plan *hd_linear_plan_compute(struct hd_affine *affine);
/* How an operand is read; NULL: as in the original code. */
const struct hd_linear_use *hd_linear_use(const struct hd_linear_plan *plan, LLVMValueRef inst, uint32_t operand);

#endif
