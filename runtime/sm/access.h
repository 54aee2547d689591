/*
 * Memory instructions, from issue to the load/store unit: access.c.
 */
#ifndef HD_RUNTIME_SM_ACCESS_H
#define HD_RUNTIME_SM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"
#include "runtime/core/gpu.h"
#include "runtime/core/warp.h"
#include "runtime/memory/memory.h"

struct hd_config;
struct hd_dinst;
struct hd_sm;

/* A memory instruction whose operands are not there yet. */
struct hd_late {
	uint32_t next_free;
	uint64_t issued;
	uint32_t extra; /* cycles from then on */
	struct hd_mem_request request;
};

struct hd_sm_access {
	struct hd_late *late; /* hd_access_most_late */
	uint32_t late_free, late_count;
	struct hd_mem_request request; /* of the instruction that issues */
};

void hd_access_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena);
void hd_access_clear(struct hd_sm *sm);
/* Memory instructions of an SM that may wait for their operands at a time. */
uint32_t hd_access_most_late(const struct hd_config *config);
/* Begins the access that sm->effect says of a memory instruction. `token`: as in struct hd_mem_request. */
void hd_access_start(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t token, uint64_t now,
		     uint64_t start);
/* Sends hd_sm_access.request. `start`: hd_latency_from of its dispatch; `extra`: hd_dinst's. */
void hd_access_send(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t start, uint32_t extra);
/* Operands that were late are there. */
void hd_access_arrive(struct hd_sm *sm, struct hd_warp *warp, uint32_t index, uint64_t now);
/* One that is outside gets its operands in cycle `start`. */
void hd_access_known(struct hd_sm *sm, struct hd_warp *warp, uint32_t index, uint64_t now, uint64_t start);
/* Those of one warp stay in order: the first cycle in which another of its may be dispatched. */
static inline uint64_t hd_access_after(const struct hd_bank_shape *shape, const struct hd_warp *warp, uint64_t ready)
{
	uint64_t after = warp->access_at + shape->operand_cycles + 1;
	return warp->late && after > ready ? after : ready;
}

#endif
