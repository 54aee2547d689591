/*
 * Register value patterns that static analysis proves (gpu-multiprogramming-lin, 2.3.3): uniform
 * and strided registers, which a context switch saves as one or two scalars.
 *
 * Patterns hold inside a pattern analysing group (PAG): min(warp width, x dimension of the block)
 * neighbouring threads. They hold where that x dimension is a multiple of the warp width or a
 * divisor of it, for the threads that still need the register; in other blocks groups
 * straddle rows, and nothing is known. A thread needs what is live where it is or waits.
 */
#ifndef HD_PASSES_ANALYSIS_PATTERNS_H
#define HD_PASSES_ANALYSIS_PATTERNS_H

#include "passes/analysis/liveness.h"
#include "passes/analysis/values.h"

struct hd_patterns {
	const struct hd_liveness *liveness;
	struct hd_value_table *table;
	uint32_t registers;	 /* values of a block: these, then the predicates */
	uint32_t *start;	 /* at each block's start */
	struct hd_regset *apart; /* of each block: what lanes need that wait elsewhere */
	struct hd_regset *local; /* of each block: the same for whole warps of the CTA */
	struct hd_regset *moved; /* of each block: of `apart`, what some lane may have written by now */
};

/* Values before one instruction after the other. */
struct hd_pattern_cursor {
	const struct hd_patterns *patterns;
	uint32_t *values; /* as the lanes have them that run */
	uint32_t block, inst;
};

/* Everything lives in the arena: a number for each register and block. Costs the code times the depth of its loops. */
void hd_patterns_compute(struct hd_patterns *patterns, const struct hd_liveness *liveness, struct hd_arena *arena);
/* A cursor at the function's start, which must not be empty. */
void hd_pattern_cursor_init(struct hd_pattern_cursor *cursor, const struct hd_patterns *patterns,
			    struct hd_arena *arena);
/* Moves to just before `inst`; forwards in a block costs the way, else it is from the block's start. */
void hd_pattern_cursor_seek(struct hd_pattern_cursor *cursor, uint32_t inst);
/* What a register holds there, in all lanes that need it. */
struct hd_value hd_pattern_cursor_value(const struct hd_pattern_cursor *cursor, uint32_t reg);
/* Moves to just before `inst`, and says which of the registers have a pattern there: *count of them, in the arena.
 * Dimensions hold through a block, whose warps are there together if `by_block`; else there are none (2.3.3). */
struct hd_meta_pattern *hd_pattern_cursor_list(struct hd_pattern_cursor *cursor, uint32_t inst,
					       const struct hd_regset *registers, bool by_block, uint32_t *count,
					       struct hd_arena *arena);

#endif
