/*
 * --verify of the simulator itself: at the end of grids what went in has come out, and counts of the same thing agree.
 * A figure of a run that passes this is not short of what a unit lost.
 *
 * Cost: O(SMs * warps) a launch.
 */
#include "runtime/verify/conservation.h"

#include <inttypes.h>
#include <math.h>

#include "heddle/config.h"
#include "runtime/exec/exec.h"
#include "runtime/gpu/gpu.h"
#include "runtime/sm/sm.h"

#define ENERGY_TOLERANCE 1e-9 /* of sums of doubles in another order */

static int differ(struct hd_gpu *gpu, const char *what, uint64_t a, const char *is, uint64_t b)
{
	return hd_gpu_refuse(gpu, HD_SIM_VERIFY, "--verify: conservation: %s: %" PRIu64 " %s %" PRIu64, what, a, is, b);
}

static int sm_differs(struct hd_sm *sm, const char *what, uint64_t a, const char *is, uint64_t b)
{
	char text[128];
	snprintf(text, sizeof text, "%s on SM %u", what, sm->id);
	return differ(sm->gpu, text, a, is, b);
}

static uint32_t count_free(const uint64_t *mask, uint32_t words)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < words; i++)
		count += (uint32_t)__builtin_popcountll(mask[i]);
	return count;
}

int hd_verify_grid_left(struct hd_gpu *gpu, const struct hd_grid *grid)
{
	if (grid->cta_done != grid->cta_total)
		return differ(gpu, "blocks of the grid", grid->cta_done, "ended of", grid->cta_total);
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct hd_sm *sm = gpu->sms[i];
		if (sm->grids[grid->slot].resident)
			return sm_differs(sm, "blocks of a grid that has ended", sm->grids[grid->slot].resident, "of",
					  0);
		for (uint32_t id = 0; id < sm->warp_count; id++)
			if (sm->warps[id].state != HD_WARP_FREE && sm->grid_of[id] == grid->slot)
				return sm_differs(sm, "warp of a grid that has ended", id, "of", sm->warp_count);
	}
	return 0;
}

/* Slots, ids, register places, shared memory. */
static int check_free(struct hd_sm *sm)
{
	uint32_t slots = count_free(sm->places.free_slots, HD_MAX_WARPS / 64);
	uint32_t ids = count_free(sm->dispatch.free_warps, HD_MAX_CONTEXTS / 64);
	uint32_t rows = count_free(sm->places.free_rows, HD_MAX_CONTEXTS / 64);
	if (sm->resident_warps || sm->places.placed_warps)
		return sm_differs(sm, "warps that are left", sm->resident_warps, "resident, in slots",
				  sm->places.placed_warps);
	if (slots != sm->places.warp_slots)
		return sm_differs(sm, "warp slots", slots, "free of", sm->places.warp_slots);
	if (ids != sm->warp_count)
		return sm_differs(sm, "warps", ids, "free of", sm->warp_count);
	if (rows != sm->warp_count)
		return sm_differs(sm, "places of registers", rows, "free of", sm->warp_count);
	for (uint32_t i = 0; i < sm->cta_count; i++)
		if (sm->ctas[i].used)
			return sm_differs(sm, "block with shared memory that is left", i, "of", sm->cta_count);
	return 0;
}

static int check_flow(struct hd_sm *sm)
{
	if (sm->issue.begun != sm->issue.written)
		return sm_differs(sm, "results", sm->issue.begun, "begun, retired", sm->issue.written);
	if (sm->inflight.asked != sm->inflight.answered)
		return sm_differs(sm, "memory requests", sm->inflight.asked, "sent, answered", sm->inflight.answered);
	if (!hd_lsu_idle(sm->lsu))
		return sm_differs(sm, "load/store unit with accesses that are left", 1, "of", 0);
	return 0;
}

static int check_slots(struct hd_gpu *gpu, const struct hd_stats *since)
{
	uint64_t slots = 0, expected = gpu->config->schedulers * gpu->sm_count * since->counters.cycles;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		slots += since->stalls[i];
	if (slots != expected)
		return differ(gpu, "issue slots", slots, "have a reason, of", expected);
	if (since->stalls[HD_STALL_issued] != hd_slots_issued(&since->counters))
		return differ(gpu, "instructions", hd_slots_issued(&since->counters), "counted, slots with one",
			      since->stalls[HD_STALL_issued]);
	return 0;
}

/* A policy may answer operands from elsewhere, read and write on its own. */
static int check_banks(struct hd_gpu *gpu, const struct hd_counters *c)
{
	if (gpu->policy_count)
		return 0;
	if (c->bank_reads + c->reuse_hits != c->register_reads)
		return differ(gpu, "registers that instructions read", c->register_reads,
			      "of them, reads of banks and reuse caches", c->bank_reads + c->reuse_hits);
	if (c->bank_writes != c->register_writes)
		return differ(gpu, "registers that instructions write", c->register_writes, "of them, writes of banks",
			      c->bank_writes);
	return 0;
}

/* Part by part. */
static int check_energy(struct hd_gpu *gpu, const struct hd_stats *since, const struct hd_power *parts)
{
	struct hd_power all;
	hd_power_compute(&all, &since->counters, gpu->config);
	for (uint32_t i = 0; parts && i < HD_POWER_COUNT; i++)
		if (fabs(all.joules[i] - parts->joules[i]) > ENERGY_TOLERANCE * fabs(all.joules[i]))
			return hd_gpu_refuse(gpu, HD_SIM_VERIFY,
					     "--verify: conservation: energy: %s: %.12g J in all, %.12g J of its parts",
					     hd_power_name((enum hd_power_part)i), all.joules[i], parts->joules[i]);
	return 0;
}

/* An SM is active at most all the time. */
static int check_activity(struct hd_gpu *gpu, const struct hd_counters *c)
{
	if (c->active_sm_cycles > gpu->sm_count * c->cycles)
		return differ(gpu, "SMs with warps, over cycles", c->active_sm_cycles, "of", gpu->sm_count * c->cycles);
	if (c->warps && !c->active_sm_cycles)
		return differ(gpu, "warps", c->warps, "ran, cycles of SMs that had some", 0);
	return 0;
}

int hd_verify_conservation(struct hd_gpu *gpu, const struct hd_stats *since, const struct hd_power *power)
{
	int error = 0;
	for (uint32_t i = 0; i < gpu->sm_count && !error; i++) {
		error = check_flow(gpu->sms[i]);
		error = error ? error : check_free(gpu->sms[i]);
	}
	if (!error && !hd_memory_idle(gpu->memory))
		error = differ(gpu, "memory with packets that are left", 1, "of", 0);
	if (error || gpu->functional)
		return error;
	error = check_slots(gpu, since);
	error = error ? error : check_banks(gpu, &since->counters);
	error = error ? error : check_activity(gpu, &since->counters);
	return error ? error : check_energy(gpu, since, power);
}
