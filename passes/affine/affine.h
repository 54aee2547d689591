/*
 * Linear values of a kernel: R2D2's code analyzer (r2d2-isca23 section 3.1) on the legalised LLVM IR,
 * where types, no-wrap flags, getelementptrs and phis are at hand.
 *
 * A value is linear when it is
 *
 *	c + tid.x*p1 + tid.y*p2 + tid.z*p3 + ctaid.x*p4 + ctaid.y*p5 + ctaid.z*p6	(modulo 2^bits)
 *
 * with seven polynomials over launch constants (symbolic.h): its coefficient vector. c may also hold
 * iterations, HD_UNKNOWN_ITERATION times a launch constant: the value of a loop-carried variable, in the loop only.
 * Vectors are hash-consed: equal vectors have equal ids, whatever width their values have.
 *
 * A value of 32 bits that is widened stays linear where its vector, taken as an integer, is what the
 * register holds as a signed (or unsigned) number: no-wrap flags and bounds of the symbols prove that, and else a
 * condition that is checked when the kernel is launched; when it fails, the launch runs the original code.
 *
 * What a use of a linear value reads in the decoupled kernel, the plan says (linear_plan.h). The row AFFINE
 * computes a plan for each kernel of unit->module and NULL for each other function, in the order of
 *unit->object.functions:
 *
 *	struct hd_linear_plan *const *plans = hd_pass_result(unit, HD_PASS_AFFINE);
 *
 * Near linear in the code: an operation costs at most HD_POLY_TERMS squared. Everything lives in the unit's arena, and
 * LLVM values are those of unit->module, which must not change afterwards.
 */
#ifndef HD_PASSES_AFFINE_AFFINE_H
#define HD_PASSES_AFFINE_AFFINE_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "heddle/facts.h"
#include "heddle/metadata.h"
#include "lib/vec.h"
#include "passes/affine/symbolic.h"
#include "passes/graph/graph.h"

struct hd_unit;
struct hd_affine;

/* Parts of a vector: the constant, then the six indices. */
enum hd_index {
	HD_INDEX_C,
	HD_INDEX_TID_X,
	HD_INDEX_TID_Y,
	HD_INDEX_TID_Z,
	HD_INDEX_CTAID_X,
	HD_INDEX_CTAID_Y,
	HD_INDEX_CTAID_Z,
	HD_INDICES
};

struct hd_affine_vector {
	uint32_t part[HD_INDICES]; /* polynomials */
};

#define HD_NO_VECTOR 0xffffffffu

/* What is known of an LLVM value. */
struct hd_affine_value {
	uint32_t vector; /* HD_NO_VECTOR: not linear */
	uint8_t bits;	 /* the value is the vector modulo 2^bits; 1..64. Pointers to shared and parameter memory: 32 */
	bool exact_signed, exact_unsigned; /* as such a number it is the vector itself, over the integers */
	uint64_t conditions;		   /* that it depends on: bit i is hd_affine.conditions[i] */
};

/* Most conditions of a kernel: values that would need more are not linear. */
#define HD_AFFINE_CONDITIONS 64u

/*
 * Checked at launch: for every thread of the grid, and every iteration of the loops whose iterations are in it,
 * low <= vector <= high over the integers.
 */
struct hd_affine_condition {
	uint32_t vector;
	int64_t low, high;
};

/* Dimensions of blocks that the kernel may be launched with (launch bounds), and of the grid. */
struct hd_affine_bounds {
	uint32_t block[3], grid[3]; /* at most */
	bool exact;		    /* blocks have exactly these dimensions (reqntid) */
};

/*
 * A natural loop of the function. `most`: it goes back to its header at most so many times for each entry, a
 * launch constant (HD_NO_POLY: unknown), where `conditions` hold.
 */
struct hd_affine_loop {
	LLVMBasicBlockRef header;
	uint32_t symbol; /* HD_UNKNOWN_ITERATION */
	uint32_t most;
	uint64_t conditions;
	uint32_t *exits, exit_count; /* blocks from which control can leave it */
};

