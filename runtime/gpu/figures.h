/*
 * Figures as JSON (figures.c).
 */
#ifndef HD_RUNTIME_GPU_FIGURES_H
#define HD_RUNTIME_GPU_FIGURES_H

#include <jansson.h>

struct hd_gpu;
struct hd_stats;

/* Counters, stalls and what follows from them, as keys of the object; without timing, what is counted then. */
void hd_stats_json(json_t *object, const struct hd_stats *stats, const struct hd_gpu *gpu);

#endif
