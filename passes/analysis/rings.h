/*
 * Addresses that go round in a ring of slots, one slot further each turn of a loop: a counter's remainder by a
 * constant, or a number that is set to zero when it has reached the constant.
 */
#ifndef HD_PASSES_ANALYSIS_RINGS_H
#define HD_PASSES_ANALYSIS_RINGS_H

#include "passes/analysis/sums.h"

/* In the loop's turn t: base + stride * ((first + t) % slots). */
struct hd_ring {
	uint32_t base, stride, first;
	uint32_t slots; /* 2 or more; 0: it is no such address */
};

/* Of an address that an instruction of the loop uses; the loop is not in another one. Counters do not wrap around. */
struct hd_ring hd_ring_of(struct hd_writers_search *search, const struct hd_sum *address, uint32_t loop);

/* The same slot in each turn. */
bool hd_ring_is_same(const struct hd_ring *a, const struct hd_ring *b);

/* Whether no slots are the same, whatever the turns. */
bool hd_rings_are_apart(const struct hd_ring *a, const struct hd_ring *b);

/* Whether an address that is a number is none of the slots; false where it is no number. */
bool hd_ring_is_without(const struct hd_ring *ring, const struct hd_sum *address);

#endif
