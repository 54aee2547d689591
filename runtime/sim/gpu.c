/*
 * The main loop: runs one grid to its end. In each visited cycle the memory moves first, then CTAs are dispatched,
 * then the SMs that have something to do work, in the order of their numbers; then time goes on to the next cycle in
 * which anything can happen. Cycles that are skipped are attributed by the SMs when they are next visited.
 *
 * CTAs go to the SMs round robin, one an SM and pass, so that a small grid spreads over the GPU.
 *
 * An SM touches nothing outside itself but its load/store unit's queues and the contents of memory, and the loop reads
 * each SM's `due` cycle only: SMs can be ticked by several host threads between two calls of hd_memory_tick.
 *
 * Cost: O(busy SMs) a visited cycle.
 */
#include <assert.h>

#include "runtime/sim/sim_private.h"
#include "runtime/sim/trace.h"
#include "runtime/sim/watchdog.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"

#define MAX_SMS 1024

/* The state of a run: what the loop keeps beside the GPU. */
struct run {
	struct hd_gpu *gpu;
	struct hd_grid *grid;
	uint32_t sm_count;
	uint32_t busy_count;
	uint64_t memory_next, dispatch_next, trace_next;
	uint32_t first; /* SM that gets the next CTA */
	struct hd_watchdog watchdog;
	uint64_t due[MAX_SMS];	/* cycle at which each SM wants to be visited */
	uint16_t busy[MAX_SMS]; /* SMs with warps or memory accesses, ascending */
	uint64_t woken[MAX_SMS / 64];
};

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool sm_busy(const struct hd_sm *sm)
{
	return sm->resident_warps || !hd_lsu_idle(sm->lsu);
}

static void find_busy(struct run *run)
{
	run->busy_count = 0;
	for (uint32_t i = 0; i < run->sm_count; i++)
		if (sm_busy(run->gpu->sms[i]))
			run->busy[run->busy_count++] = (uint16_t)i;
}

static void wake_woken(struct run *run, uint64_t now)
{
	for (uint32_t word = 0; word < (run->sm_count + 63) / 64; word++) {
		for (uint64_t rest = run->woken[word]; rest; rest &= rest - 1) {
			uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(rest);
			run->gpu->sms[id]->lsu_next = now;
			run->due[id] = now;
		}
		run->woken[word] = 0;
	}
}

static void memory_cycle(struct run *run, uint64_t now)
{
	run->memory_next = hd_memory_tick(run->gpu->memory, now, run->woken);
	if (run->memory_next <= now)
		run->memory_next = now + 1;
	wake_woken(run, now);
}

/* One pass over the SMs. Returns the cycle of the next pass: HD_NEVER until a CTA retires. */
static uint64_t dispatch_pass(struct run *run, uint64_t now)
{
	struct hd_grid *grid = run->grid;
	uint64_t next = HD_NEVER;
	uint32_t first = run->first;
	for (uint32_t i = 0; i < run->sm_count && grid->cta_next < grid->cta_total; i++) {
		uint32_t id = (first + i) % run->sm_count;
		struct hd_sm *sm = run->gpu->sms[id];
		if (!hd_sm_has_room(sm, grid))
			continue;
		if (sm->next_launch <= now) {
			hd_sm_launch_cta(sm, grid, grid->cta_next++, now);
			run->due[id] = now;
			run->first = (id + 1) % run->sm_count;
		}
		if (hd_sm_has_room(sm, grid))
			next = earlier(next, sm->next_launch > now ? sm->next_launch : now + 1);
	}
	find_busy(run);
	return grid->cta_next < grid->cta_total ? next : HD_NEVER;
}

static void collect_retired(struct run *run, struct hd_sm *sm, uint64_t now)
{
	run->grid->cta_done += sm->ctas_retired;
	sm->ctas_retired = 0;
	if (run->grid->cta_next < run->grid->cta_total)
		run->dispatch_next = earlier(run->dispatch_next, now + 1);
}

/* Visits the SMs that are due; returns the earliest cycle at which one of them wants to be visited again. */
static uint64_t sms_cycle(struct run *run, uint64_t now)
{
	uint64_t next = HD_NEVER;
	bool fed = false, idle = false;
	for (uint32_t i = 0; i < run->busy_count; i++) {
		uint32_t id = run->busy[i];
		if (run->due[id] <= now || run->gpu->every_cycle) {
			struct hd_sm *sm = run->gpu->sms[id];
			run->due[id] = hd_sm_tick(sm, now);
			fed |= sm->lsu_ticked;
			if (sm->ctas_retired)
				collect_retired(run, sm, now);
			idle |= !sm->resident_warps;
		}
		next = earlier(next, run->due[id]);
	}
	if (fed)
		run->memory_next = earlier(run->memory_next, now + 1);
	if (idle)
		find_busy(run);
	return next;
}

static bool run_finished(const struct run *run)
{
	return run->grid->cta_done == run->grid->cta_total && !run->busy_count && hd_memory_idle(run->gpu->memory);
}

