/*
 * One SM: its construction, its cycle, its state as text. A cycle runs from write-back to fetch: timers fire, the
 * load/store unit works and hands back completions, fences look, then the schedulers issue. Which scheduler issues
 * first rotates with the cycle, so that none is favoured at the load/store queue.
 *
 * Needs: the configuration, the memory system and the executor. Cost of a cycle: what happens in it; an SM in which
 * nothing can happen is not visited (hd_sm_tick returns when it next wants to be).
 */
#include "runtime/sm/sm.h"

#include <inttypes.h>

#include "heddle/config.h"
#include "runtime/exec/fault.h"
#include "runtime/exec/remote.h"
#include "runtime/memory/dsm.h"
#include "runtime/sm/access.h"
#include "runtime/sm/alarms.h"
#include "runtime/sm/barrier.h"
#include "runtime/sm/constant.h"
#include "runtime/sm/context.h"
#include "runtime/sm/dispatch.h"
#include "runtime/sm/drain.h"
#include "runtime/sm/fetch.h"
#include "runtime/sm/forward.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/inflight.h"
#include "runtime/sm/inject.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/memory_queue.h"
#include "runtime/sm/modern.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/results.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/stage.h"
#include "runtime/sm/stream.h"
#include "runtime/sm/texture.h"
#include "runtime/sm/timers.h"
#include "runtime/sm/transfer.h"
#include "runtime/sm/two_level.h"
#include "runtime/sm/units.h"

uint32_t hd_sm_id(const struct hd_sm *sm)
{
	return sm->id;
}

static void clear_inflight(struct hd_sm *sm)
{
	sm->inflight.free = HD_INFLIGHT_NONE;
	sm->inflight.fresh = 0;
	sm->inflight.left = sm->places.warp_slots * HD_WARP_INFLIGHT;
}

static void init_warps(struct hd_sm *sm, struct hd_arena *arena)
{
	sm->warps = HD_ARENA_NEW(arena, struct hd_warp, sm->warp_count);
	for (uint32_t id = 0; id < sm->warp_count; id++) {
		sm->warps[id].id = id;
		sm->warps[id].slot = HD_NO_SLOT;
		sm->warps[id].regfile = sm->operands.regfiles[0];
		sm->places.local_of[id] = sm->id * sm->warp_count + id;
	}
	sm->barriers.parked = HD_ARENA_NEW(arena, struct hd_parked, sm->warp_count);
	hd_mbarriers_init(&sm->mbarriers, sm->gpu->config, sm->warp_count, arena);
	hd_wgmma_init(&sm->products, sm->gpu->config, sm->warp_count, sm->cta_count, arena);
	sm->two_level.warps = HD_ARENA_NEW(arena, struct hd_two_level_warp, sm->warp_count);
	sm->loads.unused = HD_ARENA_NEW(arena, struct hd_hazard, sm->warp_count);
	sm->streams.of = HD_ARENA_NEW(arena, struct hd_warp_stream, sm->warp_count);
	sm->inflight.entries = HD_ARENA_NEW_SPARSE(arena, struct hd_inflight, sm->places.warp_slots * HD_WARP_INFLIGHT);
}

static void init_ctas(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena)
{
	sm->ctas = HD_ARENA_NEW(arena, struct hd_cta, sm->cta_count);
	for (uint32_t i = 0; i < sm->cta_count; i++)
		sm->ctas[i].warps = HD_ARENA_NEW(arena, struct hd_warp *, sm->warp_count);
	sm->places.shared = hd_arena_alloc_sparse(arena, config->shared_bytes + 16);
	sm->contexts.requeued = hd_arena_alloc(arena, sm->cta_count * sizeof(*sm->contexts.requeued));
	sm->handover.sent = hd_arena_alloc(arena, 2 * sm->cta_count * sizeof(*sm->handover.sent));
}

void hd_sm_spare(struct hd_sm *sm, uint32_t warps, uint32_t ctas)
{
	uint32_t warp_count = sm->places.warp_slots + warps, cta_count = sm->places.cta_slots + ctas;
	warp_count = warp_count < HD_MAX_CONTEXTS ? warp_count : HD_MAX_CONTEXTS;
	cta_count = cta_count < HD_MAX_CONTEXTS ? cta_count : HD_MAX_CONTEXTS;
	if (warp_count == sm->warp_count && cta_count == sm->cta_count)
		return;
	sm->warp_count = warp_count;
	sm->cta_count = cta_count;
	init_warps(sm, &sm->gpu->arena);
	init_ctas(sm, sm->gpu->config, &sm->gpu->arena);
}

