/*
 * Calls of the policies' hooks, in the order of the `+` list. Callers test policy_count first, so that the
 * baseline costs one test. Each hook gets the state that was set aside in the object it is about.
 */
#ifndef HD_RUNTIME_SM_HOOKS_H
#define HD_RUNTIME_SM_HOOKS_H

#include "runtime/sm/sm.h"

#define HD_MAX_POLICIES 4
#define HD_PARAMETER_BYTES 32

/* Every policy `policy` (with its `index`) that has the hook. */
#define HD_HOOKED(gpu, index, policy, hook)                            \
	for (uint32_t index = 0; index < (gpu)->policy_count; index++) \
		for (const struct hd_policy *policy = (gpu)->policies[index]; policy && policy->hook; policy = NULL)

/* Fills gpu->policies and their parameters from "cars+malekeh" and lets them change gpu->config. Unknown names, wrong
 * parameters and pairs that cannot combine are errors. 0 or -1. */
int hd_policy_parse(struct hd_gpu *gpu, const char *text, struct hd_diag *diag);
/* The policies that a text names, in its order. The baseline stands for none. */
struct hd_policy_set {
	const struct hd_policy *policies[HD_MAX_POLICIES];
	char parameters[HD_MAX_POLICIES][HD_PARAMETER_BYTES];
	uint32_t count;
};
/* Adds one; refused when it takes over what another one has. 0 or -1. */
int hd_policy_combine(struct hd_policy_set *chosen, const struct hd_policy *policy, struct hd_diag *diag);
/* Sets aside the state of `bytes_of` one object for each policy, zeroed. */
void hd_policy_state_new(const struct hd_gpu *gpu, void *state[HD_MAX_POLICIES], size_t bytes_offset,
			 struct hd_arena *arena);
/* Zeroes it again, when a CTA or warp slot is used anew. */
void hd_policy_state_clear(const struct hd_gpu *gpu, void *state[HD_MAX_POLICIES], size_t bytes_offset);

uint32_t hd_policy_admit(struct hd_sm *sm, const struct hd_grid *grid, uint32_t registers);
bool hd_policy_can_issue(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* Where a register lies; for SMs with sm->renames. */
uint32_t hd_policy_rename(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg);
uint64_t hd_policy_operand_read(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now,
				uint64_t ready);
uint32_t hd_policy_call(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t callee,
			uint64_t now);
uint32_t hd_policy_return(struct hd_sm *sm, struct hd_warp *warp, bool all_threads, uint64_t now);
/* Does the access go to the memory system? */
bool hd_policy_memory_access(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* Runs the ticks that are due; returns the cycle of the next one, UINT64_MAX when no policy has any. */
uint64_t hd_policy_tick(struct hd_sm *sm, uint64_t now);

#endif
