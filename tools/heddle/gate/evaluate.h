/*
 * Holds the kernels and functions against a budget.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_EVALUATE_H
#define HD_TOOLS_HEDDLE_GATE_EVALUATE_H

#include "tools/heddle/gate/budget.h"
#include "tools/heddle/gate/report.h"

/* What the command line says, over what the budget does. */
struct gate_choice {
	uint32_t gpus;		/* bits; 0: not said */
	uint32_t block, shared; /* block 0: not said */
	bool shared_given;
	uint32_t default_gpus; /* where neither says anything */
};

/* GPUs for sections that name none: the command line's, else those of [defaults], else `default_gpus`. */
uint32_t gate_default_gpus(const struct gate_budget *budget, const struct gate_choice *choice);
/*
 * The settings in which occupancy of a kernel is wanted under `section` (NULL: none), for one GPU: one for each block
 * size. 0 with *why when the block or the dynamic shared memory is not known.
 */
unsigned gate_settings(const struct gate_budget *budget, const struct gate_choice *choice,
		       const struct gate_section *section, const struct gate_subject *subject,
		       struct gate_setting settings[GATE_MOST_BLOCKS], const char **why);
/* True when something that the budget is about may be absent, so that an empty check is as meant. */
bool gate_evaluate(struct gate_budget *budget, const struct gate_choice *choice, const struct gate_subject *subjects,
		   uint32_t count, struct gate_report *report);

#endif
