/* The linear version of a kernel while it is selected: what linear.c and linear/streams.c give linear.c. */
#ifndef HD_PASSES_SELECT_LINEAR_H
#define HD_PASSES_SELECT_LINEAR_H

#include "passes/affine/linear_plan.h"
#include "passes/select/select.h"

/* The PHI of a loop offset. */
struct hd_linear_phi {
	struct hd_mreg reg; /* words 0: not made */
	bool own;	    /* false: a PHI of the kernel */
	uint32_t block, index;
};

struct hd_select_linear {
	const struct hd_linear_plan *plan;
	uint8_t *reg_of;	 /* by register of the plan: its number, or HD_RZ: not to be had */
	uint8_t *coefficient_of; /* by scalar: its coefficient register, or HD_RZ */
	bool *offset_ok;	 /* by offset: its step is to be had */
	struct hd_linear_phi *offsets;
};

#endif
