/*
 * One slice (sub-partition) of the L2: queue, tags, MSHRs, atomic unit, between the two crossbars and a DRAM channel.
 */
#ifndef HD_RUNTIME_MEMORY_L2_H
#define HD_RUNTIME_MEMORY_L2_H

#include <stdio.h>

#include "heddle/stats.h"
#include "runtime/memory/address_map.h"
#include "runtime/memory/crossbar.h"
#include "runtime/memory/dram.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/pool.h"
#include "runtime/memory/tags.h"

/* A request that waits for sectors. */
struct hd_l2_waiter {
	struct hd_packet reply;
	uint32_t next;
	uint8_t sectors; /* still missing */
	uint8_t service; /* atomics: cycles once they are there */
};

struct hd_l2_slice {
	uint32_t index;
	uint32_t channel; /* that it reads from and writes to */
	struct hd_clock clock;
	const struct hd_address_map *map;
	struct hd_tags tags;	     /* by number in the slice */
	struct hd_packets in;	     /* requests */
	struct hd_packet_list low;   /* those of low priority, served when there are no others */
	struct hd_packet_pool *pool; /* of these, the slices' together */
	bool low_stalled;	     /* as `stalled`, of these */
	bool lacks_room;	     /* the head of `in` is a read that found no room in the channel */
	bool serves_low;	     /* the request that is served is one */
	struct hd_packets out;	     /* replies, ready l2_latency after their service */
	struct hd_packets low_out;   /* those of low priority: the others go first */
	struct hd_dram_fill *fills;  /* ring */
	uint32_t fill_mask, fill_head, fill_tail;
	struct hd_l2_waiter *waiters;
	struct hd_pool waiter_pool;
	uint32_t mshrs, mshrs_used, merges; /* sectors under way */
	uint32_t latency, sector_bytes;
	struct hd_flits flits;
	uint64_t busy;		  /* first own cycle in which the next request can be served */
	bool stalled;		  /* the head waits for a fill, the out queue or the channel, whose owner clears this */
	uint16_t *dirty;	  /* by set: lines */
	uint32_t dirty_ways;	  /* most of them */
	uint32_t line_sectors;	  /* of a line */
	uint32_t fetch_sectors;	  /* of a line, aligned, that a read which misses one asks for together */
	uint32_t partial_busy;	  /* cycles of a sector that is written in part */
	bool keeps_parts;	  /* sectors that are written in part are not fetched */
	uint32_t *owners;	  /* as tags: who made the line dirty, its launch << OWNER_BITS | grid */
	const uint32_t *launches; /* of each grid, that is there now; NULL: always the same */
	struct hd_counters *grids;	 /* of each grid, */
	struct hd_counters *counters;	 /* and of the one whose request is served, */
	uint8_t grid;			 /* this */
	struct hd_l2_reserved *reserved; /* memory = reserved, l2_reserved.c; else NULL */
};

/* `low`: with room for all requests of low priority that may be under way. */
void hd_l2_init(struct hd_l2_slice *slice, uint32_t index, const struct hd_config *config,
		const struct hd_address_map *map, struct hd_packet_pool *low, struct hd_counters *counters,
		struct hd_arena *arena);
/* Sectors from DRAM, to be taken from their ready cycle on. They come in order of it. */
static inline void hd_l2_fill(struct hd_l2_slice *slice, const struct hd_dram_fill *fill)
{
	assert(slice->fill_tail - slice->fill_head <= slice->fill_mask);
	slice->fills[slice->fill_tail++ & slice->fill_mask] = *fill;
}
/* A request is on its way: starts to bring what it will need into the host's cache. */
void hd_l2_prefetch(const struct hd_l2_slice *slice, const struct hd_crossbar *up);
/* Start to bring what its work in cycle `now` will look at into the host's cache, one after the other: the first
 * packets of its queues; where the line of the request that it may serve is looked up; what is found there. */
void hd_l2_fetch_queues(const struct hd_l2_slice *slice, const struct hd_crossbar *up);
void hd_l2_fetch_set(const struct hd_l2_slice *slice, const struct hd_crossbar *up, uint64_t now);
void hd_l2_fetch_tag(const struct hd_l2_slice *slice, const struct hd_crossbar *up, uint64_t now);
/*
 * The slice's work in core cycle `now`: takes requests from `up`, serves, pushes reads and victims to `dram` and
 * replies to `down`. Returns the next core cycle with work of its own; HD_NEVER: when something arrives or room
 * appears.
 */
uint64_t hd_l2_tick(struct hd_l2_slice *slice, uint64_t now, struct hd_crossbar *up, struct hd_crossbar *down,
		    struct hd_dram *dram);
/* Empties it, idle as it is; what was dirty is nobody's traffic. */
void hd_l2_forget(struct hd_l2_slice *slice);
bool hd_l2_idle(const struct hd_l2_slice *slice);
void hd_l2_dump(const struct hd_l2_slice *slice, FILE *out);

#endif
