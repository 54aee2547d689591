/*
 * Issue of one warp instruction: operands and unit are reserved, the instruction is executed functionally, and what it
 * did decides the timing: a timer for a fixed-latency result, a request to the load/store unit, a pause for control, a
 * barrier, a fence or the end of the warp. Write-back and completion, which end what is started here, are here too.
 *
 * A result is there `latency` cycles after issue, or as much later as its operands and its unit were late (`start`),
 * and a dependent instruction can issue in the cycle in which it is written.
 *
 * Cost: O(1) beside the functional execution.
 */
#include <assert.h>
#include <stddef.h>

#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"
#include "runtime/sm/accelsim.h"
#include "runtime/sm/access.h"
#include "runtime/sm/barrier.h"
#include "runtime/sm/bulk.h"
#include "runtime/sm/cluster.h"
#include "runtime/sm/constant.h"
#include "runtime/sm/context.h"
#include "runtime/sm/control.h"
#include "runtime/sm/copies.h"
#include "runtime/sm/dependence.h"
#include "runtime/sm/dispatch.h"
#include "runtime/sm/drain.h"
#include "runtime/sm/elide.h"
#include "runtime/sm/fetch.h"
#include "runtime/sm/forward.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/inflight.h"
#include "runtime/sm/inject.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/loads.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/range.h"
#include "runtime/sm/registers.h"
#include "runtime/sm/results.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/scoreboard.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/stage.h"
#include "runtime/sm/stream.h"
#include "runtime/sm/texture.h"
#include "runtime/sm/timers.h"
#include "runtime/sm/units.h"
#include "runtime/sm/wgmma.h"

static void count_role(struct hd_counters *counters, uint8_t role)
{
	counters->callee_saves += role == HD_ROLE_CALLEE_SAVE;
	counters->callee_restores += role == HD_ROLE_CALLEE_RESTORE;
	counters->spill_stores += role == HD_ROLE_SPILL_STORE;
	counters->spill_loads += role == HD_ROLE_SPILL_LOAD;
}

static void count_issue(struct hd_counters *counters, const struct hd_dinst *inst)
{
	static const size_t by_pipe[] = {
#define X(name, interval, units, counter) [HD_PIPE_##name] = offsetof(struct hd_counters, counter),
		HD_PIPE_LIST(X)
#undef X
			[HD_PIPE_BRU] = offsetof(struct hd_counters, control_instructions),
		[HD_PIPE_RENAME] = offsetof(struct hd_counters, control_instructions),
	};
	counters->warp_instructions++;
	counters->register_reads += inst->bank_count;
	counters->register_writes += inst->write_count;
	++*(uint64_t *)((char *)counters + by_pipe[inst->pipe]);
	if (__builtin_expect(inst->products, 0))
		hd_count_products(counters, inst, 1);
	if (inst->inst.role != HD_ROLE_PLAIN)
		count_role(counters, inst->inst.role);
}

bool hd_warp_drained(const struct hd_warp *warp)
{
	return !warp->outstanding && !warp->late && !warp->collected && !warp->range_writes &&
	       !warp->injection.outstanding && !warp->flights && !hd_hazard_any(&warp->pending);
}

/* Events let a warp that has ended go on, or a timer where its last result has none. */
static void await_rest(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	uint64_t last = hd_results_under_way(sm, warp) ? hd_results_last(sm, warp, NULL) : 0;
	if (last && warp->wake_at != last) {
		hd_warp_timer(&sm->wheel, warp, HD_TIMER_DRAINED, now, last);
		warp->wake_at = last;
	}
	hd_warp_set_wait(sm, warp, warp->outstanding || warp->late ? HD_STALL_data_memory : HD_STALL_data_alu);
}

/* A warp whose last thread has exited goes when nothing that it started is under way. */
void hd_warp_finish(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	if (hd_results_due(sm, warp))
		hd_results_tell(sm, warp);
	if (!hd_warp_drained(warp))
		await_rest(sm, warp, now);
	else if (warp->state == HD_WARP_KILLED)
		hd_warp_bury(sm, warp);
	else if (warp->stream)
		hd_stream_end(sm, warp, now);
	else
		hd_sm_warp_done(sm, warp, now);
}

void hd_sm_result(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes, uint32_t order,
		  uint64_t now)
{
	if (__builtin_expect(sm->hooks & HD_HOOK(result_target), 0))
		hd_stage_result(sm, warp, inst, lanes, order);
	else
		hd_sm_write(sm, warp, inst, now, hd_operands_write(sm, warp, inst, now));
}

