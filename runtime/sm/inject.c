/*
 * What policies do with warps: hold them off the schedulers, and have them issue memory accesses of their own (the
 * software traps and context switches of register-stack and preemption designs), micro-operations that only the operand
 * collector carries out, and control instructions of the policy.
 *
 * An injected access takes a scheduler slot, the load/store unit and a place in its queue like an instruction of the
 * program. It waits until everything that the warp has started is there, since it may concern any register; loads are
 * awaited before the program goes on.
 *
 * Cost: O(1) a hold, a release and an injected access; nothing for warps without them.
 */
#include <assert.h>

#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "runtime/core/cycle.h"
#include "runtime/sm/access.h"
#include "runtime/sm/context.h"
#include "runtime/sm/inflight.h"
#include "runtime/sm/inject.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/scoreboard.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/stream.h"
#include "runtime/sm/units.h"

/* It takes a slot, a collector and a register write, and waits for nothing. */
static struct hd_dinst micro_inst(void)
{
	return (struct hd_dinst){.inst = hd_inst_new(HD_OP_NOP), .pipe = HD_PIPE_RENAME, .interval = 1};
}

/* It takes a slot, and waits for nothing. */
static struct hd_dinst control_inst(void)
{
	return (struct hd_dinst){.inst = hd_inst_new(HD_OP_NOP), .pipe = HD_PIPE_BRU, .interval = 1};
}

static struct hd_dinst access_inst(const struct hd_config *config, bool store)
{
	struct hd_dinst inst = {
		.inst = hd_inst_new(store ? HD_OP_STL : HD_OP_LDL),
		.pipe = HD_PIPE_LSU,
		.lat_class = HD_LAT_MEM,
		.effects = store ? HD_FX_STORE : HD_FX_LOAD,
		.interval = (uint16_t)config->ii_lsu,
		.access_bytes = 4,
		.mem_class = HD_CLASS_SPILL_FILL,
	};
	memset(inst.hazards.bits, 0xff, sizeof(inst.hazards.bits));
	return inst;
}

void hd_inject_init(struct hd_sm *sm, const struct hd_config *config)
{
	sm->injector.insts[HD_INJECT_LOAD] = access_inst(config, false);
	sm->injector.insts[HD_INJECT_STORE] = access_inst(config, true);
	sm->injector.insts[HD_INJECT_MICRO] = micro_inst();
	sm->injector.insts[HD_INJECT_CONTROL] = control_inst();
}

void hd_warp_hold(struct hd_sm *sm, struct hd_warp *warp)
{
	warp->held |= HD_HELD_OFF;
	if (warp->state == HD_WARP_RUNNING)
		hd_warp_set_wait(sm, warp, HD_STALL_suspended);
}

void hd_warp_pause(struct hd_sm *sm, struct hd_warp *warp)
{
	warp->held |= HD_HELD_PAUSED;
	if (warp->state == HD_WARP_RUNNING && warp->held == HD_HELD_PAUSED)
		hd_warp_set_wait(sm, warp, HD_STALL_policy);
}

bool hd_warp_resume(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	warp->held = 0;
	if (__builtin_expect(warp->slot == HD_NO_SLOT, 0)) {
		if (!hd_warp_can_return(sm, warp))
			return false;
		hd_warp_bring_back(sm, warp, now);
		return true;
	}
	if (warp->state != HD_WARP_RUNNING)
		return true;
	if (warp->fresh) {
		hd_warp_begin(sm, warp, now, now, HD_STALL_fetch);
		return true;
	}
	if (warp->injection.count)
		sm->next[warp->id] = hd_injected_inst(&sm->injector, warp);
	if (warp->next_issue <= now + 1) /* else its timer is still to come */
		hd_warp_evaluate(sm, warp);
	return true;
}

void hd_warp_inject(struct hd_warp *warp, const struct hd_injected *access)
{
	struct hd_injection *injection = &warp->injection;
	if (!access->rows || !access->mask)
		return;
	assert(injection->count < HD_MAX_INJECTED);
	injection->queue[injection->count++] = *access;
}

static void fill_request(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_injected *access)
{
	struct hd_mem_request *request = &sm->access.request;
	request->origin = NULL;
	request->space = HD_MEM_LOCAL;
	request->pattern = HD_MEM_CONSECUTIVE;
	request->kind = access->kind == HD_INJECT_STORE ? HD_MEM_STORE : HD_MEM_LOAD;
	request->bytes = 4;
	request->class = HD_CLASS_SPILL_FILL;
	request->cache = HD_CACHE_DEFAULT;
	request->lines = 0;
	request->bypass = false;
	request->copy = 0;
	request->group = (uint16_t)warp->id;
	request->grid = warp->cta->grid->slot;
	request->mask = access->mask;
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		request->address[lane] = access->address + lane * 4;
}

