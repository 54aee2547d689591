/*
 * The third model of the operand stage (`operands = accelsim`): the operand collector of the public simulator
 * (GPGPU-Sim 4, Accel-Sim), on which R2D2 and Malekeh were evaluated. A register stage in front of the collectors has a
 * place for each unit of a scheduler, and so has one behind them. Between these it works in steps, `register_ports` of
 * them a cycle. A step, in this order,
 *
 *   1. dispatches what is complete, if the place behind the collectors is free;
 *   2. serves one access of each bank: the result that is written in the cycle, in its first step, and else the read
 *      that has waited longest. A collector takes operands of several banks in one step;
 *   3. gives free collectors to what waits in front of them, single precision first and integers last. Their registers
 *      are read from the next step on.
 *
 * A collector that is dispatched from takes another instruction in the same step. An instruction is in front of the
 * collectors in the cycle after its issue, and holds up what is issued to the same unit until it has a collector. A
 * unit takes what is behind the collectors in the next cycle, or when its interval is over, and a result is written two
 * cycles after its latency L. With two steps a cycle, an instruction that reads no register has its result L + 4 cycles
 * after issue, and one that reads some L + 5 and more. In contrast to the other models, none of that is part of L.
 *
 * When an instruction gets a collector, all that comes behind is known but when loads will write: such a result pushes
 * back the reads of its bank that are made from then on, and not the one whose step it takes. Instructions of one unit
 * are dispatched in the order in which they get collectors, the accesses of a warp among them, and results never wait.
 * Where policies look at the stage (stage.c), an instruction issues only if its collector is free in the next cycle, or
 * will be in it.
 *
 * Cost: a few operations for each register read; a visit of the SM in each cycle in which something waits.
 */
#include "runtime/sm/accelsim.h"

#include "heddle/config.h"
#include "runtime/sm/access.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/range.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/stage.h"
#include "runtime/sm/timers.h"
#include "runtime/sm/units.h"

/* Cycles beside the latency, from a unit's start on: the register behind it, and write-back. */
enum { RESULT_STAGES = 2 };

/* The place in front of the collectors that a unit has, and what the instruction in it does when it has started. */
struct hd_front {
	struct hd_warp *warp;
	const struct hd_dinst *inst;
	const struct hd_scheduler *scheduler;
	uint8_t rank; /* collectors take the least first */
	bool has_result, has_access, has_range;
	uint32_t lanes, order;	/* of the result */
	uint32_t access;	/* hd_access_later's index */
	uint64_t result, range; /* cycles behind the start */
};

/* In the order in which the public simulator asks its ports. */
static uint8_t rank_of(uint32_t pipe)
{
	static const uint8_t ranks[HD_PIPE_COUNT] = {
		[HD_PIPE_FP32] = 0,   [HD_PIPE_SFU] = 1,  [HD_PIPE_LSU] = 2,
		[HD_PIPE_TENSOR] = 3, [HD_PIPE_FP64] = 4, [HD_PIPE_INT] = 5,
	};
	return ranks[pipe];
}

void hd_accelsim_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena)
{
	sm->accelsim.next = HD_NEVER;
	if (config->operands != HD_OPERANDS_ACCELSIM)
		return;
	sm->accelsim.fronts = HD_ARENA_NEW(arena, struct hd_front, sm->units.total);
	sm->accelsim.waiting = HD_ARENA_NEW(arena, uint16_t, sm->units.total);
}

void hd_accelsim_drop(struct hd_sm *sm)
{
	for (uint32_t i = 0; i < sm->accelsim.count; i++)
		sm->units.units[sm->accelsim.waiting[i]].issue = 0;
	sm->accelsim.count = 0;
	sm->accelsim.next = HD_NEVER;
	for (uint32_t part = 0; sm->gpu->shape.accelsim && part < sm->gpu->shape.parts; part++)
		memset(sm->operands.regfiles[part]->due, 0, sm->gpu->shape.banks * sizeof(uint64_t));
}

/* ---- with a collector */

/* The tick after the step in which it has the last of its operands. */
static uint64_t collect(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst,
			struct hd_collector *collector, uint64_t now, uint64_t first)
{
	uint64_t ready = first;
	if (inst->read_count)
		ready = sm->hooks & HD_STAGE_HOOKS ? hd_stage_read(sm, collector, now, first)
						   : hd_registers_read(sm, warp, inst, first);
	if (inst->range & HD_RANGE_READS && sm->hooks & HD_HOOK(range_reads))
		ready = hd_range_operands(sm, warp, inst, first, ready);
	return ready;
}

