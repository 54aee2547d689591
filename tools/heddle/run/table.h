/*
 * What is told of a simulation under each policy: a table of figures side by side, kernels, co-runs, and the
 * statistics as JSON.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_TABLE_H
#define HD_TOOLS_HEDDLE_RUN_TABLE_H

#include "tools/heddle/run/options.h"
#include "tools/heddle/run/statistics.h"

/* Prints the table, or the JSON, and writes the statistics, as the options ask for. `stats` are those of the policies,
 * NULL where there are none. 0 or CMD_ERROR. */
int run_report(const struct run_options *run, struct run_statistics *const *stats, struct hd_diag *diag);

#endif
