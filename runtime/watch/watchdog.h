/*
 * Stops a launch that makes no progress, and says where everything stands (watchdog.c).
 */
#ifndef HD_RUNTIME_WATCH_WATCHDOG_H
#define HD_RUNTIME_WATCH_WATCHDOG_H

struct hd_gpu;

/* From now on launches that make no progress are stopped. Needed in every GPU: a deadlock would not end. */
void hd_watchdog_start(struct hd_gpu *gpu);

#endif
