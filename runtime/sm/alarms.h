/*
 * Cycles at which policies want to be called: alarms.c.
 */
#ifndef HD_RUNTIME_SM_ALARMS_H
#define HD_RUNTIME_SM_ALARMS_H

#include <stdint.h>

#include "lib/api.h"

struct hd_policy_handle;
struct hd_sm;

#define HD_MAX_ALARMS 256
struct hd_alarm {
	uint64_t cycle, order, arg;
	const struct hd_policy_handle *policy;
};
struct hd_alarms {
	uint32_t count;
	uint64_t set; /* so far, for `order` */
	struct hd_alarm heap[HD_MAX_ALARMS];
};

/* Has the policy's hook `alarm` called at `cycle`, but not before the next one: at most HD_MAX_ALARMS are set on an SM
 * at a time. Also where the SM has no warp; not when no grid runs any more. */
HD_API void hd_policy_at(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t cycle, uint64_t arg);
void hd_sm_alarms(struct hd_sm *sm, uint64_t now);
void hd_sm_forget_alarms(struct hd_sm *sm);

#endif
