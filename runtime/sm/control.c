/*
 * Dependences by control bits (core = modern), in place of the scoreboard: what a warp of NVIDIA's cards from Volta on
 * waits for (Huerta et al., MICRO 2025, 4.1). A warp may issue when the stall count of its last instruction has run
 * down and the counters that its next one waits for are at zero. A counter is raised at issue, and lowered when the
 * result is written, or when the sources have been read. Nothing else is looked at: registers are right because the
 * code's bits are (lib/object/control_check.c proves it at load, --verify watches it).
 *
 * A stall count is counted from when the instruction, if of fixed latency, gets into its read window: one that waits
 * there for a port holds what is behind it. So its result is there when the count says, however long it waited.
 *
 * Not modelled: that a raised counter shows a cycle late (the compiler stalls for it, and the check at load sees to
 * that), and waits for a counter to come below another number than zero (DEPBAR.LE) but for that of groups of copies,
 * which is none of the six (copies.c).
 *
 * Needs hd_dinst's bits (exec/control.c). Cost: a few operations an instruction; a timer for each that raises a counter
 * for its sources.
 */
#include <assert.h>
#include <string.h>

#include "heddle/control.h"
#include "runtime/core/cycle.h"
#include "runtime/sm/control.h"
#include "runtime/sm/copies.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/scoreboard.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/timers.h"
#include "runtime/sm/units.h"

_Static_assert(sizeof((struct hd_warp){0}.counters) == HD_COUNTERS, "a counter each");

void hd_control_begin(struct hd_warp *warp)
{
	warp->stall_until = 0;
	warp->flights = 0;
	warp->raised = warp->raised_memory = warp->raised_shared = warp->full = 0;
	memset(warp->counters, 0, sizeof(warp->counters));
}

static uint8_t reason_of(const struct hd_warp *warp, uint8_t counters)
{
	if (counters & warp->raised_memory)
		return HD_STALL_data_memory;
	return counters & warp->raised_shared ? HD_STALL_data_shared : HD_STALL_data_alu;
}

void hd_control_evaluate(struct hd_sm *sm, struct hd_warp *warp)
{
	const struct hd_dinst *inst = sm->next[warp->id];
	if (warp->wake_at > sm->now && warp->next_issue == warp->wake_at)
		return;					       /* its timer will look again */
	if (__builtin_expect(warp->injection.count != 0, 0)) { /* may concern any register */
		hd_warp_set_wait(sm, warp, warp->flights ? reason_of(warp, warp->raised) : HD_WAIT_READY);
		return;
	}
	uint8_t awaited = (inst->wait & warp->raised) | (inst->raises & warp->full);
	if (!awaited && hd_copies_hold(warp, inst)) {
		hd_warp_set_wait(sm, warp, HD_STALL_data_memory);
		return;
	}
	if (!awaited)
		hd_warp_prefetch(warp, inst);
	hd_warp_set_wait(sm, warp, awaited ? reason_of(warp, awaited) : HD_WAIT_READY);
}

static void count_up(struct hd_warp *warp, uint8_t counter, bool memory, bool shared)
{
	uint8_t bit = (uint8_t)(1u << (counter - 1));
	assert(warp->counters[counter - 1] < HD_COUNTER_MOST);
	if (++warp->counters[counter - 1] == HD_COUNTER_MOST)
		warp->full |= bit;
	warp->raised |= bit;
	warp->raised_memory |= memory ? bit : 0;
	warp->raised_shared |= shared ? bit : 0;
}

static void count_down(struct hd_warp *warp, uint8_t counter)
{
	uint8_t keep = (uint8_t)~(1u << (counter - 1));
	assert(warp->counters[counter - 1]);
	warp->full &= keep;
	if (--warp->counters[counter - 1])
		return;
	warp->raised &= keep;
	warp->raised_memory &= keep;
	warp->raised_shared &= keep;
}

void hd_control_issued(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now,
		       uint64_t start)
{
	bool memory = inst->pipe == HD_PIPE_LSU;
	bool shared = memory && (hd_opinfo[inst->inst.op].space == HD_AT_SHARED || inst->lat_class == HD_LAT_SHFL);
	uint64_t until = (hd_is_arithmetic(inst) ? hd_later(start, now) : now) + inst->stall;
	/* A path that sleeps may just have come to run. */
	warp->stall_until = hd_later(warp->stall_until, until);
	if (!inst->tensor_cycles) /* who wants the result of a product of a warpgroup waits for it with WARPGROUP */
		warp->flights += hd_hazard_any(&inst->writes);
	if (inst->counter)
		count_up(warp, inst->counter, memory && !shared, shared);
	if (inst->read_counter) {
		uint64_t at = hd_later(start, now) + inst->read_cycles;
		count_up(warp, inst->read_counter, memory && !shared, shared);
		warp->flights++;
		hd_warp_timer(&sm->wheel, warp, HD_TIMER_READ, now, at)->inst = inst;
	}
	HD_TELL(sm->gpu, started, sm, warp, inst, now, start);
}

void hd_control_written(struct hd_warp *warp, const struct hd_dinst *inst)
{
	if (__builtin_expect(!inst->stall, 0))
		return; /* no instruction of the program */
	assert(warp->flights);
	warp->flights--;
	if (inst->counter)
		count_down(warp, inst->counter);
}

void hd_control_read(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	warp->flights--;
	count_down(warp, inst->read_counter);
	if (warp->state >= HD_WARP_DONE)
		hd_warp_finish(sm, warp, now);
	else if (warp->wait_reason >= HD_STALL_data_alu && warp->wait_reason <= HD_STALL_data_memory)
		hd_warp_evaluate(sm, warp);
}