/* In small pages: an SM that gets no block takes those that are written here, and none but these. */
struct hd_sm *hd_sm_new(struct hd_gpu *gpu, uint32_t id)
{
	struct hd_sm *sm = HD_ARENA_NEW_SPARSE(&gpu->arena, struct hd_sm, 1);
	sm->gpu = gpu;
	sm->id = id;
	sm->due.lsu = sm->due.completion = sm->due.alarm = sm->due.transfer = HD_NEVER;
	return sm;
}

void hd_sm_build(struct hd_sm *sm)
{
	struct hd_gpu *gpu = sm->gpu;
	const struct hd_config *config = gpu->config;
	if (hd_sm_is_built(sm))
		return;
	hd_arena_init(&sm->arena);
	sm->exec = HD_ARENA_NEW(&gpu->arena, struct hd_exec, 1);
	sm->exec->gpu = gpu;
	sm->exec->sm = sm->id;
	sm->scheduling.count = (uint8_t)config->schedulers;
	sm->scheduling.rule = (uint8_t)config->scheduler;
	sm->warp_count = sm->places.warp_slots = (uint32_t)config->max_warps;
	sm->cta_count = sm->places.cta_slots = (uint32_t)config->max_ctas;
	sm->stages = gpu->stages;
	sm->issue.branch_latency = (uint32_t)config->branch_latency + sm->stages;
	sm->barriers.busy = (uint32_t)config->barrier_busy;
	sm->two_level.leaves_on_miss = config->two_level_miss == HD_MISS_YES;
	sm->scheduling.dual = config->dual_issue;
	sm->scheduling.greedy_quantum = config->greedy_quantum;
	sm->two_level.quantum = config->two_level_quantum;
	sm->by_control = config->core == HD_CORE_MODERN;
	hd_forwarding_init(&sm->forwarding, config);
	sm->issue.predicated_latency = (uint32_t)config->lat_iadd + sm->stages;
	hd_inject_init(sm, config);
	init_warps(sm, &gpu->arena);
	init_ctas(sm, config, &gpu->arena);
	hd_units_init(sm, config, &gpu->arena);
	hd_accelsim_init(sm, config, &gpu->arena);
	hd_operands_init(sm, config, &gpu->arena);
	hd_results_init(sm, &gpu->arena);
	hd_access_init(sm, config, &gpu->arena);
	hd_fetch_init(&sm->fetch, config, &gpu->arena);
	hd_constant_init(&sm->constants, config, &gpu->arena);
	hd_texture_init(&sm->textures, config);
	hd_wheel_init(&sm->wheel, hd_sm_timers(config), &gpu->arena);
	sm->wheel.kept = sm->places.warp_slots * HD_WARP_INFLIGHT + HD_ISSUE_TIMERS;
	hd_transfers_init(sm, &gpu->arena);
	sm->lsu = hd_lsu_new(gpu->memory, sm->id, config, sm->counted, &gpu->arena);
	hd_policy_place_sm(sm);
	hd_sm_clear(sm);
}

void hd_sm_place_watched(struct hd_sm *sm)
{
	struct hd_gpu *gpu = sm->gpu;
	if (!hd_sm_is_built(sm))
		return;
	for (uint32_t id = 0; id < sm->warp_count && gpu->watch_bytes.warp; id++)
		sm->warps[id].watch_space = HD_ARENA_NEW(&gpu->arena, uint8_t, gpu->watch_bytes.warp);
	for (uint32_t i = 0; i < sm->cta_count && gpu->watch_bytes.cta; i++)
		sm->ctas[i].watch_space = HD_ARENA_NEW(&gpu->arena, uint8_t, gpu->watch_bytes.cta);
}

void hd_sm_free(struct hd_sm *sm)
{
	if (!hd_sm_is_built(sm))
		return;
	for (uint32_t id = 0; id < sm->warp_count; id++) {
		HD_TELL(sm->gpu, warp_free, &sm->warps[id]);
		hd_warp_release(&sm->warps[id]);
	}
	hd_mbarriers_release(&sm->mbarriers);
	hd_bulk_release(sm);
	hd_sm_release_stores(sm);
	hd_fetch_release(&sm->fetch);
	hd_remotes_release(sm->exec);
	if (hd_lsu_port(sm->lsu))
		hd_dsm_port_release(hd_lsu_port(sm->lsu));
	hd_arena_release(&sm->arena);
}

