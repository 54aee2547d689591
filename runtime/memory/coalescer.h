/*
 * Coalescer and shared-memory conflict counting: from the lanes of one memory instruction to line accesses or cycles.
 */
#ifndef HD_RUNTIME_MEMORY_COALESCER_H
#define HD_RUNTIME_MEMORY_COALESCER_H

#include <stdint.h>

#include "runtime/memory/memory.h"

/* Local accesses of 16 bytes whose lanes diverge touch four lines each. */
#define HD_MAX_ACCESSES 128

struct hd_access {
	uint64_t line;	 /* address / line size */
	uint8_t sectors; /* touched */
	uint8_t full;	 /* stores: of these, those written in every byte */
	uint8_t service; /* atomics: over the sectors, the sum of the most lanes that hit one word */
	uint8_t next;	 /* for the owner's lists */
};

/* Sizes are powers of two; a line has at most 8 sectors and 256 bytes. */
struct hd_coalescer {
	uint32_t line_shift, sector_shift;
};

void hd_coalescer_init(struct hd_coalescer *coalescer, const struct hd_config *config);
/* Line accesses of a global or local request, in the order in which lanes (then words of a wide local access) first
 * touch them. Returns their number, at most HD_MAX_ACCESSES. */
uint32_t hd_coalesce(const struct hd_coalescer *coalescer, const struct hd_mem_request *request,
		     struct hd_access out[HD_MAX_ACCESSES]);

/* Line accesses of `count` runs of `bytes` bytes, at most 256 and a line's, in the order in which they are first
 * touched: line << 8 | sectors. At most two a run. Returns their number. */
uint32_t hd_coalesce_runs(const struct hd_coalescer *coalescer, const uint64_t *address, uint32_t count, uint32_t bytes,
			  uint64_t *out);

/* A wide load of which all active lanes i and i ^ 1, or i and i ^ 2, have one address (shared_pairs). */
bool hd_shared_pairs(const struct hd_mem_request *request);
/* Cycles that shared memory with this many 4-byte banks takes to serve the request; 1 without conflicts. `pairs`: it is
 * one of the above, and the machine serves those in half the parts. */
uint32_t hd_shared_cycles(const struct hd_mem_request *request, uint32_t banks, bool pairs);

#endif
