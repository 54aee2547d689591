/*
 * The main loop: runs the grids that have their turn (sim/grids.c) until one of them has ended. In each visited cycle
 * the memory moves first, then CTAs are dispatched (blocks.c), then the SMs that have something to do work, in the
 * order of their numbers; then time goes on to the next cycle in which anything can happen. Cycles that are skipped are
 * attributed by the SMs when they are next visited.
 *
 * An SM touches nothing outside itself but its load/store unit's queues and the contents of memory, and the loop reads
 * each SM's `due` cycle only: SMs can be ticked by several host threads between two calls of hd_memory_tick.
 *
 * Cost: O(busy SMs) a visited cycle.
 */
#include <assert.h>

#include "heddle/config.h"
#include "runtime/exec/fault.h"
#include "runtime/gpu/functional.h"
#include "runtime/gpu/run.h"
#include "runtime/sm/counts.h"
#include "runtime/sm/dependence.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/places.h"

void hd_run_find_busy(struct hd_run *run)
{
	run->busy_count = run->working_count = 0;
	HD_FOR_USED (run, i) {
		const struct hd_sm *sm = run->gpu->sms[i];
		bool works = hd_sm_busy(sm);
		run->working_count += works;
		if (works || sm->due.alarm != HD_NEVER)
			run->busy[run->busy_count++] = (uint16_t)i;
	}
}

static void wake_woken(struct hd_run *run, uint64_t now)
{
	for (uint32_t word = 0; word < (run->sm_count + 63) / 64; word++) {
		for (uint64_t rest = run->woken[word]; rest; rest &= rest - 1) {
			uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(rest);
			struct hd_sm *sm = run->gpu->sms[id];
			sm->due.lsu = hd_earlier(sm->due.lsu, hd_lsu_due(sm->lsu, now));
			run->due[id] = hd_earlier(run->due[id], sm->due.lsu);
		}
		run->woken[word] = 0;
	}
}

uint64_t hd_run_meet(struct hd_run *run, uint64_t now)
{
	if (!run->apart)
		return run->memory_next;
	run->apart = false;
	uint64_t next = hd_memory_give(run->gpu->memory, run->woken);
	wake_woken(run, now);
	run->memory_next = hd_memory_take(run->gpu->memory);
	return next;
}

void hd_run_memory(struct hd_run *run, uint64_t now)
{
	run->memory_next = hd_memory_tick(run->gpu->memory, now, run->woken);
	if (run->memory_next <= now)
		run->memory_next = now + 1;
	run->apart = false;
	wake_woken(run, now);
}

/* What comes before `now`, for those who count it; SMs have done it. */
static void memory_up_to(struct hd_run *run, uint64_t now)
{
	if (run->memory_next >= now)
		return;
	run->memory_next = hd_memory_tick(run->gpu->memory, now - 1, run->woken);
	wake_woken(run, now);
}

/* Visits the SMs that are due; returns the earliest cycle at which one of them wants to be visited again. */
static uint64_t sms_cycle(struct hd_run *run, uint64_t now)
{
	uint64_t next = HD_NEVER;
	bool fed = false, idle = false;
	for (uint32_t i = 0; i < run->busy_count; i++) {
		uint32_t id = run->busy[i];
		if (run->due[id] <= now || run->gpu->every_cycle) {
			struct hd_sm *sm = run->gpu->sms[id];
			run->due[id] = hd_sm_tick(sm, now);
			fed |= sm->lsu_ticked;
			if (sm->dispatch.retired || sm->dispatch.wanted)
				hd_run_collect(run, sm, now);
			idle |= !sm->resident_warps;
		}
		next = hd_earlier(next, run->due[id]);
	}
	run->apart |= fed;
	if (fed)
		run->memory_next = hd_earlier(run->memory_next, now + 1);
	if (idle)
		hd_run_find_busy(run);
	return next;
}

/* All its blocks have ended, and what they sent to the memory has arrived. */
static bool has_ended(const struct hd_run *run, const struct hd_grid *grid)
{
	if (!grid->running || grid->cta_done < grid->cta_total || grid->waits)
		return false;
	if (run->gpu->running == 1)
		return !run->working_count && hd_memory_idle(run->gpu->memory);
	HD_FOR_COUNTING(run, grid->slot, i)
	{
		const struct hd_sm_grid *theirs = &run->gpu->sms[i]->grids[grid->slot];
		if (hd_lsu_pending(run->gpu->sms[i]->lsu, grid->slot) || theirs->transfers || theirs->resident)
			return false;
	}
	return true;
}

