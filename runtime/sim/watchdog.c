/*
 * The watchdog: a launch ends with HD_SIM_TIMEOUT when it has run for options.max_cycles, when no instruction has been
 * issued for options.watchdog cycles, or at once when nothing can ever happen again (all warps at barriers or fences
 * that nothing will release). Each time the state of every unit goes to stderr and the text says what was found.
 *
 * Cost: a comparison a visited cycle; a sum over the SMs twice in a watchdog period.
 */
#include "runtime/sim/watchdog.h"

#include <inttypes.h>

#include "runtime/exec/exec.h"
#include "runtime/sim/sim_private.h"
#include "runtime/sm/sm.h"

#define DEFAULT_PERIOD UINT64_C(10000000) /* cycles; no working kernel waits a hundredth of this for anything */

static uint64_t period_of(const struct hd_gpu *gpu)
{
	return gpu->options.watchdog ? gpu->options.watchdog : DEFAULT_PERIOD;
}

static uint64_t issued_by(const struct hd_gpu *gpu)
{
	uint64_t issued = 0;
	for (uint32_t i = 0; i < gpu->config.sm_count; i++)
		issued += gpu->sms[i]->stats.counters.warp_instructions;
	return issued;
}

static void schedule(struct hd_watchdog *watchdog, const struct hd_gpu *gpu)
{
	uint64_t half = period_of(gpu) / 2;
	watchdog->next_check = gpu->now + (half ? half : 1);
	if (gpu->options.max_cycles && watchdog->started + gpu->options.max_cycles < watchdog->next_check)
		watchdog->next_check = watchdog->started + gpu->options.max_cycles;
}

void hd_watchdog_start(struct hd_watchdog *watchdog, const struct hd_gpu *gpu)
{
	watchdog->started = watchdog->progress = gpu->now;
	watchdog->issued = issued_by(gpu);
	schedule(watchdog, gpu);
}

static const struct hd_warp *first_waiting(const struct hd_gpu *gpu, uint32_t *count, uint32_t *barrier)
{
	const struct hd_warp *first = NULL;
	for (uint32_t i = 0; i < gpu->config.sm_count; i++) {
		const struct hd_sm *sm = gpu->sms[i];
		for (uint32_t slot = 0; slot < sm->warp_slots; slot++) {
			if (sm->warps[slot].state == HD_WARP_FREE)
				continue;
			first = first ? first : &sm->warps[slot];
			++*count;
			*barrier += sm->warps[slot].state == HD_WARP_BARRIER;
		}
	}
	return first;
}

static void stop(struct hd_gpu *gpu, const char *what)
{
	char place[600] = "no warp is resident";
	uint32_t warps = 0, barrier = 0;
	const struct hd_warp *warp = first_waiting(gpu, &warps, &barrier);
	if (warp) /* a parked warp's next instruction is the one that it waits at or will execute */
		hd_describe_place(gpu, warp, warp->pc, (uint32_t)(warp->live ? __builtin_ctz(warp->live) : 0), place,
				  sizeof place);
	gpu->error = hd_gpu_refuse(gpu, HD_SIM_TIMEOUT,
				   "%s at cycle %" PRIu64 ": %u warps resident, %u of them at a barrier; the first is "
				   "%s",
				   what, gpu->now, warps, barrier, place);
	fprintf(stderr, "state of every unit at cycle %" PRIu64 ":\n", gpu->now);
	hd_gpu_dump(gpu, stderr);
}

void hd_watchdog_check(struct hd_watchdog *watchdog, struct hd_gpu *gpu)
{
	uint64_t issued = issued_by(gpu);
	char what[128];
	if (issued != watchdog->issued) {
		watchdog->issued = issued;
		watchdog->progress = gpu->now;
	}
	if (gpu->options.max_cycles && gpu->now >= watchdog->started + gpu->options.max_cycles) {
		snprintf(what, sizeof what, "the kernel did not end within %" PRIu64 " cycles",
			 gpu->options.max_cycles);
		stop(gpu, what);
	} else if (gpu->now - watchdog->progress >= period_of(gpu)) {
		snprintf(what, sizeof what, "no instruction was issued for %" PRIu64 " cycles",
			 gpu->now - watchdog->progress);
		stop(gpu, what);
	}
	schedule(watchdog, gpu);
}

void hd_watchdog_deadlock(struct hd_gpu *gpu)
{
	stop(gpu, "deadlock: every warp waits for another one and nothing is under way");
}
