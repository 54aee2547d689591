/*
 * The warp control block of LTRF (ltrf-asplos18 4.1, 4.2, Figures 7 and 8): where each register of a warp's working set
 * lies in the register cache. A register has a bank of its own; all of a warp are in its row. Free banks stand in a
 * queue: the first is given, those that come back go to its end.
 */
#ifndef HD_RUNTIME_POLICY_WCB_H
#define HD_RUNTIME_POLICY_WCB_H

#include <stdbool.h>
#include <stdint.h>

#define HD_WCB_REGISTERS 256
#define HD_WCB_BANKS 64 /* most registers of an interval */

/* A set of registers: bit r % 64 of word r / 64. */
struct hd_wcb_set {
	uint64_t bits[HD_WCB_REGISTERS / 64];
};

struct hd_wcb {
	struct hd_wcb_set set;	 /* working set: registers that have a bank */
	struct hd_wcb_set valid; /* of these, whose value is there */
	struct hd_wcb_set live;	 /* liveness vector (LTRF+) */
	uint8_t bank[HD_WCB_REGISTERS];
	uint8_t unused[HD_WCB_BANKS]; /* a ring */
	uint32_t first, free;	      /* of it */
	uint32_t banks;
};

static inline bool hd_wcb_has(const struct hd_wcb_set *set, uint32_t reg)
{
	return set->bits[reg / 64] >> reg % 64 & 1;
}
static inline void hd_wcb_add(struct hd_wcb_set *set, uint32_t reg)
{
	set->bits[reg / 64] |= UINT64_C(1) << reg % 64;
}
static inline void hd_wcb_drop(struct hd_wcb_set *set, uint32_t reg)
{
	set->bits[reg / 64] &= ~(UINT64_C(1) << reg % 64);
}
/* Members of a, or of a without those of b. */
struct hd_wcb_set hd_wcb_both(const struct hd_wcb_set *a, const struct hd_wcb_set *b);
struct hd_wcb_set hd_wcb_without(const struct hd_wcb_set *a, const struct hd_wcb_set *b);
uint32_t hd_wcb_count(const struct hd_wcb_set *set);
/* The first member from `from` on; HD_WCB_REGISTERS: none. For a loop over all, ascending. */
uint32_t hd_wcb_next(const struct hd_wcb_set *set, uint32_t from);

/* All registers dead, no bank taken; the queue begins with bank `first` % banks. */
void hd_wcb_init(struct hd_wcb *block, uint32_t banks, uint32_t first);
/* The banks of these come back, ascending; those get one each, ascending: false when there are not so many. */
void hd_wcb_release(struct hd_wcb *block, const struct hd_wcb_set *out);
bool hd_wcb_allocate(struct hd_wcb *block, const struct hd_wcb_set *in);

/* Bits of the blocks of all warps (4.3). */
uint64_t hd_wcb_storage_bits(uint32_t warps, uint32_t banks, uint32_t active);

#endif