static bool any_has_ended(const struct hd_run *run)
{
	for (uint32_t i = 0; run->ending && i < run->gpu->grids.len; i++)
		if (has_ended(run, run->gpu->grids.data[i]))
			return true;
	return false;
}

void hd_run_look(struct hd_run *run, uint64_t now)
{
	memory_up_to(run, now);
	HD_FOR_USED (run, i)
		hd_results_count(run->gpu->sms[i], now);
	hd_watch_look(run->gpu, now);
}

/* What was done to SMs outside of their work: alarms, transfers, warps that have come and gone. */
static void notice_alarms(struct hd_run *run)
{
	HD_FOR_USED (run, i) {
		struct hd_sm *sm = run->gpu->sms[i];
		uint64_t own = hd_earlier(sm->due.alarm, sm->due.transfer);
		if (sm->dispatch.wanted && !hd_sm_busy(sm) &&
		    own == HD_NEVER) { /* nobody looks at it until it has a block */
			run->dispatch_next = hd_earlier(run->dispatch_next, run->gpu->now + 1);
			sm->dispatch.wanted = false;
		}
		bool stirred = sm->stirred || sm->dispatch.wanted || sm->contexts.wants_fill;
		run->due[i] = hd_earlier(run->due[i], stirred ? run->gpu->now : own);
	}
	hd_run_find_busy(run);
}

static void policies_cycle(struct hd_run *run, uint64_t now)
{
	run->policy_next = HD_NEVER;
	HD_HOOKED (run->gpu, self, gpu_tick) {
		uint32_t interval = self->hooks->gpu_tick_interval;
		uint64_t *due = &run->policy_tick[self - run->gpu->policies];
		if (!interval)
			continue;
		if (*due <= now) {
			self->hooks->gpu_tick(self, run->gpu, now);
			*due = now - now % interval + interval;
		}
		run->policy_next = hd_earlier(run->policy_next, *due);
	}
	notice_alarms(run);
}

/* Blocks that suspended warps and all go from SM to SM. */
static void hand_over(struct hd_run *run, uint64_t now)
{
	bool left = false;
	for (uint32_t i = 0; i < run->sm_count; i++)
		left |= run->gpu->sms[i]->handover.count && hd_sm_hand_over(run->gpu->sms[i], now);
	run->sends = left;
	run->dispatch_next = hd_earlier(run->dispatch_next, now); /* SMs can know others */
	notice_alarms(run);
}

/* Ahead of anything else in the cycle: who wants to know what has happened so far. */
static void look_around(struct hd_run *run, uint64_t now)
{
	struct hd_gpu *gpu = run->gpu;
	struct hd_grid *grid = gpu->grid;
	if (__builtin_expect(now >= gpu->due.look, 0))
		hd_run_look(run, now);
	if (HD_WATCHED(gpu, blocks_ended) && grid && (grid->cta_done >= grid->cta_look || now >= grid->cycle_look)) {
		memory_up_to(run, now);
		HD_TELL(gpu, blocks_ended, gpu, grid);
	}
	if (__builtin_expect(now >= gpu->corun_end, 0)) {
		memory_up_to(run, now);
		HD_TELL(gpu, corun_end, gpu);
	}
}

/* One visited cycle, or a window that begins with it; `*last` becomes the last one that was done. Returns the next one,
 * or HD_NEVER when nothing can happen any more. */
