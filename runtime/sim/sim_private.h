/*
 * What stands behind the handle struct hd_sim: the GPU, and the records of finished launches. Private to
 * runtime.
 */
#ifndef HD_RUNTIME_SIM_SIM_PRIVATE_H
#define HD_RUNTIME_SIM_SIM_PRIVATE_H

#include "runtime/sim/engine.h"
#include "runtime/sim/sample.h"

/* One figure that a policy reported. */
struct hd_policy_figure {
	uint32_t policy; /* index in hd_gpu.policies */
	const char *key, *unit;
	double value;
};

/* A finished launch. */
struct hd_launch_record {
	struct hd_launch_stats stats;
	HD_VEC(struct hd_policy_figure) figures;
	bool partial; /* it was stopped */
	struct hd_sampler sampler;
	uint32_t reporting; /* policy whose report hook is running */
	struct hd_arena arena;
};

struct hd_sim {
	struct hd_gpu gpu; /* first: a struct hd_gpu pointer is a struct hd_sim pointer */
	HD_VEC(struct hd_launch_record *) launches;
	struct hd_exec *exec;
	const char *policy_name; /* as it was asked for, for the statistics */
};

static inline struct hd_sim *hd_sim_of(struct hd_gpu *gpu)
{
	return (struct hd_sim *)gpu;
}

/* Runs gpu->grid to its end (gpu.c). 0 or a negative enum hd_sim_error with gpu->error_text filled. */
int hd_gpu_run(struct hd_gpu *gpu);
/* Everything counted so far: finished launches, SMs and memory. */
void hd_gpu_snapshot(const struct hd_gpu *gpu, struct hd_stats *stats);
/* Statistics as records, where options.record wants them (report.c). */
void hd_record_head(const struct hd_sim *sim);
void hd_record_start(const struct hd_sim *sim, const char *kernel);
void hd_record_launch(const struct hd_sim *sim, const struct hd_launch_record *record);
void hd_launch_record_free(struct hd_launch_record *record);
/* State of every unit on `out`, for the watchdog. */
void hd_gpu_dump(const struct hd_gpu *gpu, FILE *out);

#endif
