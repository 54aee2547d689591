/*
 * Energy of policies' own structures: rows of events with picojoules (keys.c), counted for each grid in each SM.
 *
 * Cost: an addition an event; O(SMs * rows) a grid.
 */
#include "runtime/sm/energy.h"

#include <string.h>

#include "runtime/sm/sm.h"

void hd_energy_take(struct hd_gpu *gpu, const struct hd_grid *grid, uint64_t events[HD_MAX_ENERGY])
{
	memset(events, 0, HD_MAX_ENERGY * sizeof *events);
	for (uint32_t i = 0; i < gpu->sm_count && gpu->energy_count; i++) {
		if (!hd_sm_is_built(gpu->sms[i]))
			continue;
		uint64_t *spent = gpu->sms[i]->policy_spent[grid->slot];
		for (uint32_t row = 0; row < gpu->energy_count; row++) {
			events[row] += spent[row];
			gpu->spent[row] += spent[row];
			spent[row] = 0;
		}
	}
}

double hd_energy_joules(const struct hd_gpu *gpu, const uint64_t events[HD_MAX_ENERGY])
{
	double pj = 0;
	for (uint32_t row = 0; row < gpu->energy_count; row++)
		pj += (double)events[row] * gpu->energy[row].pj;
	return pj * 1e-12;
}
