/*
 * Figures as JSON (figures.c).
 */
#ifndef HD_RUNTIME_GPU_FIGURES_H
#define HD_RUNTIME_GPU_FIGURES_H

#include <jansson.h>
#include <stdint.h>

struct hd_counters;
struct hd_gpu;
struct hd_stats;

/* Counter `index` of hd_counter_info. */
uint64_t hd_counter_value(const struct hd_counters *counters, uint32_t index);

/* Counters, stalls and what follows from them, as keys of the object; without timing, what is counted then. */
void hd_stats_json(json_t *object, const struct hd_stats *stats, const struct hd_gpu *gpu);

#endif
