/*
 * Figures as JSON, beside what sim_private.h has of report.c.
 */
#ifndef HD_RUNTIME_SIM_REPORT_H
#define HD_RUNTIME_SIM_REPORT_H

#include <jansson.h>

#include "runtime/sim/sim_private.h"

/* Counters, stalls and what follows from them, as keys of the object. */
void hd_stats_json(json_t *object, const struct hd_stats *stats, const struct hd_gpu *gpu);
/* What a run is of: producer, gpu, policy, config. */
json_t *hd_stats_head(const struct hd_sim *sim);
/* A co-run is over; takes the object. */
void hd_record_corun(const struct hd_sim *sim, json_t *object);

#endif
