/*
 * Profile feedback: how often a run executed each instruction and took each edge of each branch, from
 * the key `profile` that `heddle run --profile --stats FILE` writes (pass parameter profile=FILE).
 */
#ifndef HD_PASSES_ANALYSIS_PROFILE_H
#define HD_PASSES_ANALYSIS_PROFILE_H

#include "passes/analysis/reuse.h"
#include "passes/unit.h"

struct hd_profile;

/* Reads the file. NULL with the error reported. The result is freed by hd_profile_free. */
struct hd_profile *hd_profile_read(const char *path, struct hd_diag *diag);
void hd_profile_free(struct hd_profile *profile);
/*
 * Weights of a function from what the run counted. False, with the weights left alone, when the profile has nothing
 * about it: it was not executed, or its code was another.
 */
bool hd_profile_weights(const struct hd_profile *profile, const struct hd_flow *flow, struct hd_reuse_weights *weights,
			struct hd_arena *arena);

#endif
