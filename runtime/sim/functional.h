/*
 * Execution without timing (options.functional): all results and faults, counts of instructions and of accesses by
 * space, no cycles.
 */
#ifndef HD_RUNTIME_SIM_FUNCTIONAL_H
#define HD_RUNTIME_SIM_FUNCTIONAL_H

#include "runtime/sim/engine.h"

struct hd_functional;

struct hd_functional *hd_functional_new(struct hd_gpu *gpu);
void hd_functional_free(struct hd_functional *functional);
/* Refuses policies and options that are about when things happen. 0, or -1 with the error reported. */
int hd_functional_check(const struct hd_gpu *gpu, struct hd_diag *diag);
/* The first grid for some time begins. */
void hd_functional_begin(struct hd_functional *functional);
/* Lets one block of the grids that run go on until it has ended or waits for others, or has had its turn; gpu->now
 * moves on by the instructions. Returns its SM; NULL: no block can ever go on. */
struct hd_sm *hd_functional_turn(struct hd_functional *functional);
/* Counts what was executed up to here for the grids that did. */
void hd_functional_count(struct hd_functional *functional);

#endif
