/*
 * Figures of kernels that ran beside others, stream by stream, and of co-runs.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_GRIDS_H
#define HD_TOOLS_HEDDLE_RUN_GRIDS_H

#include <jansson.h>
#include <stdbool.h>

/* Adds a launch that shared the GPU to the sums, which begin as an empty object; others are left out. */
void run_grids_add(json_t *grids, const json_t *launch);
/* Whether such sums are of this figure. */
bool run_grids_have(const char *figure);
/* A table of the sums; nothing when there are none. `sector`: bytes. */
void run_grids_print(const json_t *grids, double sector);
/* A table for each co-run of the statistics' `coruns`; NULL: there are none. */
void run_coruns_print(const json_t *coruns, double sector);

#endif
