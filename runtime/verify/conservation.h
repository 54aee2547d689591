/*
 * What must balance when a grid has ended, under --verify.
 */
#ifndef HD_RUNTIME_VERIFY_CONSERVATION_H
#define HD_RUNTIME_VERIFY_CONSERVATION_H

#include "heddle/stats.h"
#include "runtime/gpu/power.h"

struct hd_gpu;
struct hd_grid;

/* The grid has ended: nothing of it is left on an SM. 0, or HD_SIM_VERIFY with gpu->error_text filled. */
int hd_verify_grid_left(struct hd_gpu *gpu, const struct hd_grid *grid);
/* No grid runs any more: what was begun has ended, what was asked was answered, all is free again, and the counts of
 * `since`, all since nothing ran, agree with each other. `power`: the launches' energy, summed; NULL: not known.
 */
int hd_verify_conservation(struct hd_gpu *gpu, const struct hd_stats *since, const struct hd_power *power);

#endif
