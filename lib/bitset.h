/*
 * Fixed-size bit set over dense ids. Storage comes from an arena.
 */
#ifndef HD_LIB_BITSET_H
#define HD_LIB_BITSET_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/api.h"
#include "lib/arena.h"

struct hd_bitset {
	uint64_t *words;
	uint32_t bits;
};

HD_API struct hd_bitset hd_bitset_new(struct hd_arena *arena, uint32_t bits);
HD_API void hd_bitset_clear(struct hd_bitset *set);
/* Both sets have the same size. */
HD_API void hd_bitset_copy(struct hd_bitset *to, const struct hd_bitset *from);
HD_API uint32_t hd_bitset_count(const struct hd_bitset *set);
/* The first member at or after `from`, or set->bits when there is none. */
HD_API uint32_t hd_bitset_next(const struct hd_bitset *set, uint32_t from);

static inline uint32_t hd_bitset_words(uint32_t bits)
{
	return (bits + 63) / 64;
}
static inline bool hd_bitset_has(const struct hd_bitset *set, uint32_t id)
{
	return set->words[id / 64] >> (id % 64) & 1;
}
static inline void hd_bitset_add(struct hd_bitset *set, uint32_t id)
{
	set->words[id / 64] |= UINT64_C(1) << (id % 64);
}
static inline void hd_bitset_remove(struct hd_bitset *set, uint32_t id)
{
	set->words[id / 64] &= ~(UINT64_C(1) << (id % 64));
}

#define HD_BITSET_FOREACH(set, id) \
	for (uint32_t id = hd_bitset_next((set), 0); id < (set)->bits; id = hd_bitset_next((set), id + 1))

#endif
