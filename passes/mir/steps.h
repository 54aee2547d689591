/*
 * The steps of machine IR and the switches of `without`, from mir.def: ids, sets of them, and the table of steps.
 */
#ifndef HD_PASSES_MIR_STEPS_H
#define HD_PASSES_MIR_STEPS_H

#include <stdbool.h>
#include <stdint.h>

struct hd_mfunc;
struct hd_diag;

/* The forms that machine IR takes on its way. */
enum hd_mform {
	HD_MFORM_SSA,	   /* as mir.h describes it */
	HD_MFORM_VIRTUAL,  /* no PHIs, pairs or parallel copies; registers with several and partial definitions */
	HD_MFORM_PHYSICAL, /* physical registers; spill slots */
	HD_MFORM_FRAMED	   /* prologues and epilogues, addresses in the frame, guards on any instruction */
};

enum hd_step {
#define HD_STEP(id, ...) HD_STEP_##id,
#include "passes/mir.def"
	HD_STEP_COUNT
};
enum hd_switch {
#define HD_SWITCH(id, ...) HD_SWITCH_##id,
#include "passes/mir.def"
	HD_SWITCH_COUNT
};
_Static_assert(HD_STEP_COUNT <= 64 && HD_SWITCH_COUNT <= 64, "sets of them are bits of 64");

struct hd_step_row {
	const char *name;
	enum hd_mform needs, leaves;
	int (*run)(struct hd_mfunc *func, struct hd_diag *diag); /* 0, or -1 with the error reported */
};
extern const struct hd_step_row hd_steps[HD_STEP_COUNT]; /* lower.c */

/* Whether an improvement is made: `without` is the set of those that are left out. */
static inline bool hd_switch_is_on(uint64_t without, enum hd_switch which)
{
	return !(without >> which & 1);
}

#endif
