/*
 * What stands behind the handle struct hd_sim: the GPU, and the records of finished launches. Private to
 * runtime.
 */
#ifndef HD_RUNTIME_SIM_SIM_PRIVATE_H
#define HD_RUNTIME_SIM_SIM_PRIVATE_H

#include "lib/strbuf.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/power.h"
#include "runtime/watch/sample.h"

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
	struct hd_power power;	       /* of the counters */
	uint64_t spent[HD_MAX_ENERGY]; /* events of policies that take energy */
	bool partial;		       /* it was stopped */
	struct hd_sampler sampler;
	struct json_t *sampling; /* what of it was simulated, under options.sampling; else NULL */
	uint32_t reporting;	 /* policy whose report hook is running */
	struct hd_arena arena;
};

struct hd_recorder;

struct hd_sim {
	struct hd_gpu gpu; /* first: a struct hd_gpu pointer is a struct hd_sim pointer */
	HD_VEC(struct hd_launch_record *) launches;
	/* Since the first of the grids that run now got its turn: all counters then, what launches that have ended
	 * since were counted as and their energy, and whether any shared the GPU. */
	struct hd_stats before, counted;
	struct hd_stats now; /* all counters when a grid last ended */
	struct hd_power power;
	bool shared;
	struct json_t *coruns;		  /* those that are over, where no records are wanted; NULL: none */
	struct hd_recorder *recorder;	  /* NULL: nothing is recorded */
	struct hd_launch_record *scratch; /* of the launch that is being written, where records are wanted; or NULL */
	struct hd_strbuf line;		  /* its record */
	const char *no_policies;	  /* part of each record where no policy is chosen (lines.c); or NULL */
	const char *policy_name;	  /* as it was asked for, for the statistics */
};

/* records.c: a launch has ended. */
void hd_record_finish(struct hd_sim *sim, struct hd_grid *grid);
/* Statistics as records, where options.record wants them (lines.c). */
void hd_record_head(const struct hd_sim *sim);
void hd_record_start(const struct hd_sim *sim, const struct hd_kernel *kernel);
/* What launches that shared the GPU did not count, or counted more than once: all since sim->before less theirs. */
void hd_record_rest(const struct hd_sim *sim);
void hd_record_launch(struct hd_sim *sim, const struct hd_kernel *kernel, const struct hd_launch_record *record);
void hd_launch_record_free(struct hd_launch_record *record);

#endif
