/*
 * Figures as JSON (report.c) and as records (lines.c), beside what sim_private.h has of them.
 */
#ifndef HD_RUNTIME_SIM_REPORT_H
#define HD_RUNTIME_SIM_REPORT_H

#include <jansson.h>

#include "runtime/sim/sim_private.h"

/* What a run is of: producer, gpu, policy, config. */
json_t *hd_stats_head(const struct hd_sim *sim);
/* A launch's object. Without its figures a null stands in their place, under "figures". */
json_t *hd_report_launch(const struct hd_gpu *gpu, const struct hd_launch_record *record, bool figures);
/* With its figures, as text; the caller frees it. */
char *hd_report_launch_text(const struct hd_gpu *gpu, const struct hd_launch_record *record);
/* Adds an object for each policy, with its figures of all so far. */
void hd_report_policies(json_t *object, const struct hd_gpu *gpu);
/* Adds what --verify, --profile and --slots found. */
void hd_report_coverage(json_t *object, const struct hd_gpu *gpu);

struct hd_host {
	uint64_t microseconds, peak_bytes; /* of the user's time; of memory */
};

struct hd_host hd_report_host(void);
/* A co-run is over: written, or kept for the document. Takes the object. */
void hd_record_corun(struct hd_sim *sim, json_t *object);

#endif
