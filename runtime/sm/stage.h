/*
 * The operand stage under policies that look at it: stage.c.
 */
#ifndef HD_RUNTIME_SM_STAGE_H
#define HD_RUNTIME_SM_STAGE_H

#include <stdbool.h>
#include <stdint.h>

struct hd_collector;
struct hd_dinst;
struct hd_scheduler;
struct hd_sm;
struct hd_warp;

/* A result of this cycle. */
struct hd_stage_result {
	struct hd_warp *warp;
	const struct hd_dinst *inst;
	uint32_t lanes, order;
};

struct hd_stage {
	struct hd_stage_result *results; /* of this cycle, where policies say where they go */
	uint32_t result_count;
	uint32_t chosen; /* collector of the next issue, by a policy */
};

/* Chooses the collector of the warp's next instruction; false: it does not issue now, for *reason. */
bool hd_stage_choose(struct hd_sm *sm, const struct hd_scheduler *scheduler, struct hd_warp *warp, uint64_t now,
		     uint8_t *reason);
/* Reads the operands of the collector's instruction; from tick `first` on; returns the tick at which all are there. */
uint64_t hd_stage_read(struct hd_sm *sm, struct hd_collector *collector, uint64_t now, uint64_t first);
void hd_stage_start(struct hd_sm *sm, struct hd_collector *collector, uint64_t now, uint64_t dispatch);
/* `which`: as in struct hd_timer. */
void hd_stage_dispatched(struct hd_sm *sm, uint32_t which, uint64_t now);
/* Adds a result of this cycle. */
void hd_stage_result(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes,
		     uint32_t order);
/* Writes the results of this cycle. */
void hd_stage_results(struct hd_sm *sm, uint64_t now);

#endif
