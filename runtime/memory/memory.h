/*
 * The memory system's timing: load/store units with coalescer, shared memory and L1 of each SM,
 * crossbar in each direction, L2 slices, DRAM channels. Timing only: data moves in the functional
 * executor at issue. Units meet through bounded queues whose entries carry a ready cycle.
 *
 * Clock: core cycles. Units in other clock domains convert.
 */
#ifndef HD_RUNTIME_MEMORY_MEMORY_H
#define HD_RUNTIME_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "heddle/stats.h"
#include "lib/arena.h"
#include "runtime/core/address.h"

struct hd_config;

struct hd_memory; /* crossbars, L2, DRAM, shared by all SMs */
struct hd_packet; /* packet.h */
struct hd_lsu;	  /* load/store unit of one SM with its L1 and shared memory */

#define HD_MEM_GRIDS 32		   /* whose requests are told apart */
#define HD_MEM_NOBODY HD_MEM_GRIDS /* whose dirty lines are those of grids that have ended */

#define HD_MEM_GROUPS 256 /* whose stores are, in an SM */

#define HD_MEM_NO_PLACE UINT16_MAX

/* One memory instruction of a warp. */
struct hd_mem_request {
	/* Comes back in the completion; UINT32_MAX: no completion wanted. That of a store says that it has reached its
	 * point of coherence. */
	uint32_t token;
	const void *origin; /* hd_lsu_holder says it */
	uint8_t space;	    /* enum hd_mem_space; generic accesses are resolved before */
	uint8_t kind;	    /* enum hd_mem_kind */
	uint8_t bytes;	    /* a lane: 1, 2, 4, 8, 16 */
	uint8_t class;	    /* enum hd_mem_class, for the split of L1 traffic */
	uint8_t cache;	    /* enum hd_cache of heddle/machine.h */
	uint8_t pattern;    /* enum hd_mem_pattern; HD_MEM_SCATTERED is always right */
	bool bypass;	    /* past L1, also local memory */
	uint16_t group;	    /* whose stores hd_lsu_pending_stores counts together: hd_warp.id, below HD_MEM_GROUPS */
	uint8_t grid;	    /* that it is of, below HD_MEM_GRIDS */
	uint16_t lines;	    /* hd_lsu_keep_lines; 0: what the lanes' addresses below make */
	uint16_t place;	    /* hd_lsu_taken says when the unit takes it; HD_MEM_NO_PLACE: it does not */
	/* A load whose bytes go to shared memory: the cycles of that (hd_lsu_shared_cycles), then its completion; 0: to
	 * registers. With no active lanes there are zeros alone to write. */
	uint16_t copy;
	uint32_t mask; /* active lanes */
	/* Lane addresses, multiples of `bytes`. Global: device address. Shared: offset in the SM's shared memory.
	 * Local: physical address of the lane's first word, in the interleaved layout: see hd_local_address. */
	uint64_t address[32];
	/* Of HD_MEM_REMOTE, with addresses as hd_remote_address has them: what is to be done, and whether it tells a
	 * barrier. */
	struct hd_remote *remote;
	bool tells;
};

struct hd_mem_completion {
	uint32_t token;
	uint64_t cycle; /* at which the data is in the register file */
};

struct hd_memory *hd_memory_new(const struct hd_config *config, struct hd_arena *arena);
/* `counters` are the SM's own, HD_MEM_GRIDS of them; those of L1 and shared memory are bumped in that of the request's
 * grid. */
struct hd_lsu *hd_lsu_new(struct hd_memory *memory, uint32_t sm, const struct hd_config *config,
			  struct hd_counters *counters, struct hd_arena *arena);
