/*
 * Co-runs (options.corun_cycles): grids that are on their way together are launched again and again, each when it has
 * ended, until so many cycles have passed since the first of them began. What each of them did in these cycles is a
 * figure of its own, as co-run experiments want it (Lin, 4.3.1).
 */
#ifndef HD_RUNTIME_CORUN_CORUN_H
#define HD_RUNTIME_CORUN_CORUN_H

#include <jansson.h>
#include <stdbool.h>

struct hd_corun;
struct hd_gpu;
struct hd_grid;

/* For gpu->corun, a watcher of the GPU. */
struct hd_corun *hd_corun_new(struct hd_gpu *gpu);
void hd_corun_free(struct hd_corun *corun);
/* A grid is still to come, --corun-apart cycles after the one before: in begin_next of the GPU. */
bool hd_corun_waits(struct hd_corun *corun, const struct hd_grid *grid);
/* A grid begins. */
void hd_corun_begin(struct hd_corun *corun, const struct hd_grid *grid);
/* A grid that has ended is still in its slot; true: it is to be launched again. */
bool hd_corun_ended(struct hd_corun *corun, struct hd_grid *grid);
/* The cycles have passed and not all have ended: no other grid begins. */
bool hd_corun_ending(const struct hd_corun *corun);
/* The cycles of the first co-run have passed. */
bool hd_corun_over(const struct hd_corun *corun);
/* No grid runs. Returns the figures of a co-run that is over, which are the caller's; NULL: none is. */
json_t *hd_corun_rest(struct hd_corun *corun);

#endif
