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

static uint32_t index_of(const struct hd_gpu *gpu)
{
	uint32_t index = 0;
	while (gpu->policies[index] != &hd_policy_swl)
		index++;
	return index;
}

static int configure(struct hd_config *config, const char *parameter, struct hd_diag *diag)
{
	char *end;
	unsigned long limit = strtoul(parameter, &end, 10);
	(void)config;
	if (*parameter >= '0' && *parameter <= '9' && !*end && limit >= 1 && limit <= MOST_WARPS)
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy 'swl' needs %s, as in swl:4", hd_policy_swl.parameters);
}

static void start(struct hd_gpu *gpu, void *state)
{
	struct swl_gpu *swl = state;
	uint32_t index = index_of(gpu);
	swl->limit = (uint32_t)strtoul(gpu->policy_parameters[index], NULL, 10);
}

static void grid_begin(struct hd_gpu *gpu, void *state, const struct hd_grid *grid)
{
	const struct swl_gpu *swl = state;
	for (uint32_t i = 0; i < gpu->config.sm_count; i++) {
		struct swl_sm *sm = gpu->sms[i]->policy_state[index_of(gpu)];
		sm->limit = grid->cooperative ? MOST_WARPS : swl->limit;
		sm->running = 0;
	}
}

/* The oldest warp that could run and has no place. */
static struct hd_warp *oldest_held(const struct hd_sm *sm)
{
	struct hd_warp *oldest = NULL;
	for (uint32_t slot = 0; slot < sm->warp_slots; slot++) {
		struct hd_warp *warp = &sm->warps[slot];
		if (warp->state == HD_WARP_RUNNING && warp->held && (!oldest || warp->age < oldest->age))
			oldest = warp;
	}
	return oldest;
}

static void give_places(struct hd_sm *sm, uint32_t index, uint64_t now)
{
	struct swl_sm *swl = sm->policy_state[index];
	struct hd_warp *warp;
	while (swl->running < swl->limit && (warp = oldest_held(sm))) {
		((struct swl_warp *)warp->policy_state[index])->runs = true;
		swl->running++;
		if (swl->running > swl->peak)
			swl->peak = swl->running;
		hd_warp_resume(sm, warp, now);
	}
}

static void take_place(struct hd_warp *warp, struct swl_warp *state, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	uint32_t index = index_of(sm->gpu);
	if (!state->runs)
		return;
	state->runs = false;
	((struct swl_sm *)sm->policy_state[index])->running--;
	give_places(sm, index, now);
}

static void cta_launch(struct hd_sm *sm, void *state, struct hd_cta *cta)
{
	(void)state;
	for (uint32_t i = 0; i < cta->warp_count; i++)
		hd_warp_hold(sm, cta->warps[i]);
	give_places(sm, index_of(sm->gpu), sm->now);
}

static void barrier_wait(struct hd_warp *warp, void *state, uint64_t now)
{
	hd_warp_hold(warp->cta->sm, warp);
	take_place(warp, state, now);
}

static void barrier_resume(struct hd_warp *warp, void *state, uint64_t now)
{
	(void)state;
	if (warp->held)
		give_places(warp->cta->sm, index_of(warp->cta->sm->gpu), now);
}

static void warp_done(struct hd_warp *warp, void *state, uint64_t now)
{
	take_place(warp, state, now);
}

static bool why_held(const struct hd_warp *warp, const void *state, char *text, size_t size)
{
	const struct hd_sm *sm = warp->cta->sm;
	const struct swl_sm *swl = sm->policy_state[index_of(sm->gpu)];
	if (((const struct swl_warp *)state)->runs)
		return false;
	snprintf(text, size, "%u warps may issue, and others follow when one ends or waits at a barrier", swl->limit);
	return true;
}

static void report(const struct hd_gpu *gpu, const void *state,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	uint32_t index = index_of(gpu), peak = 0;
	for (uint32_t i = 0; i < gpu->config.sm_count; i++) {
		const struct swl_sm *swl = gpu->sms[i]->policy_state[index];
		if (swl->peak > peak)
			peak = swl->peak;
	}
	add(context, "limit", ((const struct swl_gpu *)state)->limit, "warps");
	add(context, "most_warps", peak, "warps");
}

const struct hd_policy hd_policy_swl = {
	.name = "swl",
	.help = "static wavefront limiting: at most N warps of an SM issue (swl:N)",
	.paper = "Cache-Conscious Wavefront Scheduling, MICRO 2012; comparator of CARS",
	.touches = HD_TOUCH_SCHEDULER,
	.gpu_bytes = sizeof(struct swl_gpu),
	.sm_bytes = sizeof(struct swl_sm),
	.warp_bytes = sizeof(struct swl_warp),
	.parameters = "the number of warps, 1 to 128",
	.best_of = "1,2,3,4,8,16", /* cars-hpca24 V-D */
	.configure = configure,
	.start = start,
	.grid_begin = grid_begin,
	.cta_launch = cta_launch,
	.warp_done = warp_done,
	.barrier_wait = barrier_wait,
	.barrier_resume = barrier_resume,
	.report = report,
	.why_held = why_held,
};
