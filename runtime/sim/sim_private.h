/*
 * What stands behind the handle struct hd_sim: the GPU, and the records of finished launches. Private to
 * runtime.
 */
#ifndef HD_RUNTIME_SIM_SIM_PRIVATE_H
#define HD_RUNTIME_SIM_SIM_PRIVATE_H

#include "runtime/core/gpu.h"
#include "runtime/sim/power.h"
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
	struct json_t *coruns;	      /* those that are over, where no records are wanted; NULL: none */
	struct hd_recorder *recorder; /* NULL: nothing is recorded */
	const char *policy_name;      /* as it was asked for, for the statistics */
};

/* gpu.c: the grids that run. */
struct hd_run *hd_run_new(struct hd_gpu *gpu);
void hd_run_release(struct hd_run *run);
/* Gives a grid its turn; its slot and record are set. 0, or a negative enum hd_sim_error with gpu->error_text filled.
 */
int hd_gpu_begin(struct hd_gpu *gpu, struct hd_grid *grid);
/* Cycles from a grid's turn to its first block, if it came now. Beside grids that run a launch is prepared while they
 * do. */
uint64_t hd_gpu_launch_cycles(const struct hd_gpu *gpu, const struct hd_grid *grid);
/* Runs until a grid has ended or drained, or gpu->error, or gpu->interrupted. One must be running. */
void hd_gpu_run(struct hd_gpu *gpu);
/* The only grid that runs was halted by cta_stop, and its blocks with time have ended. What is left of it runs without
 * time, once gpu->functional is set, by hd_gpu_restart and hd_gpu_run. */
bool hd_gpu_has_drained(const struct hd_gpu *gpu);
void hd_gpu_restart(struct hd_gpu *gpu);
/* A grid that has ended, all do with gpu->error; NULL: none. Then hd_gpu_end takes it from the GPU. */
struct hd_grid *hd_gpu_ended(const struct hd_gpu *gpu);
void hd_gpu_end(struct hd_gpu *gpu, struct hd_grid *grid);
/* Checks a launch and makes the grid of it, which hd_grid_free releases. 0, or as hd_sim_launch. */
int hd_grid_new(struct hd_gpu *gpu, const struct hd_launch *launch, struct hd_grid **grid);
/* The same launch once more, under the ticket of the first. */
int hd_grid_again(struct hd_gpu *gpu, const struct hd_grid *grid, struct hd_grid **again);
void hd_grid_free(struct hd_grid *grid);
/* Blocks of a kernel that an SM has room for. */
uint32_t hd_kernel_occupancy(const struct hd_gpu *gpu, const struct hd_kernel *kernel, uint32_t block_threads,
			     uint32_t dynamic_shared);
/* records.c: the record of a launch, to be filled when it has ended. */
struct hd_launch_record *hd_record_new(const struct hd_grid *grid);
void hd_record_finish(struct hd_sim *sim, struct hd_grid *grid);
/* counted.c: what the slot of a grid that runs had counted when that got its turn, in slot_before. */
void hd_grid_note_slot(const struct hd_gpu *gpu, struct hd_grid *grid);
/* Warp instructions so far. */
uint64_t hd_gpu_issued(const struct hd_gpu *gpu);
/* Adds what has been counted for the grids that have had this slot. */
void hd_gpu_add_counted(const struct hd_gpu *gpu, uint32_t slot, struct hd_counters *counters);
/* Everything counted so far: finished launches, SMs and memory. */
void hd_gpu_snapshot(const struct hd_gpu *gpu, struct hd_stats *stats);
/* Statistics as records, where options.record wants them (report.c). */
void hd_record_head(const struct hd_sim *sim);
void hd_record_start(const struct hd_sim *sim, const char *kernel);
/* What launches that shared the GPU did not count, or counted more than once: all since sim->before less theirs. */
void hd_record_rest(const struct hd_sim *sim);
void hd_record_launch(const struct hd_sim *sim, const struct hd_launch_record *record);
void hd_launch_record_free(struct hd_launch_record *record);
/* State of every unit on `out`, for the watchdog. */
void hd_gpu_dump(const struct hd_gpu *gpu, FILE *out);

#endif