static uint64_t run_cycle(struct hd_run *run, uint64_t now, uint64_t *last)
{
	look_around(run, now);
	if (run->policy_next <= now) {
		if (run->memory_next <= now)
			hd_run_memory(run, now);
		policies_cycle(run, now);
	}
	if (__builtin_expect(run->sends, 0))
		hand_over(run, now);
	if (run->dispatch_next <= now)
		run->dispatch_next = hd_run_dispatch(run, now);
	hd_window_watch(run->window, now);
	bool alone = hd_run_is_alone(run, now);
	uint64_t end = alone ? now + 1 : hd_window_end(run->window, now), next;
	*last = now;
	if (alone) {
		next = hd_run_alone(run, now, last);
		end = *last + 1;
	} else if (end == now + 1) {
		if (run->memory_next <= now)
			hd_run_memory(run, now);
		next = sms_cycle(run, now);
	} else {
		next = hd_window_run(run->window, now, end, last);
	}
	if (__builtin_expect(run->cluster_grids, 0))
		next = hd_earlier(next, hd_clusters_step(run, end));
	hd_progress_cycles(&run->progress, run->gpu, end - now);
	next = hd_earlier(hd_earlier(next, run->memory_next), hd_earlier(run->dispatch_next, run->policy_next));
	next = hd_window_watched(run->window, now, next);
	if (next != HD_NEVER && (run->gpu->every_cycle || next < end))
		next = end;
	return next;
}

/* Nothing can happen any more. */
static void end_in_deadlock(struct hd_gpu *gpu)
{
	HD_TELL(gpu, deadlock, gpu);
	if (!gpu->error)
		gpu->error = hd_gpu_refuse(gpu, HD_SIM_TIMEOUT, "deadlock");
}

/* Without timing, a visit is a block's turn, and time its instructions. */
static void run_functional(struct hd_run *run)
{
	struct hd_gpu *gpu = run->gpu;
	while (!gpu->error && !gpu->interrupted && !any_has_ended(run)) {
		struct hd_sm *sm = hd_functional_turn(gpu->functional);
		if (!sm) {
			end_in_deadlock(gpu);
			break;
		}
		hd_run_collect(run, sm, gpu->now);
		if (run->progress.out)
			hd_progress_look(&run->progress, gpu);
		if (gpu->now >= gpu->due.check && !gpu->error)
			hd_watch_check(gpu, gpu->now);
	}
	gpu->now++;
	hd_functional_count(gpu->functional);
}

bool hd_run_has_drained(const struct hd_run *run)
{
	const struct hd_grid *grid = run->gpu->grid;
	return grid && grid->cta_stop && grid->cta_done == grid->cta_stop && !run->working_count &&
	       hd_memory_idle(run->gpu->memory);
}

static void run_timed(struct hd_run *run)
{
	struct hd_gpu *gpu = run->gpu;
	while (!gpu->error && !gpu->interrupted && !run->finished) {
		if (__builtin_expect(gpu->now >= gpu->due.pause, 0) && !hd_window_is_open(run->window, gpu->now))
			hd_watch_pause(gpu, gpu->now);
		uint64_t last, next = run_cycle(run, gpu->now, &last);
		run->finished = gpu->error || any_has_ended(run) || hd_run_has_drained(run);
		next = hd_earlier(next, gpu->begin_next > last ? gpu->begin_next : last + 1);
		gpu->now = run->finished || next == HD_NEVER ? last + 1 : next;
		if (run->finished || gpu->now >= gpu->begin_next)
			break;
		if (next == HD_NEVER) {
			if (!hd_gpu_is_halted(gpu))
				end_in_deadlock(gpu);
			hd_window_leave(run->window);
			return;
		}
		if (gpu->now >= gpu->due.check)
			hd_watch_check(gpu, gpu->now);
	}
	hd_window_leave(run->window);
	if (gpu->running > 1) /* those that end are counted, and others begin */
		memory_up_to(run, gpu->now);
	if (run->finished && !gpu->error && gpu->now >= gpu->due.pause)
		hd_watch_pause(gpu, gpu->now);
	run->finished = false;
}

void hd_gpu_run(struct hd_gpu *gpu)
{
	struct hd_run *run = gpu->run;
	if (run->shares)
		hd_shares_begin(run->shares);
	if (gpu->functional)
		run_functional(run);
	else
		run_timed(run);
	if (run->shares)
		hd_shares_end(run->shares);
}

bool hd_gpu_has_drained(const struct hd_gpu *gpu)
{
	return !gpu->error && !gpu->interrupted && !gpu->functional && hd_run_has_drained(gpu->run);
}

void hd_gpu_restart(struct hd_gpu *gpu)
{
	HD_TELL(gpu, run_end, gpu);
	hd_functional_begin(gpu->functional);
	HD_TELL(gpu, run_begin, gpu);
}

