/*
 * The committed baseline (heddle.lock.json): for each kernel, GPU, toolchain and flags, the figures that were accepted.
 * A check gives each of them a verdict: new, removed, better or worse. All four fail, so that the file stays true,
 * unless they are allowed. A kernel that the file has under another toolchain or other flags only is compared with
 * that, and the reports say what of the build changed.
 *
 * Registers are not compared as such: what they cost is occupancy, which changes in steps. The resident warps at each
 * block size are compared, or, where no block size is known, the warps that the registers of an SM allow.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_BASELINE_H
#define HD_TOOLS_HEDDLE_GATE_BASELINE_H

#include "tools/heddle/gate/evaluate.h"
#include "tools/heddle/gate/runs.h"

/* "resident_warps@64" is the metric at 64 threads a CTA. */
struct gate_base_figure {
	const char *label;
	const struct gate_metric *metric; /* NULL in what was read from the file */
	struct gate_value value;
};

struct gate_base_entry {
	const char *kernel, *gpu, *toolchain, *flags; /* the key */
	const char *bare;			      /* the kernel without its parameters, once somebody has asked */
	HD_VEC(struct gate_base_figure) figures;      /* in order of label */
	const struct gate_subject *subject;	      /* of what is checked; NULL in what was read */
	uint32_t gpu_bit;
	uint32_t line;	    /* in the file */
	uint32_t registers; /* for the reader; not compared */
	bool of_run;
	double slots[HD_STALL_COUNT]; /* of a run, for the reader: issue slots by their reason */
	bool worse;		      /* of what is checked: some figure is worse than in the file */
	bool met;		      /* the other side has the same key */
	bool succeeded; /* of what was read: an entry of another build or with other parameters is compared with it */
};

typedef HD_VEC(struct gate_base_entry) gate_base_entries;

struct gate_slack {
	const char *name;
	const struct gate_metric *metric;
	double value;
	bool percent;
	bool named;    /* by a budget */
	bool recorded; /* some entry of the file has it */
};

struct gate_baseline {
	struct hd_arena *arena;
	const char *path;
	char *text; /* as it is on disk; NULL: the file is not there yet */
	gate_base_entries old, now, next;
	HD_VEC(struct gate_slack) compared;
	unsigned allowed; /* bits of enum gate_verdict */
	bool prune;	  /* drop entries of other GPUs, toolchains and flags */
	unsigned counts[GATE_VERDICTS];
	uint32_t others;     /* entries that are left alone */
	uint32_t newer;	     /* figures that the file is too old for */
	gate_builds *builds; /* where to say what of the build changed */
};

/* Order of the keys, as strcmp. */
int gate_base_entry_order(const struct gate_base_entry *a, const struct gate_base_entry *b);
/* This order for qsort and bsearch. */
int gate_base_entry_compare(const void *a, const void *b);
void gate_baseline_init(struct gate_baseline *baseline, struct hd_arena *arena, const char *path);
void gate_baseline_release(struct gate_baseline *baseline);
/* Reads the file; one that is not there is an error unless `may_be_absent`. Safe on any bytes. 0 or -1. */
int gate_baseline_load(struct gate_baseline *baseline, bool may_be_absent, struct hd_diag *diag);
int gate_baseline_parse(struct gate_baseline *baseline, const char *text, size_t size, struct hd_diag *diag);
/* What the budget's [baseline] section says: what is allowed, and slack by metric. 0 or -1. */
int gate_baseline_configure(struct gate_baseline *baseline, const struct gate_budget *budget, struct hd_diag *diag);
/* Takes the figures of the chosen kernels on the default GPUs. 0 or -1 when two kernels cannot be told apart. */
int gate_baseline_measure(struct gate_baseline *baseline, const struct gate_budget *budget,
			  const struct gate_choice *choice, const struct gate_subjects *subjects,
			  const struct gate_gpus *gpus, struct hd_diag *diag);
/*
 * Compares, and makes the entries of the next version of the file: what is the same keeps its old figures. `whole`: all
 * kernels were chosen, so that what is missing was removed. Findings go to `report` unless it is NULL (--update).
 */
void gate_baseline_compare(struct gate_baseline *baseline, bool whole, struct gate_report *report);

/* Whether both are of the same GPU, toolchain and flags (baseline_follow.c). */
bool gate_base_same_build(const struct gate_base_entry *a, const struct gate_base_entry *b);
/* Whether both are of the same kernel and GPU, and runs of both under one policy. */
bool gate_base_same_kind(const struct gate_base_entry *a, const struct gate_base_entry *b);
/* Marks the entries whose key both sides have. Both are in order. */
void gate_baseline_mark_met(struct gate_baseline *baseline);
/*
 * The entry that `now`, without its like in the file, follows: of the same kernel and GPU under another build; else of
 * the same build with other parameters, where one entry of that name went and one came. NULL: there is none.
 */
struct gate_base_entry *gate_baseline_predecessor(struct gate_baseline *baseline, struct gate_base_entry *now);

/* The next version of the file; malloc'ed. */
char *gate_baseline_text(const struct gate_baseline *baseline);

/* The change from `old` (NULL: no file) to `new` as a unified diff of `path` that `git apply` takes; "" for none. */
void gate_patch_append(struct hd_strbuf *out, const char *path, const char *old, const char *new);

#endif
