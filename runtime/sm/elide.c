/*
 * Instructions that a policy has executed without an issue slot, its operands known: what designs skip that find
 * results computed already (DAC, DARSIE). They are not fetched, take no collector, unit or bank, and appear in no
 * reason of a lost slot; what needs their result waits as long as the policy says. Only what computes or loads can be
 * elided: control, barriers, stores and atomics are issued.
 *
 * The policy is asked twice: whether the instruction may be elided, when the warp comes to it, in place of its fetch;
 * and when its operands are there, where it can see their values. If it then declines, the instruction is fetched.
 *
 * Cost: nothing for SMs without the hook; else a call or two an instruction.
 */
#include "runtime/sm/elide.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/loads.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/scoreboard.h"
#include "runtime/sm/sm.h"

static bool asked(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, bool known, uint64_t now,
		  uint64_t *at)
{
	HD_HOOKED (sm->gpu, self, issue.elide)
		if (self->hooks->issue.elide(self, warp, inst, known, now, at))
			return true;
	return false;
}

static bool can_be_elided(const struct hd_dinst *inst)
{
	const uint32_t acts = HD_FX_STORE | HD_FX_ATOMIC | HD_FX_SIDE | HD_FX_FENCE | HD_FX_BARRIER | HD_FX_ASYNC;
	return inst->exec && inst->pipe != HD_PIPE_BRU && !(inst->effects & acts);
}

bool hd_elide_wanted(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	const struct hd_dinst *inst = &sm->gpu->program.code.data[warp->pc];
	uint64_t at = now;
	warp->unfetched = !warp->declined && can_be_elided(inst) && asked(sm, warp, inst, false, now, &at);
	warp->declined = false;
	return warp->unfetched;
}

static bool is_known(const struct hd_warp *warp, const struct hd_dinst *inst)
{
	return !hd_hazards_meet(&inst->hazards, &warp->pending);
}

/* False: it has faulted. */
static bool execute(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now, uint64_t at)
{
	struct hd_counters *counters = hd_sm_counters(sm, warp);
	uint32_t lanes = warp->active;
	sm->exec->now = now;
	if (sm->hooks & HD_HOOK(first_use))
		hd_loads_used(sm, warp, inst, now);
	hd_sm_execute(sm, warp, inst);
	if (sm->effect.event == HD_EVENT_FAULT) {
		hd_warp_set_wait(sm, warp, HD_STALL_control); /* the grid stops at the end of this cycle */
		return false;
	}
	counters->yields += sm->effect.yielded;
	counters->elided += !sm->effect.yielded;
	counters->elided_threads += (uint32_t)__builtin_popcount(sm->effect.mask);
	if (sm->hooks & HD_HOOK(path_switch))
		hd_policy_path(sm, warp, lanes, now);
	if (at > now && !sm->effect.yielded)
		hd_sm_await(sm, warp, inst, now, at);
	return true;
}

void hd_elide(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	do {
		const struct hd_dinst *inst = sm->next[warp->id];
		uint64_t at = now;
		warp->unfetched = false;
		warp->declined =
			!asked(sm, warp, inst, true, now, &at) || (at > now && sm->wheel.free_count < sm->wheel.kept);
		if (warp->declined)
			break;
		if (!execute(sm, warp, inst, now, at))
			return;
		warp->declined = !hd_elide_wanted(sm, warp, now);
		sm->next[warp->id] = &sm->gpu->program.code.data[warp->pc];
	} while (warp->unfetched && is_known(warp, sm->next[warp->id]));
	if (warp->unfetched)
		hd_warp_evaluate(sm, warp);
	else
		hd_warp_continue(sm, warp, now, now, HD_STALL_control);
}
