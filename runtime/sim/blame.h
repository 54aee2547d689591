/* Which instruction each issue slot went to or was lost at (blame.c), under hd_sim_options.blame. */
#ifndef HD_RUNTIME_SIM_BLAME_H
#define HD_RUNTIME_SIM_BLAME_H

#include <jansson.h>
#include <stdint.h>

struct hd_gpu;

/* Makes room for all code that is loaded. Does nothing when the option is off. */
void hd_blame_prepare(struct hd_gpu *gpu);
void hd_blame_release(struct hd_gpu *gpu);
/* The value of the key `slots`; a new reference. */
json_t *hd_blame_json(const struct hd_gpu *gpu);

#endif
