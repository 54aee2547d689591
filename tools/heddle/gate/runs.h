/*
 * Runs among the inputs of gates: the statistics that `heddle run --stats` writes, as a subject for each kernel of each
 * run.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_RUNS_H
#define HD_TOOLS_HEDDLE_GATE_RUNS_H

#include "heddle/stats.h"
#include "tools/heddle/gate/gate.h"

/* A kernel in a run: its launches added up. */
struct gate_run {
	const char *policy, *gpu;
	const char *producer;	      /* the simulator */
	const char *conditions;	      /* "policy cars, l1d_bytes=65536": what the figures hold under, beside the GPU */
	double slots[HD_STALL_COUNT]; /* issue slots by their reason */
};

/* Statistics, and the file that they are from. */
struct gate_document {
	const char *path;
	json_t *json;
};

typedef HD_VEC(struct gate_document) gate_documents;

/* Adds the file to the list when it is statistics, else to `input` as cmd_input_load() does. 0 or -1. */
int gate_input_load(struct cmd_input *input, const char *path, gate_documents *runs, struct hd_diag *diag);
/*
 * Adds a subject for each kernel of each run, and their GPUs, and empties the list. Paths and `arena` outlive the
 * subjects. 0, or -1 with the error reported: statistics that were cut off are none to judge by.
 */
int gate_run_subjects(struct gate_subjects *subjects, gate_documents *runs, struct gate_gpus *gpus,
		      struct hd_arena *arena, struct hd_diag *diag);
/* The index of the GPU that a run describes with its name and configuration; -1 with the error reported. */
int gate_run_gpu(struct gate_gpus *gpus, const char *path, const json_t *run, struct hd_diag *diag);
/* The figure of a run that a formula of runs.def describes; false when a divisor is 0 or a number is not there. */
bool gate_run_figure(const json_t *figures, const char *formula, double *value);
/* " under cars on v100" */
const char *gate_run_text(const struct gate_run *run, struct hd_arena *arena);
/* The reason for which most slots more are lost than before, with both numbers; NULL: for none. */
const char *gate_run_reason(const double *old, const double *now, struct hd_arena *arena);

#endif
