/*
 * Which block goes to which SM, and what becomes of those that have ended.
 *
 * CTAs go to the SMs round robin, one an SM and pass, so that a small grid spreads over the GPU. Of several grids the
 * one with the highest priority goes first, then the one that came first, and until all its blocks have a place the
 * others get none (the "leftover" policy of hardware). Policies may give grids shares of the SMs instead.
 *
 * Cost: O(SMs) a pass.
 */
#include "runtime/gpu/run.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/places.h"

/* The cycle from which the SM can start a CTA of the grid that it has room for. */
static uint64_t launch_cycle(const struct hd_sm *sm, const struct hd_grid *grid)
{
	return sm->dispatch.next > grid->dispatch_from ? sm->dispatch.next : grid->dispatch_from;
}

/*
 * When the dispatcher comes by an SM that has gone on ahead of it and has room. One that did not stop in this window
 * (HD_NEVER) had the room when it began, and starts a CTA when it can. Of several grids, and where warps move, the
 * place of one that stopped may be that of a warp, to which the dispatcher does not come by itself.
 */
static uint64_t comes_by(const struct hd_sm *sm, const struct hd_grid *grid, uint64_t stands, uint64_t now)
{
	if (stands == HD_NEVER)
		return hd_later(launch_cycle(sm, grid), now + 1);
	return sm->gpu->running > 1 || sm->gpu->moves ? HD_NEVER : stands;
}

bool hd_grid_waits_for_room(const struct hd_grid *grid)
{
	uint64_t end = grid->cta_stop ? grid->cta_stop : grid->cta_total;
	return grid->running && !grid->halted && (grid->cta_next < end || grid->requeued.len);
}

static uint64_t next_cta(struct hd_grid *grid)
{
	if (!grid->requeued.len)
		return grid->cta_next++;
	uint64_t linear = grid->requeued.data[0];
	hd_vec_remove(&grid->requeued, 0);
	return linear;
}

static void note_block(struct hd_run *run, uint32_t id, uint64_t now)
{
	run->due[id] = now;
}

/* One pass of a grid over the SMs. Returns the cycle of the next pass: HD_NEVER until a CTA retires. */
static uint64_t dispatch_pass(struct hd_run *run, struct hd_grid *grid, uint64_t now)
{
	uint64_t next = HD_NEVER;
	uint32_t first = run->first;
	if (grid->clusters)
		return hd_clusters_dispatch(run, grid, now);
	for (uint32_t i = 0; i < run->sm_count && hd_grid_waits_for_room(grid); i++) {
		uint32_t id = (first + i) % run->sm_count;
		struct hd_sm *sm = run->gpu->sms[id];
		if (!hd_run_use(run, id, grid))
			return HD_NEVER;
		if (!hd_sm_has_room(sm, grid))
			continue;
		uint64_t stands = hd_window_stands(run->window, id, now);
		if (stands > now) {
			next = hd_earlier(next, comes_by(sm, grid, stands, now));
			continue;
		}
		if (launch_cycle(sm, grid) <= now) {
			hd_sm_launch_cta(sm, grid, next_cta(grid), now);
			note_block(run, id, now);
			run->first = (id + 1) % run->sm_count;
		}
		if (hd_sm_has_room(sm, grid))
			next = hd_earlier(next, launch_cycle(sm, grid) > now ? launch_cycle(sm, grid) : now + 1);
	}
	return hd_grid_waits_for_room(grid) ? next : HD_NEVER;
}

bool hd_run_waits_for_room(const struct hd_run *run)
{
	for (uint32_t i = 0; i < run->gpu->grids.len; i++)
		if (hd_grid_waits_for_room(run->gpu->grids.data[i]))
			return true;
	return false;
}

struct hd_grid *hd_run_head(const struct hd_gpu *gpu)
{
	struct hd_grid *head = NULL;
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		struct hd_grid *grid = gpu->grids.data[i];
		if (hd_grid_waits_for_room(grid) && (!head || grid->priority < head->priority))
			head = grid;
	}
	return head;
}

static uint64_t dispatch_in_order(struct hd_run *run, uint64_t now)
{
	uint64_t next = HD_NEVER;
	for (struct hd_grid *grid; (grid = hd_run_head(run->gpu));) {
		next = hd_earlier(next, dispatch_pass(run, grid, now));
		if (hd_grid_waits_for_room(grid) || run->gpu->error)
			break;
	}
	return next;
}

static bool may_have(struct hd_sm *sm, const struct hd_grid *grid)
{
	if (!hd_sm_has_room(sm, grid))
		return false;
	uint32_t quota = hd_policy_quota(sm, grid);
	if (quota != UINT32_MAX)
		HD_TELL(sm->gpu, noted, sm, HD_NOTE_QUOTA, grid, NULL, NULL, quota, sm->gpu->now);
	return sm->grids[grid->slot].resident < quota;
}

