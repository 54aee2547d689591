/*
 * Address translation of one SM: two levels of pages, each with some entries, the least recently used replaced. What
 * misses is there some cycles later; those of one page that come meanwhile wait for the same.
 */
#ifndef HD_RUNTIME_MEMORY_TLB_H
#define HD_RUNTIME_MEMORY_TLB_H

#include <stdint.h>

#include "heddle/stats.h"

struct hd_arena;
struct hd_config;

/* Numbers of entries count from 1; 0: none. */
struct hd_tlb_entry {
	uint64_t page, ready;
	uint16_t newer, older; /* by use */
	uint16_t next;	       /* of its bucket */
};

struct hd_tlb_level {
	struct hd_tlb_entry *entries;  /* from number 1 on */
	uint16_t *buckets;	       /* by a hash of the page: an entry */
	uint32_t count, shift;	       /* entries; log2 of a page */
	uint32_t bucket_shift;	       /* of the hash */
	uint16_t used, newest, oldest; /* entries that have a page */
	uint64_t miss;		       /* cycles that one takes beyond what hits */
};

struct hd_tlb {
	struct hd_tlb_level near, far; /* no entries: all hits */
};

void hd_tlb_init(struct hd_tlb *tlb, const struct hd_config *config, struct hd_arena *arena);
/* The first cycle, `now` or later, in which the address is translated. Misses are counted. */
uint64_t hd_tlb_ready(struct hd_tlb *tlb, uint64_t address, uint64_t now, struct hd_counters *counters);

#endif
