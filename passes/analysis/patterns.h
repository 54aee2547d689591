/*
 * Register value patterns that static analysis proves (gpu-multiprogramming-lin, 2.3.3): uniform
 * and strided registers, which a context switch saves as one or two scalars.
 *
 * Patterns hold inside a pattern analysing group (PAG): min(warp width, x dimension of the block)
 * neighbouring threads. They hold where that x dimension is a multiple of the warp width or a
 * divisor of it, for the threads that still need the register; in other blocks groups
 * straddle rows, and nothing is known.
 */
#ifndef HD_PASSES_PATTERNS_H
#define HD_PASSES_PATTERNS_H

#include "passes/analysis/liveness.h"

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

struct hd_patterns {
	const struct hd_liveness *liveness;
	uint32_t registers;     /* values of a block: these, then the predicates */
	struct hd_value *start; /* at each block's start */
	bool *apart;            /* of each block: lanes that wait elsewhere still need registers */
	bool *local;            /* of each block: the same for whole warps of the CTA */
};

/* Everything lives in the arena: a value for each register and block. Costs the code times the depth of its loops. */
void hd_patterns_compute(struct hd_patterns *patterns, const struct hd_liveness *liveness, struct hd_arena *arena);
/* Values before one instruction: patterns->registers + HD_MAX_PREDS of them. */
void hd_patterns_before(const struct hd_patterns *patterns, uint32_t inst, struct hd_value *values);

/* Uniform, or strided with a stride that may be unknown (and then may be 0). */
static inline bool hd_value_is_uniform_in_group(const struct hd_value *value)
{
	return value->kind == HD_VALUE_AFFINE && value->x.known && value->x.value == 0;
}
/* The pattern holds through a whole block of at most this many dimensions ("global"); 0: in no block ("local"). */
uint32_t hd_value_dimensions(const struct hd_value *value);

#endif