void hd_sm_write(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now, uint64_t at)
{
	if (at == now) {
		hd_sm_written(sm, warp, inst, now);
		return;
	}
	hd_warp_timer(&sm->wheel, warp, HD_TIMER_WRITTEN, now, at)->inst = inst;
}

void hd_sm_written(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	sm->issue.written++;
	if (sm->results.used && hd_results_due(sm, warp))
		hd_results_tell(sm, warp);
	hd_hazard_remove(&warp->pending, &inst->writes);
	if (inst->pipe == HD_PIPE_LSU) {
		hd_hazard_remove(&warp->pending_memory, &inst->writes);
		hd_hazard_remove(&warp->pending_shared, &inst->writes);
		if (__builtin_expect(sm->two_level.leaves_on_miss, 0))
			hd_hazard_remove(&sm->two_level.warps[warp->id].missed, &inst->writes);
	}
	if (__builtin_expect(sm->by_control, 0))
		hd_control_written(warp, inst);
	else if (__builtin_expect(sm->forwarding.used, 0))
		hd_forward_written(sm, warp, inst, now);
	if (sm->hooks & HD_HOOK(write_back))
		HD_HOOKED (sm->gpu, self, issue.write_back)
			self->hooks->issue.write_back(self, warp, inst, now);
	HD_TELL(sm->gpu, written, sm, warp, inst);
	if (warp->state >= HD_WARP_DONE)
		hd_warp_finish(sm, warp, now);
	else if (warp->wait_reason >= HD_STALL_data_alu && warp->wait_reason <= HD_STALL_data_memory)
		hd_warp_evaluate(sm, warp);
}

/* Results whose cycles were known before come first. */
static inline void write_others(struct hd_sm *sm, const struct hd_warp *warp, uint64_t now)
{
	if (sm->results.used)
		hd_results_take_ports(sm, warp, now, sm->issue.issued + 1);
}

/* A fetch has its texels; its result comes out of the texture units. */
static void filter(struct hd_sm *sm, struct hd_warp *warp, const struct hd_inflight *entry, uint64_t now)
{
	uint64_t at = hd_texture_filter(&sm->textures, entry, now);
	if (at <= now) {
		write_others(sm, warp, now);
		hd_sm_result(sm, warp, entry->inst, entry->lanes, entry->order, now);
		return;
	}
	struct hd_timer *timer = hd_warp_timer(&sm->wheel, warp, HD_TIMER_RESULT, now, at);
	timer->inst = entry->inst;
	timer->which = sm->results.used ? sm->issue.issued + 1 : entry->order;
	timer->lanes = entry->lanes;
}

/* The warp may have been waiting for that group. */
static void copy_done(struct hd_sm *sm, struct hd_warp *warp, uint8_t group, uint8_t arrival, uint64_t now)
{
	hd_copies_done(warp, group);
	hd_mbarrier_copied(sm, warp, arrival, now);
	if (warp->state >= HD_WARP_DONE)
		hd_warp_finish(sm, warp, now);
	else if (warp->wait_reason == HD_STALL_data_memory)
		hd_warp_evaluate(sm, warp);
}

void hd_sm_complete(struct hd_sm *sm, uint32_t token, uint64_t now)
{
	struct hd_inflight *entry = &sm->inflight.entries[token];
	struct hd_warp *warp = &sm->warps[entry->warp];
	entry->next_free = sm->inflight.free;
	sm->inflight.free = token;
	sm->inflight.answered++;
	sm->inflight.left++;
	if (entry->inst == &sm->injector.insts[HD_INJECT_LOAD]) {
		hd_inject_complete(sm, warp, now);
		return;
	}
	assert(warp->outstanding);
	warp->outstanding--;
	if (__builtin_expect(entry->filter, 0)) {
		filter(sm, warp, entry, now);
		return;
	}
	if (entry->inst->effects & HD_FX_ASYNC) {
		copy_done(sm, warp, entry->group, entry->arrival, now);
		return;
	}
	write_others(sm, warp, now);
	hd_sm_result(sm, warp, entry->inst, entry->lanes, entry->order, now);
}

