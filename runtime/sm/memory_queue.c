/*
 * Memory queues: places of each scheduler for memory instructions, those that wait for its address unit and the one in
 * it. A scheduler issues one in each cycle while it has a place. The address unit (the unit of the load/store pipe)
 * takes one after the other, ii_lsu cycles apart; the load/store unit of the SM takes one of any scheduler each
 * lsu_interval cycles (memory/lsu.c). An instruction leaves its place memory_hold cycles after that, in the order in
 * which it came. Instructions of the pipe that do not access memory (shuffles, constants, those whose lanes are all
 * off) leave as if the load/store unit had taken them at once.
 *
 * Without places (memory_queue = 0) a scheduler issues one when its unit takes it.
 *
 * Needs config (memory_queue, memory_hold). Cost: O(1) an instruction.
 * Huerta et al., MICRO 2025, 5.4 and Table 1.
 */
#include "runtime/sm/memory_queue.h"
#include "heddle/config.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/units.h"

enum { INDEX_BITS = 8 }; /* of a place, its scheduler above */

void hd_memory_queues_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena)
{
	sm->memory_queues.places = (uint32_t)config->memory_queue;
	sm->memory_queues.hold = (uint32_t)config->memory_hold;
	if (config->memory_queue)
		sm->memory_queues.queues = HD_ARENA_NEW(arena, struct hd_memory_queue, sm->scheduling.count);
	sm->access.request.place = HD_MEM_NO_PLACE;
	hd_memory_queues_clear(sm);
}

void hd_memory_queues_clear(struct hd_sm *sm)
{
	for (uint32_t i = 0; i < sm->scheduling.count && sm->memory_queues.places; i++) {
		struct hd_unit *unit = &sm->units.units[sm->scheduling.schedulers[i].unit_first[HD_PIPE_LSU]];
		sm->memory_queues.queues[i] = (struct hd_memory_queue){.next = 0};
		if (unit->issue == HD_NEVER)
			unit->issue = 0;
	}
}

/* The cycle in which an instruction leaves its place that the load/store unit takes in cycle `taken`. */
static uint64_t leaves(const struct hd_sm *sm, uint64_t taken)
{
	return taken + sm->memory_queues.hold;
}

static struct hd_unit *address_unit(const struct hd_sm *sm, uint32_t index)
{
	return &sm->units.units[sm->scheduling.schedulers[index].unit_first[HD_PIPE_LSU]];
}

static uint32_t scheduler_of(uint32_t place)
{
	return place >> INDEX_BITS;
}

/* A place has, or is about to have, what it holds until then; whoever comes next may have to wait for that. */
static void set_free(struct hd_sm *sm, uint32_t place, uint64_t free_at)
{
	uint32_t index = scheduler_of(place), which = place & ((1u << INDEX_BITS) - 1);
	struct hd_memory_queue *queue = &sm->memory_queues.queues[index];
	queue->free_at[which] = free_at;
	if (which == queue->next)
		address_unit(sm, index)->issue = free_at;
}

void hd_memory_queue_add(struct hd_sm *sm, const struct hd_scheduler *scheduler, uint64_t now, uint64_t ready,
			 uint64_t dispatch)
{
	uint32_t index = (uint32_t)(scheduler - sm->scheduling.schedulers);
	struct hd_memory_queue *queue = &sm->memory_queues.queues[index];
	uint64_t taken = hd_latency_from(&sm->gpu->shape, dispatch) + sm->stages;
	sm->memory_queues.queued = ready <= now + sm->gpu->shape.operand_cycles;
	sm->access.request.place = (uint16_t)(index << INDEX_BITS | queue->next);
	queue->free_at[queue->next] = leaves(sm, taken > now ? taken : now + 1);
	queue->next = (uint8_t)(queue->next + 1u == sm->memory_queues.places ? 0 : queue->next + 1u);
	uint64_t free_at = queue->free_at[queue->next];
	address_unit(sm, index)->issue = free_at > now ? free_at : now + 1;
}

void hd_memory_queue_keep(struct hd_sm *sm, uint32_t place)
{
	set_free(sm, place, HD_NEVER);
}

void hd_memory_queue_leave(struct hd_sm *sm, uint32_t place, uint64_t now)
{
	uint32_t index = scheduler_of(place);
	uint64_t free_at = leaves(sm, now), *visit = &sm->scheduling.next_visit[index];
	bool waited_for = address_unit(sm, index)->issue == HD_NEVER;
	set_free(sm, place, free_at);
	if (!waited_for || address_unit(sm, index)->issue == HD_NEVER || *visit <= free_at)
		return;
	*visit = free_at;
	if (free_at < sm->scheduling.visit_next)
		sm->scheduling.visit_next = free_at;
}
