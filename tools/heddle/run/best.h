/*
 * `--policy best-NAME`: the best of the parameters among which NAME's paper looks (best-swl: the fastest of swl:1, 2,
 * 3, 4, 8 and 16). The program runs once for each. It may stand in a combination, once: `best-swl+all-hit`.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_BEST_H
#define HD_TOOLS_HEDDLE_RUN_BEST_H

#include "lib/diag.h"
#include "tools/heddle/run/statistics.h"

/* Is it a policy, or the best of some? Reports what is wrong. 0 or -1. */
int best_check(const char *policy, struct hd_diag *diag);

/* One run under a policy: its statistics, which the caller owns, or NULL. *status is the tool's exit status. */
typedef struct run_statistics *(*best_runner)(void *context, const char *policy, int *status);

/*
 * Runs the policy. Of several parameters, the statistics of the run of fewest cycles come back, with the cycles of all
 * as "best_of" in them; a run that fails ends the search. `policy` passed best_check.
 */
struct run_statistics *best_run(const char *policy, best_runner run, void *context, int *status);

#endif
