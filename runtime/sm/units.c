/*
 * Execution units. A unit is issued to once an initiation interval; an instruction then begins in the first slot of the
 * unit's calendar in which its operands are there. So one whose operands are late is late alone: those behind it begin
 * when theirs are there.
 *
 * A scheduler has its own units when the SM has at least one a scheduler, and shares them with the others when it has
 * fewer (a Fermi SM's special-function unit). Each scheduler has its own issue port to the load/store unit and to the
 * branch unit.
 *
 * Cost: O(units a scheduler), one on every modelled GPU; see calendar.h for late operands.
 */
#include <assert.h>

#include "heddle/config.h"
#include "runtime/sm/calendar.h"
#include "runtime/sm/memory_queue.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/units.h"

/* Slots between those of late instructions. Each of these holds a collector, so that a scheduler has few. */
enum { GAPS = 16 };

static uint32_t units_of(const struct hd_config *config, uint32_t pipe)
{
	switch (pipe) {
#define X(name, interval, units, counter) \
	case HD_PIPE_##name:             \
		return (uint32_t)config->units;
		HD_PIPE_LIST(X)
#undef X
	default: return (uint32_t)config->schedulers;
	}
}

/* Ports that are no pipes' own. */
static void open_ports(struct hd_scheduler *scheduler)
{
	scheduler->unit_first[HD_PORT_MEMORY] = scheduler->unit_first[HD_PIPE_LSU];
	scheduler->unit_count[HD_PORT_MEMORY] = scheduler->unit_count[HD_PIPE_LSU];
	scheduler->unit_first[HD_PORT_MULTIPLY] = scheduler->unit_first[HD_PIPE_FP32];
	scheduler->unit_count[HD_PORT_MULTIPLY] = 1;
}

void hd_units_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena)
{
	uint32_t total = 0, schedulers = sm->scheduling.count;
	for (uint32_t pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		uint32_t units = units_of(config, pipe), own = units / schedulers, over = units % schedulers;
		assert(units); /* config.def: at least 1 of each */
		for (uint32_t i = 0; i < schedulers; i++) {
			struct hd_scheduler *scheduler = &sm->scheduling.schedulers[i];
			if (own) {
				uint32_t before = i * own + (i < over ? i : over);
				scheduler->unit_first[pipe] = (uint16_t)(total + before);
				scheduler->unit_count[pipe] = (uint8_t)(own + (i < over));
			} else {
				scheduler->unit_first[pipe] = (uint16_t)(total + i % units);
				scheduler->unit_count[pipe] = 1;
			}
		}
		total += units;
	}
	for (uint32_t i = 0; i < schedulers; i++)
		open_ports(&sm->scheduling.schedulers[i]);
	sm->units.total = total;
	sm->units.units = HD_ARENA_NEW(arena, struct hd_unit, total);
	sm->units.calendars = HD_ARENA_NEW(arena, struct hd_calendar, total);
	sm->units.behind = HD_ARENA_NEW(arena, uint64_t, total);
	for (uint32_t i = 0; i < total; i++)
		hd_calendar_init(&sm->units.calendars[i], HD_ARENA_NEW(arena, struct hd_gap, GAPS), GAPS);
}

static uint64_t take_late(struct hd_sm *sm, struct hd_unit *unit, uint64_t now, uint64_t ready, uint64_t interval)
{
	struct hd_calendar *calendar = &sm->units.calendars[unit - sm->units.units];
	calendar->end = unit->end / 2;
	uint64_t at = hd_calendar_take(calendar, now, ready, interval);
	unit->end = 2 * calendar->end + (calendar->count > 0);
	return at;
}

uint64_t hd_units_dispatch(struct hd_sm *sm, const struct hd_scheduler *scheduler, const struct hd_dinst *inst,
			   uint64_t now, uint64_t ready)
{
	struct hd_unit *unit = hd_unit_first_free(&sm->units, scheduler, hd_inst_port(inst));
	uint64_t end = unit->end / 2;
	unit->issue = now + inst->interval;
	unit->last = inst;
	uint64_t at = ready > end ? ready : end;
	if (__builtin_expect(unit->end & 1 || hd_calendar_leaves_gap(end, now, ready), 0))
		at = take_late(sm, unit, now, ready, inst->interval);
	else
		unit->end = 2 * (at + inst->interval);
	if (inst->pipe == HD_PIPE_LSU && sm->memory_queues.places)
		hd_memory_queue_add(sm, scheduler, now, ready, at);
	return at;
}
