/*
 * Memory queues of the schedulers: memory_queue.c. Without places nothing but hd_memory_queues_init and _clear is
 * called.
 */
#ifndef HD_RUNTIME_SM_MEMORY_QUEUE_H
#define HD_RUNTIME_SM_MEMORY_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"

struct hd_config;
struct hd_scheduler;
struct hd_sm;

/* Places for memory instructions of a scheduler. */
#define HD_MAX_PLACES 16
struct hd_memory_queue {
	uint64_t free_at[HD_MAX_PLACES]; /* cycle from which each takes one; HD_NEVER: the unit has not taken its yet */
	uint8_t next;
};

struct hd_memory_queues {
	uint32_t places; /* of a scheduler */
	uint32_t hold;	 /* cycles */
	bool queued;	 /* what was issued last has its operands, and waits for its address unit alone */
	struct hd_memory_queue *queues; /* by scheduler */
};

void hd_memory_queues_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena);
void hd_memory_queues_clear(struct hd_sm *sm);
/* Takes a place for what was issued in cycle `now`, has its operands at `ready` and is dispatched at `dispatch`.
 * hd_sm_access.request gets it. */
void hd_memory_queue_add(struct hd_sm *sm, const struct hd_scheduler *scheduler, uint64_t now, uint64_t ready,
			 uint64_t dispatch);
/* `place`, as in struct hd_mem_request, is kept until the load/store unit takes it. */
void hd_memory_queue_keep(struct hd_sm *sm, uint32_t place);
/* The load/store unit takes it in cycle `now`. */
void hd_memory_queue_leave(struct hd_sm *sm, uint32_t place, uint64_t now);

#endif
