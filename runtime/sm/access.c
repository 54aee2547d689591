/*
 * Memory instructions, from issue to the load/store unit. What an instruction accesses is known when it issues; it
 * enters the queue of the load/store unit when its operands are there. One whose operands are late waits outside,
 * where only those of its own warp wait behind it: they stay in order. It has a place in the queue from issue on. One
 * that waits for its address unit alone (memory_queue.c) is there at once, at the place of its time: those of a warp
 * have their units in order.
 *
 * Cost: O(1), and a timer for an instruction with late operands.
 */
#include <assert.h>

#include "heddle/config.h"
#include "runtime/sm/accelsim.h"
#include "runtime/sm/access.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/memory_queue.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/texture.h"
#include "runtime/sm/timers.h"

/* Each late access has a collector, or, with a read window, a place that the load/store unit keeps for it. With
 * `operands = accelsim` each scheduler has one place more in front of its collectors, and one behind. */
uint32_t hd_access_most_late(const struct hd_config *config)
{
	return (uint32_t)(config->collectors + 2 * config->schedulers) + hd_lsu_capacity(config);
}

void hd_access_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena)
{
	hd_memory_queues_init(sm, config, arena);
	sm->access.late = HD_ARENA_NEW(arena, struct hd_late, hd_access_most_late(config));
	hd_access_clear(sm);
}

void hd_access_clear(struct hd_sm *sm)
{
	uint32_t entries = hd_access_most_late(sm->gpu->config);
	for (uint32_t i = 0; i < entries; i++)
		sm->access.late[i].next_free = i + 1;
	sm->access.late_free = sm->access.late_count = 0;
	hd_memory_queues_clear(sm);
	for (uint32_t i = 0; i < HD_MAX_GRIDS; i++)
		sm->grids[i].late = 0;
}

static uint8_t request_kind(const struct hd_dinst *inst)
{
	if (inst->effects & HD_FX_ATOMIC)
		return inst->inst.dst == HD_RZ ? HD_MEM_REDUCTION : HD_MEM_ATOMIC;
	return inst->effects & HD_FX_STORE ? HD_MEM_STORE : HD_MEM_LOAD;
}

static uint8_t request_class(const struct hd_dinst *inst, uint8_t space)
{
	if (space != HD_MEM_LOCAL)
		return HD_CLASS_GLOBAL;
	return inst->mem_class == HD_CLASS_SPILL_FILL ? HD_CLASS_SPILL_FILL : HD_CLASS_OTHER_LOCAL;
}

/* Cycles of shared memory for the bytes of a copy, which goes there as a store. */
static uint16_t copy_cycles(const struct hd_lsu *lsu, const struct hd_effect *effect, const struct hd_dinst *inst)
{
	struct hd_mem_request written = {.space = HD_MEM_SHARED,
					 .kind = HD_MEM_STORE,
					 .bytes = inst->access_bytes,
					 .mask = hd_effect_lanes(effect)};
	memcpy(written.address, effect->to, sizeof(written.address));
	return (uint16_t)hd_lsu_shared_cycles(lsu, &written);
}

static void fill_request(struct hd_mem_request *request, const struct hd_effect *effect, const struct hd_warp *warp,
			 const struct hd_dinst *inst)
{
	request->copy = 0;
	request->origin = inst;
	request->space = effect->space;
	request->pattern = effect->pattern;
	request->kind = request_kind(inst);
	request->bytes = inst->access_bytes;
	request->class = request_class(inst, effect->space);
	bool cached = hd_opinfo[inst->inst.op].mods >> HD_MOD_CACHE & 1;
	request->cache = (uint8_t)(cached ? hd_mod_get(inst->inst.mods, HD_MOD_CACHE) : HD_CACHE_DEFAULT);
	request->lines = 0;
	request->group = (uint16_t)warp->id;
	request->grid = warp->cta->grid->slot;
	request->mask = effect->mask;
	if (__builtin_expect(effect->space == HD_MEM_REMOTE, 0)) {
		request->remote = effect->remote;
		request->tells = inst->effects & HD_FX_SIDE;
	}
	memcpy(request->address, effect->address, sizeof(request->address));
}

static void hand_over(struct hd_sm *sm, uint64_t now, uint64_t issued, uint64_t ready, uint32_t extra,
		      const struct hd_mem_request *request)
{
	if (sm->memory_queues.places)
		hd_memory_queue_keep(sm, request->place);
	hd_lsu_issue(sm->lsu, issued, (ready > now ? ready : now + 1) + extra, request);
	sm->due.lsu = now + 1 < sm->due.lsu ? now + 1 : sm->due.lsu;
	sm->due.completion = hd_lsu_next_completion(sm->lsu);
}

static void wait_outside(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t start, uint32_t extra)
{
	uint32_t index = sm->access.late_free;
	struct hd_late *late = &sm->access.late[index];
	assert(sm->access.late_count < hd_access_most_late(sm->gpu->config));
	sm->access.late_free = late->next_free;
	sm->access.late_count++;
	sm->grids[sm->access.request.grid].late++;
	late->issued = now;
	late->extra = extra;
	late->request = sm->access.request;
	warp->late++;
	if (hd_is_later(start))
		hd_accelsim_access(sm, index);
	else
		hd_access_known(sm, warp, index, now, start);
}

void hd_access_known(struct hd_sm *sm, struct hd_warp *warp, uint32_t index, uint64_t now, uint64_t start)
{
	warp->access_at = start;
	hd_warp_timer(&sm->wheel, warp, HD_TIMER_ACCESS, now, start)->which = index;
}

void hd_access_send(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t start, uint32_t extra)
{
	if (__builtin_expect(start > now, 0) && !sm->memory_queues.queued)
		wait_outside(sm, warp, now, start, extra);
	else
		hand_over(sm, now, now, start + (sm->stages ? sm->stages : 1), extra, &sm->access.request);
}

void hd_access_start(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t token, uint64_t now,
		     uint64_t start)
{
	struct hd_mem_request *request = &sm->access.request;
	fill_request(request, &sm->effect, warp, inst);
	if (__builtin_expect(inst->effects & HD_FX_ASYNC, 0)) {
		request->copy = copy_cycles(sm->lsu, &sm->effect, inst);
		hd_sm_counters(sm, warp)->copies++;
	}
	request->token = token;
	if (__builtin_expect(hd_opinfo[inst->inst.op].space == HD_AT_TEXTURE, 0))
		hd_texture_start(sm, warp, token);
	request->bypass = sm->hooks & HD_HOOK(l1_bypass) && request->space != HD_MEM_SHARED &&
			  hd_policy_l1_bypass(sm, warp, inst, now);
	HD_TELL(sm->gpu, access, sm, warp, inst, request->mask ? request->address[__builtin_ctz(request->mask)] : 0);
	hd_access_send(sm, warp, now, start, inst->extra);
}

void hd_access_arrive(struct hd_sm *sm, struct hd_warp *warp, uint32_t index, uint64_t now)
{
	struct hd_late *late = &sm->access.late[index];
	hand_over(sm, now, late->issued, now + sm->stages, late->extra, &late->request);
	late->next_free = sm->access.late_free;
	sm->access.late_free = index;
	sm->access.late_count--;
	sm->grids[late->request.grid].late--;
	warp->late--;
}
