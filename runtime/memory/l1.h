/*
 * L1 data cache of one SM: sectored, non-blocking. It takes line accesses and the replies of the memory, and puts
 * packets in its out queue; a ticket, given with an access, comes back when the access is done.
 */
#ifndef HD_RUNTIME_MEMORY_L1_H
#define HD_RUNTIME_MEMORY_L1_H

#include <stdio.h>

#include "heddle/stats.h"
#include "runtime/memory/coalescer.h"
#include "runtime/memory/pool.h"
#include "runtime/memory/tags.h"
#include "runtime/memory/tlb.h"

/* What a line access is part of. */
struct hd_l1_request {
	uint32_t ticket;				 /* below 65,536 */
	uint8_t space, kind, class, cache, grid, bypass; /* as in struct hd_mem_request */
};

enum hd_l1_result {
	HD_L1_STALL, /* nothing was done: no MSHR, merge, way or room in the out queue */
	HD_L1_DONE,  /* hit, or a store that L1 keeps: data l1_latency later */
	HD_L1_WAIT   /* the ticket comes from hd_l1_finished after a reply */
};

/* What an access that stalls found too little of: room for so many packets, so many MSHRs; 0: something else may be
 * missing. While one grid is alone it stalls as long as that is so, for a miss stays one until it is served. */
struct hd_l1_lacks {
	uint8_t packets, mshrs;
};

/* One waiting line access. */
struct hd_l1_waiter {
	uint32_t next;
	uint16_t ticket;
	uint8_t sectors; /* still missing */
};

struct hd_l1 {
	struct hd_tags tags;
	struct hd_tlb tlb; /* of what goes to L2 */
	/* Miss queues: packets to the crossbar, ready l1_latency after the access, of each grid that the SM has had. */
	struct hd_packets *out;
	uint32_t waiting;	     /* bit a grid with packets there */
	uint32_t capacity, share;    /* places for packets; for those of a grid */
	uint32_t sharers, kept;	     /* grids on the SM; MSHRs that each can count on */
	uint32_t used[HD_MEM_GRIDS]; /* of mshrs_used */
	struct hd_l1_waiter *waiters;
	struct hd_pool waiter_pool;
	uint32_t finished;		    /* waiters, HD_NONE */
	uint32_t mshrs, mshrs_used, merges; /* sectors under way */
	uint32_t stores, store_buffer;	    /* written through and not acknowledged; most of them, 0: any number */
	struct hd_l1_lacks lacks;	    /* of the last access */
	uint32_t latency, sector_bytes, line_shift;
	struct hd_flits flits;
	uint16_t sm;
	bool enabled;
	uint8_t write;		      /* HD_L1_WRITE_... */
	bool spills_hit;	      /* l1_spills */
	struct hd_counters *grids;    /* of each grid, */
	struct hd_counters *counters; /* and of the one that had the last access, */
	uint8_t grid;		      /* this */
};

void hd_l1_init(struct hd_l1 *l1, uint32_t sm, const struct hd_config *config, struct hd_counters *counters,
		struct hd_arena *arena);
/* A grid is going to have accesses; that of number 0 needs none of this. */
void hd_l1_prepare(struct hd_l1 *l1, uint32_t grid, struct hd_arena *arena);
/* So many grids are on the SM: each has its part of the places for packets, and leaves MSHRs for the others. */
void hd_l1_set_sharers(struct hd_l1 *l1, uint32_t grids);
/* When what passes L1 by may go: in cycle `ready` or when the line's address, of global memory, is translated. */
static inline uint64_t hd_l1_translate(struct hd_l1 *l1, uint64_t line, uint64_t ready, struct hd_counters *counters)
{
	return hd_tlb_ready(&l1->tlb, line << l1->line_shift, ready, counters);
}

/* The first packet of a grid has gone. */
static inline void hd_l1_sent(struct hd_l1 *l1, uint32_t grid)
{
	hd_packets_pop(&l1->out[grid]);
	if (!hd_packets_count(&l1->out[grid]))
		l1->waiting &= ~(UINT32_C(1) << grid);
}
static inline uint32_t hd_l1_room(const struct hd_l1 *l1, uint32_t grid)
{
	uint32_t count = hd_packets_count(&l1->out[grid]);
	return count < l1->share ? l1->share - count : 0;
}
static inline bool hd_l1_has_mshrs(const struct hd_l1 *l1, uint32_t grid, uint32_t count)
{
	uint32_t mine = l1->used[grid], kept = l1->kept * (l1->sharers - 1);
	if (kept && mine && mine + count + kept > l1->mshrs)
		return false;
	/* A line of more sectors than there are MSHRs goes alone. */
	return !l1->mshrs_used || l1->mshrs_used + count <= l1->mshrs;
}
static inline bool hd_l1_still_lacks(const struct hd_l1 *l1, uint32_t grid, struct hd_l1_lacks lacks)
{
	return l1->sharers == 1 &&
	       (hd_l1_room(l1, grid) < lacks.packets || (lacks.mshrs && !hd_l1_has_mshrs(l1, grid, lacks.mshrs)));
}
/* The packets' `slice` is left to who takes them. */
enum hd_l1_result hd_l1_access(struct hd_l1 *l1, uint64_t now, const struct hd_l1_request *request,
			       const struct hd_access *access);
/* A reply: fills sectors and finishes who waited for them. Returns the ticket of a store that this acknowledges (it is
 * not given by hd_l1_finished), else HD_NONE. */
uint32_t hd_l1_reply(struct hd_l1 *l1, const struct hd_packet *reply);
/* A reply is on its way: starts to bring what it will need into the host's cache. */
void hd_l1_prefetch(const struct hd_l1 *l1, const struct hd_packet *reply);
/* Takes the ticket of a finished access; false: no more. Accesses of one reply come in their order. */
bool hd_l1_finished(struct hd_l1 *l1, uint32_t *ticket);
/* Uses `ways` of each set from now on. */
void hd_l1_set_ways(struct hd_l1 *l1, uint32_t ways);
void hd_l1_flush(struct hd_l1 *l1);
/* As hd_lsu_flush_local and hd_lsu_invalidate_global. */
void hd_l1_flush_local(struct hd_l1 *l1, uint32_t grid);
void hd_l1_invalidate_global(struct hd_l1 *l1);
bool hd_l1_idle(const struct hd_l1 *l1);
void hd_l1_dump(const struct hd_l1 *l1, FILE *out);

#endif
