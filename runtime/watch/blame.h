/* Which instruction each issue slot went to or was lost at (blame.c), under hd_sim_options.blame. */
#ifndef HD_RUNTIME_WATCH_BLAME_H
#define HD_RUNTIME_WATCH_BLAME_H

#include <jansson.h>

struct hd_gpu;

/* From now on it counts. */
void hd_blame_start(struct hd_gpu *gpu);
/* Counts no more; what was counted goes. */
void hd_blame_end(struct hd_gpu *gpu);
/* The value of the key `slots`; a new reference. */
json_t *hd_blame_json(const struct hd_gpu *gpu);

#endif