static void fetch_next(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t *at, uint8_t *reason)
{
	uint64_t line = warp->pc >> sm->fetch.pc_shift, ready = 0;
	if (__builtin_expect(sm->hooks & HD_HOOK(code_place), 0)) {
		ready = hd_fetch_placed(sm, warp, now);
	} else if (line != sm->fetch.line[warp->id]) {
		ready = hd_fetch_next(sm, warp, line, now);
	}
	if (ready > *at && ready > now + 1) {
		*at = ready;
		*reason = HD_STALL_fetch;
	}
	if (!sm->hooks)
		return;
	warp->next_issue = *at;
	HD_HOOKED (sm->gpu, self, issue.fetch)
		self->hooks->issue.fetch(self, warp, warp->pc, now);
	if (warp->next_issue > *at) {
		*at = warp->next_issue;
		*reason = HD_STALL_policy;
	}
}

void hd_warp_wake_at(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t at, uint8_t reason)
{
	warp->next_issue = at;
	if (warp->wake_at != at)
		hd_warp_timer(&sm->wheel, warp, HD_TIMER_WAKE, now, at);
	warp->wake_at = at;
	hd_warp_set_wait(sm, warp, reason);
}

/* What the hook `fetch` has injected comes before the instruction that it was told of. */
static const struct hd_dinst *next_of(const struct hd_sm *sm, const struct hd_warp *warp)
{
	return warp->injection.count ? hd_injected_inst(&sm->injector, warp) : &sm->gpu->program.code.data[warp->pc];
}

void hd_warp_continue(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t at, uint8_t reason)
{
	if (__builtin_expect(warp->injection.count != 0, 0)) {
		sm->next[warp->id] = hd_injected_inst(&sm->injector, warp);
	} else {
		bool there = warp->slot != HD_NO_SLOT; /* else it is fetched when the warp is back */
		if (there && (__builtin_expect(!(sm->hooks & HD_HOOK(elide)), 1) || !hd_elide_wanted(sm, warp, now)))
			fetch_next(sm, warp, now, &at, &reason);
		sm->next[warp->id] = next_of(sm, warp);
	}
	if (__builtin_expect(warp->stall_until > at, 0)) {
		bool sleeps = at < hd_vec_last(&warp->stack).wakes;
		at = warp->stall_until;
		reason = sleeps ? HD_STALL_control : HD_STALL_data_alu;
	}
	if (at > now + 1) {
		hd_warp_wake_at(sm, warp, now, at, reason);
	} else {
		warp->next_issue = at;
		hd_warp_evaluate(sm, warp);
	}
	if (__builtin_expect(sm->drain.stopping, 0) && !warp->injection.count)
		hd_warp_arrive(sm, warp, now);
}

void hd_warp_return(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	uint64_t at = warp->next_issue > now ? warp->next_issue : now;
	uint8_t reason = HD_STALL_control;
	bool awaits_loads = warp->injection.outstanding && !warp->injection.count;
	if (warp->state != HD_WARP_RUNNING || hd_warp_is_suspended(warp) || awaits_loads)
		return;
	if (warp->fresh) {
		hd_warp_begin(sm, warp, now, at, reason);
		return;
	}
	if (!warp->injection.count)
		fetch_next(sm, warp, now, &at, &reason);
	sm->next[warp->id] = next_of(sm, warp);
	if (at > now)
		hd_warp_wake_at(sm, warp, now, at, reason);
	else
		hd_warp_evaluate(sm, warp);
}

void hd_sm_result_at(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes, uint64_t now,
		     uint64_t at)
{
	if (!hd_hazard_any(&inst->writes))
		return;
	sm->issue.begun++;
	hd_hazard_add(&warp->pending, &inst->writes);
	if (inst->pipe == HD_PIPE_LSU)
		hd_hazard_add(inst->lat_class == HD_LAT_SHFL ? &warp->pending_shared : &warp->pending_memory,
			      &inst->writes);
	if (hd_is_later(at)) {
		hd_accelsim_result(sm, lanes, at);
		return;
	}
	at = at > now ? at : now + 1;
	if (sm->results.used && !inst->awaited && hd_is_arithmetic(inst) && hd_results_take(sm, warp, inst, at))
		return;
	struct hd_timer *timer = hd_warp_timer(&sm->wheel, warp, HD_TIMER_RESULT, now, at);
	timer->inst = inst;
	timer->which = sm->issue.issued;
	timer->lanes = lanes;
}

static void start_fixed(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now, uint64_t at)
{
	hd_sm_result_at(sm, warp, inst, hd_effect_lanes(&sm->effect), now, at);
}

