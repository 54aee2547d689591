/*
 * What a register of finished code holds, as a sum: a term of registers, a number, and at most one remainder by a
 * constant. A register of the term stands for the instruction that wrote it. Where several ones may have, it stands
 * for what it holds when the loop's turn begins, or else for the instruction that reads it. These are the same all
 * through a turn, so that sums are compared within a turn.
 */
#ifndef HD_PASSES_ANALYSIS_SUMS_H
#define HD_PASSES_ANALYSIS_SUMS_H

#include "passes/analysis/writers.h"

struct hd_sum {
	bool known;
	bool once; /* the same whenever it is computed */
	uint64_t term;
	uint32_t number;
	/* + scale * ((turn_term + turn_number) % modulus); modulus 0: no such part */
	uint64_t turn_term;
	uint32_t turn_number, modulus, scale;
};

/* Of a register before an instruction. */
struct hd_sum hd_sum_of(struct hd_writers_search *search, uint32_t inst, unsigned reg);
/* Of what an instruction writes to its register. */
struct hd_sum hd_sum_of_result(struct hd_writers_search *search, uint32_t inst);
/* The term of what a register holds when the loop's turn begins. It is odd. */
uint64_t hd_sum_turn_term(uint32_t loop, unsigned reg);
struct hd_sum hd_sum_plus(struct hd_sum sum, uint32_t number);
bool hd_sum_is_same(const struct hd_sum *a, const struct hd_sum *b);
/* Different ones in the same turn. Counters that wrap around apart. */
bool hd_sum_is_other(const struct hd_sum *a, const struct hd_sum *b);

#endif
