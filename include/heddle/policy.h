/*
 * A hardware design is one file in runtime/policy/ that fills in a struct hd_policy (docs/architecture.md, Policies; how
 * to add one: docs/add-a-policy.md). The baseline is the policy without hooks and costs nothing: the engine tests one
 * pointer. Policies combine when they touch different structures; hooks of a combination run in the order of the `+`
 * list. A name may carry a parameter: "swl:4".
 *
 * What a policy may do to a warp beside answering hooks is in runtime/sm/sm.h: hd_warp_hold and hd_warp_resume keep
 * a warp off the schedulers and let it go, at no cost while it waits; hd_warp_inject has it issue memory accesses.
 */
#ifndef HEDDLE_POLICY_H
#define HEDDLE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "heddle/machine.h"
#include "heddle/metadata.h"
#include "heddle/stats.h"
#include "lib/diag.h"

struct hd_gpu;
struct hd_sm;
struct hd_cta;
struct hd_warp;
struct hd_grid;
struct hd_dinst;
struct hd_pfunction;
struct hd_effect;
struct hd_config;

/* Structures that a policy takes over: two that share a bit cannot combine. */
enum {
	HD_TOUCH_ALLOCATION = 1 << 0, /* registers a warp gets */
	HD_TOUCH_REGFILE = 1 << 1,    /* operand read and write */
	HD_TOUCH_CALLS = 1 << 2,
	HD_TOUCH_SCHEDULER = 1 << 3,
	HD_TOUCH_DISPATCH = 1 << 4,   /* which CTA goes where */
	HD_TOUCH_L1 = 1 << 5,
	HD_TOUCH_CODE = 1 << 6        /* which instructions run */
};

struct hd_policy {
	const char *name, *help, *paper;
	uint32_t touches;
	uint32_t gpu_bytes, sm_bytes, cta_bytes, warp_bytes; /* zeroed state that the engine sets aside */
	/* Pipeline stages that it puts between issue and execution. They delay results and control by a cycle each and
	 * hold no unit. */
	uint32_t stages;
	bool linear; /* launches run the linear versions of kernels (runtime/exec/linear.h) */
	const char *parameters; /* what may stand behind "name:", for messages; NULL: nothing */
	const char *best_of;	/* those among which `best-name` looks, as "1,2,3"; NULL: none */

	/* Every hook may be NULL. `state` is the policy's space in the object that is named first. */
	/* Before the GPU is built: checks the parameter ("" where none is given) and may change the configuration. 0 or -1
	 * with the error reported. */
	int (*configure)(struct hd_config *config, const char *parameter, struct hd_diag *diag);
	void (*start)(struct hd_gpu *gpu, void *state);
	/* A function has been loaded and linked: `code` is its first instruction. It may change how they are issued. */
	void (*decode)(struct hd_gpu *gpu, void *state, const struct hd_pfunction *function, struct hd_dinst *code);
	void (*grid_begin)(struct hd_gpu *gpu, void *state, const struct hd_grid *grid);
	/* Registers to reserve for each thread of the grid's warps on this SM; the baseline's number comes in. A block is
	 * launched even when not one fits with them: the policy then holds warps. */
	uint32_t (*admit)(struct hd_sm *sm, void *state, const struct hd_grid *grid, uint32_t registers);
	void (*cta_launch)(struct hd_sm *sm, void *state, struct hd_cta *cta);
	void (*cta_retire)(struct hd_sm *sm, void *state, struct hd_cta *cta);
	/* A warp has ended; its place is free after this. */
	void (*warp_done)(struct hd_warp *warp, void *state, uint64_t now);
	/* May the warp issue this instruction now? Asked only for warps that are otherwise ready, and in every cycle: a warp
	 * that waits for long is better held. */
	bool (*can_issue)(struct hd_warp *warp, void *state, const struct hd_dinst *inst, uint64_t now);
	/* Where a register lies among those of its warp, for the choice of the bank; with one policy of a combination. */
	uint32_t (*rename)(const struct hd_warp *warp, const void *state, uint32_t reg);
	/* Cycle at which the operands are read, given the baseline's answer. */
	uint64_t (*operand_read)(struct hd_warp *warp, void *state, const struct hd_dinst *inst, uint64_t now, uint64_t ready);
	void (*write_back)(struct hd_warp *warp, void *state, const struct hd_dinst *inst, uint64_t now);
	/* Extra cycles before the warp's next issue. `saves` and `restores` reach `memory_access` first. */
	uint32_t (*call)(struct hd_warp *warp, void *state, const struct hd_dinst *inst, uint32_t callee, uint64_t now);
	/* Also when the last threads of a call have exited inside it. */
	uint32_t (*call_return)(struct hd_warp *warp, void *state, bool all_threads, uint64_t now);
	/* Local access of a given role: return false to keep it away from the memory system (a rename in CARS). */
	bool (*memory_access)(struct hd_warp *warp, void *state, const struct hd_dinst *inst, uint64_t now);
	void (*barrier)(struct hd_warp *warp, void *state, uint64_t now);
	/* The warp waits at a barrier that did not complete; and it goes on. At the latter all warps that the barrier let go
	 * are running again. */
	void (*barrier_wait)(struct hd_warp *warp, void *state, uint64_t now);
	void (*barrier_resume)(struct hd_warp *warp, void *state, uint64_t now);
	void (*long_stall)(struct hd_warp *warp, void *state, uint64_t now);
	void (*wake_up)(struct hd_warp *warp, void *state, uint64_t now);
	void (*fetch)(struct hd_warp *warp, void *state, uint32_t pc, uint64_t now);
	uint32_t tick_interval; /* cycles; 0 no tick */
	void (*tick)(struct hd_sm *sm, void *state, uint64_t now);
	void (*grid_end)(struct hd_gpu *gpu, void *state, const struct hd_grid *grid);
	void (*dump)(const struct hd_gpu *gpu, const void *state, FILE *out);
	/* For the watchdog: why the policy holds the warp (hd_warp_hold), in words. False: it is not this policy that does. */
	bool (*why_held)(const struct hd_warp *warp, const void *state, char *text, size_t size);
	/* Under --verify: around the execution of each instruction. A fault is reported with hd_gpu_fault. */
	void (*verify_before)(struct hd_warp *warp, void *state, const struct hd_dinst *inst);
	void (*verify_after)(struct hd_warp *warp, void *state, const struct hd_dinst *inst, const struct hd_effect *effect);
	/* Adds the policy's own figures under its name in the statistics: calls add(context, key, value, unit). They are of
	 * the launch gpu->grid, or of the whole run where that is NULL. */
	void (*report)(const struct hd_gpu *gpu, const void *state,
		       void (*add)(void *context, const char *key, double value, const char *unit), void *context);
};

extern const struct hd_policy hd_policy_baseline, hd_policy_cars, hd_policy_vw, hd_policy_all_hit, hd_policy_swl,
	hd_policy_r2d2_functional;

/* Whether `text` ("cars+malekeh") names policies that exist and combine; reports what is wrong. 0 or -1. */
int hd_policy_check(const char *text, struct hd_diag *diag);
/* `best_of` of the policy of this name; NULL: there is no such policy, or it has none. */
const char *hd_policy_best_of(const char *name, size_t length);

#endif
