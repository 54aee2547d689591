/*
 * Static wavefront limiting (SWL, from cache-conscious wavefront scheduling; a comparator of cars-hpca24 V-D): at most
 * N warps of an SM issue, the oldest first. A warp at a barrier leaves its place to the next, as in the published
 * simulators, so that no block waits for a warp that may not run. In a cooperative grid blocks wait for each other
 * without that the hardware sees it, so there all warps may issue. Best-SWL (`--policy best-swl`) is the best of N = 1,
 * 2, 3, 4, 8, 16.
 *
 * Cost: O(warp slots) when a warp ends, or comes to or from a barrier.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/bits.h"
#include "runtime/sm/policy_space.h"
#include "runtime/sm/sm.h"

#define MOST_WARPS HD_MAX_WARPS

struct swl_gpu {
	uint32_t limit;
};

struct swl_sm {
	uint32_t limit, running, peak;
};

struct swl_warp {
	bool runs; /* has one of the places */
};

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	char *end;
	unsigned long limit = strtoul(parameter, &end, 10);
	(void)config;
	if (*parameter >= '0' && *parameter <= '9' && !*end && limit >= 1 && limit <= MOST_WARPS)
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy 'swl' needs %s, as in swl:4", policy->parameters);
}

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct swl_gpu *swl = hd_policy_gpu(self, gpu);
	swl->limit = (uint32_t)strtoul(self->parameter, NULL, 10);
}

static void grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	const struct swl_gpu *swl = hd_policy_gpu(self, gpu);
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct swl_sm *sm = hd_policy_sm(self, gpu->sms[i]);
		sm->limit = grid->cooperative || grid->clusters ? MOST_WARPS : swl->limit;
		sm->running = 0;
	}
}

/* The oldest warp that could run and has no place. */
static struct hd_warp *oldest_held(const struct hd_sm *sm)
{
	struct hd_warp *oldest = NULL;
	for (uint32_t id = 0; id < sm->warp_count; id++) {
		struct hd_warp *warp = &sm->warps[id];
		if (warp->state == HD_WARP_RUNNING && warp->held && (!oldest || warp->age < oldest->age))
			oldest = warp;
	}
	return oldest;
}

static void give_places(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct swl_sm *swl = hd_policy_sm(self, sm);
	struct hd_warp *warp;
	while (swl->running < swl->limit && (warp = oldest_held(sm))) {
		((struct swl_warp *)hd_policy_warp(self, warp))->runs = true;
		swl->running++;
		swl->peak = hd_larger(swl->peak, swl->running);
		hd_warp_resume(sm, warp, now);
	}
}

static void take_place(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct swl_warp *mine = hd_policy_warp(self, warp);
	if (!mine->runs)
		return;
	mine->runs = false;
	((struct swl_sm *)hd_policy_sm(self, sm))->running--;
	give_places(self, sm, now);
}

static void cta_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	for (uint32_t i = 0; i < cta->warp_count; i++)
		hd_warp_hold(sm, cta->warps[i]);
	give_places(self, sm, sm->now);
}

static void barrier_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	hd_warp_hold(warp->cta->sm, warp);
	take_place(self, warp, now);
}

static void barrier_resume(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	if (warp->held)
		give_places(self, warp->cta->sm, now);
}

static void warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	take_place(self, warp, now);
}

static bool why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size)
{
	const struct swl_sm *swl = hd_policy_sm(self, warp->cta->sm);
	if (((const struct swl_warp *)hd_policy_warp(self, warp))->runs)
		return false;
	snprintf(text, size, "%u warps may issue, and others follow when one ends or waits at a barrier", swl->limit);
	return true;
}

static const struct hd_policy_count reported[] = {
	{"limit", "warps", "warps per SM that may issue"},
	{"most_warps", "warps", "most warps of an SM that issued at a time"},
	{0},
};

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	uint32_t peak = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		const struct swl_sm *swl = hd_policy_sm(self, gpu->sms[i]);
		peak = hd_larger(peak, swl->peak);
	}
	add(context, "limit", ((const struct swl_gpu *)hd_policy_gpu(self, gpu))->limit, "warps");
	add(context, "most_warps", peak, "warps");
}

const struct hd_policy_hooks hd_hooks_swl = {
	.gpu_bytes = sizeof(struct swl_gpu),
	.sm_bytes = sizeof(struct swl_sm),
	.warp_bytes = sizeof(struct swl_warp),
	.configure = configure,
	.start = start,
	.own_state = true,
	.grid_begin = grid_begin,
	.allocation.cta_launch = cta_launch,
	.allocation.warp_done = warp_done,
	.issue.barrier_wait = barrier_wait,
	.issue.barrier_resume = barrier_resume,
	.observation.report = report,
	.observation.reported = reported,
	.observation.why_held = why_held,
};
