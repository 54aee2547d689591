/*
 * One SM has work and no other: a small launch, or the last block of a large one. Nobody is there to whom it could
 * matter in which order things are done, so that it needs no windows (window.c): the SM and the memory go on by their
 * own next cycles, and what the SM does to the contents of memory takes effect at once, which is what it would see
 * anyway. The memory is simulated for several cycles at a time, as far as they concern the SM at the end of these at
 * the earliest.
 *
 * Clusters are left to windows: what their warps do to each other takes effect behind these, also on one SM.
 *
 * This ends where somebody else has something to do: the dispatcher, a policy, who looks at all of the GPU, or the
 * host.
 *
 * Cost: that of the SM's cycles with work and the memory's.
 */
#include "runtime/gpu/run.h"

#define MOST 1024 /* cycles, so that a progress line moves */

/* The first cycle from `now` on that may concern somebody else. */
static uint64_t limit_of(const struct hd_run *run, uint64_t now)
{
	const struct hd_gpu *gpu = run->gpu;
	uint64_t limit = hd_earlier(run->dispatch_next, run->policy_next);
	limit = hd_earlier(limit, hd_earlier(gpu->due.look, gpu->due.check));
	limit = hd_earlier(limit, hd_earlier(gpu->begin_next, gpu->corun_end));
	limit = hd_earlier(limit, hd_earlier(gpu->due.pause, now + MOST));
	return HD_WATCHED(gpu, blocks_ended) && gpu->grid ? hd_earlier(limit, gpu->grid->cycle_look) : limit;
}

bool hd_run_is_alone(const struct hd_run *run, uint64_t now)
{
	const struct hd_gpu *gpu = run->gpu;
	return run->busy_count == 1 && gpu->running == 1 && !run->cluster_grids && !gpu->every_cycle && !run->sends &&
	       !run->shares && hd_window_allowed(run->window) && limit_of(run, now) > now;
}

/* The grid's blocks that may begin have ended, and nothing is under way. */
static bool is_over(const struct hd_run *run)
{
	bool ended = run->ending && !run->working_count && hd_memory_idle(run->gpu->memory);
	return ended || hd_run_has_drained(run);
}

/* The memory's cycles up to that of the SM, as far as the SM sees nothing of them before. Returns the last. */
static uint64_t advance_memory(struct hd_run *run, struct hd_sm *sm, uint64_t limit)
{
	struct hd_memory *memory = run->gpu->memory;
	uint64_t until = hd_earlier(run->memory_next + hd_memory_lead(memory), limit) - 1;
	until = hd_earlier(until, run->due[sm->id]);
	hd_memory_advance(memory, until);
	run->memory_next = hd_memory_give(memory, run->woken);
	if (run->woken[sm->id / 64] >> sm->id % 64 & 1) {
		run->woken[sm->id / 64] &= ~(UINT64_C(1) << sm->id % 64);
		sm->due.lsu = hd_earlier(sm->due.lsu, hd_lsu_due(sm->lsu, until));
		run->due[sm->id] = hd_earlier(run->due[sm->id], sm->due.lsu);
	}
	return hd_memory_last(memory);
}

static void tick(struct hd_run *run, struct hd_sm *sm, uint64_t now)
{
	run->gpu->now = now;
	run->due[sm->id] = hd_sm_tick(sm, now);
	if (sm->lsu_ticked)
		run->memory_next = hd_later(hd_memory_take_one(run->gpu->memory, sm->id), now + 1);
	if (sm->dispatch.retired || sm->dispatch.wanted)
		hd_run_collect(run, sm, now);
	if (!sm->resident_warps)
		hd_run_find_busy(run);
}

static uint64_t next_of(const struct hd_run *run, const struct hd_sm *sm)
{
	return hd_earlier(run->due[sm->id], run->memory_next);
}

uint64_t hd_run_alone(struct hd_run *run, uint64_t now, uint64_t *last)
{
	struct hd_gpu *gpu = run->gpu;
	struct hd_sm *sm = gpu->sms[run->busy[0]];
	uint64_t limit = limit_of(run, now);
	*last = now;
	hd_run_meet(run, now);
	while (next_of(run, sm) < limit && !gpu->error && !gpu->interrupted && !is_over(run)) {
		if (run->memory_next <= run->due[sm->id]) {
			*last = hd_later(*last, advance_memory(run, sm, limit));
			continue;
		}
		*last = run->due[sm->id];
		tick(run, sm, *last);
		if (run->dispatch_next < limit)
			break;
	}
	return next_of(run, sm);
}