void hd_gpu_halt(struct hd_gpu *gpu)
{
	gpu->grid->halted = true;
	HD_FOR_USED (gpu->run, i)
		hd_sm_halt(gpu->sms[i]);
}

bool hd_gpu_is_halted(const struct hd_gpu *gpu)
{
	const struct hd_grid *grid = gpu->grid;
	return !gpu->error && !gpu->interrupted && grid && grid->halted && !has_ended(gpu->run, grid);
}

/* An SM whose last warp has ended without time finds that out in a visit. */
void hd_gpu_go_on(struct hd_gpu *gpu, uint64_t cycles)
{
	struct hd_run *run = gpu->run;
	hd_gpu_charge(gpu);
	gpu->now += cycles;
	hd_gpu_charge(gpu);
	gpu->grid->halted = false;
	HD_FOR_USED (run, i) {
		struct hd_sm *sm = gpu->sms[i];
		hd_sm_go_on(sm, gpu->now);
		if (!sm->resident_warps)
			run->due[i] = hd_sm_tick(sm, gpu->now - 1);
		hd_run_collect(run, sm, gpu->now);
	}
	run->dispatch_next = gpu->now;
	notice_alarms(run);
}

/* After a fault: lets the memory system empty itself, so that the next launch starts clean. */
static void drain(struct hd_run *run)
{
	struct hd_gpu *gpu = run->gpu;
	struct hd_mem_completion done[16];
	for (uint64_t limit = gpu->now + 1000000; gpu->now < limit; gpu->now++) {
		bool idle = true;
		hd_clusters_abandon(run);
		hd_memory_tick(gpu->memory, gpu->now, run->woken);
		HD_FOR_USED (run, i) {
			hd_lsu_tick(gpu->sms[i]->lsu, gpu->now);
			while (hd_lsu_completions(gpu->sms[i]->lsu, gpu->now, done, 16))
				;
			for (uint32_t tag; hd_lsu_line_done(gpu->sms[i]->lsu, &tag);)
				;
			idle &= hd_lsu_idle(gpu->sms[i]->lsu);
		}
		if (idle && hd_memory_idle(gpu->memory))
			return;
	}
}

/* ---- grids come and go */

struct hd_run *hd_run_new(struct hd_gpu *gpu)
{
	struct hd_run *run = HD_ARENA_NEW(&gpu->arena, struct hd_run, 1);
	run->gpu = gpu;
	hd_progress_init(&run->progress, gpu->options.progress);
	run->sm_count = (uint32_t)gpu->sm_count;
	assert(run->sm_count <= HD_MAX_SMS);
	run->window = hd_window_new(run);
	run->shares = gpu->options.shares ? hd_shares_new(&gpu->arena) : NULL;
	return run;
}

void hd_run_release(struct hd_run *run)
{
	if (run->shares)
		hd_shares_print(run->shares, run->gpu->options.shares);
	hd_window_release(run->window);
	hd_clusters_free(run->clusters);
}

/* Many policies, runs without timing and watchers of lost slots know of all SMs. */
static bool touches_all(const struct hd_gpu *gpu)
{
	return gpu->functional || !hd_policy_by_block(gpu) || gpu->sampling || gpu->corun || gpu->options.verify ||
	       hd_watcher_has(gpu, HD_WATCH_BIT(lost) | HD_WATCH_BIT(slots));
}

static void begin_sm(struct hd_run *run, uint32_t id)
{
	hd_sm_begin(run->gpu->sms[id], run->began, run->idle_since);
	hd_window_use(run->window, id);
	run->used[id / 64] |= UINT64_C(1) << id % 64;
	run->used_count++;
}

static int prepare_sm(struct hd_gpu *gpu, uint32_t id, const struct hd_grid *grid, bool alone)
{
	bool is_first = id == 0 || gpu->policy_count; /* without policies there is the same room everywhere */
	hd_sm_build(gpu->sms[id]);
	gpu->run->counting[grid->slot][id / 64] |= UINT64_C(1) << id % 64;
	int error = hd_sm_prepare(gpu->sms[id], grid, is_first ? NULL : gpu->sms[0], alone);
	if (error == HD_SIM_NO_MEMORY)
		snprintf(gpu->error_text, sizeof gpu->error_text, "no host memory for the grid's registers");
	return error;
}