/* The numbers below `count`. */
static void fill(uint64_t *set, uint32_t words, uint32_t count)
{
	for (uint32_t word = 0; word < words; word++) {
		uint32_t left = count > 64 * word ? count - 64 * word : 0;
		set[word] = left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
	}
}

void hd_sm_clear(struct hd_sm *sm)
{
	hd_scheduler_set_rule(sm, (uint8_t)sm->gpu->config->scheduler);
	hd_modern_forget(sm); /* ages begin anew */
	for (uint32_t i = 0; i < sm->scheduling.count; i++) {
		struct hd_scheduler *scheduler = &sm->scheduling.schedulers[i];
		memset(scheduler->ready, 0, sizeof(scheduler->ready));
		memset(scheduler->waiting, 0, sizeof(scheduler->waiting));
		scheduler->active = sm->scheduling.rule == HD_SCHED_TWO_LEVEL ? 0 : ~UINT64_C(0);
		scheduler->resident = scheduler->eligible = scheduler->coming = 0;
		scheduler->ports = scheduler->reasons = 0;
		scheduler->blocked = scheduler->held_ports = 0;
		scheduler->quiet = scheduler->look_at = scheduler->turns_until = 0;
		sm->scheduling.next_visit[i] = HD_NEVER;
		scheduler->reason = HD_STALL_idle;
		scheduler->last = HD_SCHEDULER_WARPS;
		scheduler->top = 0;
	}
	fill(sm->places.free_slots, HD_MAX_WARPS / 64, sm->places.warp_slots);
	fill(sm->dispatch.free_warps, HD_MAX_CONTEXTS / 64, sm->warp_count);
	fill(sm->places.free_rows, HD_MAX_CONTEXTS / 64, sm->warp_count);
	hd_wheel_clear(&sm->wheel, hd_sm_timers(sm->gpu->config));
	hd_accelsim_drop(sm);
	clear_inflight(sm);
	hd_access_clear(sm);
	hd_lsu_forget_lines(sm->lsu);
	hd_transfers_clear(sm);
	hd_bulk_clear(sm);
	sm->stage.result_count = 0;
	sm->dispatch.launches = 0;
	sm->dispatch.retired = 0;
	sm->issue.begun = sm->issue.written = sm->inflight.asked = sm->inflight.answered = 0;
}

void hd_sm_begin(struct hd_sm *sm, uint64_t began, uint64_t charged)
{
	hd_active_begin(sm, began);
	hd_results_begin(sm);
	for (uint32_t i = 0; i < sm->scheduling.count; i++) {
		sm->scheduling.schedulers[i].charged = charged;
		HD_TELL(sm->gpu, lost, sm, i, NULL, HD_STALL_idle);
	}
	sm->due.completion = hd_lsu_next_completion(sm->lsu);
	sm->due.lsu = HD_NEVER;
	sm->dispatch.next = began;
}

/* After a fault the grid's warps are gone; what they have in the memory system is drained by the caller. */
void hd_sm_abandon(struct hd_sm *sm)
{
	for (uint32_t id = 0; id < sm->warp_count; id++) {
		sm->warps[id].state = HD_WARP_FREE;
		sm->warps[id].slot = HD_NO_SLOT;
		hd_warp_forget_waits(&sm->warps[id]);
		sm->warps[id].awaits = 0;
	}
	for (uint32_t i = 0; i < sm->cta_count; i++)
		sm->ctas[i].used = false;
	for (uint32_t i = 0; i < HD_MAX_GRIDS; i++)
		sm->grids[i].resident = sm->grids[i].placed = sm->grids[i].retired = 0;
	if (sm->resident_warps && sm->grid_mask && sm->gpu->now > sm->active_since)
		sm->counted[__builtin_ctz(sm->grid_mask)].active_sm_cycles += sm->gpu->now - sm->active_since;
	sm->resident_warps = sm->resident_ctas = sm->places.placed_warps = sm->places.placed_ctas =
		sm->barriers.fences = sm->contexts.unplaced = 0;
	hd_mbarriers_clear(&sm->mbarriers);
	hd_bulk_clear(sm);
	sm->contexts.requeued_count = sm->handover.count = sm->drain.awaited = 0;
	sm->grid_mask = 0;
	hd_transfers_clear(sm);
	hd_results_drop(sm);
	hd_accelsim_drop(sm);
}

/* Room in the load/store queue may have appeared: schedulers that wait for it look again; all that have something for
 * it where they share a register file (memory_until). */
