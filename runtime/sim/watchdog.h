/*
 * Stops a launch that makes no progress, and says where everything stands.
 */
#ifndef HD_RUNTIME_SIM_WATCHDOG_H
#define HD_RUNTIME_SIM_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

struct hd_gpu;

struct hd_watchdog {
	uint64_t started;		/* cycle of the launch */
	uint64_t next_check, next_look; /* a look begins or ends at the latter */
	uint64_t progress;		/* cycle of the last check that saw new instructions */
	uint64_t issued;		/* instructions at that check */
	bool looking;			/* `probe` is looking at the grid until the next check */
	uint64_t length;		/* cycles of a look */
	uint64_t stuck;			/* cycle since which the grid is known to be stuck; UINT64_MAX: it is not */
	struct hd_probe *probe;
};

void hd_watchdog_start(struct hd_watchdog *watchdog, const struct hd_gpu *gpu);
/* Sets gpu->error when the launch is over its cycles or has made no progress for too long. */
void hd_watchdog_check(struct hd_watchdog *watchdog, struct hd_gpu *gpu);
/* Nothing is under way and the grid has not ended: says which warps wait for what. */
void hd_watchdog_deadlock(struct hd_gpu *gpu);
/* A signal ends the launch. */
void hd_watchdog_interrupted(struct hd_gpu *gpu, int signal);
/* The launch is over. */
void hd_watchdog_end(struct hd_watchdog *watchdog, struct hd_gpu *gpu);

#endif
