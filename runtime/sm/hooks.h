/*
 * Calls of the policies' hooks, in the order of the `+` list. HD_SM_HOOKED tests the SM's bit for the hook first, so
 * that the baseline and policies without the hook cost one test. A hook does not change these bits.
 */
#ifndef HD_RUNTIME_SM_HOOKS_H
#define HD_RUNTIME_SM_HOOKS_H

#include <string.h>

#include "runtime/core/gpu.h"
#include "runtime/core/warp.h"

/* Adds one to the GPU's; `parameter` lives as long as it. */
void hd_policy_add(struct hd_gpu *gpu, const struct hd_policy *policy, const char *parameter);
/* Sets aside the state of the GPU's policies, zeroed, and tells the SMs which hooks they have to call. */
void hd_policy_place(struct hd_gpu *gpu);
/* The part of it that lies with an SM's warps, blocks and collectors, when the SM has those. */
void hd_policy_place_sm(struct hd_sm *sm);
/* No policy looks at an SM but on behalf of its blocks, so that those without blocks need not be there. */
bool hd_policy_by_block(const struct hd_gpu *gpu);
/* Beyond its own SM a policy looks at others in hooks of the GPU alone, which are called between windows; what it moves
 * it moves within an SM, and says so (own_quota). */
bool hd_policy_by_sm(const struct hd_gpu *gpu);
/* Zeroes that of a CTA and of a warp, when their slot is used anew. */
static inline void hd_policy_clear_cta(const struct hd_gpu *gpu, const struct hd_cta *cta)
{
	if (gpu->policy_bytes.cta)
		memset(cta->policy_space, 0, gpu->policy_bytes.cta);
}
static inline void hd_policy_clear_warp(const struct hd_gpu *gpu, const struct hd_warp *warp)
{
	if (gpu->policy_bytes.warp)
		memset(warp->policy_space, 0, gpu->policy_bytes.warp);
}

/* Each policy of the SM's GPU that has the hook; one test where none has. */
#define HD_SM_HOOKED(sm, self, subject, hook)                                                           \
	for (const struct hd_policy_handle *self = (sm)->gpu->policies,                                 \
					   *self##_end = self + ((sm)->hooks & HD_HOOK(hook)            \
									 ? (sm)->gpu->policy_count : 0); \
	     self < self##_end; self++)                                                                 \
		if (self->hooks->subject.hook)

uint32_t hd_policy_quota(const struct hd_sm *sm, const struct hd_grid *grid);
/* The same of those policies alone that give kernels shares of an SM (HD_TOUCH_SHARES); is there one? */
uint32_t hd_policy_share(const struct hd_sm *sm, const struct hd_grid *grid);
bool hd_policy_shares(const struct hd_gpu *gpu);
uint32_t hd_policy_launch_without(struct hd_sm *sm, const struct hd_grid *grid);
uint32_t hd_policy_admit(struct hd_sm *sm, const struct hd_grid *grid, uint32_t registers);
bool hd_policy_can_issue(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* Where a register lies; for SMs with the hook. */
uint32_t hd_policy_rename(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg);
uint64_t hd_policy_prefer(const struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* What the instruction reads, or writes, of its grid's range; their number. For SMs with the hook. */
uint32_t hd_policy_range(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, bool writes,
			 struct hd_range_access list[HD_MAX_RANGE]);
uint32_t hd_policy_call(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t callee,
			uint64_t now);
uint32_t hd_policy_return(struct hd_sm *sm, struct hd_warp *warp, bool all_threads, uint64_t now);
/* The byte address of the warp's next instruction; *bytes: its length. */
uint64_t hd_policy_code_place(struct hd_sm *sm, const struct hd_warp *warp, uint32_t *bytes);
/* The warp has executed an instruction with `lanes` active: tells of it if it goes on with others. */
void hd_policy_path(struct hd_sm *sm, struct hd_warp *warp, uint32_t lanes, uint64_t now);
/* Does the access go to the memory system? */
bool hd_policy_memory_access(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
bool hd_policy_l1_bypass(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);

#endif
