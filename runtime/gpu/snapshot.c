/*
 * What has been counted so far: by slot of a grid, and in all. Counters lie with the SMs and the memory; these are
 * their sums.
 *
 * Cost: O(SMs * counters) a question.
 */
#include "runtime/gpu/run.h"
#include "runtime/sm/hooks.h"

void hd_gpu_add_counted(const struct hd_gpu *gpu, uint32_t slot, struct hd_counters *counters)
{
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		if (gpu->run->known[i]) {
			hd_results_count(gpu->sms[i], gpu->now);
			hd_counters_add(counters, &gpu->sms[i]->counted[slot]);
		}
	hd_counters_add(counters, hd_memory_counters(gpu->memory, slot));
}

uint64_t hd_gpu_issued(const struct hd_gpu *gpu)
{
	uint64_t issued = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		for (uint32_t grid = 0; gpu->run->known[i] && grid < gpu->grid_slots; grid++)
			issued += gpu->sms[i]->counted[grid].warp_instructions;
	return issued;
}

void hd_gpu_snapshot(const struct hd_gpu *gpu, struct hd_stats *stats)
{
	*stats = gpu->stats;
	for (uint32_t slot = 0; slot < gpu->grid_slots; slot++)
		hd_gpu_add_counted(gpu, slot, &stats->counters);
	hd_counters_add(&stats->counters, hd_memory_counters(gpu->memory, HD_MEM_NOBODY));
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		for (uint32_t reason = 0; gpu->run->known[i] && reason < HD_STALL_COUNT; reason++)
			stats->stalls[reason] += gpu->sms[i]->scheduling.stalls[reason];
	HD_FOR_USED (gpu->run, i) {
		const struct hd_sm *sm = gpu->sms[i];
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
