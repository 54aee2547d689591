/*
 * Constant caches of an SM: one of its own for loads of __constant__ variables, behind it the SM's instruction cache,
 * which holds constants too. constant.c.
 */
#ifndef HD_RUNTIME_SM_CONSTANT_H
#define HD_RUNTIME_SM_CONSTANT_H

#include <stdint.h>

#include "lib/arena.h"
#include "runtime/sm/fetch.h"

struct hd_config;
struct hd_counters;

/* Constant caches. */
struct hd_constants {
	struct hd_icache l1;		   /* no ways: there is none */
	uint32_t line_shift, behind_shift; /* log2 of a line's bytes, and of one of the cache behind it */
	uint32_t latency, miss_latency;	   /* of loads that this cache has, and that the one behind it has */
	uint32_t busy;			   /* cycles of a pass */
	uint64_t free;			   /* cycle of the next pass */
};

/* All sizes in bytes and latencies in cycles are the configuration's; constant_bytes = 0: there is none, and constants
 * are read through L1. */
void hd_constant_init(struct hd_constants *constants, const struct hd_config *config, struct hd_arena *arena);
/*
 * A warp's load whose operands are read at cycle `start`: the cycle at which the data of its last lane are there.
 * `address`: of each lane in `mask` (not 0) the device address of `bytes` bytes, which is a multiple of them. Counts in
 * `counters`.
 */
uint64_t hd_constant_load(struct hd_constants *constants, struct hd_fetch *fetch, struct hd_counters *counters,
			  uint32_t mask, const uint64_t address[32], uint64_t start);

#endif
