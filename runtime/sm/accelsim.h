/*
 * The third model of operands, operands = accelsim: accelsim.c.
 */
#ifndef HD_RUNTIME_SM_ACCELSIM_H
#define HD_RUNTIME_SM_ACCELSIM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"

struct hd_config;
struct hd_dinst;
struct hd_front;
struct hd_scheduler;
struct hd_sm;
struct hd_warp;

/* In place of the cycle in which something starts or is there: it is known when the instruction gets a collector. A
 * time of its own that counts from there is added. */
#define HD_LATER (UINT64_C(1) << 62)

struct hd_accelsim {
	struct hd_front *fronts; /* of each of hd_units.units */
	uint16_t *waiting;	 /* of these, those that hold an instruction, as collectors take them */
	uint32_t count;
	struct hd_front *issuing; /* of the instruction that is being issued */
	uint64_t next;		  /* cycle for hd_accelsim_cycle; HD_NEVER */
};

void hd_accelsim_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena);
/* Forgets what waits. */
void hd_accelsim_drop(struct hd_sm *sm);
/* Issues it in cycle `now`; returns the cycle from which its latency counts, or HD_LATER. */
uint64_t hd_accelsim_issue(struct hd_sm *sm, const struct hd_scheduler *scheduler, struct hd_warp *warp,
			   const struct hd_dinst *inst, uint64_t now);
/* Gives collectors to what waits for one. */
void hd_accelsim_cycle(struct hd_sm *sm, uint64_t now);

static inline bool hd_is_later(uint64_t at)
{
	return __builtin_expect(at >= HD_LATER && at != UINT64_MAX, 0);
}
/* `start`, or when it is to be expected, for what wants a time at issue. */
static inline uint64_t hd_accelsim_about(uint64_t start, uint64_t now)
{
	enum { USUAL_STAGES = 5 };
	return hd_is_later(start) ? now + USUAL_STAGES : start;
}
/* What was issued has a result `at`, makes access `index` when its latency counts, writes a register range `at`. */
void hd_accelsim_result(struct hd_sm *sm, uint32_t lanes, uint64_t at);
void hd_accelsim_access(struct hd_sm *sm, uint32_t index);
void hd_accelsim_range(struct hd_sm *sm, uint64_t at);

#endif