struct hd_affine_block {
	LLVMBasicBlockRef block;
	double frequency; /* executions for one execution of the kernel, estimated */
};

struct hd_affine {
	LLVMValueRef function;
	LLVMTargetDataRef layout;
	struct hd_arena *arena;
	struct hd_affine_bounds bounds;
	struct hd_poly_table *polys;
	HD_VEC(struct hd_affine_vector) vectors;
	HD_VEC(struct hd_affine_condition) conditions;
	HD_VEC(LLVMValueRef) variables; /* of HD_UNKNOWN_ADDRESS */
	const uint32_t *param_offsets;	/* of the kernel's parameters, from HD_CB_PARAMS */
	struct hd_affine_block *blocks;
	struct hd_graph graph; /* of the blocks */
	uint32_t *rpo, rpo_count;
	uint32_t *idom, *idom_depth;
	struct hd_loops loops;
	struct hd_affine_loop *loop_facts; /* by loop */
	struct hd_affine_tables *tables;   /* values, sets: affine.c's own */
};

/* `layout` outlives the result. `offsets`: of the parameters, from HD_CB_PARAMS. */
struct hd_affine *hd_affine_compute(LLVMValueRef kernel, LLVMTargetDataRef layout, const uint32_t *offsets,
				    const struct hd_affine_bounds *bounds, struct hd_arena *arena);

/* What is known of a value: of a constant, a parameter or an instruction. False: it is not linear. */
bool hd_affine_value(struct hd_affine *affine, LLVMValueRef value, struct hd_affine_value *out);
/* The same as an operand that is read in `block`: iterations are known in their loops only. */
bool hd_affine_operand(struct hd_affine *affine, LLVMValueRef value, LLVMBasicBlockRef block,
		       struct hd_affine_value *out);
static inline const struct hd_affine_vector *hd_affine_vector(const struct hd_affine *affine, uint32_t vector)
{
	return &affine->vectors.data[vector];
}
/* The vector's id; HD_NO_VECTOR when a part is HD_NO_POLY, or a part that must not does iterate. */
uint32_t hd_affine_intern(struct hd_affine *affine, const struct hd_affine_vector *vector);
/* No index is in it; nor an iteration, when `launch`. */
bool hd_affine_is_scalar(const struct hd_affine *affine, uint32_t vector, bool launch);

uint32_t hd_affine_block_of(const struct hd_affine *affine, LLVMBasicBlockRef block);
bool hd_affine_in_loop(const struct hd_affine *affine, uint32_t block, uint32_t loop);
/* The loops whose iterations are in the vector, a loop as often as it is there. Returns how many. */
uint32_t hd_affine_iterations(const struct hd_affine *affine, uint32_t vector, uint32_t loops[HD_POLY_TERMS]);
/* All loops whose iterations are in the vector contain the block. */
bool hd_affine_is_known(const struct hd_affine *affine, uint32_t vector, uint32_t block);
/* Bounds of a vector over the integers and all launches. */
struct hd_range hd_affine_range(const struct hd_affine *affine, uint32_t vector);
/* For whom each value is the same (affine_report.c). Everything lives in the analysis's arena. */
struct hd_uniformity;
struct hd_affine_classes;
struct hd_affine_classes *hd_affine_classify(struct hd_affine *affine, const struct hd_uniformity *uniformity);
/* Instructions with a result, by class. */
void hd_affine_count_classes(const struct hd_affine_classes *classes, uint32_t counts[HD_CLASSES]);
/* The class of a branch's condition; the terminator has several successors. */
enum hd_value_class hd_affine_branch_class(const struct hd_affine_classes *classes, LLVMValueRef terminator,
					   bool *iterates);

/* `{P5+4*P1, 4, 4*(P1+1), 0, 0, 64*(P1+1), 0}` */
void hd_affine_print_vector(struct hd_strbuf *out, const struct hd_affine *affine, uint32_t vector);
/* A polynomial as text, in the arena of `affine`. */
const char *hd_affine_poly_text(const struct hd_affine *affine, uint32_t poly);

#endif
