/*
 * Random machine IR in SSA form for differential tests: straight code, diamonds and counted
 * loops over a set of variables of one, two and four words and predicates, with memory,
 * calls, barriers and frame objects. The same seed gives the same function.
 */
#ifndef HD_TEST_UNIT_MIR_RANDOM_H
#define HD_TEST_UNIT_MIR_RANDOM_H

#include "passes/mir/mir.h"

struct hd_random_options {
	uint32_t seed;
	uint32_t singles, pairs, quads, preds; /* variables of each kind */
	uint32_t statements;		       /* about how many */
	bool calls, kernel, locals;
	uint32_t max_registers;
};

/* `func` is initialised here, in `arena`. */
void hd_random_mfunc(struct hd_mfunc *func, struct hd_arena *arena, const struct hd_random_options *options);
/* Options drawn from a seed, small enough to run in well under a millisecond. */
struct hd_random_options hd_random_options(uint32_t seed);

#endif
