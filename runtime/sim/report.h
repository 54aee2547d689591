/*
 * Figures as JSON, beside what sim_private.h has of report.c.
 */
#ifndef HD_RUNTIME_SIM_REPORT_H
#define HD_RUNTIME_SIM_REPORT_H

#include <jansson.h>

#include "runtime/sim/sim_private.h"

/* What a run is of: producer, gpu, policy, config. */
json_t *hd_stats_head(const struct hd_sim *sim);
/* A co-run is over: written, or kept for the document. Takes the object. */
void hd_record_corun(struct hd_sim *sim, json_t *object);

#endif
