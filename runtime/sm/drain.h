/*
 * Warps that stop at chosen instructions, and that are awaited: drain.c. What policies call of it is in context.h.
 */
#ifndef HD_RUNTIME_SM_DRAIN_H
#define HD_RUNTIME_SM_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

struct hd_sm;
struct hd_warp;

struct hd_drain {
	uint32_t awaited; /* warps with hd_warp.awaits */
	bool stopping;	  /* some warp may have to */
	uint8_t stops;	  /* kinds at which all warps do */
};

/* The warp's next instruction is decided: it may have to stop before it. */
void hd_warp_arrive(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/* Tells policies of the awaited warps that have nothing under way any more. */
void hd_sm_tell_drained(struct hd_sm *sm, uint64_t now);
/* A warp has gone. */
void hd_warp_forget(struct hd_sm *sm, struct hd_warp *warp);

#endif