/* What the owner of a load/store unit is told; each may be NULL. Called from hd_lsu_tick. */
struct hd_lsu_watch {
	void *context;
	/* A load or atomic waits for memory: the first of its line accesses that L1 cannot answer. */
	void (*miss)(void *context, uint32_t token, uint64_t now);
	/* Which of these packets goes to L2 next: the first of each grid that has some ready, in turns; UINT32_MAX:
	 * none, it is asked again in the next cycle. There is room for any of them. */
	uint32_t (*send)(void *context, const struct hd_packet *const *heads, uint32_t count, uint64_t now);
	/* An answer has come from L2. */
	void (*reply)(void *context, const struct hd_packet *reply, uint64_t now);
};
void hd_lsu_set_watch(struct hd_lsu *lsu, const struct hd_lsu_watch *watch);
/*
 * Lines that are moved past L1 and the queue of instructions: contexts (runtime/sm/transfer.h). In whole sectors, so
 * that L2 fetches nothing to write them. At most `transfer_lines` are under way.
 */
struct hd_line {
	uint64_t line;	 /* address / line size */
	uint32_t tag;	 /* comes back */
	uint8_t sectors; /* written or read */
	uint8_t grid;
	bool write, low; /* low: others go first, but in the crossbars */
};
bool hd_lsu_line_room(const struct hd_lsu *lsu);
/* Goes at cycle `ready` or later; there is room, and those of a priority come in the order of `ready`. */
void hd_lsu_send_line(struct hd_lsu *lsu, uint64_t ready, const struct hd_line *line);
/* Takes one that was acknowledged or answered; false: no more. */
bool hd_lsu_line_done(struct hd_lsu *lsu, uint32_t *tag);
bool hd_lsu_has_lines_done(const struct hd_lsu *lsu);
/* A product of a warpgroup takes shared memory for so many cycles from a later cycle on, before instructions do. In the
 * order of these cycles. `origin` as that of a request. */
void hd_lsu_claim_shared(struct hd_lsu *lsu, uint64_t now, uint64_t from, uint32_t cycles, uint32_t grid,
			 const void *origin);
/* A line's worth of shared memory is read in this cycle, after hd_lsu_tick, for a grid; false: the program takes it. Or
 * is read or written as soon as it does not: returns the cycle. */
bool hd_lsu_take_shared(struct hd_lsu *lsu, uint64_t now, uint32_t grid);
uint64_t hd_lsu_use_shared(struct hd_lsu *lsu, uint64_t now, uint32_t grid);
/*
 * Requests of the unit that copies in bulk (runtime/sm/bulk.h), past L1 as those of transfers are, with a queue of
 * their own. The unit has at most as many under way as it said when it opened the queue.
 */
enum hd_bulk_what { HD_BULK_LINE_READ, HD_BULK_LINE_WRITE, HD_BULK_LINE_REDUCE, HD_BULK_LINE_FILL };
struct hd_bulk_line {
	uint64_t line;	       /* address / line size */
	uint32_t tag;	       /* comes back */
	uint8_t sectors, full; /* of it; those that are written in every byte */
	uint8_t grid, what;
	uint8_t promotion; /* what a miss in L2 fetches: 0 as ever, 1 to 3 aligned 64, 128 and 256 bytes, at most the
			      line: 256 is 128 where lines have 128 */
};
void hd_lsu_open_bulk(struct hd_lsu *lsu, uint32_t most, struct hd_arena *arena);
bool hd_lsu_bulk_room(const struct hd_lsu *lsu);
/* Whether a line may be sent before the cycle in which it would be: there is room for it then, and its translation does
 * not depend on others. */
bool hd_lsu_bulk_early(const struct hd_lsu *lsu);
/* Not before `ready`. Returns the cycle in which its address is translated, too. */
uint64_t hd_lsu_send_bulk(struct hd_lsu *lsu, uint64_t ready, const struct hd_bulk_line *line);
/* Takes one that was answered; false: no more. */
bool hd_lsu_bulk_done(struct hd_lsu *lsu, uint32_t *tag);
bool hd_lsu_has_bulk_done(const struct hd_lsu *lsu);
/* Nothing is under way: what was answered is forgotten. */
void hd_lsu_forget_bulk(struct hd_lsu *lsu);
/* A line's worth of shared memory is read or written as soon as the program does not: returns the cycle. */
uint64_t hd_lsu_bulk_shared(struct hd_lsu *lsu, uint64_t now, uint32_t grid);
/* Shared memory that resident CTAs use: with l1_unified it is taken from the L1's ways. Called at CTA launch and
 * retire. */
