/*
 * Keys of policies' sections.
 */
#ifndef HD_RUNTIME_SM_KEYS_H
#define HD_RUNTIME_SM_KEYS_H

#include "lib/diag.h"

struct hd_gpu;
struct hd_policy_handle;

/* Gives the policy's rows of settings and of energy a place, with what the configuration says. 0, or -1 with the error
 * reported. */
int hd_keys_take(struct hd_gpu *gpu, struct hd_policy_handle *policy, struct hd_diag *diag);

#endif