/* One visited cycle. Returns the next one, or HD_NEVER when nothing can happen any more. */
static uint64_t run_cycle(struct run *run, uint64_t now)
{
	if (now >= run->gpu->sampler->next)
		hd_sampler_take(run->gpu->sampler, run->gpu);
	if (now >= run->trace_next)
		run->trace_next = hd_trace_window(run->gpu, now);
	if (run->memory_next <= now)
		memory_cycle(run, now);
	if (run->dispatch_next <= now)
		run->dispatch_next = dispatch_pass(run, now);
	uint64_t next = sms_cycle(run, now);
	next = earlier(earlier(next, run->memory_next), run->dispatch_next);
	if (next != HD_NEVER && run->gpu->every_cycle)
		next = now + 1;
	return next;
}

static void run_loop(struct run *run)
{
	struct hd_gpu *gpu = run->gpu;
	while (!gpu->error && !gpu->interrupted) {
		uint64_t next = run_cycle(run, gpu->now);
		bool finished = gpu->error || run_finished(run);
		gpu->now = finished || next == HD_NEVER ? gpu->now + 1 : next;
		if (finished)
			return;
		if (next == HD_NEVER) {
			hd_watchdog_deadlock(gpu);
			return;
		}
		if (gpu->now >= run->watchdog.next_check)
			hd_watchdog_check(&run->watchdog, gpu);
	}
	if (gpu->interrupted)
		hd_watchdog_interrupted(gpu, gpu->interrupted);
}

/* After a fault: lets the memory system empty itself, so that the next launch starts clean. */
static void drain(struct run *run)
{
	struct hd_gpu *gpu = run->gpu;
	struct hd_mem_completion done[16];
	for (uint64_t limit = gpu->now + 1000000; gpu->now < limit; gpu->now++) {
		bool idle = true;
		hd_memory_tick(gpu->memory, gpu->now, run->woken);
		for (uint32_t i = 0; i < run->sm_count; i++) {
			hd_lsu_tick(gpu->sms[i]->lsu, gpu->now);
			while (hd_lsu_completions(gpu->sms[i]->lsu, gpu->now, done, 16))
				;
			idle &= hd_lsu_idle(gpu->sms[i]->lsu);
		}
		if (idle && hd_memory_idle(gpu->memory))
			return;
	}
}

static void begin(struct run *run)
{
	struct hd_gpu *gpu = run->gpu;
	uint64_t first = gpu->now + gpu->config.launch_latency;
	for (uint32_t i = 0; i < run->sm_count; i++) {
		hd_sm_begin(gpu->sms[i], gpu->now);
		gpu->sms[i]->next_launch = first;
		run->due[i] = HD_NEVER;
	}
	run->dispatch_next = first;
	run->memory_next = gpu->now;
	run->trace_next = 0;
	hd_sampler_start(gpu->sampler, gpu);
	hd_watchdog_start(&run->watchdog, gpu);
}

static void finish(struct run *run)
{
	struct hd_gpu *gpu = run->gpu;
	hd_watchdog_end(&run->watchdog, gpu);
	for (uint32_t i = 0; i < run->sm_count; i++)
		hd_sm_charge(gpu->sms[i], gpu->now);
	hd_sampler_finish(gpu->sampler, gpu);
	gpu->stats.counters.cycles += gpu->now - run->watchdog.started;
	if (gpu->error)
		drain(run);
	for (uint32_t i = 0; i < run->sm_count; i++) {
		if (gpu->error)
			hd_sm_abandon(gpu->sms[i]);
		hd_lsu_flush(gpu->sms[i]->lsu);
	}
	HD_HOOKED (gpu, self, grid_end)
		self->hooks->grid_end(self, gpu, run->grid);
}

int hd_gpu_run(struct hd_gpu *gpu)
{
	struct run run = {.gpu = gpu, .grid = gpu->grid, .sm_count = (uint32_t)gpu->config.sm_count};
	assert(run.sm_count <= MAX_SMS);
	HD_HOOKED (gpu, self, grid_begin)
		self->hooks->grid_begin(self, gpu, gpu->grid);
	for (uint32_t i = 0; i < run.sm_count; i++) {
		int error = hd_sm_prepare(gpu->sms[i], gpu->grid);
		if (error) {
			gpu->error = error;
			if (error == HD_SIM_NO_MEMORY)
				snprintf(gpu->error_text, sizeof gpu->error_text,
					 "no host memory for the grid's registers");
			return error;
		}
	}
	gpu->error = 0;
	begin(&run);
	run_loop(&run);
	finish(&run);
	return gpu->error;
}

void hd_gpu_snapshot(const struct hd_gpu *gpu, struct hd_stats *stats)
{
	*stats = gpu->stats;
	for (uint32_t i = 0; i < gpu->config.sm_count; i++)
		hd_stats_add(stats, &gpu->sms[i]->stats);
	hd_stats_add(stats, hd_memory_stats(gpu->memory));
}

void hd_gpu_dump(const struct hd_gpu *gpu, FILE *out)
{
	for (uint32_t i = 0; i < gpu->config.sm_count; i++)
		if (sm_busy(gpu->sms[i]))
			hd_sm_dump(gpu->sms[i], out);
	hd_memory_dump(gpu->memory, out);
	HD_HOOKED (gpu, self, dump)
		self->hooks->dump(self, gpu, out);
}
