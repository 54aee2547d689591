/*
 * Figures of a run, as rows of a table and summed by kernel.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_FIGURES_H
#define HD_TOOLS_HEDDLE_RUN_FIGURES_H

#include <jansson.h>
#include <stdbool.h>

struct figure_row {
	const char *label, *format;
	double (*value)(const json_t *figures, const json_t *l1d); /* "total" or a launch, and its "l1d" */
};

extern const struct figure_row figure_rows[], figure_functional_rows[], figure_ideal_rows[];
extern const unsigned figure_row_count, figure_functional_row_count, figure_ideal_row_count;

/* In %; 0 of nothing. */
double figure_share(double part, double whole);
/* 0 when there is no such number. */
double figure_number(const json_t *object, const char *key);
/* By name, in order of the first launch: "launches", "cycles", "warp_instructions" and "ipc". A new reference. */
json_t *figure_kernels(const json_t *stats);
/* Adds a launch to such sums, which begin as an empty object. */
void figure_kernels_add(json_t *kernels, const json_t *launch);
bool figure_is_in(const char *figure, const char *const *list, size_t count);
/* Whether such sums are of this figure. */
bool figure_kernels_have(const char *figure);

#endif
