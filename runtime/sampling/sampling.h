/*
 * Sampling (options.sampling): some launches are simulated with time, the others executed without it, and get figures
 * from those that are like them. docs/sampling.md.
 */
#ifndef HD_RUNTIME_SAMPLING_SAMPLING_H
#define HD_RUNTIME_SAMPLING_SAMPLING_H

#include <jansson.h>

#include "lib/diag.h"

struct hd_gpu;
struct hd_grid;

struct hd_sampling;

/* For gpu->sampling, a watcher of the GPU; its SMs and policies are there. */
struct hd_sampling *hd_sampling_new(struct hd_gpu *gpu);
void hd_sampling_free(struct hd_sampling *sampling);
/* Refuses policies and options that sampling does not go with. 0, or -1 with the error reported. */
int hd_sampling_check(const struct hd_gpu *gpu, struct hd_diag *diag);

/* The grid gets its turn now: chooses how it is run. Without time, gpu->functional is set and no policy hears of it,
 * until hd_sampling_end. */
void hd_sampling_begin(struct hd_sampling *sampling, struct hd_grid *grid);
/* A grid that runs with time is looked at (event `blocks_ended`), and may be halted: when what began has ended, the
 * rest follows between hd_sampling_leave and hd_sampling_return. */
void hd_sampling_leave(struct hd_sampling *sampling);
void hd_sampling_return(struct hd_sampling *sampling);

/* The grid is halted in the middle of its work: its warps are brought on without time, and it goes on. */
void hd_sampling_skip(struct hd_sampling *sampling);

/* The grid is about to be taken from the GPU, and has been: what it was not simulated for is counted, estimated. */
void hd_sampling_ending(struct hd_sampling *sampling, struct hd_grid *grid);
void hd_sampling_end(struct hd_sampling *sampling, struct hd_grid *grid);

/* What of a launch, the last that ended, was simulated; new. And of all so far. */
json_t *hd_sampling_launch_json(const struct hd_sampling *sampling);
json_t *hd_sampling_json(const struct hd_sampling *sampling);

#endif
