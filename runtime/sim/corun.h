/*
 * Co-runs (options.corun_cycles): grids that are on their way together are launched again and again, each when it has
 * ended, until so many cycles have passed since the first of them began. What each of them did in these cycles is a
 * figure of its own, as co-run experiments want it (Lin, 4.3.1).
 */
#ifndef HD_RUNTIME_SIM_CORUN_H
#define HD_RUNTIME_SIM_CORUN_H

#include <jansson.h>

#include "runtime/sim/sim_private.h"

/* A grid is still to come, --corun-apart cycles after the one before: in corun_next of the GPU. */
bool hd_corun_waits(struct hd_sim *sim, const struct hd_grid *grid);
/* A grid begins; its record is there. */
void hd_corun_begin(struct hd_sim *sim, const struct hd_grid *grid);
/* A grid that has ended is still in its slot; true: it is to be launched again. */
bool hd_corun_ended(struct hd_sim *sim, struct hd_grid *grid);
/* The cycles have passed: what runs is counted up to here, and runs to its end. For the main loop, in cycle
 * gpu->corun_end. */
void hd_corun_close(struct hd_gpu *gpu);
/* They have passed and not all have ended: no other grid begins. */
bool hd_corun_ending(const struct hd_sim *sim);
/* No grid runs. */
void hd_corun_rest(struct hd_sim *sim);
/* Those that were, for the statistics; NULL: none. */
json_t *hd_corun_json(const struct hd_sim *sim);
void hd_corun_release(struct hd_sim *sim);

#endif