/* It gets its collector at tick `taken` or when that is free; returns the cycle from which its latency counts. */
static uint64_t start(struct hd_sm *sm, const struct hd_scheduler *scheduler, struct hd_unit *unit,
		      struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now, uint64_t taken)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	uint64_t *behind = &sm->units.behind[unit - sm->units.units];
	struct hd_collector *collector = hd_collector_take(sm, scheduler, warp, inst, now);
	taken = hd_later(taken, scheduler->regfile->steps[collector->index]);
	uint64_t ready = collect(sm, warp, inst, collector, now, taken + shape->busy);
	uint64_t left = hd_later(ready, *behind), from = hd_later(left / HD_TICKS + 1, unit->end / 2);
	unit->issue = taken / HD_TICKS;
	unit->end = 2 * (from + inst->interval);
	*behind = from * HD_TICKS;
	hd_collector_hold(sm, scheduler, collector, now, left / HD_TICKS - 1); /* what is issued then has it next */
	scheduler->regfile->steps[collector->index] = left;
	warp->dispatched = hd_later(warp->dispatched, left / HD_TICKS);
	if (hd_is_arithmetic(inst))
		hd_registers_due(sm, warp, inst, now, from + RESULT_STAGES + inst->latency);
	return from + RESULT_STAGES;
}

/* ---- in front of the collectors */

uint64_t hd_accelsim_issue(struct hd_sm *sm, const struct hd_scheduler *scheduler, struct hd_warp *warp,
			   const struct hd_dinst *inst, uint64_t now)
{
	struct hd_unit *unit = hd_unit_first_free(&sm->units, scheduler, hd_inst_port(inst));
	unit->last = inst;
	if (sm->hooks & HD_STAGE_HOOKS)
		return start(sm, scheduler, unit, warp, inst, now, (now + 1) * HD_TICKS);
	uint16_t index = (uint16_t)(unit - sm->units.units);
	struct hd_front *front = &sm->accelsim.fronts[index];
	uint32_t at = sm->accelsim.count++;
	*front = (struct hd_front){.warp = warp, .inst = inst, .scheduler = scheduler, .rank = rank_of(inst->pipe)};
	for (; at && sm->accelsim.fronts[sm->accelsim.waiting[at - 1]].rank > front->rank; at--)
		sm->accelsim.waiting[at] = sm->accelsim.waiting[at - 1];
	sm->accelsim.waiting[at] = index;
	sm->accelsim.issuing = front;
	sm->accelsim.next = hd_earlier(sm->accelsim.next, now + 1);
	unit->issue = HD_NEVER;
	warp->collected++;
	return HD_LATER;
}

void hd_accelsim_result(struct hd_sm *sm, uint32_t lanes, uint64_t at)
{
	struct hd_front *front = sm->accelsim.issuing;
	front->has_result = true;
	front->lanes = lanes;
	front->order = sm->issue.issued;
	front->result = at - HD_LATER;
}

void hd_accelsim_access(struct hd_sm *sm, uint32_t index)
{
	sm->accelsim.issuing->has_access = true;
	sm->accelsim.issuing->access = index;
}

void hd_accelsim_range(struct hd_sm *sm, uint64_t at)
{
	sm->accelsim.issuing->has_range = true;
	sm->accelsim.issuing->range = at - HD_LATER;
}

static void leave_front(struct hd_sm *sm, uint32_t index, uint64_t now, uint64_t tick)
{
	const struct hd_front *front = &sm->accelsim.fronts[index];
	struct hd_warp *warp = front->warp;
	uint64_t from = start(sm, front->scheduler, &sm->units.units[index], warp, front->inst, now, tick);
	if (front->has_result) {
		struct hd_timer *timer = hd_warp_timer(&sm->wheel, warp, HD_TIMER_RESULT, now, from + front->result);
		timer->inst = front->inst;
		timer->which = front->order;
		timer->lanes = front->lanes;
	}
	if (front->has_access)
		hd_access_known(sm, warp, front->access, now, from);
	if (front->has_range)
		hd_range_start(sm, warp, front->inst, now, from + front->range);
	warp->collected--;
	if (warp->state >= HD_WARP_DONE)
		hd_warp_finish(sm, warp, now);
}

static bool has_free_collector(const struct hd_regfile *file, uint64_t tick)
{
	for (uint32_t i = 0; i < file->collector_count; i++)
		if (file->steps[i] <= tick)
			return true;
	return false;
}

void hd_accelsim_cycle(struct hd_sm *sm, uint64_t now)
{
	struct hd_accelsim *all = &sm->accelsim;
	uint64_t first = now * HD_TICKS, step = sm->gpu->shape.busy;
	uint64_t end = first + (step / 2 < HD_TICKS ? HD_TICKS - step / 2 : 1); /* one step, however long it is */
	for (uint64_t tick = first; tick < end && all->count; tick += step) {
		uint32_t left = 0;
		for (uint32_t i = 0; i < all->count; i++) {
			uint16_t index = all->waiting[i];
			if (has_free_collector(all->fronts[index].scheduler->regfile, tick))
				leave_front(sm, index, now, tick);
			else
				all->waiting[left++] = index;
		}
		all->count = left;
	}
	all->next = all->count ? now + 1 : HD_NEVER;
	for (uint32_t i = 0; i < sm->scheduling.count; i++)
		hd_scheduler_wake(&sm->scheduling, i);
}
