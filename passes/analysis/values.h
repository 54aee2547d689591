/*
 * What a register may hold in the threads of a CTA, for the analysis of value patterns
 * (gpu-multiprogramming-lin, 2.3.3): affine values of the thread index, or anything.
 */
#ifndef HD_PASSES_ANALYSIS_VALUES_H
#define HD_PASSES_ANALYSIS_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/hash.h"
#include "lib/vec.h"

enum hd_value_kind { HD_VALUE_UNSEEN, HD_VALUE_AFFINE, HD_VALUE_RANDOM };

/* A factor that is the same for the whole CTA, and known or not. */
struct hd_factor {
	int32_t value;
	bool known;
};

/*
 * base + x * tid.x + y * tid.y + rows * ntid.x * tid.y + z * tid.z, modulo 2^32; `local`: plus something that is
 * the same inside a PAG only. Predicates use the same: only whether they are uniform matters.
 */
struct hd_value {
	uint8_t kind;
	bool local, is_ntid_x; /* is_ntid_x: the value is the block's x dimension */
	struct hd_factor base, x, y, rows, z;
};

/* Values are few and stand in a table; the rest are their numbers in it. */
struct hd_value_table {
	struct hd_arena *arena;
	HD_VEC(struct hd_value) values;
	struct hd_hash_set numbers;
};

/* Uniform, or strided with a stride that may be unknown (and then may be 0). */
static inline bool hd_value_is_uniform_in_group(const struct hd_value *value)
{
	return value->kind == HD_VALUE_AFFINE && value->x.known && value->x.value == 0;
}
/* The pattern holds through a whole block of at most this many dimensions ("global"); 0: in no block ("local"). */
uint32_t hd_value_dimensions(const struct hd_value *value);

static inline struct hd_factor hd_factor_known(int32_t value)
{
	return (struct hd_factor){value, true};
}
static inline bool hd_factor_is_zero(struct hd_factor factor)
{
	return factor.known && factor.value == 0;
}

extern const struct hd_value hd_value_random;
/* The same for the CTA, or inside each PAG when `local`; what it is, nobody knows. */
struct hd_value hd_value_uniform(bool local);
struct hd_value hd_value_constant(uint32_t number);
bool hd_value_is_cta_uniform(const struct hd_value *value);
struct hd_value hd_value_add(struct hd_value a, struct hd_value b);
struct hd_value hd_value_scaled(struct hd_value value, struct hd_factor by);
struct hd_value hd_value_multiply(struct hd_value a, struct hd_value b);
/* A function of the sources of which nothing is known but that equal sources give equal results. */
struct hd_value hd_value_mixed(const struct hd_value *sources, uint32_t count);
/* Either of them, the same one for all lanes. */
struct hd_value hd_value_join(struct hd_value a, struct hd_value b);

/* Numbers that every table begins with. */
enum { HD_NUMBER_UNSEEN, HD_NUMBER_RANDOM };
struct hd_value_table *hd_value_table_new(struct hd_arena *arena);
/* The value's number; equal values have equal numbers. */
uint32_t hd_value_number(struct hd_value_table *table, struct hd_value value);
uint32_t hd_value_join_numbers(struct hd_value_table *table, uint32_t a, uint32_t b);

#endif
