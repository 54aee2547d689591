/* Counters over time (sample.c), under hd_sim_options.sample. */
#ifndef HD_RUNTIME_SIM_SAMPLE_H
#define HD_RUNTIME_SIM_SAMPLE_H

#include <jansson.h>

#include "heddle/stats.h"
#include "lib/vec.h"

struct hd_config;
struct hd_gpu;

struct hd_sampler {
	uint64_t interval, next; /* cycle at which the current sample ends; HD_NEVER: off */
	uint64_t begin;		 /* of the sample */
	uint64_t rest;		 /* cycles of the last one, once finished */
	struct hd_stats last;	 /* at its beginning */
	HD_VEC(struct hd_counters) samples;
	HD_VEC(double) series; /* those of policies, at the end of each sample */
};

void hd_sampler_start(struct hd_sampler *sampler, const struct hd_gpu *gpu);
/* To be called in the first visited cycle that is not before `next`, ahead of anything else. */
void hd_sampler_take(struct hd_sampler *sampler, const struct hd_gpu *gpu);
/* Adds the last, shorter sample. The samples are the caller's, in `sampler->samples`. */
void hd_sampler_finish(struct hd_sampler *sampler, const struct hd_gpu *gpu);
/* {interval, counter: [a number an interval], ..., watts: {total, dynamic, static, idle, constant: [...]}}: counters
 * that are never zero throughout; power of all but policies' own structures. Of a finished sampler; a new reference. */
json_t *hd_samples_json(const struct hd_sampler *sampler, const struct hd_config *config);
/* Adds to it {policy: {series: [a number an interval], ...}} for each policy that has some. */
void hd_samples_add_series(json_t *object, const struct hd_sampler *sampler, const struct hd_gpu *gpu);

#endif
