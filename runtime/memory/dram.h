/*
 * One DRAM channel: bounded read and write queues in front of banks with rows, scheduled first-ready first-come.
 */
#ifndef HD_RUNTIME_MEMORY_DRAM_H
#define HD_RUNTIME_MEMORY_DRAM_H

#include <stdio.h>

#include "heddle/stats.h"
#include "runtime/memory/address_map.h"
#include "runtime/memory/clock.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/packet.h"

enum { HD_DRAM_MAX_BANKS = 64, HD_DRAM_MAX_GROUPS = 16, HD_DRAM_WINDOW = 4 /* activations in t_faw */ };
enum hd_dram_mode { HD_DRAM_READ, HD_DRAM_WRITE, HD_DRAM_MODES };
/* What a bank with requests needs next: a column command, for one to its open row, or another row. */
enum hd_dram_command { HD_DRAM_COLUMN, HD_DRAM_PRECHARGE, HD_DRAM_ACTIVATE, HD_DRAM_COMMANDS };

/* Sectors of one line, served by one or more bursts. */
struct hd_dram_request {
	uint64_t arrival;    /* in channel clocks */
	uint32_t row, tag;   /* tag: the L2's, for the fill */
	uint32_t prev, next; /* of the bank, in order of arrival */
	uint32_t sequence;
	uint16_t slice;
	uint8_t bank, sectors, bursts;
	uint8_t grid; /* that caused it */
	bool low;     /* others go first */
	uint8_t kind; /* enum hd_dram_mode: the queue it is in, but with writes among the reads */
};

/* Fill: sectors of a line that were read. */
struct hd_dram_fill {
	uint64_t ready; /* core cycle */
	uint32_t tag;
	uint16_t slice;
	uint8_t sectors;
};

struct hd_dram_bank {
	uint32_t row; /* open, or HD_NONE */
	bool fresh;   /* activated and not yet accessed */
	uint8_t group;
	uint32_t first[HD_DRAM_MODES], last[HD_DRAM_MODES];
	uint32_t hit[HD_DRAM_MODES]; /* oldest request for the open row, HD_NONE */
};

struct hd_dram_timing {
	uint32_t ccd, ccdl, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, rtpl, faw, rfc;
	uint32_t burst; /* clocks of data */
};

struct hd_dram {
	struct hd_clock clock;
	const struct hd_address_map *map;
	struct hd_dram_timing t;
	struct hd_dram_bank banks[HD_DRAM_MAX_BANKS];
	uint64_t pending[HD_DRAM_MODES], hits[HD_DRAM_MODES]; /* banks with requests; with requests for the open row */
	uint64_t open;					      /* banks with an open row */
	/* Of each bank: the first clock for each command, as far as the bank itself goes; sequence numbers of `first`
	 * and `hit`, valid where there are such. */
	uint64_t ready[HD_DRAM_COMMANDS][HD_DRAM_MAX_BANKS];
	uint32_t first_sequence[HD_DRAM_MODES][HD_DRAM_MAX_BANKS], hit_sequence[HD_DRAM_MODES][HD_DRAM_MAX_BANKS];
	/* No bank that needs the command, for the queue that is served, is ready for it before. */
	uint64_t possible[HD_DRAM_COMMANDS];
	uint64_t group_ready[HD_DRAM_MAX_GROUPS];
	uint64_t bus_ready[HD_DRAM_MODES]; /* for a column command: tCCD and turnaround */
	uint64_t rrd_ready;
	uint64_t window[HD_DRAM_WINDOW]; /* of the last activations: t_faw after each */
	uint32_t activations;
	uint32_t bank_count, refresh_sets;     /* a refresh is of one set of banks after the other */
	uint64_t refresh_interval, refresh_at; /* clocks; the next that is due, HD_NEVER without */
	uint64_t cycle, due;		       /* clocks: of the last look at the queues, of the next (HD_NEVER) */
	uint64_t passed;		       /* clock of a look that was left out since `cycle`, HD_NEVER */
	struct hd_dram_request *requests;
	uint32_t free_request, sequence;
	uint32_t count[HD_DRAM_MODES], limit[HD_DRAM_MODES];
	uint32_t drain_high, drain_low;
	uint8_t mode; /* enum hd_dram_mode: the queue that is served */
	bool mixed;   /* dram_writes: all requests are in the queue of the reads */
	bool early;   /* dram_write_early: writes go whenever there are no reads */
	uint32_t groups, burst_bytes, sector_bytes, fixed_latency;
	struct hd_dram_fill *fills; /* ring of reads done, in order of `ready` */
	uint32_t fill_mask, fill_head, fill_tail;
	bool freed;			   /* a request left its queue since the owner cleared this */
	bool awaited;			   /* a slice has stalled since then */
	uint64_t next;			   /* core cycle of `due` */
	struct hd_counters *counters;	   /* of each grid */
	struct hd_dram_reserved *reserved; /* memory = reserved, dram_reserved.c; else NULL */
};

void hd_dram_init(struct hd_dram *dram, const struct hd_config *config, const struct hd_address_map *map,
		  struct hd_counters *counters, struct hd_arena *arena);
static inline bool hd_dram_room(const struct hd_dram *dram, enum hd_dram_mode mode)
{
	/* A victim goes with the miss that takes its place. */
	return dram->mixed ? dram->count[HD_DRAM_READ] + 1 < dram->limit[HD_DRAM_READ]
			   : dram->count[mode] < dram->limit[mode];
}
/* Queues sectors of the line that is number `in_slice` of `slice`; the caller has checked for room. Reads come back as
 * a fill with the tag, writes do not come back. */
void hd_dram_push(struct hd_dram *dram, uint64_t now, enum hd_dram_mode mode, uint32_t slice, uint64_t in_slice,
		  uint8_t sectors, uint32_t tag, uint8_t grid);
/* The same at low priority: requests that are not low go before it, row by row. */
void hd_dram_push_low(struct hd_dram *dram, uint64_t now, enum hd_dram_mode mode, uint32_t slice, uint64_t in_slice,
		      uint8_t sectors, uint32_t tag, uint8_t grid);
/* Commands up to and including core cycle `now`; sets `next`. */
void hd_dram_tick(struct hd_dram *dram, uint64_t now);
/* Takes a read that was done, with the core cycle at which its data is there (which may be later than now). */
static inline bool hd_dram_fill(struct hd_dram *dram, struct hd_dram_fill *fill)
{
	if (dram->fill_head == dram->fill_tail)
		return false;
	*fill = dram->fills[dram->fill_head++ & dram->fill_mask];
	return true;
}
/* Nothing is under way. Writes that wait for more of them, as without dram_write_early, are at rest like dirty lines.
 */
bool hd_dram_idle(const struct hd_dram *dram);
/* A launch begins in the place of grid `grid`: writes that wait are nobody's any more where they were of that grid. */
void hd_dram_disown(struct hd_dram *dram, uint32_t grid);
void hd_dram_dump(const struct hd_dram *dram, uint32_t channel, FILE *out);

#endif
