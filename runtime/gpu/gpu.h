/*
 * The GPU as rooms above use it: launches become grids, grids run, and what they did is counted.
 */
#ifndef HD_RUNTIME_GPU_GPU_H
#define HD_RUNTIME_GPU_GPU_H

#include <stdio.h>

#include "runtime/core/gpu.h"

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
/* Halts the only grid that runs, which no policy may see, in the middle of its work: its warps issue nothing more and
 * none of its blocks begins. hd_gpu_run returns when nothing is under way, and hd_gpu_is_halted. The warps may then be
 * brought on without time (hd_functional_skip), and hd_gpu_go_on has the grid go on so many cycles later. */
void hd_gpu_halt(struct hd_gpu *gpu);
bool hd_gpu_is_halted(const struct hd_gpu *gpu);
void hd_gpu_go_on(struct hd_gpu *gpu, uint64_t cycles);
/* SMs work through several cycles at a time: what they do is told in another order than that of cycles. */
bool hd_gpu_in_window(const struct hd_gpu *gpu);
/* Attributes the slots of all schedulers up to now. */
void hd_gpu_charge(struct hd_gpu *gpu);
/* A grid that has ended, all do with gpu->error; NULL: none. Then hd_gpu_end takes it from the GPU. */
struct hd_grid *hd_gpu_ended(const struct hd_gpu *gpu);
void hd_gpu_end(struct hd_gpu *gpu, struct hd_grid *grid);

/* launch.c. Checks a launch and makes the grid of it, which hd_grid_free releases. 0, or as hd_sim_launch. */
int hd_grid_new(struct hd_gpu *gpu, const struct hd_launch *launch, struct hd_grid **grid);
/* The same launch once more, under the ticket of the first. */
int hd_grid_again(struct hd_gpu *gpu, const struct hd_grid *grid, struct hd_grid **again);
void hd_grid_free(struct hd_grid *grid);
/* Blocks of a kernel that an SM has room for. */
uint32_t hd_kernel_occupancy(const struct hd_gpu *gpu, const struct hd_kernel *kernel, uint32_t block_threads,
			     uint32_t dynamic_shared);

/* Clusters of it that are resident at a time, with nothing else. */
uint32_t hd_grid_clusters(const struct hd_grid *grid);

/* snapshot.c. What the slot of a grid that runs had counted when that got its turn, in slot_before: asked when it gets
 * its turn beside others, or later. */
void hd_grid_begin_slot(const struct hd_gpu *gpu, struct hd_grid *grid);
void hd_grid_note_slot(const struct hd_gpu *gpu, struct hd_grid *grid);
/* Warp instructions so far. */
uint64_t hd_gpu_issued(const struct hd_gpu *gpu);
/* Adds what has been counted for the grids that have had this slot. */
void hd_gpu_add_counted(const struct hd_gpu *gpu, uint32_t slot, struct hd_counters *counters);
/* Everything counted so far: finished launches, SMs and memory. */
void hd_gpu_snapshot(const struct hd_gpu *gpu, struct hd_stats *stats);
/* State of every unit on `out`, for the watchdog. */
void hd_gpu_dump(const struct hd_gpu *gpu, FILE *out);

#endif
