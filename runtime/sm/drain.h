/*
 * Warps that stop at chosen instructions, and that are awaited: drain.c.
 */
#ifndef HD_RUNTIME_SM_DRAIN_H
#define HD_RUNTIME_SM_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/api.h"

struct hd_dinst;
struct hd_sm;
struct hd_warp;

struct hd_drain {
	uint32_t awaited; /* warps with hd_warp.awaits */
	bool stopping;	  /* some warp may have to */
	uint8_t stops;	  /* kinds at which all warps do */
};

/* ---- what is under way */

enum {
	HD_PENDING_RESULTS = 1,	  /* registers that are still to be written, by whatever */
	HD_PENDING_LOADS = 2,	  /* loads and atomics in the memory */
	HD_PENDING_OPERANDS = 4,  /* instructions that have not got all operands, or are in a collector */
	HD_PENDING_STORES = 8,	  /* stores and reductions that are not known to have arrived */
	HD_PENDING_INJECTED = 16, /* hd_warp_inject */
	HD_PENDING_FENCE = 32,	  /* it waits at a memory fence */
	HD_PENDING_ALL = 63
};
/* Those that the warp has; nothing of these: it is drained. */
HD_API uint32_t hd_warp_pending(const struct hd_sm *sm, const struct hd_warp *warp);
/* Has the hook `drained` called once, in a later cycle, when the warp has nothing of these under way. It is not kept
 * from starting more. Forgotten when the warp ends. */
HD_API void hd_warp_await(struct hd_sm *sm, struct hd_warp *warp, uint32_t what);

/* ---- stops */

/*
 * The warp, or all of the SM including those to come, stop before an instruction whose hd_dinst.stops (hook decode) has
 * one of these bits: it is fetched, but does not issue, the hook `stopped` is called, and hd_warp_resume has the warp
 * go on past it. A warp whose next instruction it is already stops at once. 0: none from now on; who stands stays.
 */
HD_API void hd_warp_stop(struct hd_sm *sm, struct hd_warp *warp, uint8_t kinds);
HD_API void hd_sm_stop(struct hd_sm *sm, uint8_t kinds);
/* The barrier or fence that it waits at, else its next instruction. */
HD_API const struct hd_dinst *hd_warp_at(const struct hd_sm *sm, const struct hd_warp *warp);

/* ---- all of them, for who has some of a grid executed without time (gpu.c) */

/* No warp issues anything more, though what it has issued goes on; hd_sm_go_on: they do again, from wherever each has
 * come to since. Nothing is under way then. */
void hd_sm_halt(struct hd_sm *sm);
void hd_sm_go_on(struct hd_sm *sm, uint64_t now);

/* ---- for the SM */

/* The warp's next instruction is decided: it may have to stop before it. */
void hd_warp_arrive(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/* Tells policies of the awaited warps that have nothing under way any more. */
void hd_sm_tell_drained(struct hd_sm *sm, uint64_t now);
/* A warp has gone. */
void hd_warp_forget(struct hd_sm *sm, struct hd_warp *warp);

#endif