struct hd_grid *hd_run_candidate(struct hd_sm *sm)
{
	struct hd_grid *best = NULL;
	for (uint32_t i = 0; i < sm->gpu->grids.len; i++) {
		struct hd_grid *grid = sm->gpu->grids.data[i];
		if (hd_grid_waits_for_room(grid) && may_have(sm, grid) && (!best || grid->priority < best->priority))
			best = grid;
	}
	return best;
}

/* A grid that has no block left has one again when one is killed. */
static bool may_wait(const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	return hd_grid_waits_for_room(grid) || (gpu->kills && grid->running && !grid->halted && hd_grid_restarts(grid));
}

bool hd_run_may_wait(const struct hd_run *run)
{
	for (uint32_t i = 0; i < run->gpu->grids.len; i++)
		if (may_wait(run->gpu, run->gpu->grids.data[i]))
			return true;
	return false;
}

bool hd_run_may_take(struct hd_sm *sm)
{
	for (uint32_t i = 0; i < sm->gpu->grids.len; i++)
		if (may_wait(sm->gpu, sm->gpu->grids.data[i]) && may_have(sm, sm->gpu->grids.data[i]))
			return true;
	return false;
}

/* One block per SM and pass, of a grid whose quota there is not used up. */
static uint64_t dispatch_by_quota(struct hd_run *run, uint64_t now)
{
	uint64_t next = HD_NEVER;
	uint32_t first = run->first;
	for (uint32_t i = 0; i < run->sm_count; i++) {
		uint32_t id = (first + i) % run->sm_count;
		struct hd_sm *sm = run->gpu->sms[id];
		struct hd_grid *grid = hd_run_candidate(sm);
		if (!grid)
			continue;
		uint64_t stands = hd_window_stands(run->window, id, now);
		if (stands > now) {
			next = hd_earlier(next, comes_by(sm, grid, stands, now));
			continue;
		}
		if (launch_cycle(sm, grid) > now) {
			next = hd_earlier(next, launch_cycle(sm, grid));
			continue;
		}
		hd_sm_launch_cta(sm, grid, next_cta(grid), now);
		note_block(run, id, now);
		run->first = (id + 1) % run->sm_count;
		next = hd_earlier(next, sm->dispatch.next > now ? sm->dispatch.next : now + 1);
	}
	return next;
}

/* When a grid's first block may start. An SM that is ahead in its window, or another grid that goes first, must not
 * make the dispatcher forget it: there may be no block any more whose end would call it. */
static uint64_t next_start(const struct hd_gpu *gpu, uint64_t now)
{
	uint64_t next = HD_NEVER;
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->dispatch_from > now && hd_grid_waits_for_room(gpu->grids.data[i]))
			next = hd_earlier(next, gpu->grids.data[i]->dispatch_from);
	return next;
}

uint64_t hd_run_dispatch(struct hd_run *run, uint64_t now)
{
	uint64_t freed = run->cluster_grids ? hd_clusters_retire(run, now) : HD_NEVER;
	uint64_t next = run->quotas ? dispatch_by_quota(run, now) : dispatch_in_order(run, now);
	next = hd_earlier(hd_earlier(next, freed), next_start(run->gpu, now));
	hd_run_find_busy(run);
	return next;
}

/* Killed ones come before all others. */
static void collect_requeued(struct hd_sm *sm)
{
	for (uint32_t i = 0; i < sm->contexts.requeued_count; i++)
		hd_vec_push(&sm->contexts.requeued[i].grid->requeued, sm->contexts.requeued[i].linear);
	sm->contexts.requeued_count = 0;
}

/* All blocks of a grid allow the next one to begin, for which somebody waits. */
static void note_fired(struct hd_run *run, struct hd_grid *grid, uint32_t more, uint64_t now)
{
	grid->fired += more;
	if (!more || grid->fired < grid->cta_total || !run->gpu->awaits_fire)
		return;
	run->gpu->begin_next = now;
	run->dispatch_next = hd_earlier(run->dispatch_next, now + 1);
}

void hd_run_collect(struct hd_run *run, struct hd_sm *sm, uint64_t now)
{
	const struct hd_gpu *gpu = run->gpu;
	collect_requeued(sm);
	run->sends |= sm->handover.count != 0;
	sm->dispatch.retired = 0;
	if (sm->dispatch.wanted)
		run->dispatch_next = hd_earlier(run->dispatch_next, now + 1);
	sm->dispatch.wanted = false;
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		struct hd_grid *grid = gpu->grids.data[i];
		struct hd_sm_grid *mine = &sm->grids[grid->slot];
		if (!grid->running)
			continue;
		grid->cta_done += mine->retired;
		run->ending += mine->retired && grid->cta_done == grid->cta_total;
		mine->retired = 0;
		note_fired(run, grid, mine->fired, now);
		mine->fired = 0;
		if (hd_grid_waits_for_room(grid))
			run->dispatch_next = hd_earlier(run->dispatch_next, now + 1);
	}
}
