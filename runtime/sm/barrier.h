/*
 * CTA barriers and memory fences: barrier.c.
 */
#ifndef HD_RUNTIME_SM_BARRIER_H
#define HD_RUNTIME_SM_BARRIER_H

#include <stdint.h>

struct hd_cta;
struct hd_dinst;
struct hd_sm;
struct hd_warp;

/* What a parked warp needs at the release of its barrier. */
struct hd_parked {
	const struct hd_dinst *inst;
	uint32_t mask;
	uint8_t barrier;
};

struct hd_barriers {
	uint32_t fences;	  /* warps waiting at a fence */
	uint32_t busy;		  /* cycles of an arrival */
	uint64_t free;		  /* cycle from which the next arrival is taken */
	struct hd_parked *parked; /* by hd_warp.id */
};

/* A warp arrives; it parks unless the mode is ARV or the barrier completes. */
void hd_barrier_arrive(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask,
		       uint64_t now);
/* A warp of the CTA has ended: barriers that waited for it alone complete. */
void hd_barrier_warp_done(struct hd_sm *sm, struct hd_cta *cta, uint64_t now);
void hd_fence_wait(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
void hd_fence_check(struct hd_sm *sm, uint64_t now);

#endif
