/*
 * Issue of an instruction, and its end: write-back and completion. issue.c.
 */
#ifndef HD_RUNTIME_SM_ISSUE_H
#define HD_RUNTIME_SM_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/stats.h"
#include "lib/api.h"
#include "runtime/core/program.h"

struct hd_scheduler;
struct hd_sm;
struct hd_warp;

struct hd_issue {
	uint32_t branch_latency, predicated_latency;
	uint32_t issued;	 /* instructions, for the order of results */
	uint64_t begun, written; /* results */
};

/* Multiply-adds of a tensor instruction. */
static inline void hd_count_products(struct hd_counters *counters, const struct hd_dinst *inst, uint64_t times)
{
	bool integers = inst->tensor_cycles ? hd_mod_get(inst->inst.mods, HD_MOD_WGACC) == HD_WG_ACC_S32
					    : inst->lat_class == HD_LAT_IMMA;
	uint64_t *to = integers ? &counters->tensor_int_products : &counters->tensor_products;
	*to += inst->products * times;
}

void hd_sm_issue(struct hd_sm *sm, struct hd_scheduler *scheduler, struct hd_warp *warp, uint64_t now);
/* The warp waits until a later cycle, for that reason, and is looked at again then. */
void hd_warp_wake_at(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t at, uint8_t reason);
/* The warp goes on at warp->pc, not before `at`; until then it waits for `reason`. */
void hd_warp_continue(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t at, uint8_t reason);
/* It has been given a slot again, and goes on if nothing else lets it go. */
void hd_warp_return(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/* A result is there; it is written as soon as its banks have ports. Then others may use it. */
void hd_sm_result(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes, uint32_t order,
		  uint64_t now);
void hd_sm_write(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now, uint64_t at);
void hd_sm_written(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
void hd_sm_complete(struct hd_sm *sm, uint32_t token, uint64_t now);
/* An instruction has left its collector, where policies look at these. */
void hd_sm_dispatched(struct hd_sm *sm, struct hd_warp *warp, uint32_t which, uint64_t now);
/* A memory instruction whose operands were late goes to the load/store unit. */
void hd_sm_late_access(struct hd_sm *sm, struct hd_warp *warp, uint32_t index, uint64_t now);
/* Registers of a range are written. */
void hd_sm_range_written(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);

/* What the warp's next instruction does, functionally: sm->effect. */
void hd_sm_execute(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst);
/* The instruction's results, of `lanes`, are there at cycle `at`; until they are written nothing else may use them. */
void hd_sm_result_at(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes, uint64_t now,
		     uint64_t at);
/* The instruction's results, without a place to be written to, can be used at cycle `at`. */
void hd_sm_await(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now, uint64_t at);
/* A warp that has ended or was killed goes, unless it waits for what it started. */
void hd_warp_finish(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/* Whether all results that the warp waits for are there: its registers are as the program left them. */
HD_API bool hd_warp_drained(const struct hd_warp *warp);

#endif
