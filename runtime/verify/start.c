/*
 * Who watches a run under --verify: the facts of the metadata, control bits, linear versions, and the policies, each
 * of which checks its own structures around every instruction (hooks verify_before and verify_after).
 */
#include "runtime/verify/start.h"

#include "heddle/config.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"
#include "runtime/verify/control.h"
#include "runtime/verify/twin.h"

static void execute_before(const struct hd_watcher_handle *self, struct hd_sm *sm, struct hd_warp *warp,
			   const struct hd_dinst *inst)
{
	(void)self;
	if (sm->hooks & HD_HOOK(verify_before))
		HD_HOOKED (sm->gpu, policy, observation.verify_before)
			policy->hooks->observation.verify_before(policy, warp, inst);
}

static void execute_after(const struct hd_watcher_handle *self, struct hd_sm *sm, struct hd_warp *warp,
			  const struct hd_dinst *inst, uint32_t pc, const struct hd_effect *effect)
{
	(void)self;
	(void)pc;
	if (sm->hooks & HD_HOOK(verify_after) && effect->event != HD_EVENT_FAULT)
		HD_HOOKED (sm->gpu, policy, observation.verify_after)
			policy->hooks->observation.verify_after(policy, warp, inst, effect);
}

static const struct hd_watcher policies_watcher = {.name = "policies",
						   .execute_before = execute_before,
						   .execute_after = execute_after};

void hd_verify_start(struct hd_gpu *gpu)
{
	if (gpu->config->core == HD_CORE_MODERN)
		hd_verify_control_start(gpu);
	hd_twin_watch(gpu);
	hd_verify_facts_start(gpu);
	hd_watcher_add(gpu, &policies_watcher, NULL);
}