static void wake_memory_ports(struct hd_sm *sm)
{
	uint32_t grids = sm->grid_mask;
	bool alone = !(grids & (grids - 1));
	if (alone && grids && !hd_lsu_can_accept(sm->lsu, (uint32_t)__builtin_ctz(grids), sm->access.late_count))
		return;
	if (sm->gpu->shape.parts == 1)
		for (uint32_t i = 0; i < sm->scheduling.count; i++)
			if (sm->scheduling.schedulers[i].ready[HD_PORT_MEMORY])
				hd_scheduler_wake(&sm->scheduling, i);
	for (uint32_t left = sm->scheduling.memory_waits; left; left &= left - 1)
		hd_scheduler_wake(&sm->scheduling, (uint32_t)__builtin_ctz(left));
	sm->scheduling.memory_waits = 0;
}

/* What completions touch is fetched together: with many SMs it is not in the host's cache. */
static void fetch_completed(const struct hd_sm *sm, const struct hd_mem_completion *done, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		__builtin_prefetch(&sm->inflight.entries[done[i].token]);
	for (uint32_t i = 0; i < count; i++)
		__builtin_prefetch(&sm->warps[sm->inflight.entries[done[i].token].warp].pending);
}

static void take_completions(struct hd_sm *sm, uint64_t now)
{
	struct hd_mem_completion done[16];
	uint32_t count;
	do {
		count = hd_lsu_completions(sm->lsu, now, done, 16);
		fetch_completed(sm, done, count);
		for (uint32_t i = 0; i < count; i++)
			hd_sm_complete(sm, done[i].token, now);
	} while (count == 16);
	sm->due.completion = hd_lsu_next_completion(sm->lsu);
	wake_memory_ports(sm);
}

static void free_places(struct hd_sm *sm, uint64_t now)
{
	uint32_t place;
	while ((place = hd_lsu_taken(sm->lsu)) != HD_MEM_NO_PLACE)
		hd_memory_queue_leave(sm, place, now);
}

static void memory_cycle(struct hd_sm *sm, uint64_t now)
{
	sm->lsu_ticked = sm->due.lsu <= now;
	if (sm->lsu_ticked) {
		sm->due.lsu = hd_lsu_tick(sm->lsu, now);
		HD_TELL(sm->gpu, served, sm, now);
		sm->due.completion = hd_lsu_next_completion(sm->lsu);
		if (sm->memory_queues.places)
			free_places(sm, now);
		wake_memory_ports(sm);
		if (sm->transfers.count && hd_lsu_has_lines_done(sm->lsu))
			sm->due.transfer = now;
		if (__builtin_expect(sm->bulk != NULL, 0) && hd_lsu_has_bulk_done(sm->lsu))
			hd_bulk_cycle(sm, now);
	}
	bool completed = sm->due.completion <= now;
	if (completed)
		take_completions(sm, now);
	if (sm->barriers.fences && (completed || sm->lsu_ticked))
		hd_fence_check(sm, now);
}

static void schedulers_cycle(struct hd_sm *sm, uint64_t now)
{
	uint32_t count = sm->scheduling.count;
	uint32_t index = (uint32_t)(count & (count - 1) ? now % count : now & (count - 1));
	if (sm->scheduling.visit_next > now && !sm->every_cycle)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (sm->scheduling.next_visit[index] <= now || sm->every_cycle)
			hd_scheduler_visit(sm, index, now);
		index = index + 1 == count ? 0 : index + 1;
	}
	sm->scheduling.visit_next = HD_NEVER;
	for (uint32_t i = 0; i < count; i++)
		sm->scheduling.visit_next = hd_earlier(sm->scheduling.visit_next, sm->scheduling.next_visit[i]);
}

static uint64_t next_cycle(const struct hd_sm *sm, uint64_t now)
{
	uint64_t next = hd_earlier(sm->wheel.next, hd_earlier(sm->due.lsu, sm->due.completion));
	next = hd_earlier(next, sm->scheduling.visit_next);
	if (sm->resident_warps)
		next = hd_earlier(next, sm->two_level.next);
	next = hd_earlier(next, hd_earlier(sm->due.alarm, sm->due.transfer));
	next = hd_earlier(next, sm->accelsim.next);
	return next > now && !sm->contexts.wants_fill ? next : now + 1;
}

/* The last warp has gone: nobody visits the schedulers until the next CTA comes, and their slots are idle. Timers that
 * are left were for warps to look at something. */
