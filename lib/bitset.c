/*
 * Fixed-size bit set, 64 members a word. Bits beyond the last member stay zero:
 * only hd_bitset_add() sets bits, and its callers stay below set->bits.
 */
#include "lib/bitset.h"

#include <assert.h>
#include <string.h>

struct hd_bitset hd_bitset_new(struct hd_arena *arena, uint32_t bits)
{
	return (struct hd_bitset){HD_ARENA_NEW(arena, uint64_t, hd_bitset_words(bits)), bits};
}

void hd_bitset_clear(struct hd_bitset *set)
{
	memset(set->words, 0, hd_bitset_words(set->bits) * sizeof(*set->words));
}

void hd_bitset_copy(struct hd_bitset *to, const struct hd_bitset *from)
{
	assert(to->bits == from->bits);
	memmove(to->words, from->words, hd_bitset_words(to->bits) * sizeof(*to->words));
}

uint32_t hd_bitset_count(const struct hd_bitset *set)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < hd_bitset_words(set->bits); i++)
		count += (uint32_t)__builtin_popcountll(set->words[i]);
	return count;
}

uint32_t hd_bitset_next(const struct hd_bitset *set, uint32_t from)
{
	if (from >= set->bits)
		return set->bits;
	uint32_t i = from / 64;
	uint64_t word = set->words[i] & ~UINT64_C(0) << (from % 64);
	while (!word) {
		if (++i == hd_bitset_words(set->bits))
			return set->bits;
		word = set->words[i];
	}
	return i * 64 + (uint32_t)__builtin_ctzll(word);
}
