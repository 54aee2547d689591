/*
 * What becomes of a function's code as it stands, found with a copy: for steps in front of allocation that have two
 * forms of it to choose from.
 */
#ifndef HD_PASSES_MIR_TRIAL_H
#define HD_PASSES_MIR_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"

struct hd_mfunc;
struct hd_minst;
struct hd_mreg;

struct hd_trial {
	bool fits;	    /* it could be allocated; else the others are 0 and say nothing */
	double spilled;	    /* words stored and loaded for spills, each as often as it is executed */
	double repeated;    /* those of them in the function's deepest loops */
	double others;	    /* all other instructions, likewise */
	uint32_t registers; /* the highest of R0 to R254, and one */
};

/* Schedules a copy of `func`, which is out of SSA form and not scheduled yet, and assigns registers. */
struct hd_trial hd_mfunc_try(const struct hd_mfunc *func);

/* The code of a function, to go back to. */
struct hd_kept {
	struct hd_minst **insts; /* by block */
	uint32_t *counts, vregs;
	struct hd_mreg *extras;
};

void hd_mfunc_keep(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_kept *kept);
/* After instructions have changed and registers have come: blocks, and extras, must be as many. */
void hd_mfunc_restore(struct hd_mfunc *func, const struct hd_kept *kept);

#endif