void hd_sm_await(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now, uint64_t at)
{
	if (!hd_hazard_any(&inst->writes))
		return;
	sm->issue.begun++;
	hd_hazard_add(&warp->pending, &inst->writes);
	hd_warp_timer(&sm->wheel, warp, HD_TIMER_WRITTEN, now, at)->inst = inst;
}

uint32_t hd_inflight_take(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst)
{
	bool again = sm->inflight.free != HD_INFLIGHT_NONE;
	uint32_t token = again ? sm->inflight.free : sm->inflight.fresh++;
	struct hd_inflight *entry = &sm->inflight.entries[token];
	assert(sm->inflight.left);
	if (again)
		sm->inflight.free = entry->next_free;
	sm->inflight.asked++;
	sm->inflight.left--;
	entry->inst = inst;
	entry->filter = 0;
	entry->lanes = hd_effect_lanes(&sm->effect);
	entry->order = sm->issue.issued;
	entry->warp = (uint8_t)warp->id;
	return token;
}

/* A completion is wanted when a register waits for it, or a group of copies. */
static uint32_t take_token(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint8_t space)
{
	if (inst->effects & HD_FX_ASYNC) {
		uint32_t token = hd_inflight_take(sm, warp, inst);
		sm->inflight.entries[token].group = hd_copies_start(warp);
		sm->inflight.entries[token].arrival = hd_mbarrier_copy(warp);
		warp->outstanding++;
		return token;
	}
	if (!hd_hazard_any(&inst->writes))
		return UINT32_MAX;
	uint32_t token = hd_inflight_take(sm, warp, inst);
	sm->issue.begun++;
	warp->outstanding++;
	hd_hazard_add(&warp->pending, &inst->writes);
	if (sm->hooks & HD_HOOK(first_use) && space != HD_MEM_SHARED)
		hd_hazard_add(&sm->loads.unused[warp->id], &inst->writes);
	hd_hazard_add(space == HD_MEM_SHARED ? &warp->pending_shared : &warp->pending_memory, &inst->writes);
	return token;
}

static void start_memory(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now,
			 uint64_t start)
{
	const struct hd_effect *effect = &sm->effect;
	bool zeros = inst->effects & HD_FX_ASYNC && effect->elsewhere;
	if ((!effect->mask && !zeros) ||
	    (sm->hooks & HD_HOOK(memory_access) && !hd_policy_memory_access(sm, warp, inst, now))) {
		start_fixed(sm, warp, inst, now, start + sm->issue.predicated_latency);
		return;
	}
	if (inst->inst.op == HD_OP_LDCX && sm->constants.l1.ways) {
		uint64_t at = hd_constant_load(&sm->constants, &sm->fetch, hd_sm_counters(sm, warp), effect->mask,
					       effect->address, hd_accelsim_about(start, now) + inst->extra);
		start_fixed(sm, warp, inst, now, at);
		return;
	}
	hd_access_start(sm, warp, inst, take_token(sm, warp, inst, effect->space), now, start);
}

void hd_sm_dispatched(struct hd_sm *sm, struct hd_warp *warp, uint32_t which, uint64_t now)
{
	hd_stage_dispatched(sm, which, now);
	if (warp->state >= HD_WARP_DONE)
		hd_warp_finish(sm, warp, now);
}

void hd_sm_late_access(struct hd_sm *sm, struct hd_warp *warp, uint32_t index, uint64_t now)
{
	hd_access_arrive(sm, warp, index, now);
	if (warp->state >= HD_WARP_DONE)
		hd_warp_finish(sm, warp, now);
}

void hd_sm_range_written(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	if (hd_range_result(sm, warp, inst, now) && warp->state >= HD_WARP_DONE)
		hd_warp_finish(sm, warp, now);
}

/* The paths of a warp that made way for another one sleep by themselves (yield.c). */
static uint64_t sleep_cycles(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_inst *inst)
{
	const struct hd_effect *effect = &sm->effect;
	return 1 + (effect->mask && !effect->yielded ? hd_sleep_cycles(sm->gpu, warp, inst, effect->mask) : 0);
}

static void start_call(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	uint64_t extra = 0;
	hd_sm_counters(sm, warp)->calls++;
	if (sm->hooks & HD_HOOK(call))
		extra = hd_policy_call(sm, warp, inst, sm->effect.callee, now);
	hd_warp_continue(sm, warp, now, now + sm->issue.branch_latency + extra, HD_STALL_control);
}