static void next_row(struct hd_injection *injection)
{
	struct hd_injected *access = injection->queue;
	access->address += access->stride;
	if (--access->rows)
		return;
	injection->count--;
	memmove(access, access + 1, injection->count * sizeof(*access));
}

static void count_access(struct hd_counters *counters, const struct hd_injected *access)
{
	counters->warp_instructions++;
	counters->lsu_instructions++;
	counters->injected++;
	counters->thread_instructions += (uint32_t)__builtin_popcount(access->mask);
	counters->register_reads += access->kind == HD_INJECT_STORE;
	counters->register_writes += access->kind == HD_INJECT_LOAD;
}

static void count_micro(struct hd_counters *counters)
{
	counters->warp_instructions++;
	counters->control_instructions++;
	counters->micro_operations++;
}

static void end_micro(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	count_micro(hd_sm_counters(sm, warp));
	warp->last_issue = now;
	next_row(&warp->injection);
	hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
}

static void issue_micro(struct hd_sm *sm, struct hd_scheduler *scheduler, struct hd_warp *warp, uint64_t now)
{
	uint64_t ready = now + sm->gpu->shape.operand_cycles;
	struct hd_collector *collector = hd_collector_take(sm, scheduler, warp, sm->next[warp->id], now);
	hd_collector_hold(sm, scheduler, collector, now,
			  hd_units_dispatch(sm, scheduler, sm->next[warp->id], now, ready));
	hd_bank_write(sm, warp, warp->injection.queue->rows, ready * HD_TICKS);
	hd_sm_counters(sm, warp)->register_writes++;
	end_micro(sm, warp, now);
}

static void issue_control(struct hd_sm *sm, const struct hd_scheduler *scheduler, struct hd_warp *warp, uint64_t now)
{
	hd_units_dispatch(sm, scheduler, sm->next[warp->id], now, now);
	end_micro(sm, warp, now);
}

/* Rows are not registers of the program: they lie in one bank after the other. */
static uint64_t collect_row(struct hd_sm *sm, const struct hd_warp *warp, uint64_t now)
{
	const struct hd_injected *access = warp->injection.queue;
	if (access->kind != HD_INJECT_STORE)
		return now + sm->gpu->shape.operand_cycles;
	return (hd_bank_read(sm, warp, access->rows, now * HD_TICKS) + HD_TICKS - 1) / HD_TICKS;
}

void hd_inject_issue(struct hd_sm *sm, struct hd_scheduler *scheduler, struct hd_warp *warp, uint64_t now)
{
	struct hd_injection *injection = &warp->injection;
	const struct hd_dinst *inst = sm->next[warp->id];
	if (injection->queue->kind == HD_INJECT_MICRO) {
		issue_micro(sm, scheduler, warp, now);
		return;
	}
	if (injection->queue->kind == HD_INJECT_CONTROL) {
		issue_control(sm, scheduler, warp, now);
		return;
	}
	struct hd_collector *collector = hd_collector_take(sm, scheduler, warp, inst, now);
	uint64_t ready = hd_access_after(&sm->gpu->shape, warp, collect_row(sm, warp, now));
	uint64_t dispatch = hd_units_dispatch(sm, scheduler, inst, now, ready);
	hd_collector_hold(sm, scheduler, collector, now, dispatch);
	warp->dispatched = hd_later(warp->dispatched, dispatch);
	count_access(hd_sm_counters(sm, warp), injection->queue);
	fill_request(sm, warp, injection->queue);
	warp->last_issue = now;
	sm->access.request.token = UINT32_MAX;
	if (injection->queue->kind == HD_INJECT_LOAD) {
		sm->access.request.token = hd_inflight_take(sm, warp, inst);
		injection->outstanding++;
	}
	next_row(injection);
	hd_access_send(sm, warp, now, hd_latency_from(&sm->gpu->shape, dispatch), 0);
	if (injection->count || !injection->outstanding)
		hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
	else
		hd_warp_set_wait(sm, warp, HD_STALL_data_memory);
}

void hd_inject_complete(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct hd_injection *injection = &warp->injection;
	assert(injection->outstanding);
	hd_bank_write(sm, warp, injection->outstanding, now * HD_TICKS);
	if (!--injection->outstanding && warp->state == HD_WARP_KILLED)
		hd_warp_finish(sm, warp, now);
	else if (!injection->outstanding && !injection->count)
		hd_warp_continue(sm, warp, now, now, HD_STALL_control);
}
