/*
 * What policies hear of loads of global and local memory: that one has to wait for the memory (load_miss), and the
 * first use of what it brings (first_use): the instruction that reads it issues, or has to wait for it. A stall on a
 * load says neither by itself: it may be one on a hit.
 *
 * A warp's set hd_loads.unused has the registers that were loaded and not used since. One that is overwritten before it
 * is read leaves the set; where that has to wait for the load, it is a use.
 *
 * Cost: nothing without the hooks; else a few words an instruction.
 */
#include "runtime/sm/loads.h"
#include "runtime/sm/inflight.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/two_level.h"

void hd_loads_missed(void *context, uint32_t token, uint64_t now)
{
	struct hd_sm *sm = context;
	const struct hd_inflight *entry = &sm->inflight.entries[token];
	if (entry->inst == &sm->injector.insts[HD_INJECT_LOAD])
		return;
	if (sm->two_level.leaves_on_miss)
		hd_active_missed(sm, &sm->warps[entry->warp], entry->inst);
	HD_HOOKED (sm->gpu, self, memory.load_miss)
		self->hooks->memory.load_miss(self, &sm->warps[entry->warp], entry->inst, now);
}

/* Takes `what` out of the set; what of it was there is in `found`. */
static bool take(struct hd_hazard *set, const struct hd_hazard *what, struct hd_hazard *found)
{
	uint64_t any = 0;
	for (uint32_t i = 0; i < 5; i++) {
		found->bits[i] = set->bits[i] & what->bits[i];
		set->bits[i] &= ~found->bits[i];
		any |= found->bits[i];
	}
	return any;
}

static void tell_use(struct hd_sm *sm, struct hd_warp *warp, const struct hd_first_use *use, uint64_t now)
{
	HD_HOOKED (sm->gpu, self, memory.first_use)
		self->hooks->memory.first_use(self, warp, use, now);
}

void hd_loads_used(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct hd_hazard read = {0}, found;
	for (uint32_t i = 0; i < inst->read_count; i++)
		read.bits[inst->read_regs[i] / 64] |= UINT64_C(1) << inst->read_regs[i] % 64;
	if (take(&sm->loads.unused[warp->id], &read, &found))
		tell_use(sm, warp, &(struct hd_first_use){inst, &found, false}, now);
	take(&sm->loads.unused[warp->id], &inst->writes, &found);
}

void hd_loads_awaited(struct hd_sm *sm, struct hd_warp *warp)
{
	const struct hd_dinst *inst = sm->next[warp->id];
	struct hd_hazard awaited, found;
	for (uint32_t i = 0; i < 5; i++)
		awaited.bits[i] = inst->hazards.bits[i] & warp->pending_memory.bits[i];
	if (!warp->injection.count && take(&sm->loads.unused[warp->id], &awaited, &found))
		tell_use(sm, warp, &(struct hd_first_use){inst, &found, true}, sm->now);
}