static void start_return(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	uint64_t extra = 0;
	if (sm->hooks & HD_HOOK(call_return))
		extra = hd_policy_return(sm, warp, sm->effect.all_returned, now);
	hd_warp_continue(sm, warp, now, now + sm->issue.branch_latency + extra, HD_STALL_control);
}

static void start_plain(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now,
			uint64_t start)
{
	start_fixed(sm, warp, inst, now, start + inst->latency);
	if (__builtin_expect(inst->range & HD_RANGE_WRITES && sm->hooks & HD_HOOK(range_writes), 0))
		hd_range_start(sm, warp, inst, now, start + inst->latency);
	if (sm->hooks & HD_HOOK(call_return) && sm->effect.event == HD_EVENT_EXIT && sm->effect.all_returned)
		start_return(sm, warp, now);
	else if (inst->effects & (HD_FX_BRANCH | HD_FX_CALL | HD_FX_RET | HD_FX_EXIT))
		hd_warp_continue(sm, warp, now, now + sm->issue.branch_latency, HD_STALL_control);
	else if (inst->inst.op == HD_OP_NANOSLEEP)
		hd_warp_continue(sm, warp, now, now + sleep_cycles(sm, warp, &inst->inst), HD_STALL_control);
	else
		hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
}

static void end_group(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	if (sm->effect.mask) {
		hd_copies_commit(warp);
		hd_sm_counters(sm, warp)->copy_groups++;
	}
	hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
}

static void start_effect(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now,
			 uint64_t start)
{
	const struct hd_effect *effect = &sm->effect;
	if (effect->event == HD_EVENT_BRANCH)
		hd_sm_counters(sm, warp)->divergent_branches += effect->diverged;
	if (effect->yielded)
		hd_sm_counters(sm, warp)->yields++;
	switch (effect->event) {
	case HD_EVENT_MEMORY:
		start_memory(sm, warp, inst, now, start);
		hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
		if (__builtin_expect(inst->effects & HD_FX_SIDE, 0))
			hd_mbarrier_told(sm, warp, now);
		break;
	case HD_EVENT_BARRIER: hd_barrier_arrive(sm, warp, inst, effect->mask, now); break;
	case HD_EVENT_CLUSTER: hd_cluster_barrier(sm, warp, inst, effect->mask, now); break;
	case HD_EVENT_FENCE: hd_fence_wait(sm, warp, inst, now); break;
	case HD_EVENT_CALL: start_call(sm, warp, inst, now); break;
	case HD_EVENT_RETURN: start_return(sm, warp, now); break;
	case HD_EVENT_SYNC: hd_mbarrier_changed(sm, warp, inst, now); break;
	case HD_EVENT_WAIT: hd_mbarrier_wait(sm, warp, inst, now); break;
	case HD_EVENT_ARRIVES: hd_mbarrier_after_copies(sm, warp, inst, now); break;
	case HD_EVENT_BULK: hd_bulk_issue(sm, warp, inst, now); break;
	case HD_EVENT_WGMMA: hd_wgmma_start(sm, warp, inst, now); break;
	case HD_EVENT_RESIZE: hd_registers_resize(sm, warp, inst, now); break;
	case HD_EVENT_DEPENDENCE: hd_dependence_issue(sm, warp, inst, effect->mask, now); break;
	case HD_EVENT_FAULT:
		hd_warp_set_wait(sm, warp, HD_STALL_control); /* the grid stops at the end of this cycle */
		break;
	default:
		if (inst->inst.op == HD_OP_LDGDEPBAR)
			end_group(sm, warp, now);
		else
			start_plain(sm, warp, inst, now, start);
		break;
	}
}

/* With those who look at each instruction. */
static __attribute__((noinline)) void execute_watched(struct hd_sm *sm, struct hd_warp *warp,
						      const struct hd_dinst *inst)
{
	uint32_t pc = warp->pc;
	HD_TELL(sm->gpu, execute_before, sm, warp, inst);
	hd_warp_execute(sm->exec, warp, &sm->effect);
	HD_TELL(sm->gpu, execute_after, sm, warp, inst, pc, &sm->effect);
}

static inline void execute(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst)
{
	if (__builtin_expect((sm->gpu->watched & (HD_WATCH_BIT(execute_before) | HD_WATCH_BIT(execute_after))) != 0, 0))
		execute_watched(sm, warp, inst);
	else
		hd_warp_execute(sm->exec, warp, &sm->effect);
}

void hd_sm_execute(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst)
{
	execute(sm, warp, inst);
}