bool hd_run_use(struct hd_run *run, uint32_t id, const struct hd_grid *grid)
{
	struct hd_gpu *gpu = run->gpu;
	bool used = hd_run_uses(run, id);
	if (__builtin_expect(used && gpu->sms[id]->grids[grid->slot].grid == grid, 1))
		return true;
	int error = gpu->sms[id]->grids[grid->slot].grid == grid ? 0 : prepare_sm(gpu, id, grid, !used);
	if (!used)
		begin_sm(run, id);
	gpu->error = gpu->error ? gpu->error : error;
	return !error;
}

void hd_gpu_charge(struct hd_gpu *gpu)
{
	struct hd_run *run = gpu->run;
	uint64_t idle = (run->sm_count - run->used_count) * gpu->config->schedulers;
	HD_FOR_USED (run, i)
		hd_sm_charge(gpu->sms[i], gpu->now);
	gpu->stats.stalls[HD_STALL_idle] += idle * (gpu->now - run->idle_since);
	run->idle_since = gpu->now;
}

/* The first grid for some time. */
static void wake_up(struct hd_run *run)
{
	struct hd_gpu *gpu = run->gpu;
	HD_FOR_USED (run, i)
		hd_sm_clear(gpu->sms[i]);
	memset(run->used, 0, sizeof(run->used));
	run->used_count = 0;
	run->began = run->idle_since = gpu->now;
	for (uint32_t i = 0; i < run->sm_count; i++)
		run->due[i] = HD_NEVER;
	for (uint32_t i = 0; run->all && i < run->sm_count; i++)
		begin_sm(run, i);
	memset(run->woken, 0, sizeof(run->woken));
	hd_progress_start(&run->progress, gpu);
	run->quotas = false;
	run->across = gpu->across;
	HD_HOOKED (gpu, self, allocation.quota) {
		run->quotas = true;
		run->across |= !self->hooks->own_quota;
	}
	run->memory_next = gpu->now;
	run->apart = true;
	run->dispatch_next = HD_NEVER;
	run->sends = false;
	run->first = run->busy_count = run->working_count = run->ending = 0;
	run->policy_next = HD_NEVER;
	memset(run->policy_tick, 0, sizeof(run->policy_tick));
	HD_HOOKED (gpu, self, gpu_tick)
		run->policy_next = gpu->now;
	HD_TELL(gpu, run_begin, gpu);
	if (gpu->functional)
		hd_functional_begin(gpu->functional);
}

uint64_t hd_gpu_launch_cycles(const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	bool follows = grid->in_a_row && !gpu->running;
	uint64_t since = grid->early ? gpu->now - grid->prepared : 0;
	if (grid->early)
		return gpu->config->launch_latency > since ? gpu->config->launch_latency - since : 0;
	return gpu->config->launch_latency + (follows ? gpu->config->launch_overhead : 0);
}

/* A grid before it in its stream runs. */
static bool follows_any(const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	for (uint32_t i = 0; gpu->grids.data[i] != grid; i++)
		if (gpu->grids.data[i]->running && gpu->grids.data[i]->stream == grid->stream)
			return true;
	return false;
}

/* A grid has ended: those that waited for it alone go on. They see what it wrote, which L1s may not have. */
static void release_followers(struct hd_run *run)
{
	struct hd_gpu *gpu = run->gpu;
	uint64_t at = gpu->now + gpu->config->dependence_latency;
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		struct hd_grid *grid = gpu->grids.data[i];
		if (!grid->running || !grid->waits || follows_any(gpu, grid))
			continue;
		grid->waits = false;
		HD_FOR_USED (run, id) {
			struct hd_sm *sm = gpu->sms[id];
			hd_lsu_invalidate_global(sm->lsu);
			hd_dependence_over(sm, grid, gpu->now - 1, at);
			run->due[id] = hd_earlier(run->due[id], hd_later(gpu->now, sm->wheel.next));
		}
	}
}

/* As a profiler empties caches before a launch. */
static void forget_caches(struct hd_run *run)
{
	struct hd_gpu *gpu = run->gpu;
	hd_memory_forget(gpu->memory);
	for (uint32_t i = 0; gpu->config->l2_empty_code && i < run->sm_count; i++) {
		if (!hd_sm_is_built(gpu->sms[i]))
			continue;
		hd_fetch_forget(&gpu->sms[i]->fetch);
		hd_icache_forget(&gpu->sms[i]->constants.l1);
	}
}

