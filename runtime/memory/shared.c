/*
 * Shared-memory bank conflicts: how many cycles an instruction takes. Needs lane offsets and the number of 4-byte
 * banks.
 *
 * Lanes that read the same word share one access (broadcast); different words in one bank are served one a cycle.
 * 64-bit accesses go in two half-warps, 128-bit ones in four quarter-warps, each on its own. Atomics cannot share: each
 * lane on a word is an access. Cost: one step a word; conflicts add a walk over the words already seen in that bank.
 */
#include <assert.h>
#include <string.h>

#include "runtime/memory/coalescer.h"

enum { MAX_BANKS = 64, END = 255 };

/* Words seen in the group, chained by bank. At most 32 lanes of one word, 16 of two or 8 of four. */
struct banks {
	uint32_t word[32];
	uint8_t next[32];
	uint8_t first[MAX_BANKS];
	uint8_t depth[MAX_BANKS];
	uint32_t count, most;
};

static void add_word(struct banks *banks, uint32_t word, uint32_t bank, bool broadcast)
{
	if (broadcast)
		for (uint32_t i = banks->first[bank]; i != END; i = banks->next[i])
			if (banks->word[i] == word)
				return;
	assert(banks->count < 32);
	banks->word[banks->count] = word;
	banks->next[banks->count] = banks->first[bank];
	banks->first[bank] = (uint8_t)banks->count++;
	if (++banks->depth[bank] > banks->most)
		banks->most = banks->depth[bank];
}

static uint32_t group_cycles(const struct hd_mem_request *request, uint32_t lanes, uint32_t bank_count)
{
	struct banks banks;
	uint32_t words = request->bytes > 4 ? request->bytes / 4 : 1;
	bool broadcast = request->kind == HD_MEM_LOAD || request->kind == HD_MEM_STORE;
	bool power = !(bank_count & (bank_count - 1));
	banks.count = banks.most = 0;
	memset(banks.first, END, bank_count);
	memset(banks.depth, 0, bank_count);
	for (; lanes; lanes &= lanes - 1) {
		uint32_t word = (uint32_t)(request->address[__builtin_ctz(lanes)] / 4);
		for (uint32_t i = 0; i < words; i++, word++)
			add_word(&banks, word, power ? word & (bank_count - 1) : word % bank_count, broadcast);
	}
	return banks.most;
}

uint32_t hd_shared_cycles(const struct hd_mem_request *request, uint32_t banks)
{
	uint32_t group = request->bytes > 8 ? 8 : request->bytes > 4 ? 16 : 32, cycles = 0;
	assert(banks && banks <= MAX_BANKS);
	for (uint32_t first = 0; first < 32; first += group) {
		uint32_t lanes = request->mask >> first & (uint32_t)((UINT64_C(1) << group) - 1);
		if (lanes)
			cycles += group_cycles(request, lanes << first, banks);
	}
	return cycles ? cycles : 1;
}
