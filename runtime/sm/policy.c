/*
 * The state that policies are given, and the loops over the hooks that give an answer (see heddle/policy.h). A
 * combination asks every policy: registers and operand cycles pass through them in order, extra cycles add up, and one
 * refusal is enough.
 *
 * Cost: nothing for the baseline; O(policies) a hook otherwise.
 */
#include <assert.h>
#include <string.h>

#include "heddle/policy.h"
#include "lib/bits.h"
#include "runtime/sm/counts.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/stage.h"
#include "runtime/sm/timers.h"
#include "runtime/sm/traffic.h"

/* ---- handles and state */

#define STATE_ALIGN 16u

/* Where `bytes` of one more policy begin in a space of *total. */
static uint32_t set_aside(uint32_t *total, uint32_t bytes)
{
	uint32_t at = *total;
	*total = (uint32_t)hd_align_up(at + bytes, STATE_ALIGN);
	return at;
}

void hd_policy_add(struct hd_gpu *gpu, const struct hd_policy *policy, const char *parameter)
{
	const struct hd_policy_hooks *hooks = policy->hooks;
	assert(gpu->policy_count < HD_MAX_POLICIES);
	gpu->policies[gpu->policy_count++] = (struct hd_policy_handle){
		.policy = policy,
		.hooks = hooks,
		.parameter = parameter,
		.gpu_at = set_aside(&gpu->policy_bytes.gpu, hooks->gpu_bytes),
		.collector_at = set_aside(&gpu->policy_bytes.collector, hooks->collector_bytes),
		.sm_at = set_aside(&gpu->policy_bytes.sm, hooks->sm_bytes),
		.cta_at = set_aside(&gpu->policy_bytes.cta, hooks->cta_bytes),
		.warp_at = set_aside(&gpu->policy_bytes.warp, hooks->warp_bytes),
		.grid_at = set_aside(&gpu->policy_bytes.grid, hooks->grid_bytes),
	};
	hd_counts_take(gpu, &gpu->policies[gpu->policy_count - 1]);
	gpu->stages += hooks->stages;
	gpu->moves |= hooks->moves;
	gpu->spare_warps = hooks->spare_warps > gpu->spare_warps ? hooks->spare_warps : gpu->spare_warps;
	gpu->spare_ctas = hooks->spare_ctas > gpu->spare_ctas ? hooks->spare_ctas : gpu->spare_ctas;
}

static uint64_t hooks_of(const struct hd_gpu *gpu)
{
	uint64_t hooks = 0;
	for (uint32_t i = 0; i < gpu->policy_count; i++) {
#define X(subject, hook) hooks |= gpu->policies[i].hooks->subject.hook ? HD_HOOK(hook) : 0;
		HD_HOOK_LIST(X)
#undef X
	}
	/* Where names change. */
	if (hooks & HD_HOOK(forget_names) && hooks & HD_HOOK(rename))
		hooks |= HD_HOOK(call) | HD_HOOK(call_return) | HD_HOOK(path_switch);
	return hooks;
}

static uint8_t *new_space(struct hd_gpu *gpu, uint32_t bytes)
{
	return bytes ? hd_arena_alloc(&gpu->arena, bytes) : NULL;
}

static void place_in_stage(struct hd_gpu *gpu, struct hd_sm *sm)
{
	for (uint32_t part = 0; part < gpu->shape.parts; part++)
		for (uint32_t i = 0; i < sm->operands.regfiles[part]->collector_count; i++)
			sm->operands.regfiles[part]->collectors[i].policy_space =
				new_space(gpu, gpu->policy_bytes.collector);
	if (sm->hooks & HD_HOOK(result_target))
		sm->stage.results = HD_ARENA_NEW(&gpu->arena, struct hd_stage_result, hd_sm_timers(gpu->config));
}

void hd_policy_place_sm(struct hd_sm *sm)
{
	struct hd_gpu *gpu = sm->gpu;
	hd_sm_spare(sm, gpu->spare_warps, gpu->spare_ctas);
	hd_sm_place_watched(sm);
	for (uint32_t id = 0; id < sm->warp_count; id++)
		sm->warps[id].policy_space = new_space(gpu, gpu->policy_bytes.warp);
	for (uint32_t i = 0; i < sm->cta_count; i++)
		sm->ctas[i].policy_space = new_space(gpu, gpu->policy_bytes.cta);
	place_in_stage(gpu, sm);
	hd_traffic_watch(sm);
}

bool hd_policy_by_block(const struct hd_gpu *gpu)
{
	HD_POLICIES (gpu, self) {
		const struct hd_policy_hooks *hooks = self->hooks;
		if (hooks->gpu_tick || hooks->alarm || hooks->allocation.quota || hooks->moves ||
		    ((hooks->grid_begin || hooks->grid_end) && !hooks->own_state))
			return false;
	}
	return true;
}

bool hd_policy_by_sm(const struct hd_gpu *gpu)
{
	HD_POLICIES (gpu, self) {
		const struct hd_policy_hooks *hooks = self->hooks;
		bool moves = hooks->moves || hooks->alarm;
		if ((moves && !(hooks->moves && hooks->own_quota)) || (hooks->allocation.quota && !hooks->own_quota))
			return false;
	}
	return true;
}

void hd_policy_place(struct hd_gpu *gpu)
{
	gpu->policy_space = new_space(gpu, gpu->policy_bytes.gpu);
	hd_counts_place(gpu);
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct hd_sm *sm = gpu->sms[i];
		sm->hooks = hooks_of(gpu);
		sm->policies.space = new_space(gpu, gpu->policy_bytes.sm);
		if (hd_sm_is_built(sm)) {
			hd_policy_place_sm(sm);
			hd_sm_clear(sm);
		} else if (!hd_policy_by_block(gpu)) {
			hd_sm_build(sm);
		}
	}
}

