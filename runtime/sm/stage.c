/*
 * The operand stage under policies that look at it: which collector takes an instruction, where each of its operands
 * comes from and when they are there, when it is dispatched, and where results go. What the stage does by itself is in
 * operands.c; here collectors know where each operand comes from, and policies are told of each change.
 *
 * Results of a cycle are kept until all have come, and are told in the order in which their instructions were issued.
 *
 * Cost: nothing for SMs whose policies have none of these hooks; else a timer for each dispatch.
 */
#include "runtime/sm/stage.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/modern.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/timers.h"

/* ---- at issue */

bool hd_stage_choose(struct hd_sm *sm, const struct hd_scheduler *scheduler, struct hd_warp *warp, uint64_t now,
		     uint8_t *reason)
{
	const struct hd_dinst *inst = sm->next[warp->id];
	sm->stage.chosen = HD_NO_COLLECTOR;
	if (inst->pipe == HD_PIPE_BRU)
		return true;
	HD_HOOKED (sm->gpu, self, operands.choose_collector) {
		*reason = HD_STALL_collector;
		sm->stage.chosen =
			self->hooks->operands.choose_collector(self, warp, inst, scheduler->regfile, now, reason);
		if (sm->stage.chosen == HD_NO_COLLECTOR)
			return false;
	}
	return true;
}

static enum hd_source source_of(const struct hd_sm *sm, struct hd_collector *collector,
				const struct hd_operand *operand, uint64_t now, uint64_t *ready)
{
	HD_HOOKED (sm->gpu, self, operands.operand_source)
		return self->hooks->operands.operand_source(self, collector, operand, now, ready);
	return HD_FROM_BANK;
}

/* A register that an operand before this one has from its bank already is not read twice. */
static uint64_t read_bank(struct hd_sm *sm, const struct hd_collector *collector, uint32_t index, uint64_t from)
{
	const struct hd_operand *operands = collector->inst->operands;
	for (uint32_t i = operands[index].same; i < index; i++)
		if (operands[i].reg == operands[index].reg && collector->source[i] == HD_FROM_BANK)
			return collector->ready[i];
	return hd_bank_read(sm, collector->warp, operands[index].reg, from);
}

uint64_t hd_stage_read(struct hd_sm *sm, struct hd_collector *collector, uint64_t now, uint64_t first)
{
	const struct hd_dinst *inst = collector->inst;
	uint64_t latest = first;
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		uint64_t ready = first;
		enum hd_source source = source_of(sm, collector, &inst->operands[i], now, &ready);
		if (source == HD_FROM_BANK)
			ready = read_bank(sm, collector, i, first);
		collector->source[i] = (uint8_t)source;
		collector->ready[i] = ready;
		latest = ready > latest ? ready : latest;
	}
	return latest;
}

void hd_stage_start(struct hd_sm *sm, struct hd_collector *collector, uint64_t now, uint64_t dispatch)
{
	struct hd_warp *warp = collector->warp;
	collector->waiting = true;
	warp->collected++;
	if (dispatch > now)
		hd_warp_timer(&sm->wheel, warp, HD_TIMER_DISPATCH, now, dispatch)->which = collector->number;
	else
		hd_stage_dispatched(sm, collector->number, now);
}

/* ---- events */

static struct hd_collector *collector_at(const struct hd_sm *sm, uint32_t number)
{
	uint32_t each = sm->operands.regfiles[0]->collector_count;
	return &sm->operands.regfiles[number / each]->collectors[number % each];
}

void hd_stage_dispatched(struct hd_sm *sm, uint32_t which, uint64_t now)
{
	struct hd_collector *collector = collector_at(sm, which);
	collector->waiting = false;
	HD_HOOKED (sm->gpu, self, operands.dispatch)
		self->hooks->operands.dispatch(self, collector, now);
	collector->warp->collected--;
}

/* ---- results */

void hd_stage_result(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes,
		     uint32_t order)
{
	uint32_t at = sm->stage.result_count++;
	while (at && (int32_t)(order - sm->stage.results[at - 1].order) < 0) {
		sm->stage.results[at] = sm->stage.results[at - 1];
		at--;
	}
	sm->stage.results[at] = (struct hd_stage_result){warp, inst, lanes, order};
}

static enum hd_target target_of(const struct hd_sm *sm, const struct hd_result *result, uint64_t now)
{
	HD_HOOKED (sm->gpu, self, operands.result_target)
		return self->hooks->operands.result_target(self, result, now);
	return HD_TO_BANK;
}

/* The cycle at which all registers of a result are written. */
static uint64_t write_result(struct hd_sm *sm, const struct hd_stage_result *from, uint64_t now)
{
	uint64_t latest = now * HD_TICKS;
	for (uint32_t word = 0; word < from->inst->write_count; word++) {
		struct hd_result result = {.warp = from->warp,
					   .inst = from->inst,
					   .lanes = from->lanes,
					   .order = from->order,
					   .reg = (uint8_t)(from->inst->inst.dst + word),
					   .word = (uint8_t)word};
		if (target_of(sm, &result, now) == HD_TO_CACHE) {
			hd_register_not_written(sm, from->warp, result.reg, now);
			continue;
		}
		uint64_t at = hd_bank_write(sm, from->warp, result.reg, now * HD_TICKS);
		latest = at > latest ? at : latest;
	}
	uint64_t cycle = hd_tick_cycle(latest);
	if (sm->gpu->shape.modern)
		cycle = hd_modern_write(from->inst, now, cycle);
	hd_sm_counters(sm, from->warp)->write_conflicts += cycle - now;
	return cycle;
}

void hd_stage_results(struct hd_sm *sm, uint64_t now)
{
	for (uint32_t i = 0; i < sm->stage.result_count; i++) {
		const struct hd_stage_result *result = &sm->stage.results[i];
		hd_sm_write(sm, result->warp, result->inst, now, write_result(sm, result, now));
	}
	sm->stage.result_count = 0;
}