static void settle(struct hd_sm *sm, uint64_t now)
{
	if (sm->wheel.next != HD_NEVER) {
		hd_wheel_clear(&sm->wheel, hd_sm_timers(sm->gpu->config));
		if (sm->bulk)
			hd_bulk_timers_gone(sm, now);
	}
	hd_sm_charge(sm, now + 1);
	for (uint32_t i = 0; i < sm->scheduling.count; i++) {
		sm->scheduling.schedulers[i].reason = HD_STALL_idle;
		HD_TELL(sm->gpu, lost, sm, i, NULL, HD_STALL_idle);
		sm->scheduling.next_visit[i] = HD_NEVER;
	}
	sm->scheduling.visit_next = HD_NEVER;
}

void hd_sm_fetch(const struct hd_sm *sm, uint64_t due)
{
	__builtin_prefetch(sm);
	__builtin_prefetch(&sm->now);
	__builtin_prefetch(&sm->due);
	__builtin_prefetch(&sm->bulk);
	__builtin_prefetch(&sm->wheel);
	__builtin_prefetch(&sm->wheel.head[due % HD_WHEEL_BUCKETS]);
	__builtin_prefetch(&sm->scheduling);
	__builtin_prefetch(&sm->scheduling.visit_next);
}

void hd_sm_fetch_further(const struct hd_sm *sm, uint64_t due)
{
	uint16_t timer = sm->wheel.head[due % HD_WHEEL_BUCKETS];
	__builtin_prefetch(&sm->exec->later);
	if (timer != HD_TIMER_NONE)
		__builtin_prefetch(&sm->wheel.pool[timer]);
	hd_lsu_fetch(sm->lsu);
	if (sm->bulk)
		hd_bulk_fetch(sm->bulk);
}

uint64_t hd_sm_tick(struct hd_sm *sm, uint64_t now)
{
	sm->now = now;
	if (sm->wheel.next <= now)
		hd_sm_fire(sm, now);
	memory_cycle(sm, now);
	if (__builtin_expect(sm->stage.result_count != 0, 0))
		hd_stage_results(sm, now);
	if (__builtin_expect(sm->drain.awaited != 0, 0))
		hd_sm_tell_drained(sm, now);
	if (sm->due.alarm <= now)
		hd_sm_alarms(sm, now);
	if (sm->two_level.next <= now)
		hd_active_turn(sm, now);
	if (__builtin_expect(sm->accelsim.next <= now, 0))
		hd_accelsim_cycle(sm, now);
	sm->stirred = false;
	if (__builtin_expect(sm->contexts.wants_fill, 0))
		hd_sm_fill_slots(sm, now);
	schedulers_cycle(sm, now);
	if (__builtin_expect(sm->due.transfer <= now, 0))
		hd_transfers_cycle(sm, now);
	if (!sm->resident_warps)
		settle(sm, now);
	return next_cycle(sm, now);
}

static void dump_warp(const struct hd_sm *sm, const struct hd_warp *warp, FILE *out)
{
	static const char *const states[] = {"free", "running", "barrier", "done", "killed"};
	char place[256];
	hd_describe_place(sm->gpu, warp, warp->pc, (uint32_t)(warp->active ? __builtin_ctz(warp->active) : 0), place,
			  sizeof place);
	const char *reason = warp->wait_reason < HD_STALL_COUNT ? hd_stall_name[warp->wait_reason] : "none";
	fprintf(out,
		"  warp %3u %-7s %-12s active %08x live %08x outstanding %u next %" PRIu64 " last %" PRIu64 "  %s\n",
		warp->id, states[warp->state], warp->wait_reason == HD_WAIT_READY ? "ready" : reason, warp->active,
		warp->live, warp->outstanding, warp->next_issue, warp->last_issue, place);
}

void hd_sm_dump(const struct hd_sm *sm, FILE *out)
{
	fprintf(out,
		"SM %u: %u CTAs, %u warps, next timer %" PRIu64 ", load/store unit %" PRIu64 ", completion %" PRIu64
		"\n",
		sm->id, sm->resident_ctas, sm->resident_warps, sm->wheel.next, sm->due.lsu, sm->due.completion);
	for (uint32_t i = 0; i < sm->scheduling.count; i++)
		fprintf(out, "  scheduler %u: resident %016" PRIx64 " reason %s, next visit %" PRIu64 "\n", i,
			sm->scheduling.schedulers[i].resident, hd_stall_name[sm->scheduling.schedulers[i].reason],
			sm->scheduling.next_visit[i]);
	for (uint32_t id = 0; id < sm->warp_count; id++)
		if (sm->warps[id].state != HD_WARP_FREE)
			dump_warp(sm, &sm->warps[id], out);
	hd_operands_dump(sm, sm->now, out);
	hd_lsu_dump(sm->lsu, out);
}
