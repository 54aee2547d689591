/*
 * What changed between two sets of kernels and functions: pairs of the same name, and for each the figures that differ,
 * with what carries them.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_CHANGE_H
#define HD_TOOLS_HEDDLE_GATE_CHANGE_H

#include "tools/heddle/gate/evaluate.h"

struct gate_change {
	const struct gate_metric *metric;
	struct gate_setting setting; /* gpu NULL: the same everywhere */
	uint32_t old_block;	     /* threads of a CTA for which the old figure was taken */
	struct gate_value old, now;
	enum gate_verdict verdict; /* GATE_BETTER or GATE_WORSE */
	bool directed;		   /* false: neither is better, or it cannot be said which */
	bool counts;		   /* a cost by itself, or asked for: what --fail-on looks at */
	gate_notes notes;
};

/* A kernel or function on both sides, or on one (the other is NULL). */
struct gate_pair {
	const struct gate_subject *old, *now;
	HD_VEC(struct gate_change) changes;
	double *rank; /* what it lost by metric, what it gained, and both again for what does not count */
	uint32_t ranks;
};

/* What still counts as the same, in place of the metric's own slack. */
struct gate_tolerance {
	const struct gate_metric *metric;
	double value;
	bool percent;
};

struct gate_changes {
	struct hd_arena *arena;
	const struct gate_root *root;
	const struct gate_gpus *gpus;
	const struct gate_choice *choice;
	HD_VEC(const struct gate_metric *) chosen; /* by --metrics; none: what tells changes without repeating itself */
	HD_VEC(struct gate_tolerance) tolerances;
	HD_VEC(struct gate_pair) pairs; /* that differ: on both sides by cost, then new ones, then removed ones */
	uint32_t compared;		/* on both sides, with those that do not differ */
	const struct gate_subjects *now;
	const struct gate_subject **old_of; /* by subject of `now` */
};

/* Fills in the pairs. */
void gate_changes_compute(struct gate_changes *changes, const struct gate_subjects *old,
			  const struct gate_subjects *now);
void gate_changes_release(struct gate_changes *changes);

#endif
