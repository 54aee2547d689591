/*
 * Keys of policies' sections: keys.c.
 */
#ifndef HD_RUNTIME_SM_KEYS_H
#define HD_RUNTIME_SM_KEYS_H

#include "lib/diag.h"
#include "runtime/core/gpu.h"

/* Gives the policy's rows of settings and of energy a place, with what the configuration says of it and, where it has
 * not the key itself, of `design`, the policy of which it is a variant (NULL: of none). 0, or -1 with the error
 * reported. */
int hd_keys_take(struct hd_gpu *gpu, struct hd_policy_handle *policy, const char *design, struct hd_diag *diag);

/* The value of row `which` of its hooks' settings. */
static inline double hd_policy_setting(const struct hd_policy_handle *self, const struct hd_gpu *gpu, uint32_t which)
{
	return gpu->settings[self->settings_at + which];
}

#endif
