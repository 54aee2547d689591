/*
 * Loads, atomics and copies under way in the memory: a table with an entry each, whose index is the token of the
 * request. issue.c begins and ends them.
 */
#ifndef HD_RUNTIME_SM_INFLIGHT_H
#define HD_RUNTIME_SM_INFLIGHT_H

#include <stdint.h>

struct hd_dinst;
struct hd_sm;
struct hd_warp;

#define HD_WARP_INFLIGHT 64 /* loads under way, of the warps on average */
#define HD_INFLIGHT_NONE UINT32_MAX

/* A load or atomic under way. */
struct hd_inflight {
	const struct hd_dinst *inst;
	uint32_t lanes, order;
	uint32_t next_free;
	uint16_t filter; /* cycles of the texture units, once its data are there; 0: a load */
	uint8_t warp;	 /* hd_warp.id */
	uint8_t group;	 /* of a copy */
	uint8_t arrival; /* the same: hd_warp.arrivals */
};

struct hd_inflights {
	struct hd_inflight *entries;
	uint32_t free, left;	  /* the first entry that was given back; how many are free */
	uint32_t fresh;		  /* from here on they were not in use since they were last cleared */
	uint64_t asked, answered; /* accesses that want an answer, and that got it */
};

/* A free entry, of which there is one. `inst` is what its completion is for. */
uint32_t hd_inflight_take(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst);

#endif
