/*
 * Where R2D2's linear registers lie in an SM's register file, in warp registers (r2d2-isca23, 4.2 and Figure 11):
 * thread-index parts, block-index parts, coefficients, then what the warps have themselves. Cost: none.
 */
#ifndef HD_RUNTIME_POLICY_R2D2_H
#define HD_RUNTIME_POLICY_R2D2_H

#include <stdint.h>

#include "heddle/policy.h"

enum {
	R2D2_BLOCK_ROWS = 2, /* reserved for a block; sixteen values of 64 bits fill the first */
	R2D2_COEFFICIENTS_A_ROW = 16,
};

/* Takes the parameter `always`, or none. */
int r2d2_configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		   struct hd_diag *diag);

struct r2d2_layout {
	uint32_t block_warps;
	uint32_t words;			      /* of a thread-index part: 2 for 64 bits, 1 for 32 */
	uint32_t block, coefficient, general; /* first warp register of each kind; thread-index parts begin at 0 */
};

/* For `threads` thread-index parts, blocks of `block_warps` warps, at most `ctas` of them an SM. */
static inline struct r2d2_layout r2d2_layout_of(uint32_t threads, uint32_t block_warps, uint32_t words, uint32_t ctas,
						uint32_t coefficients)
{
	struct r2d2_layout layout = {.block_warps = block_warps, .words = words};
	layout.block = words * threads * block_warps;
	layout.coefficient = layout.block + R2D2_BLOCK_ROWS * ctas;
	layout.general = layout.coefficient + (coefficients + R2D2_COEFFICIENTS_A_ROW - 1) / R2D2_COEFFICIENTS_A_ROW;
	return layout;
}

/* Of the part as the warp of this index in its block, or in the SM where blocks follow each other, has it. */
static inline uint32_t r2d2_thread_row(const struct r2d2_layout *layout, uint32_t part, uint32_t warp)
{
	return layout->words * (part * layout->block_warps + warp % layout->block_warps);
}

static inline uint32_t r2d2_block_row(const struct r2d2_layout *layout, uint32_t slot)
{
	return layout->block + R2D2_BLOCK_ROWS * slot;
}

/* Of %cr; *thread: its first thread register there. */
static inline uint32_t r2d2_coefficient_row(const struct r2d2_layout *layout, uint32_t coefficient, uint32_t *thread)
{
	*thread = 2 * (coefficient % R2D2_COEFFICIENTS_A_ROW);
	return layout->coefficient + coefficient / R2D2_COEFFICIENTS_A_ROW;
}

#endif
