/*
 * Malekeh's adaptive waiting (section 7): a machine of six states that is given the chip's IPC of each interval and
 * moves STHLD, the number of slots that a warp waits for a collector whose values are wanted again.
 */
#ifndef HD_RUNTIME_POLICY_MALEKEH_STHLD_H
#define HD_RUNTIME_POLICY_MALEKEH_STHLD_H

#include <stdbool.h>
#include <stdint.h>

struct hd_sthld {
	double large;	/* a change by more than this part of the IPC before */
	uint32_t most;	/* largest STHLD */
	uint32_t step;	/* by which STHLD climbs */
	uint32_t state; /* 1 to 6 */
	uint32_t value; /* STHLD */
	double ipc;	/* of the interval before */
};

/* Begins in state 1 with STHLD 0. The caller has set `large`, `most` and `step`. */
void hd_sthld_start(struct hd_sthld *machine);
/* Called at the end of each interval, with its IPC. */
void hd_sthld_step(struct hd_sthld *machine, double ipc);

#endif
