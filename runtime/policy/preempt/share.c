/*
 * Shares of an SM by switching: beside a policy that says how many blocks of each kernel an SM may have (CCBP,
 * Warped-Slicer, spatial multitasking, a given combination), blocks beyond their kernel's share leave with their
 * context as soon as a kernel that has less than its own lacks room there, in place of running to their end
 * (gpu-multiprogramming-lin, 2.1 and 4.1, which has the two chapters' means side by side; how they meet is ours).
 * They come back when their kernel has less than its share there, or when they have been away for long: then they go
 * before blocks that have not begun, and do not leave again.
 *
 *   which       of a kernel's blocks, those that began last: they have least to lose under the integrated mechanism
 *   draining    is what those policies do by themselves; drain changes nothing there
 *   periodic    requests are none there, time slices and grids of higher priority go before shares
 *
 * Cost: O(blocks of an SM x grids) in `share_cycles`.
 */
#include "runtime/policy/preempt/preempt.h"

/* Of a block that is away. */
static bool is_long_gone(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_cta *cta)
{
	return sm->now - preempt_cta_of(self, cta)->phase_from >= preempt_gpu_of(self, sm->gpu)->beyond;
}

static bool any_long_gone(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	for (uint32_t i = 0; i < sm->cta_count; i++) {
		const struct hd_cta *cta = &sm->ctas[i];
		if (cta->used && preempt_cta_of(self, cta)->phase == PREEMPT_GONE && is_long_gone(self, sm, cta))
			return true;
	}
	return false;
}

bool preempt_share_keeps_away(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_cta *cta)
{
	return !is_long_gone(self, sm, cta) && sm->grids[cta->grid->slot].placed >= hd_policy_share(sm, cta->grid);
}

uint32_t preempt_share_quota(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return any_long_gone(self, sm) ? 0 : UINT32_MAX;
}

/* The kernel is to have more blocks here than it has, there are some, and there is no room. */
static bool lacks_room(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct hd_sm_grid *mine = &sm->grids[grid->slot];
	if (!grid->running || mine->placed >= mine->limit || mine->placed >= hd_policy_share(sm, grid))
		return false;
	return preempt_can_start(sm, grid) ? !hd_sm_has_room(sm, grid) : preempt_count_away(self, sm, grid) > 0;
}

static bool somebody_lacks_room(const struct hd_policy_handle *self, struct hd_sm *sm)
{
	for (uint32_t slot = 0; slot < HD_MAX_GRIDS; slot++)
		if (sm->grids[slot].grid && lacks_room(self, sm, sm->grids[slot].grid))
			return true;
	return false;
}

/* The block of the grid that began last, of those that may leave. */
static struct hd_cta *youngest(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid)
{
	struct hd_cta *found = NULL;
	for (uint32_t i = 0; i < sm->cta_count; i++) {
		struct hd_cta *cta = &sm->ctas[i];
		if (cta->grid != grid || !preempt_may_leave(cta, INT32_MIN))
			continue;
		const struct preempt_cta *block = preempt_cta_of(self, cta);
		if (block->phase != PREEMPT_HERE || block->stays)
			continue;
		if (!found || cta->start_cycle > found->start_cycle)
			found = cta;
	}
	return found;
}

/* How many blocks of the grid are beyond its share. */
static uint32_t excess(const struct hd_sm *sm, const struct hd_grid *grid)
{
	uint32_t share = hd_policy_share(sm, grid), placed = sm->grids[grid->slot].placed;
	return grid->running && placed > share ? placed - share : 0;
}

/* False: none of them may leave. */
static bool shed(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid, bool begun,
		 uint64_t now)
{
	for (uint32_t left = excess(sm, grid); left; left--) {
		struct hd_cta *cta = youngest(self, sm, grid);
		if (!cta)
			break;
		if (!begun)
			preempt_begin(self, sm, HD_MAX_GRIDS, now);
		begun = true;
		preempt_take(self, sm, cta, HD_PART_REGISTERS | HD_PART_SHARED, now);
	}
	return begun;
}

void preempt_share_look(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	bool free = mine->state == PREEMPT_IDLE || (mine->state == PREEMPT_AWAY && mine->grid == HD_MAX_GRIDS);
	bool begun = false;
	if (free && somebody_lacks_room(self, sm))
		for (uint32_t slot = 0; slot < HD_MAX_GRIDS; slot++)
			if (sm->grids[slot].grid)
				begun = shed(self, sm, sm->grids[slot].grid, begun, now);
	if (begun)
		preempt_begun(self, sm, now);
	else if (free)
		preempt_look_for_room(self, sm, now);
}
