/*
 * Instruction fetch, and caches of lines: fetch.c.
 */
#ifndef HD_RUNTIME_SM_FETCH_H
#define HD_RUNTIME_SM_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/arena.h"
#include "runtime/sm/limits.h"

struct hd_config;
struct hd_map;
struct hd_sm;
struct hd_warp;

#define HD_NO_LINE UINT64_MAX
#define HD_MAX_AHEAD 32 /* lines of a stream buffer */

struct hd_icache {
	uint32_t sets, ways;
	uint64_t *tags;	 /* sets * ways; HD_NO_LINE */
	uint64_t *ready; /* cycle at which the line has arrived */
	uint64_t *used;	 /* last use, for LRU */
};

/* Lines that were asked for ahead of the warps, consecutive ones. */
struct hd_code_stream {
	uint64_t first;		      /* the first of them */
	uint64_t ready[HD_MAX_AHEAD]; /* when they have arrived, from `head` on, in a ring */
	uint32_t head, count;
};

struct hd_fetch {
	uint32_t line_shift, pc_shift; /* bytes and instructions of a line */
	uint32_t inst_bytes, latency, miss_latency, busy, ahead;
	uint32_t first_latency; /* beyond miss_latency, of the first access to a line (l2_empty_code) */
	struct hd_map *read;	/* lines that had that one since hd_fetch_forget; empty without such a latency */
	uint64_t free;		/* cycle at which the SM's cache can be asked again */
	uint64_t line[HD_MAX_CONTEXTS]; /* line that each warp holds, by hd_warp.id */
	struct hd_icache l1;
	struct hd_icache l0[HD_MAX_SCHEDULERS]; /* no ways: there is none */
	struct hd_code_stream streams[HD_MAX_SCHEDULERS];
};

/* ---- caches of lines */

/* At most `ways` lines of a set. */
void hd_icache_init(struct hd_icache *cache, uint64_t bytes, uint64_t line, uint64_t ways, struct hd_arena *arena);
/* All lines are gone. A cache without ways stays one. */
void hd_icache_forget(struct hd_icache *cache);
/* The way of a line, or the least recently used one of its set. */
size_t hd_icache_find(const struct hd_icache *cache, uint64_t line);

/* ---- instructions */

void hd_fetch_init(struct hd_fetch *fetch, const struct hd_config *config, struct hd_arena *arena);
/* Code is in no cache of the SM any more. Called while nothing runs there. */
void hd_fetch_forget(struct hd_fetch *fetch);
void hd_fetch_release(struct hd_fetch *fetch);
/* The cycle at which the SM's instruction cache has a line that it is asked for at `now`, which takes its turn. */
uint64_t hd_fetch_shared(struct hd_fetch *fetch, uint64_t line, uint64_t now, bool *missed);
/* The warp goes on in another line of code: the cycle at which that can be decoded. */
uint64_t hd_fetch_next(struct hd_sm *sm, const struct hd_warp *warp, uint64_t line, uint64_t now);
/* Cycle at which the warp has its next instruction where a policy says at which address that stands. */
uint64_t hd_fetch_placed(struct hd_sm *sm, const struct hd_warp *warp, uint64_t now);

#endif
