/*
 * A sweep at work: what `heddle sweep` and the files that run, show and gather a plan share.
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_SWEEP_H
#define HD_TOOLS_HEDDLE_SWEEP_SWEEP_H

#include "tools/heddle/sweep/engine.h"
#include "tools/heddle/sweep/estimates.h"
#include "tools/heddle/sweep/identity.h"
#include "tools/heddle/sweep/plan.h"
#include "tools/heddle/sweep/runs.h"
#include "tools/heddle/sweep/store.h"

struct sweep {
	struct plan plan;
	struct sweep_runs runs;
	struct store store;
	struct identity identity;
	struct estimates estimates;
	struct engine *engine; /* NULL: nothing is run */
	const char *work;      /* folder of logs and outputs of runs under way */
	bool cluster;	       /* runs go to Slurm */
	struct hd_signals signals;
	struct hd_arena arena;
	struct hd_diag *diag;
	const char *heddle, *heddle_cc; /* paths of the programs */
	uint32_t jobs, threads;
	double seconds; /* limits of a run; 0: none */
	uint64_t bytes;
	bool again, quiet;
};

/* What there is of a plan's runs, each different one counted once. */
struct sweep_counts {
	uint32_t runs, same, done, failed, missing, damaged, unbuilt; /* unbuilt: their programs are not there yet */
	double seconds;						      /* of those to be run, as far as estimates know */
	uint32_t unknown;					      /* of which they do not know */
	uint32_t programs;					      /* to compile */
};

/* compile.c: gives each program that is made of sources its place, and with `make` compiles those that are missing.
 * 0; 1: some failed, reported; -1: interrupted. */
int sweep_compile(struct sweep *sweep, bool make);

/* check.c. The run's state; `key` "" is STORE_MISSING. A result whose output fails the workload's check is
 * STORE_FAILED. */
enum store_state sweep_state(struct sweep *sweep, const struct sweep_run *run);
/* Why it failed, in one line; NULL: it has not. The caller frees it. */
char *sweep_cause(struct sweep *sweep, const struct sweep_run *run);
void sweep_count(struct sweep *sweep, struct sweep_counts *counts);
/* drive.c: runs what is missing. The exit status. */
int sweep_drive(struct sweep *sweep);

/* show.c: --dry-run and --list. The exit status. */
int sweep_dry_run(struct sweep *sweep);
int sweep_list(struct sweep *sweep);

#endif
