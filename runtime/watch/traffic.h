/*
 * What the accesses of each instruction came to: sectors, cycles of shared memory, lanes, divergence. Private to
 * runtime/watch; part of what blame.h reports.
 */
#ifndef HD_RUNTIME_WATCH_TRAFFIC_H
#define HD_RUNTIME_WATCH_TRAFFIC_H

#include <jansson.h>
#include <stdint.h>

struct hd_gpu;

void hd_traffic_start(struct hd_gpu *gpu);
void hd_traffic_end(struct hd_gpu *gpu);
/* Of the instruction at `pc`, as traffic.c describes it. A new reference, or NULL: nothing was counted. */
json_t *hd_traffic_json(const struct hd_gpu *gpu, uint32_t pc);

#endif
