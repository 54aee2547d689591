/*
 * The queue of a crossbar's input as one queue for each output: lists in one array, with a bit for each output that has
 * packets. Those of low priority (HD_PACKET_LOW) are behind the others in each list.
 */
#ifndef HD_RUNTIME_MEMORY_SORTED_H
#define HD_RUNTIME_MEMORY_SORTED_H

#include "runtime/memory/packet.h"

/* Packets for one output: the first, the last, and the last that is not of low priority; HD_SORTED_NONE. Together,
 * for a crossbar has tens of thousands of them, and each packet looks at another one. */
struct hd_sorted_list {
	uint16_t first, last, last_demand;
};
#define HD_SORTED_NONE UINT16_MAX

/* Packets of an input by output, those of one in their order, those of low priority last. */
struct hd_sorted {
	struct hd_packet *packets;
	uint16_t *next;		      /* of each packet */
	struct hd_sorted_list *lists; /* by output */
	uint16_t free;
	uint64_t *wants;      /* outputs with packets */
	uint64_t sends_until; /* own cycle */
};

/* At most 65,534 packets. */
static inline void hd_sorted_init(struct hd_sorted *sorted, uint32_t outputs, uint32_t capacity, struct hd_arena *arena)
{
	assert(capacity < HD_SORTED_NONE);
	sorted->packets = HD_ARENA_NEW(arena, struct hd_packet, capacity);
	sorted->next = HD_ARENA_NEW(arena, uint16_t, capacity);
	for (uint32_t i = 0; i < capacity; i++)
		sorted->next[i] = (uint16_t)(i + 1 < capacity ? i + 1 : HD_SORTED_NONE);
	sorted->lists = HD_ARENA_NEW(arena, struct hd_sorted_list, outputs);
	for (uint32_t o = 0; o < outputs; o++)
		sorted->lists[o] = (struct hd_sorted_list){HD_SORTED_NONE, HD_SORTED_NONE, HD_SORTED_NONE};
	sorted->wants = HD_ARENA_NEW(arena, uint64_t, (outputs + 63) / 64);
}

/* The first packet for an output; NULL. */
static inline const struct hd_packet *hd_sorted_front(const struct hd_sorted *sorted, uint32_t output)
{
	uint16_t first = sorted->lists[output].first;
	return first == HD_SORTED_NONE ? NULL : &sorted->packets[first];
}

/* Behind those that are there, but before those of low priority if it is none. */
static inline void hd_sorted_push(struct hd_sorted *sorted, uint32_t output, const struct hd_packet *packet)
{
	struct hd_sorted_list *list = &sorted->lists[output];
	uint16_t index = sorted->free, after = list->last_demand;
	if (hd_packet_is_low(packet))
		after = list->first == HD_SORTED_NONE ? HD_SORTED_NONE : list->last;
	else
		list->last_demand = index;
	uint16_t *link = after == HD_SORTED_NONE ? &list->first : &sorted->next[after];
	sorted->free = sorted->next[index];
	sorted->packets[index] = *packet;
	sorted->next[index] = *link;
	if (*link == HD_SORTED_NONE)
		list->last = index;
	*link = index;
}

static inline void hd_sorted_pop(struct hd_sorted *sorted, uint32_t output)
{
	struct hd_sorted_list *list = &sorted->lists[output];
	uint16_t index = list->first;
	list->first = sorted->next[index];
	sorted->next[index] = sorted->free;
	sorted->free = index;
	if (list->last_demand == index)
		list->last_demand = HD_SORTED_NONE;
}

#endif
