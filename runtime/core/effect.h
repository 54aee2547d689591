/*
 * What an executed instruction means for timing, for policies and for those who watch.
 */
#ifndef HD_RUNTIME_CORE_EFFECT_H
#define HD_RUNTIME_CORE_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"
#include "runtime/core/address.h"

/* What an executed instruction means for timing; filled by hd_warp_execute. */
enum hd_event {
	HD_EVENT_NONE,
	HD_EVENT_MEMORY,
	HD_EVENT_BARRIER,
	HD_EVENT_CLUSTER, /* the threads arrive at the cluster's barrier, or wait there */
	HD_EVENT_BRANCH,
	HD_EVENT_CALL,
	HD_EVENT_RETURN,
	HD_EVENT_EXIT,
	HD_EVENT_FENCE,
	HD_EVENT_FAULT,
	HD_EVENT_SYNC,	    /* a barrier in shared memory has changed */
	HD_EVENT_WAIT,	    /* the warp waits for the phase of one to end; `elsewhere`: lanes for which it is over */
	HD_EVENT_ARRIVES,   /* it arrives at one when its copies are done */
	HD_EVENT_BULK,	    /* copies in bulk begin (`bulk`), or it ends or awaits groups of them */
	HD_EVENT_WGMMA,	    /* a product of a warpgroup, or the end of a group of them or a wait for one */
	HD_EVENT_RESIZE,    /* registers from one warp of the block to others */
	HD_EVENT_DEPENDENCE /* the next grid may begin, or the warp waits for those that its own follows */
};
struct hd_bulk;
struct hd_remote;
struct hd_effect {
	uint8_t event;
	uint8_t space;	 /* HD_EVENT_MEMORY: enum hd_mem_space; generic accesses are resolved. Mixed generic
			    accesses report global with the shared/local lanes in `elsewhere`. */
	uint8_t pattern; /* of `address`: enum hd_mem_pattern */
	bool diverged, all_returned, warp_done;
	bool yielded;  /* another path of the warp is on top; behind convergent instructions nothing was executed */
	uint32_t mask; /* lanes that executed (guard applied) */
	uint32_t elsewhere; /* Also HD_EVENT_WAIT. HD_EVENT_MEMORY: lanes that executed and are not in `mask`, since
			       they accessed another space; their accesses cost nothing */
	uint32_t callee;    /* HD_EVENT_CALL: function index */
	/* HD_EVENT_MEMORY: as struct hd_mem_request wants them. A memory instruction that no lane executes, and LDC
	 * (fixed latency), report HD_EVENT_NONE. */
	uint64_t address[HD_WARP_LANES];
	/* Asynchronous copies: where each lane's bytes go, in the SM's shared memory; `elsewhere` are the lanes that
	 * put zeros there. */
	uint64_t to[HD_WARP_LANES];
	uint64_t expected;	  /* HD_EVENT_SYNC: bytes that barriers are told to expect */
	struct hd_bulk *bulk;	  /* HD_EVENT_BULK: copies that begin (runtime/exec/bulk.h) */
	struct hd_remote *remote; /* of HD_MEM_REMOTE: what is to be done there (runtime/exec/remote.h) */
};

/* All lanes that executed. */
static inline uint32_t hd_effect_lanes(const struct hd_effect *effect)
{
	return effect->mask | effect->elsewhere;
}

/* The texels that a fetch of a warp touches, lane after lane, in the order in which each lane needs them: at most eight
 * of two levels. */
enum { HD_MAX_TEXELS = 16 * HD_WARP_LANES };
struct hd_texels {
	uint32_t count;
	uint32_t bytes;	     /* of the largest */
	uint32_t most_words; /* that one lane reads */
	uint64_t address[HD_MAX_TEXELS];
};

#endif
