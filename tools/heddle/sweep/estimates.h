/*
 * How long runs take and how much memory, by earlier ones like them: a line for each in the store's history.tsv, which
 * outlives changes of programs and of Heddle.
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_ESTIMATES_H
#define HD_TOOLS_HEDDLE_SWEEP_ESTIMATES_H

#include <stdio.h>

#include "tools/heddle/sweep/runs.h"
#include "tools/heddle/sweep/store.h"

struct estimate {
	double seconds;
	uint64_t peak_bytes;
};

struct estimate_sum;

struct estimates {
	struct hd_arena arena;
	HD_VEC(struct estimate_sum) sums;
	struct hd_hash_set set;
	FILE *file; /* NULL: only read */
};

/* Reads what there is. A line that a crash cut off is skipped. */
void estimates_open(struct estimates *estimates, const struct store *store, bool write);
void estimates_close(struct estimates *estimates);
void estimates_add(struct estimates *estimates, const struct sweep_run *run, const struct store_cost *cost);
/* The mean of runs that are like this one: with workload, arguments, GPU and policy, or with as many of the first of
 * these as there are any of, or of all. False: there are none. */
bool estimates_of(const struct estimates *estimates, const struct sweep_run *run, struct estimate *estimate);

#endif
