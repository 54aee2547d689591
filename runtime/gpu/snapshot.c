/*
 * What has been counted so far: by slot of a grid, and in all. Counters lie with the SMs and the memory; these are
 * their sums. Those of SMs are cleared when a grid has ended, and kept as one sum, so that a launch costs what it
 * launches. Some policies look at counters of single SMs from launch to launch: with them, they stay.
 *
 * Cost: O(SMs that the grids that run came to * counters) a question.
 */
#include <string.h>

#include "runtime/gpu/run.h"
#include "runtime/sm/hooks.h"

void hd_gpu_add_counted(const struct hd_gpu *gpu, uint32_t slot, struct hd_counters *counters)
{
	const struct hd_run *run = gpu->run;
	HD_FOR_COUNTING(run, slot, i)
	{
		hd_results_count(gpu->sms[i], gpu->now);
		hd_counters_add(counters, &gpu->sms[i]->counted[slot]);
	}
	hd_counters_add(counters, &run->settled[slot]);
	hd_counters_add(counters, hd_memory_counters(gpu->memory, slot));
}

void hd_run_settle(struct hd_run *run, uint32_t slot)
{
	const struct hd_gpu *gpu = run->gpu;
	if (!hd_policy_by_block(gpu) || gpu->error)
		return;
	HD_FOR_COUNTING(run, slot, i)
	{
		struct hd_counters *counted = &gpu->sms[i]->counted[slot];
		hd_results_count(gpu->sms[i], gpu->now);
		hd_counters_add(&run->settled[slot], counted);
		memset(counted, 0, sizeof(*counted));
	}
	memset(run->counting[slot], 0, sizeof(run->counting[slot]));
}

void hd_run_settle_stalls(struct hd_run *run)
{
	HD_FOR_USED (run, i) {
		uint64_t *stalls = run->gpu->sms[i]->scheduling.stalls;
		for (uint32_t reason = 0; reason < HD_STALL_COUNT; reason++)
			run->settled_stalls[reason] += stalls[reason];
		memset(stalls, 0, sizeof(run->settled_stalls));
	}
}

uint64_t hd_gpu_issued(const struct hd_gpu *gpu)
{
	uint64_t issued = 0;
	for (uint32_t slot = 0; slot < gpu->grid_slots; slot++) {
		issued += gpu->run->settled[slot].warp_instructions;
		HD_FOR_COUNTING(gpu->run, slot, i)
		issued += gpu->sms[i]->counted[slot].warp_instructions;
	}
	return issued;
}

void hd_gpu_snapshot(const struct hd_gpu *gpu, struct hd_stats *stats)
{
	*stats = gpu->stats;
	for (uint32_t slot = 0; slot < gpu->grid_slots; slot++)
		hd_gpu_add_counted(gpu, slot, &stats->counters);
	hd_counters_add(&stats->counters, hd_memory_counters(gpu->memory, HD_MEM_NOBODY));
	for (uint32_t reason = 0; reason < HD_STALL_COUNT; reason++)
		stats->stalls[reason] += gpu->run->settled_stalls[reason];
	HD_FOR_USED (gpu->run, i) {
		const struct hd_sm *sm = gpu->sms[i];
		for (uint32_t reason = 0; reason < HD_STALL_COUNT; reason++)
			stats->stalls[reason] += sm->scheduling.stalls[reason];
		if (sm->resident_warps && !gpu->functional && gpu->now > sm->active_since)
			stats->counters.active_sm_cycles += gpu->now - sm->active_since;
	}
}

void hd_gpu_dump(const struct hd_gpu *gpu, FILE *out)
{
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		if (hd_sm_busy(gpu->sms[i]))
			hd_sm_dump(gpu->sms[i], out);
	hd_memory_dump(gpu->memory, out);
	HD_HOOKED (gpu, self, observation.dump)
		self->hooks->observation.dump(self, gpu, out);
}

void hd_grid_begin_slot(const struct hd_gpu *gpu, struct hd_grid *grid)
{
	grid->slot_before = (struct hd_counters){0};
	hd_gpu_add_counted(gpu, grid->slot, &grid->slot_before);
	grid->slot_known = true;
}

/*
 * What its slot had counted when the grid got its turn, which only grids that share the GPU want to know: less than now
 * by what it counted itself so far. Until others came it was alone.
 */
void hd_grid_note_slot(const struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct hd_stats all, before = {0};
	if (grid->slot_known)
		return;
	hd_gpu_snapshot(gpu, &all);
	hd_stats_subtract(&all, &gpu->stats);
	hd_stats_subtract(&all, &grid->before);
	hd_stats_add(&all, &grid->ended_before);
	hd_gpu_add_counted(gpu, grid->slot, &before.counters);
	hd_stats_subtract(&before, &all);
	grid->slot_before = before.counters;
	grid->slot_known = true;
}
