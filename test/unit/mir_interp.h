/*
 * Runs machine IR of one thread, before or after lowering steps, for differential tests.
 * Most opcodes are uninterpreted functions: their results are a hash of the opcode and its
 * operands, so a wrong operand is always noticed. Moves, selections, comparisons, additions,
 * copies, branches and memory are real; calls hash their arguments into their results and
 * fill every register that a callee may change with rubbish.
 */
#ifndef HD_TEST_UNIT_MIR_INTERP_H
#define HD_TEST_UNIT_MIR_INTERP_H

#include "passes/mir/mir.h"

struct hd_mrun {
	uint64_t trace; /* ordered hash of calls, barriers, convergent operations and the result */
	uint32_t global[64], shared[64];
	uint64_t steps;	   /* instructions executed */
	const char *error; /* what went wrong, NULL nothing */
};

/* `framed`: the frame is laid out (R1 and offsets are real). */
struct hd_mrun hd_mfunc_interpret(struct hd_mfunc *func, bool framed);
/* Runs emitted code without calls; registers whose read was the last one, by the dead bits, are filled with rubbish. */
struct hd_mrun hd_function_interpret(const struct hd_function *function, struct hd_mfunc *func);
bool hd_mrun_equal(const struct hd_mrun *a, const struct hd_mrun *b);

#endif