/* ---- hooks that give an answer */

/* Of all policies, or of those alone that give kernels shares. */
static uint32_t least_quota(const struct hd_sm *sm, const struct hd_grid *grid, bool shares)
{
	uint32_t least = UINT32_MAX;
	HD_HOOKED (sm->gpu, self, allocation.quota) {
		if (shares && !(self->policy->touches & HD_TOUCH_SHARES))
			continue;
		uint32_t quota = self->hooks->allocation.quota(self, sm, grid);
		least = quota < least ? quota : least;
	}
	return least;
}

uint32_t hd_policy_quota(const struct hd_sm *sm, const struct hd_grid *grid)
{
	return least_quota(sm, grid, false);
}

uint32_t hd_policy_share(const struct hd_sm *sm, const struct hd_grid *grid)
{
	return least_quota(sm, grid, true);
}

bool hd_policy_shares(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (gpu->policies[i].policy->touches & HD_TOUCH_SHARES)
			return true;
	return false;
}

uint32_t hd_policy_launch_without(struct hd_sm *sm, const struct hd_grid *grid)
{
	uint32_t parts = 0;
	HD_HOOKED (sm->gpu, self, allocation.launch_without)
		parts |= self->hooks->allocation.launch_without(self, sm, grid);
	return parts;
}

uint32_t hd_policy_admit(struct hd_sm *sm, const struct hd_grid *grid, uint32_t registers)
{
	HD_HOOKED (sm->gpu, self, allocation.admit)
		registers = self->hooks->allocation.admit(self, sm, grid, registers);
	return registers;
}

bool hd_policy_can_issue(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	HD_HOOKED (sm->gpu, self, issue.can_issue)
		if (!self->hooks->issue.can_issue(self, warp, inst, now))
			return false;
	return true;
}

uint32_t hd_policy_rename(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg)
{
	HD_HOOKED (sm->gpu, self, operands.rename)
		return self->hooks->operands.rename(self, warp, reg);
	return reg;
}

uint64_t hd_policy_prefer(const struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	HD_HOOKED (sm->gpu, self, issue.prefer)
		return self->hooks->issue.prefer(self, warp, inst, now);
	return 0;
}

uint32_t hd_policy_range(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, bool writes,
			 struct hd_range_access list[HD_MAX_RANGE])
{
	HD_HOOKED (sm->gpu, self, operands.range_writes)
		if (writes)
			return self->hooks->operands.range_writes(self, warp, inst, list);
	HD_HOOKED (sm->gpu, self, operands.range_reads)
		if (!writes)
			return self->hooks->operands.range_reads(self, warp, inst, list);
	return 0;
}

static void forget_names(const struct hd_policy_handle *self, const struct hd_sm *sm, struct hd_warp *warp,
			 uint64_t now)
{
	if (self->hooks->calls.forget_names && sm->hooks & HD_HOOK(rename))
		self->hooks->calls.forget_names(self, warp, now);
}

uint32_t hd_policy_call(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t callee,
			uint64_t now)
{
	uint32_t cycles = 0;
	HD_POLICIES (sm->gpu, self) {
		if (self->hooks->calls.call)
			cycles += self->hooks->calls.call(self, warp, inst, callee, now);
		forget_names(self, sm, warp, now);
	}
	return cycles;
}

uint32_t hd_policy_return(struct hd_sm *sm, struct hd_warp *warp, bool all_threads, uint64_t now)
{
	uint32_t cycles = 0;
	HD_POLICIES (sm->gpu, self) {
		if (self->hooks->calls.call_return)
			cycles += self->hooks->calls.call_return(self, warp, all_threads, now);
		forget_names(self, sm, warp, now);
	}
	return cycles;
}

uint64_t hd_policy_code_place(struct hd_sm *sm, const struct hd_warp *warp, uint32_t *bytes)
{
	uint64_t address = (uint64_t)warp->pc * *bytes;
	HD_HOOKED (sm->gpu, self, issue.code_place)
		return self->hooks->issue.code_place(self, warp, warp->pc, address, bytes);
	return address;
}

void hd_policy_path(struct hd_sm *sm, struct hd_warp *warp, uint32_t lanes, uint64_t now)
{
	uint32_t left = lanes & warp->live, next = warp->active;
	enum hd_path how = HD_PATH_DIVERGED;
	if (next == left || !next || sm->effect.event == HD_EVENT_FAULT)
		return;
	if (sm->effect.yielded)
		how = HD_PATH_YIELDED;
	else if (!(next & left))
		how = HD_PATH_SWITCHED;
	else if (next & ~left)
		how = HD_PATH_JOINED;
	HD_POLICIES (sm->gpu, self) {
		if (self->hooks->calls.path_switch)
			self->hooks->calls.path_switch(self, warp, how, now);
		if (warp->reordered)
			forget_names(self, sm, warp, now);
	}
}

bool hd_policy_memory_access(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	bool goes = true;
	HD_HOOKED (sm->gpu, self, memory.memory_access)
		goes &= self->hooks->memory.memory_access(self, warp, inst, now);
	return goes;
}

bool hd_policy_l1_bypass(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	bool bypass = false;
	HD_HOOKED (sm->gpu, self, memory.l1_bypass)
		bypass |= self->hooks->memory.l1_bypass(self, warp, inst, now);
	return bypass;
}
