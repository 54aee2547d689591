/*
 * How often a loop of machine code turns: whether a register counts its turns, and whether values that come from
 * elsewhere decide when it ends. A loop is the code from the target of a branch back to this branch.
 */
#ifndef HD_LIB_OBJECT_LOOPS_H
#define HD_LIB_OBJECT_LOOPS_H

#include "heddle/object.h"

struct hd_loops {
	const struct hd_function *function;
	struct hd_arena *arena;
	struct hd_bitset leaders;
	uint32_t *least, *most;	       /* by instruction: the first and the last branch to it; UINT32_MAX and 0: none */
	struct hd_loop_values *values; /* by instruction, made when somebody asks */
};

/* What the arena holds of it lives as long as the arena. */
struct hd_loops hd_loops_of(const struct hd_function *function, struct hd_arena *arena);

/*
 * Returns whether a register counts the turns of the loop that ends with `branch`: it is nothing but added to, each
 * turn comes by the addition, and the sum may go through other registers by moves. Constants of less than 28 bits take
 * 16 turns and more to come round; what else the loop does not change is taken for a step, too. Linear in the loop for
 * each addition.
 */
bool hd_loop_is_counted(const struct hd_loops *loops, uint32_t branch);

/*
 * Returns whether the results of foreign instructions may decide when the loop that ends with `branch` is left:
 * `foreign` has a byte for each instruction, 0 for those whose results follow from their operands alone. Operations
 * among lanes are foreign, too. Follows values through registers, predicates, local memory and branches; loops with
 * calls or without an end, and what it cannot follow, are told as if they may. Linear in the loop for each level of
 * loops in it.
 */
bool hd_loop_heeds(struct hd_loops *loops, uint32_t branch, const uint8_t *foreign);

#endif