void hd_lsu_set_shared(struct hd_lsu *lsu, uint32_t bytes);

/*
 * A fetch of a warp touches several places a lane, so its line accesses are made when it issues: those of `count` runs
 * of `bytes` bytes each, of global memory. Returns their number for hd_mem_request.lines, with which the request is to
 * be issued, and their sectors. hd_lsu_prepare_lines was called before.
 */
enum { HD_MEM_MOST_RUNS = 512 };
uint16_t hd_lsu_keep_lines(struct hd_lsu *lsu, const uint64_t *address, uint32_t count, uint32_t bytes,
			   uint32_t *sectors);
/* Room for so many such requests that the owner keeps before it issues them, beside those in the queue. Once for all.
 */
void hd_lsu_prepare_lines(struct hd_lsu *lsu, uint32_t kept, struct hd_arena *arena);

/* With an empty queue: what was kept is not going to be issued any more. */
void hd_lsu_forget_lines(struct hd_lsu *lsu);

/* A grid is going to have requests; that of number 0 needs none of this. Once for all. */
void hd_lsu_prepare(struct hd_lsu *lsu, uint32_t grid, struct hd_arena *arena);
/* So many grids have blocks on the SM: each has an equal part of the places in the queues. */
void hd_lsu_set_sharers(struct hd_lsu *lsu, uint32_t grids);

/* Cycles that shared memory takes for a request of its space: conflicts, and what the data path moves in one. */
uint32_t hd_lsu_shared_cycles(const struct hd_lsu *lsu, const struct hd_mem_request *request);

/* Whether a place in the queue is free for the grid beside `reserved` ones. */
bool hd_lsu_can_accept(const struct hd_lsu *lsu, uint32_t grid, uint32_t reserved);
/* The origin of the request that keeps the unit from taking the grid's next one from its queue in cycle `now`; NULL:
 * something else does, copies in bulk or transfers for example. *until gets the cycle from which this one does not. */
const void *hd_lsu_holder(const struct hd_lsu *lsu, uint32_t grid, uint64_t now, uint64_t *until);
/* Enqueues; the caller has checked hd_lsu_can_accept. `ready`: cycle at which its operands are read. The request is
 * copied. */
void hd_lsu_issue(struct hd_lsu *lsu, uint64_t now, uint64_t ready, const struct hd_mem_request *request);
/* Does this cycle's work. Returns the next cycle at which it has something to do by itself (UINT64_MAX: only after a
 * reply from the memory). Call it only at cycles at or after the one it returned, and after hd_lsu_issue or a reply. */
uint64_t hd_lsu_tick(struct hd_lsu *lsu, uint64_t now);
/* Starts to bring what that looks at first into the host's cache. */
void hd_lsu_fetch(const struct hd_lsu *lsu);
/* The memory has told of something: the first cycle from `now` on in which hd_lsu_tick can make use of it. When it is
 * told depends on how far memory and SMs have come, this cycle does not. */
uint64_t hd_lsu_due(const struct hd_lsu *lsu, uint64_t now);
/* The place of an instruction that the unit has taken from its queue; HD_MEM_NO_PLACE: there is none of
 * the last tick that has not been told. */
uint32_t hd_lsu_taken(struct hd_lsu *lsu);
/* Instructions that wait in it at most, those of all grids. */
uint32_t hd_lsu_capacity(const struct hd_config *config);
/* Takes completions that are due at or before `now`; returns how many were written. */
uint32_t hd_lsu_completions(struct hd_lsu *lsu, uint64_t now, struct hd_mem_completion *out, uint32_t capacity);
/* The SM gets its first cluster; what it sends to other SMs, NULL: it has had none; one of these is done, at the cycle
 * that it says, which is still to come. */
