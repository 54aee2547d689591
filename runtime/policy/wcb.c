/*
 * LTRF's warp control block and address allocation unit (ltrf-asplos18 4.1, 4.2).
 *
 * Section 4.1 has entries of four bits and takes the working-set vector for valid bits, 4.2 clears valid bits and
 * fetches again by the working-set vector: here the fifth bit of an entry says that the value is there, and the vector
 * stays.
 *
 * Cost: O(registers that move).
 */
#include "runtime/policy/wcb.h"

#include <assert.h>
#include <string.h>

enum { WORDS = HD_WCB_REGISTERS / 64 };

struct hd_wcb_set hd_wcb_both(const struct hd_wcb_set *a, const struct hd_wcb_set *b)
{
	struct hd_wcb_set both;
	for (uint32_t i = 0; i < WORDS; i++)
		both.bits[i] = a->bits[i] & b->bits[i];
	return both;
}

struct hd_wcb_set hd_wcb_without(const struct hd_wcb_set *a, const struct hd_wcb_set *b)
{
	struct hd_wcb_set rest;
	for (uint32_t i = 0; i < WORDS; i++)
		rest.bits[i] = a->bits[i] & ~b->bits[i];
	return rest;
}

uint32_t hd_wcb_count(const struct hd_wcb_set *set)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < WORDS; i++)
		count += (uint32_t)__builtin_popcountll(set->bits[i]);
	return count;
}

uint32_t hd_wcb_next(const struct hd_wcb_set *set, uint32_t from)
{
	for (uint32_t word = from / 64; word < WORDS; word++) {
		uint64_t rest = set->bits[word] & ~UINT64_C(0) << (word == from / 64 ? from % 64 : 0);
		if (rest)
			return word * 64 + (uint32_t)__builtin_ctzll(rest);
	}
	return HD_WCB_REGISTERS;
}

void hd_wcb_init(struct hd_wcb *block, uint32_t banks, uint32_t first)
{
	memset(block, 0, sizeof *block);
	assert(banks <= HD_WCB_BANKS);
	block->banks = block->free = banks;
	for (uint32_t i = 0; i < banks; i++)
		block->unused[i] = (uint8_t)((first + i) % banks);
}

void hd_wcb_release(struct hd_wcb *block, const struct hd_wcb_set *out)
{
	for (uint32_t r = hd_wcb_next(out, 0); r < HD_WCB_REGISTERS; r = hd_wcb_next(out, r + 1)) {
		assert(hd_wcb_has(&block->set, r) && block->free < block->banks);
		block->unused[(block->first + block->free++) % block->banks] = block->bank[r];
		hd_wcb_drop(&block->set, r);
		hd_wcb_drop(&block->valid, r);
	}
}

bool hd_wcb_allocate(struct hd_wcb *block, const struct hd_wcb_set *in)
{
	if (hd_wcb_count(in) > block->free)
		return false;
	for (uint32_t r = hd_wcb_next(in, 0); r < HD_WCB_REGISTERS; r = hd_wcb_next(in, r + 1)) {
		block->bank[r] = block->unused[block->first];
		block->first = (block->first + 1) % block->banks;
		block->free--;
		hd_wcb_add(&block->set, r);
	}
	return true;
}

static uint64_t bits_for(uint32_t values)
{
	uint64_t bits = 0;
	while (1u << bits < values)
		bits++;
	return bits;
}

uint64_t hd_wcb_storage_bits(uint32_t warps, uint32_t banks, uint32_t active)
{
	uint64_t entries = HD_WCB_REGISTERS * (bits_for(banks) + 1), vectors = 2 * HD_WCB_REGISTERS;
	return warps * (entries + bits_for(active) + vectors);
}
