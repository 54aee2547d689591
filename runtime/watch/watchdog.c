/*
 * The watchdog: a launch ends with HD_SIM_TIMEOUT when it has run for options.max_cycles, when it has made no progress
 * for options.watchdog cycles, or at once when nothing can ever happen again (all warps at barriers or fences that
 * nothing will release). The text says what was found, notes say where warps wait and why (waits.c), and under
 * options.dump_state the state of every unit goes to stderr.
 *
 * No progress is: no instruction was issued while no warp sleeps; or warps issue, and a look at the grid (probe.c)
 * proved that none of it can lead anywhere, and another one so many cycles later found the same. Looks are short, and
 * longer where one was not long enough to tell; they take an eighth of the time at most, and where memory changes they
 * end at once.
 *
 * A watcher (core/watch.h) of every run. Cost: a comparison a visited cycle, a sum over the SMs a few times in a
 * period, and the looks.
 */
#include "runtime/watch/watchdog.h"

#include <inttypes.h>

#include "runtime/exec/exec.h"
#include "runtime/gpu/gpu.h"
#include "runtime/sm/dependence.h"
#include "runtime/sm/registers.h"
#include "runtime/sm/sm.h"
#include "runtime/watch/probe.h"
#include "runtime/watch/waits.h"

struct watchdog {
	uint64_t started;   /* cycle of the launch; of the first of those that run */
	uint64_t next_look; /* a look begins or ends */
	uint64_t progress;  /* cycle of the last check that saw new instructions */
	uint64_t issued;    /* instructions at that check */
	bool looking;	    /* `probe` is looking at the grid until the next check */
	uint64_t length;    /* cycles of a look */
	uint64_t stuck;	    /* cycle since which the grid is known to be stuck; NOT_STUCK */
	struct hd_probe *probe;
};

#define SHORT_LOOK UINT64_C(65536)  /* cycles: some turns of a loop in which all warps wait for one L2 bank */
#define LONG_LOOK UINT64_C(8000000) /* some turns of a loop with the longest sleep */
#define LONG_TURNS (UINT64_C(1) << 36) /* without timing, instructions: turns of as many warps as are resident */
#define LOOK_SHARE 8		    /* cycles between looks for one of a look */
#define NOT_STUCK UINT64_MAX

static const struct hd_watcher watchdog_watcher;

static uint64_t period_of(const struct hd_gpu *gpu)
{
	return gpu->options.watchdog ? gpu->options.watchdog : HD_SIM_WATCHDOG_CYCLES;
}

/* Of gpu->now. */
static const char *unit_of(const struct hd_gpu *gpu)
{
	return gpu->functional ? "instruction" : "cycle";
}

static uint64_t short_look(const struct hd_gpu *gpu)
{
	return hd_earlier(SHORT_LOOK, period_of(gpu));
}

static uint64_t longer_look(const struct hd_gpu *gpu, uint64_t length)
{
	return hd_earlier(2 * length, gpu->functional ? LONG_TURNS : LONG_LOOK);
}

static uint64_t later_by(uint64_t cycle, uint64_t cycles)
{
	return cycles < UINT64_MAX - cycle ? cycle + cycles : UINT64_MAX;
}

/* The next look begins or ends in `cycles`. In between the other limits are seen to. */
static void schedule(struct watchdog *watchdog, struct hd_gpu *gpu, uint64_t cycles)
{
	uint64_t limit = gpu->options.max_cycles ? later_by(watchdog->started, gpu->options.max_cycles) : UINT64_MAX;
	uint64_t half = later_by(gpu->now, period_of(gpu) / 2 + 1);
	watchdog->next_look = later_by(gpu->now, cycles ? cycles : 1);
	uint64_t next = hd_earlier(watchdog->next_look, half);
	if (limit > gpu->now)
		next = hd_earlier(next, limit);
	hd_watcher_wants(gpu, hd_watcher_find(gpu, &watchdog_watcher), next);
}

static void run_begin(const struct hd_watcher_handle *self, struct hd_gpu *gpu)
{
	struct watchdog *watchdog = self->state;
	*watchdog = (struct watchdog){.started = gpu->now, .progress = gpu->now, .stuck = NOT_STUCK};
	watchdog->issued = hd_gpu_issued(gpu);
	watchdog->length = short_look(gpu);
	schedule(watchdog, gpu, period_of(gpu) / 4);
}

static void run_end(const struct hd_watcher_handle *self, struct hd_gpu *gpu)
{
	struct watchdog *watchdog = self->state;
	hd_probe_free(gpu);
	watchdog->probe = NULL;
}

/* Others run on: their cycles count from the start of the first of them. */
static void grid_end(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct watchdog *watchdog = self->state;
	uint64_t first = HD_NEVER;
	(void)grid;
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->running)
			first = hd_earlier(first, gpu->grids.data[i]->started);
	if (gpu->running)
		watchdog->started = first;
}

/* Warps, and what those that are parked wait for. */
struct parked_warps {
	uint32_t count, barrier, registers, grids;
};

static const struct hd_warp *first_waiting(const struct hd_gpu *gpu, struct parked_warps *parked)
{
	const struct hd_warp *first = NULL;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		const struct hd_sm *sm = gpu->sms[i];
		for (uint32_t id = 0; id < sm->warp_count; id++) {
			if (sm->warps[id].state == HD_WARP_FREE)
				continue;
			first = first ? first : &sm->warps[id];
			parked->count++;
			bool poor = hd_registers_awaited(sm, &sm->warps[id]);
			bool early = hd_dependence_awaited(sm, &sm->warps[id]);
			parked->registers += poor;
			parked->grids += early;
			parked->barrier += sm->warps[id].state == HD_WARP_BARRIER && !poor && !early;
		}
	}
	return first;
}

