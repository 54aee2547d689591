/*
 * What the engine keeps for a policy: its state with the GPU, an SM, a grid, a block, a warp and a collector, what it
 * counts and spends, and its settings. For policies. Where each lies, policy.c, counts.c, energy.c and keys.c decide.
 */
#ifndef HD_RUNTIME_SM_POLICY_SPACE_H
#define HD_RUNTIME_SM_POLICY_SPACE_H

#include "runtime/core/gpu.h"
#include "runtime/core/warp.h"
#include "runtime/sm/keys.h"
#include "runtime/sm/sm.h"

/* A policy's state with the GPU, an SM, a grid, a block, a warp, a collector. */
static inline void *hd_policy_gpu(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return gpu->policy_space + self->gpu_at;
}
static inline void *hd_policy_sm(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return sm->policies.space + self->sm_at;
}
static inline void *hd_policy_cta(const struct hd_policy_handle *self, const struct hd_cta *cta)
{
	return cta->policy_space + self->cta_at;
}
static inline void *hd_policy_grid(const struct hd_policy_handle *self, const struct hd_grid *grid)
{
	return grid->policy_space + self->grid_at;
}
static inline void *hd_policy_warp(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return warp->policy_space + self->warp_at;
}
static inline void *hd_policy_collector(const struct hd_policy_handle *self, const struct hd_collector *collector)
{
	return collector->policy_space + self->collector_at;
}

/* What the policy counts of the grid in slot `grid` on an SM: the struct of its hooks' rows. */
static inline void *hd_policy_counts_of(const struct hd_policy_handle *self, const struct hd_sm *sm, uint32_t grid)
{
	return sm->policies.counts + (size_t)self->counts_at * HD_MAX_GRIDS + (size_t)grid * self->count_rows;
}

/* The same of the warp's grid on its SM. */
static inline void *hd_policy_counts(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts_of(self, warp->cta->sm, warp->cta->sm->grid_of[warp->id]);
}

/* Events of a policy that take energy: of row `which` of its hooks' energy, for this grid. */
static inline void hd_policy_spend(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid,
				   uint32_t which, uint64_t events)
{
	sm->policy_spent[grid->slot][self->energy_at + which] += events;
}

#endif
