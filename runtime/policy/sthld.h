/*
 * Malekeh's adaptive waiting (section 7): a machine of six states that is given the chip's IPC of each interval and
 * moves STHLD, the number of slots that a warp waits for a collector whose values are wanted again.
 */
#ifndef HD_RUNTIME_POLICY_STHLD_H
#define HD_RUNTIME_POLICY_STHLD_H

#include <stdbool.h>
#include <stdint.h>

#define HD_STHLD_STATES 6

/* What happens in a state at a small, or a large change of IPC. */
struct hd_sthld_edge {
	uint8_t next; /* 1 to 6 */
	int8_t step;  /* added to STHLD */
};

struct hd_sthld {
	struct hd_sthld_edge edges[HD_STHLD_STATES][2]; /* by state - 1; 1: large */
	double large;					/* a change by more than this part of the IPC before */
	uint32_t most;
	uint32_t state, value;
	double ipc; /* of the interval before */
};

void hd_sthld_start(struct hd_sthld *machine);
/* The end of an interval. */
void hd_sthld_step(struct hd_sthld *machine, double ipc);

#endif
