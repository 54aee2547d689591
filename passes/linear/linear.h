/*
 * The linear version of a kernel (r2d2-isca23, 3.2 and 3.3) on its way from the plan to the object: which registers
 * there are and what each holds (layout.c), the code of the streams that make them (streams.c).
 */
#ifndef HD_PASSES_LINEAR_LINEAR_H
#define HD_PASSES_LINEAR_LINEAR_H

#include "passes/select/linear.h"

enum { HD_MOST_COEFFICIENTS = 240 }; /* %cr have eight-bit numbers, and the parts of blocks come in runs of 16 */

/* Coefficient registers of a linear register's block-index part, one a linear register: base, x, y, z. */
enum { HD_RUN_BASE, HD_RUN_X, HD_RUN_Y, HD_RUN_Z, HD_RUNS };

struct hd_linear_layout {
	struct hd_unit *unit;
	const struct hd_linear_plan *plan;
	struct hd_select_linear *select;
	uint32_t coefficients[HD_MOST_COEFFICIENTS]; /* polynomials */
	uint32_t coefficient_count;
	uint32_t linears[HD_LR_COUNT]; /* registers of the plan */
	uint32_t linear_count;
	uint32_t threads[HD_LR_COUNT]; /* thread parts of the plan */
	uint32_t thread_count;
	uint8_t thread_of[HD_LR_COUNT];
	uint8_t run[HD_RUNS]; /* first coefficient register, HD_RZ: all are zero */
	bool *computable;     /* by polynomial */
};

/* ---- layout.c */
/* Numbers the registers; what cannot be computed or has no room stays out. False: nothing is left. */
bool hd_linear_layout_make(struct hd_linear_layout *layout, struct hd_unit *unit, const struct hd_linear_plan *plan,
			   struct hd_arena *arena);
/* The coefficient register that holds the polynomial, or HD_RZ. */
uint8_t hd_linear_coefficient(const struct hd_linear_layout *layout, uint32_t poly);
/* The plan's conditions as checks for the object; -1: one cannot be written as one. */
int hd_linear_checks(const struct hd_linear_plan *plan, struct hd_linear *linear, struct hd_arena *arena);

/* ---- streams.c: hd_select_straight's `build`; context: the layout */
void hd_linear_coefficient_stream(struct hd_select *sel, void *context);
void hd_linear_thread_stream(struct hd_select *sel, void *context);
void hd_linear_block_stream(struct hd_select *sel, void *context);

#endif