static void told_of_issue(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes,
			  uint64_t now)
{
	if (sm->hooks & HD_HOOK(issued))
		HD_HOOKED (sm->gpu, self, issue.issued)
			self->hooks->issue.issued(self, warp, inst, &sm->effect, now);
	if (warp->active != lanes && sm->hooks & HD_HOOK(path_switch))
		hd_policy_path(sm, warp, lanes, now);
}

/* The cycle at which all that the instruction reads is there. */
static inline uint64_t read_operands(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst,
				     struct hd_collector *collector, uint64_t now)
{
	uint64_t ready = now + sm->gpu->shape.operand_cycles;
	if (__builtin_expect(!sm->hooks, 1))
		return inst->read_count ? hd_operands_read(sm, warp, inst, now) : ready;
	if (inst->read_count)
		ready = collector && sm->hooks & HD_STAGE_HOOKS
				? hd_tick_cycle(hd_stage_read(sm, collector, now, now * HD_TICKS))
				: hd_operands_read(sm, warp, inst, now);
	if (inst->range & HD_RANGE_READS && sm->hooks & HD_HOOK(range_reads))
		ready = hd_tick_cycle(hd_range_operands(sm, warp, inst, now * HD_TICKS, ready * HD_TICKS));
	return ready;
}

/* The cycle in which its unit takes it. */
static inline __attribute__((always_inline)) uint64_t take_stages(struct hd_sm *sm,
								  const struct hd_scheduler *scheduler,
								  struct hd_warp *warp, const struct hd_dinst *inst,
								  uint64_t now)
{
	bool collected = inst->pipe != HD_PIPE_BRU && !sm->gpu->shape.modern;
	struct hd_collector *collector = collected ? hd_collector_take(sm, scheduler, warp, inst, now) : NULL;
	uint64_t ready = read_operands(sm, warp, inst, collector, now);
	if (inst->pipe == HD_PIPE_LSU)
		ready = hd_access_after(&sm->gpu->shape, warp, ready);
	uint64_t dispatch = hd_units_dispatch(sm, scheduler, inst, now, ready);
	if (collected)
		hd_collector_hold(sm, scheduler, collector, now, dispatch);
	return dispatch;
}

void hd_sm_issue(struct hd_sm *sm, struct hd_scheduler *scheduler, struct hd_warp *warp, uint64_t now)
{
	if (__builtin_expect(warp->injection.count != 0, 0)) {
		hd_inject_issue(sm, scheduler, warp, now);
		return;
	}
	const struct hd_dinst *inst = sm->next[warp->id];
	struct hd_counters *counters = hd_sm_counters(sm, warp);
	uint32_t lanes = warp->active, lanes_done;
	uint64_t dispatch = inst->pipe != HD_PIPE_BRU && __builtin_expect(sm->gpu->shape.accelsim, 0)
				    ? hd_accelsim_issue(sm, scheduler, warp, inst, now)
				    : take_stages(sm, scheduler, warp, inst, now);
	if (dispatch > warp->dispatched && !hd_is_later(dispatch))
		warp->dispatched = dispatch;
	sm->issue.issued++;
	if (sm->hooks & HD_HOOK(first_use))
		hd_loads_used(sm, warp, inst, now);
	count_issue(counters, inst);
	counters->stream_instructions += warp->stream;
	warp->last_issue = now;
	sm->exec->now = now;
	HD_TELL(sm->gpu, issue, sm, warp, inst);
	execute(sm, warp, inst);
	lanes_done = hd_effect_lanes(&sm->effect);
	counters->thread_instructions += __builtin_expect(lanes_done == UINT32_MAX, 1)
						 ? HD_WARP_LANES
						 : (uint32_t)__builtin_popcount(lanes_done);
	HD_TELL(sm->gpu, issued, sm->gpu, inst, &sm->effect);
	if (__builtin_expect(sm->hooks & (HD_HOOK(issued) | HD_HOOK(path_switch)), 0) &&
	    (sm->hooks & HD_HOOK(issued) || warp->active != lanes)) /* most instructions leave the path as it is */
		told_of_issue(sm, warp, inst, lanes, now);
	if (__builtin_expect(sm->by_control, 0))
		hd_control_issued(sm, warp, inst, now, hd_latency_from(&sm->gpu->shape, dispatch));
	if (sm->effect.warp_done) {
		warp->state = HD_WARP_DONE;
		hd_warp_finish(sm, warp, now);
	} else {
		start_effect(sm, warp, inst, now, hd_latency_from(&sm->gpu->shape, dispatch));
	}
}
