/* What the files of the linear-value analysis share: see affine.h. */
#ifndef HD_PASSES_AFFINE_AFFINE_INTERNAL_H
#define HD_PASSES_AFFINE_AFFINE_INTERNAL_H

#include "lib/map.h"
#include "passes/affine/affine.h"
#include "passes/affine/symbolic_table.h"
#include "passes/ir/ir.h"

struct hd_affine_tables {
	HD_VEC(struct hd_affine_value) values;
	struct hd_map ids; /* value -> its number, block -> block, global -> variable */
	struct hd_hash_set vector_ids;
};

extern const struct hd_affine_value hd_not_linear;

static inline bool hd_is_linear(const struct hd_affine_value *value)
{
	return value->vector != HD_NO_VECTOR;
}

/* Width of an integer or a pointer, or 0 for what has no vector. */
unsigned hd_affine_bits(const struct hd_affine *affine, LLVMTypeRef type);
/* A value whose constant part is the polynomial. */
struct hd_affine_value hd_affine_scalar(struct hd_affine *affine, uint32_t poly, unsigned bits);
/* Fills in what bounds prove; not linear when the vector is not. */
struct hd_affine_value hd_affine_refine(struct hd_affine *affine, struct hd_affine_value value);
struct hd_affine_value hd_affine_require(struct hd_affine *affine, struct hd_affine_value value, uint32_t vector,
					 struct hd_range range);
uint32_t hd_affine_variable(struct hd_affine *affine, LLVMValueRef global);
uint32_t hd_affine_bank(struct hd_affine *affine, uint32_t offset, unsigned bits, struct hd_range range,
			const char *name);
uint32_t hd_affine_operation(struct hd_affine *affine, unsigned op, unsigned from, unsigned bits, uint32_t a,
			     uint32_t b, uint32_t c, struct hd_range range);

/* affine_ops.c: arithmetic on values of one width; flags: the instruction's. */
struct hd_flags {
	bool nsw, nuw;
};
struct hd_affine_value hd_affine_add(struct hd_affine *affine, struct hd_affine_value a, struct hd_affine_value b,
				     struct hd_flags flags);
struct hd_affine_value hd_affine_subtract(struct hd_affine *affine, struct hd_affine_value a, struct hd_affine_value b,
					  struct hd_flags flags);
struct hd_affine_value hd_affine_multiply(struct hd_affine *affine, struct hd_affine_value a, struct hd_affine_value b,
					  struct hd_flags flags);
struct hd_affine_value hd_affine_extend(struct hd_affine *affine, struct hd_affine_value value, unsigned bits,
					bool is_signed);
struct hd_affine_value hd_affine_truncate(struct hd_affine *affine, struct hd_affine_value value, unsigned bits);
/* The value of an instruction other than a phi, from its operands. */
struct hd_affine_value hd_affine_transfer(struct hd_affine *affine, LLVMValueRef inst);

struct hd_range hd_signed_range(unsigned bits);
struct hd_range hd_unsigned_range(unsigned bits);
/* The polynomial of a value without indices (and without iterations, when `launch`); HD_NO_POLY for others. */
uint32_t hd_affine_constant_part(const struct hd_affine *affine, const struct hd_affine_value *value, bool launch);

/* affine_memory.c: addresses */
struct hd_affine_value hd_affine_gep(struct hd_affine *affine, LLVMValueRef inst);
/* What a getelementptr adds to its base. */
struct hd_affine_value hd_affine_gep_offset(struct hd_affine *affine, LLVMValueRef inst);
struct hd_affine_value hd_affine_load(struct hd_affine *affine, LLVMValueRef inst);
struct hd_affine_value hd_affine_cast_space(struct hd_affine *affine, LLVMValueRef inst);
/* The address of a variable, plus a constant; not linear for what is neither. */
struct hd_affine_value hd_affine_constant(struct hd_affine *affine, LLVMValueRef value);

/* affine_uniform.c: launch constants that are no polynomials of others */
struct hd_affine_value hd_affine_uniform(struct hd_affine *affine, LLVMValueRef inst);

/* affine_loops.c: what a value is more than a phi, a launch constant, without wrapping around or not */
struct hd_growth {
	bool known;
	struct hd_affine_value step;
	struct hd_flags flags;
};
/*
 * Finds out from the loop's exits how often it iterates, when `phi` is counted there: it begins with `first` and grows
 * by `growth` each time. Where a comparison shows that it does not wrap around, growth->flags say so from then on, and
 * first->conditions what that depends on.
 */
void hd_affine_bound_loop(struct hd_affine *affine, uint32_t loop, LLVMValueRef phi, struct hd_affine_value *first,
			  struct hd_growth *growth);

/* affine_phi.c: phis, and how often blocks are executed */
struct hd_affine_value hd_affine_phi(struct hd_affine *affine, LLVMValueRef phi);
struct hd_growth hd_affine_growth(struct hd_affine *affine, LLVMValueRef value, LLVMValueRef phi);
void hd_affine_frequencies(struct hd_affine *affine);

#endif
