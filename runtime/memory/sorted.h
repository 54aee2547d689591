/*
 * The queue of a crossbar's input as one queue for each output: lists in one array, with a bit for each output that has
 * packets. Those of low priority (HD_PACKET_LOW) are behind the others in each list.
 */
#ifndef HD_RUNTIME_MEMORY_SORTED_H
#define HD_RUNTIME_MEMORY_SORTED_H

#include "runtime/memory/packet.h"

/* Packets of an input by output, those of one in their order, those of low priority last. */
struct hd_sorted {
	struct hd_packet *packets;
	uint32_t *next;		/* of each packet */
	uint32_t *first, *last; /* by output, HD_NONE */
	uint32_t *last_demand;	/* the last that is not of low priority; HD_NONE */
	uint32_t free;
	uint64_t *wants;      /* outputs with packets */
	uint64_t sends_until; /* own cycle */
};

static inline void hd_sorted_init(struct hd_sorted *sorted, uint32_t outputs, uint32_t capacity, struct hd_arena *arena)
{
	sorted->packets = HD_ARENA_NEW(arena, struct hd_packet, capacity);
	sorted->next = HD_ARENA_NEW(arena, uint32_t, capacity);
	for (uint32_t i = 0; i < capacity; i++)
		sorted->next[i] = i + 1 < capacity ? i + 1 : HD_NONE;
	sorted->first = HD_ARENA_NEW(arena, uint32_t, outputs);
	sorted->last = HD_ARENA_NEW(arena, uint32_t, outputs);
	sorted->last_demand = HD_ARENA_NEW(arena, uint32_t, outputs);
	for (uint32_t o = 0; o < outputs; o++)
		sorted->first[o] = sorted->last[o] = sorted->last_demand[o] = HD_NONE;
	sorted->wants = HD_ARENA_NEW(arena, uint64_t, (outputs + 63) / 64);
}

/* Behind those that are there, but before those of low priority if it is none. */
static inline void hd_sorted_push(struct hd_sorted *sorted, uint32_t output, const struct hd_packet *packet)
{
	uint32_t index = sorted->free, after = sorted->last_demand[output];
	if (hd_packet_is_low(packet))
		after = sorted->first[output] == HD_NONE ? HD_NONE : sorted->last[output];
	else
		sorted->last_demand[output] = index;
	uint32_t *link = after == HD_NONE ? &sorted->first[output] : &sorted->next[after];
	sorted->free = sorted->next[index];
	sorted->packets[index] = *packet;
	sorted->next[index] = *link;
	if (*link == HD_NONE)
		sorted->last[output] = index;
	*link = index;
}

static inline void hd_sorted_pop(struct hd_sorted *sorted, uint32_t output)
{
	uint32_t index = sorted->first[output];
	sorted->first[output] = sorted->next[index];
	sorted->next[index] = sorted->free;
	sorted->free = index;
	if (sorted->last_demand[output] == index)
		sorted->last_demand[output] = HD_NONE;
}

#endif