int hd_gpu_begin(struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct hd_run *run = gpu->run;
	hd_counts_begin(gpu, grid);
	HD_HOOKED (gpu, self, grid_begin)
		self->hooks->grid_begin(self, gpu, grid);
	if (!gpu->running)
		run->all = touches_all(gpu);
	for (uint32_t i = 0; i < (run->all ? run->sm_count : 1); i++) {
		int error = prepare_sm(gpu, i, grid, !gpu->running);
		if (error)
			return error;
	}
	uint64_t launching = hd_gpu_launch_cycles(gpu, grid);
	if (!gpu->running && gpu->config->l2_empty_launches)
		forget_caches(run);
	hd_memory_begin_grid(gpu->memory, grid->slot);
	if (gpu->running)
		HD_FOR_USED (run, i)
			hd_lsu_invalidate_global(gpu->sms[i]->lsu);
	if (!gpu->running++)
		wake_up(run);
	notice_alarms(run);
	grid->running = true;
	run->cluster_grids += grid->clusters;
	hd_window_begin(run->window);
	grid->started = gpu->now;
	grid->waits = follows_any(gpu, grid);
	grid->dispatch_from = gpu->now + launching;
	if (!gpu->functional)
		gpu->sms[0]->counted[grid->slot].launch_cycles += launching;
	run->dispatch_next = hd_earlier(run->dispatch_next, grid->dispatch_from);
	HD_TELL(gpu, grid_start, gpu, grid);
	return 0;
}

struct hd_grid *hd_gpu_ended(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		struct hd_grid *grid = gpu->grids.data[i];
		if (grid->running && (gpu->error || gpu->interrupted || has_ended(gpu->run, grid)))
			return grid;
	}
	return NULL;
}

/* The last one has ended: time stands still until the next comes. */
static void rest(struct hd_run *run)
{
	struct hd_gpu *gpu = run->gpu;
	HD_TELL(gpu, run_end, gpu);
	hd_progress_end(&run->progress);
	HD_FOR_USED (run, i)
		hd_sm_forget_alarms(gpu->sms[i]);
	if (!gpu->functional)
		gpu->stats.counters.cycles += gpu->now - run->began;
	if (!gpu->error)
		return;
	drain(run);
	hd_clusters_abandon(run);
	HD_FOR_USED (run, i)
		hd_sm_abandon(gpu->sms[i]);
}

/*
 * What CUDA says of caches at the borders of kernels: with nothing else running they are empty for the next one. Beside
 * others a kernel begins with L1s that have nothing of global memory, as its launch asks for
 * (INVALIDATE_SHADER_DATA_CACHE in the launch descriptors that NVIDIA documents), and when it ends its local memory is
 * gone.
 */
static void flush(struct hd_run *run)
{
	HD_FOR_USED (run, i)
		hd_lsu_flush(run->gpu->sms[i]->lsu);
}

void hd_gpu_end(struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct hd_run *run = gpu->run;
	if (!gpu->functional && (gpu->running == 1 || gpu->policy_count || hd_watcher_has(gpu, HD_WATCH_BIT(look))))
		hd_gpu_charge(gpu); /* slots that are lost beside others are no grid's */
	gpu->sms[0]->grids[grid->slot].grid = NULL;
	HD_FOR_USED (run, i)
		gpu->sms[i]->grids[grid->slot].grid = NULL;
	run->ending -= grid->cta_done == grid->cta_total;
	grid->running = false;
	gpu->running--;
	run->cluster_grids -= grid->clusters;
	HD_TELL(gpu, grid_end, gpu, grid);
	hd_window_begin(run->window);
	if (gpu->running) {
		if (!gpu->error && !gpu->interrupted)
			release_followers(run);
		HD_FOR_USED (run, i)
			hd_lsu_flush_local(gpu->sms[i]->lsu, grid->slot);
	} else {
		rest(run);
		flush(run);
		hd_run_settle_stalls(run);
	}
	hd_run_settle(run, grid->slot);
	hd_counts_end(gpu, grid);
	HD_HOOKED (gpu, self, grid_end)
		self->hooks->grid_end(self, gpu, grid);
}
