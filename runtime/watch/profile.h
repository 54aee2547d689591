/* Execution counts of each instruction and branch (profile.c), under hd_sim_options.profile. */
#ifndef HD_RUNTIME_WATCH_PROFILE_H
#define HD_RUNTIME_WATCH_PROFILE_H

#include <jansson.h>

struct hd_gpu;

/* From now on it counts. */
void hd_profile_start(struct hd_gpu *gpu);
/* Counts no more; what was counted goes. */
void hd_profile_end(struct hd_gpu *gpu);
/* The value of the key `profile`; a new reference. */
json_t *hd_profile_json(const struct hd_gpu *gpu);

#endif