static void stop(struct hd_gpu *gpu, const struct hd_probe *probe, const char *what)
{
	char place[600] = "", where[800] = "no warp is resident", poor[64] = "", early[80] = "";
	struct parked_warps parked = {0};
	const struct hd_warp *warp = first_waiting(gpu, &parked);
	if (parked.registers)
		snprintf(poor, sizeof poor, ", %u waiting for registers (setmaxnreg)", parked.registers);
	if (parked.grids)
		snprintf(early, sizeof early, ", %u waiting for kernels before theirs (griddepcontrol.wait)",
			 parked.grids);
	if (warp) /* a parked warp's next instruction is the one that it waits at or will execute */
		hd_describe_place(gpu, warp, warp->pc, (uint32_t)(warp->live ? __builtin_ctz(warp->live) : 0), place,
				  sizeof place);
	if (warp)
		snprintf(where, sizeof where, "%u warps resident, %u of them at a barrier%s%s; the first is %s",
			 parked.count, parked.barrier, poor, early, place);
	gpu->error =
		hd_gpu_refuse(gpu, HD_SIM_TIMEOUT, "%s at %s %" PRIu64 ": %s", what, unit_of(gpu), gpu->now, where);
	hd_waits_report(gpu, probe);
	if (!gpu->options.dump_state)
		return;
	fprintf(stderr, "state of every unit at %s %" PRIu64 ":\n", unit_of(gpu), gpu->now);
	hd_gpu_dump(gpu, stderr);
}

/* Does a warp wait for a time? */
static bool any_sleeps(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		for (uint32_t id = 0; id < gpu->sms[i]->warp_count; id++) {
			const struct hd_warp *warp = &gpu->sms[i]->warps[id];
			if (warp->state == HD_WARP_RUNNING && !warp->held && warp->next_issue > gpu->now)
				return true;
		}
	return false;
}

static bool nothing_issues(struct watchdog *watchdog, const struct hd_gpu *gpu)
{
	uint64_t issued = hd_gpu_issued(gpu);
	if (issued != watchdog->issued || any_sleeps(gpu)) {
		watchdog->issued = issued;
		watchdog->progress = gpu->now;
	}
	return gpu->now - watchdog->progress >= period_of(gpu);
}

static void begin_look(struct watchdog *watchdog, struct hd_gpu *gpu)
{
	watchdog->probe = hd_probe_begin(gpu);
	watchdog->looking = true;
	schedule(watchdog, gpu, watchdog->length);
}

/* A look is over. True: the grid is stuck, and has been for the period. */
static bool judge(struct watchdog *watchdog, struct hd_gpu *gpu)
{
	uint64_t period = period_of(gpu), since = watchdog->probe->since;
	enum hd_probe_verdict verdict =
		hd_probe_end(watchdog->probe, gpu, watchdog->stuck != NOT_STUCK ? watchdog->stuck : since);
	watchdog->looking = false;
	if (verdict == HD_PROBE_STUCK) {
		watchdog->stuck = hd_earlier(watchdog->stuck, since);
		uint64_t end = later_by(watchdog->stuck, period), left = end - hd_earlier(gpu->now, end);
		schedule(watchdog, gpu, left > watchdog->length ? left - watchdog->length : 1);
		return !left;
	}
	bool known = verdict == HD_PROBE_MOVED;
	watchdog->stuck = NOT_STUCK;
	watchdog->length = known ? short_look(gpu) : longer_look(gpu, watchdog->length);
	uint64_t pause = LOOK_SHARE * watchdog->length;
	schedule(watchdog, gpu, known || pause < period / 4 ? period / 4 : pause);
	return false;
}

static void check(const struct hd_watcher_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	struct watchdog *watchdog = self->state;
	char what[128];
	bool over = gpu->options.max_cycles && now >= watchdog->started + gpu->options.max_cycles;
	bool silent = nothing_issues(watchdog, gpu);
	bool due = now >= watchdog->next_look || over;
	bool stuck = watchdog->looking && due && judge(watchdog, gpu);
	if (over) {
		snprintf(what, sizeof what, "the kernel did not end within %" PRIu64 " cycles",
			 gpu->options.max_cycles);
	} else if (silent) {
		snprintf(what, sizeof what, "no instruction was issued for %" PRIu64 " %ss", now - watchdog->progress,
			 unit_of(gpu));
	} else if (stuck) {
		snprintf(what, sizeof what, "no progress for %" PRIu64 " %ss, every warp spins or waits",
			 now - watchdog->stuck, unit_of(gpu));
	} else {
		if (now < watchdog->next_look)
			schedule(watchdog, gpu, watchdog->next_look - now);
		else
			begin_look(watchdog, gpu);
		return;
	}
	stop(gpu, stuck || watchdog->stuck != NOT_STUCK ? watchdog->probe : NULL, what);
}

static void deadlock(const struct hd_watcher_handle *self, struct hd_gpu *gpu)
{
	(void)self;
	stop(gpu, NULL, "deadlock: every warp waits for another one and nothing is under way");
}

static void interrupted(const struct hd_watcher_handle *self, struct hd_gpu *gpu, int signal)
{
	char what[128];
	(void)self;
	snprintf(what, sizeof what, "stopped by signal %d (%s)", signal, strsignal(signal));
	stop(gpu, NULL, what);
}

static const struct hd_watcher watchdog_watcher = {
	.name = "watchdog",
	.run_begin = run_begin,
	.check = check,
	.deadlock = deadlock,
	.interrupted = interrupted,
	.grid_end = grid_end,
	.run_end = run_end,
};

void hd_watchdog_start(struct hd_gpu *gpu)
{
	hd_watcher_add(gpu, &watchdog_watcher, HD_ARENA_NEW(&gpu->arena, struct watchdog, 1));
}
