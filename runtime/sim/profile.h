/* Execution counts of each instruction and branch (profile.c), under hd_sim_options.profile. */
#ifndef HD_RUNTIME_SIM_PROFILE_H
#define HD_RUNTIME_SIM_PROFILE_H

#include <jansson.h>
#include <stdint.h>

struct hd_gpu;
struct hd_dinst;
struct hd_effect;

struct hd_profile_count {
	uint64_t executed;	      /* warp instructions */
	uint64_t taken, fell_through; /* conditional branches: warps with a lane that did */
};

/* Makes room for all code that is loaded. Does nothing when the option is off. */
void hd_profile_prepare(struct hd_gpu *gpu);
void hd_profile_release(struct hd_gpu *gpu);
/* One warp instruction with what it did. */
void hd_profile_count(struct hd_gpu *gpu, const struct hd_dinst *inst, const struct hd_effect *effect);
/* The value of the key `profile`; a new reference. */
json_t *hd_profile_json(const struct hd_gpu *gpu);

#endif
