/*
 * Execution without timing (options.functional): all results and faults, counts of instructions and of accesses by
 * space, no cycles.
 */
#ifndef HD_RUNTIME_GPU_FUNCTIONAL_H
#define HD_RUNTIME_GPU_FUNCTIONAL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/diag.h"

struct hd_cta;
struct hd_gpu;
struct hd_sm;

/* What is counted without timing. */
#define HD_FUNCTIONAL_COUNTERS(X) \
	X(warp_instructions) X(thread_instructions) X(int_instructions) X(fp32_instructions) \
	X(fp64_instructions) X(sfu_instructions) X(lsu_instructions) X(control_instructions) X(calls) \
	X(divergent_branches) X(yields) X(barriers) X(callee_saves) X(callee_restores) X(spill_stores) \
	X(spill_loads) X(register_reads) X(register_writes) X(ctas) X(warps) X(global_instructions) \
	X(shared_instructions) X(local_instructions) X(linear_launches) X(linear_without) \
	X(linear_check_fallbacks) X(linear_small_fallbacks) X(linear_register_fallbacks) \
	X(linear_coefficient_instructions) X(linear_thread_instructions) X(linear_block_instructions) \
	X(linear_threads) X(ideal_computations) X(ideal_wp_threads) X(ideal_tb_threads) \
	X(ideal_tb_warps) X(ideal_ln_threads) X(ideal_ln_warps) X(ideal_memory_warps) \
	X(ideal_flow_warps) X(ideal_data_warps) X(ideal_counter_warps) X(ideal_uniform_warps) \
	X(ideal_index_warps) X(ideal_predicate_warps) X(ideal_select_warps) X(ideal_nonlinear_warps)

struct hd_functional;

struct hd_functional *hd_functional_new(struct hd_gpu *gpu);
void hd_functional_free(struct hd_functional *functional);
/* Refuses policies and options that are about when things happen. 0, or -1 with the error reported. */
int hd_functional_check(const struct hd_gpu *gpu, struct hd_diag *diag);
/* The first grid for some time begins. */
void hd_functional_begin(struct hd_functional *functional);
/* Lets one block of the grids that run go on until it has ended or waits for others, or has had its turn; gpu->now
 * moves on by the instructions. Returns its SM; NULL: no block can ever go on. */
struct hd_sm *hd_functional_turn(struct hd_functional *functional);
/* How far a warp goes in the middle of its work: `left` instructions, or to a branch of its kernel (its instructions
 * are `own_count` from `own` on) that leads out of the `inside_count` from `inside` on. It is `out` then, and when it
 * has ended. What it has `gone` is added up. */
struct hd_way {
	uint64_t left, gone;
	bool out;
	uint32_t own, own_count, inside, inside_count;
};
/* A halted block (hd_gpu_halt) goes on without time, each of its warps so far; gpu->now stays. By hd_warp.id. Behind
 * hd_functional_begin. */
void hd_functional_skip(struct hd_functional *functional, struct hd_cta *cta, struct hd_way *ways);
/* Counts what was executed up to here for the grids that did. */
void hd_functional_count(struct hd_functional *functional);

#endif