struct hd_dsm_access;
struct hd_dsm_port;
void hd_lsu_open_port(struct hd_lsu *lsu, struct hd_arena *arena);
struct hd_dsm_port *hd_lsu_port(const struct hd_lsu *lsu);
void hd_lsu_remote_done(struct hd_lsu *lsu, struct hd_dsm_access *access);
/* Cycle of the earliest completion not yet taken; UINT64_MAX. */
uint64_t hd_lsu_next_completion(const struct hd_lsu *lsu);
/* Global and local stores and reductions of a group that have not reached their point of coherence, for fences. */
uint32_t hd_lsu_pending_stores(const struct hd_lsu *lsu, uint32_t group);
/* Global and local requests of a grid that are not done. */
uint32_t hd_lsu_pending(const struct hd_lsu *lsu, uint32_t grid);
/* Packets in a grid's miss queue. */
uint32_t hd_lsu_packets(const struct hd_lsu *lsu, uint32_t grid);
bool hd_lsu_idle(const struct hd_lsu *lsu);
/* Writes back and invalidates (kernel boundary). Counted, not timed. */
void hd_lsu_flush(struct hd_lsu *lsu);
/* The same beside other grids, when one ends: of its local memory, which is gone; and when one begins, which must see
 * what others have written: of what is clean and global. */
void hd_lsu_flush_local(struct hd_lsu *lsu, uint32_t grid);
void hd_lsu_invalidate_global(struct hd_lsu *lsu);

/* Crossbars, L2 and DRAM up to and including cycle `now`. Returns the next cycle with work (UINT64_MAX: idle); to be
 * called within hd_memory_lead cycles after any hd_lsu_tick. Load/store units of different SMs may be used from
 * different host threads between two calls. Replies to SMs become visible to hd_lsu_tick; `woken` gets a bit (by SM, 64
 * a word) for each SM whose hd_lsu_tick is to be called again: a reply is under way to it, or a queue that it waited
 * for will have room. */
uint64_t hd_memory_tick(struct hd_memory *memory, uint64_t now, uint64_t *woken);
/* The three parts of it. What load/store units have sent and taken is taken notice of; returns the next cycle with
 * work. */
uint64_t hd_memory_take(struct hd_memory *memory);
/* The same where only this SM's load/store unit can have done anything. */
uint64_t hd_memory_take_one(struct hd_memory *memory, uint32_t sm);
/* The cycles up to and including `now`; load/store units may go through the cycles from `now` on beside it, as far as
 * hd_memory_lead cycles behind the last that was done before. */
void hd_memory_advance(struct hd_memory *memory, uint64_t now);
/* Shows them what it did; returns the next cycle with work. */
uint64_t hd_memory_give(struct hd_memory *memory, uint64_t *woken);
/* How many cycles load/store units may work through from a cycle on that hd_memory_tick has done, before it is called
 * for all of them: what it does in these is seen, and room that it makes, behind them. At least 1. */
uint64_t hd_memory_lead(const struct hd_memory *memory);
/* L2 has nothing any more; the memory is idle. For time that is left out. */
void hd_memory_forget(struct hd_memory *memory);
/* The host has copied so many bytes to the address, which stay in L2 (l2_keeps_copies). */
void hd_memory_copied(struct hd_memory *memory, uint64_t address, uint64_t bytes);
/* L2 has the sectors of these addresses, those of the lanes in the mask, and of a store (`written`) as dirty ones, by
 * accesses without time. Nothing is under way. */
void hd_memory_touch(struct hd_memory *memory, const uint64_t *address, uint32_t lanes, bool written);
bool hd_memory_idle(struct hd_memory *memory);
/* The last cycle in which any of them had work. */
uint64_t hd_memory_last(const struct hd_memory *memory);
/* Another launch has the grid's number from now on: what its predecessor left dirty in L2 is nobody's. */
void hd_memory_begin_grid(struct hd_memory *memory, uint32_t grid);
/* What requests of a grid, or HD_MEM_NOBODY, have been counted as, in crossbars, L2 and DRAM. */
const struct hd_counters *hd_memory_counters(const struct hd_memory *memory, uint32_t grid);

/* State of every unit, for the watchdog. */
void hd_memory_dump(const struct hd_memory *memory, FILE *out);
void hd_lsu_dump(const struct hd_lsu *lsu, FILE *out);

#endif
