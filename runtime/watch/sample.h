/* Counters over time (sample.c), under hd_sim_options.sample: a watcher (core/watch.h). */
#ifndef HD_RUNTIME_WATCH_SAMPLE_H
#define HD_RUNTIME_WATCH_SAMPLE_H

#include <jansson.h>

#include "heddle/stats.h"
#include "lib/vec.h"

struct hd_config;
struct hd_gpu;
struct hd_grid;

struct hd_sampler {
	uint64_t interval, next; /* cycle at which the current sample ends; interval 0: none is taken */
	uint64_t begin;		 /* of the sample */
	uint64_t rest;		 /* cycles of the last one, once finished */
	struct hd_stats last;	 /* at its beginning */
	HD_VEC(struct hd_counters) samples;
	HD_VEC(double) series; /* those of policies, at the end of each sample */
};

/* From now on samples of every grid are taken. */
void hd_samples_start(struct hd_gpu *gpu);
/* Those of a grid that has ended, which are the caller's from now on; empty where none are taken. */
struct hd_sampler hd_samples_take(struct hd_gpu *gpu, const struct hd_grid *grid);
void hd_samples_release(struct hd_sampler *sampler);
/* {interval, counter: [a number an interval], ..., watts: {total, dynamic, static, idle, constant: [...]}}: counters
 * that are never zero throughout; power of all but policies' own structures. Of a finished sampler; a new reference. */
json_t *hd_samples_json(const struct hd_sampler *sampler, const struct hd_config *config);
/* Adds to it {policy: {series: [a number an interval], ...}} for each policy that has some. */
void hd_samples_add_series(json_t *object, const struct hd_sampler *sampler, const struct hd_gpu *gpu);

#endif
