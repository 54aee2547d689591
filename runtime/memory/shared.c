/*
 * Shared-memory bank conflicts: how many cycles an instruction takes. Needs lane offsets and the number of 4-byte
 * banks.
 *
 * Lanes that read the same word share one access (broadcast); different words in one bank are served one a cycle.
 * 64-bit accesses go in two half-warps, 128-bit ones in four quarter-warps, each on its own. Atomics cannot share: each
 * lane on a word is an access.
 *
 * Accesses of 8 and 16 bytes are aligned, so that their words are in neighbouring banks and meet those of others all or
 * not at all: such a chunk counts as one word of banks that are as wide.
 *
 * Cost: lanes of a whole warp that stay in one row of the banks take one step each; others a store and a load a lane
 * and cycle. Atomics, and banks that are no power of two, walk over the words already seen in the bank.
 */
#include <assert.h>
#include <string.h>

#include "runtime/memory/coalescer.h"

enum { MAX_BANKS = 64, END = 255, LANES = 32, PART = 8 };

/* ---- word by word */

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

static bool may_share(const struct hd_mem_request *request)
{
	return request->kind == HD_MEM_LOAD || request->kind == HD_MEM_STORE;
}

static uint32_t group_cycles(const struct hd_mem_request *request, uint32_t lanes, uint32_t bank_count)
{
	struct banks banks;
	uint32_t words = request->bytes > 4 ? request->bytes / 4 : 1;
	banks.count = banks.most = 0;
	memset(banks.first, END, bank_count);
	memset(banks.depth, 0, bank_count);
	for (; lanes; lanes &= lanes - 1) {
		uint32_t word = (uint32_t)(request->address[__builtin_ctz(lanes)] / 4);
		for (uint32_t i = 0; i < words; i++, word++)
			add_word(&banks, word, word % bank_count, may_share(request));
	}
	return banks.most;
}

static uint32_t cycles_by_word(const struct hd_mem_request *request, uint32_t banks)
{
	uint32_t group = request->bytes > 8 ? 8 : request->bytes > 4 ? 16 : 32, cycles = 0;
	for (uint32_t first = 0; first < LANES; first += group) {
		uint32_t lanes = request->mask >> first & (uint32_t)((UINT64_C(1) << group) - 1);
		if (lanes)
			cycles += group_cycles(request, lanes << first, banks);
	}
	return cycles ? cycles : 1;
}

/* ---- by chunks, for banks that are a power of two */

/* The groups of `size` lanes, 8, 16 or 32, of which any is in `lanes`. */
static uint32_t groups_in(uint32_t lanes, uint32_t size)
{
	uint32_t count = 0;
	for (uint32_t first = 0; first < LANES; first += size)
		count += (lanes >> first & (uint32_t)((UINT64_C(1) << size) - 1)) != 0;
	return count;
}

/* Whether all lanes of each group are in one row of the banks, where different words are in different banks. */
static bool in_rows(const uint64_t address[LANES], uint32_t group, uint32_t row_bytes)
{
	uint64_t differ[LANES / PART], all;
	for (uint32_t part = 0; part < LANES / PART; part++) {
		differ[part] = 0;
		for (uint32_t i = 1; i < PART; i++)
			differ[part] |= address[part * PART + i] ^ address[part * PART];
	}
	all = differ[0] | differ[1] | differ[2] | differ[3];
	if (group >= 16)
		all |= (address[0] ^ address[8]) | (address[16] ^ address[24]);
	if (group == 32)
		all |= address[0] ^ address[16];
	return all < row_bytes;
}

/* Each cycle serves one chunk of each bank, whichever lane was last to name it, and all lanes that want it. Groups have
 * banks of their own in the table: together MAX_BANKS of them. */
static uint32_t cycles_by_chunk(const struct hd_mem_request *request, uint32_t banks, uint32_t wide)
{
	uint32_t chunk[LANES], bank[LANES], served[MAX_BANKS];
	uint32_t group = LANES / wide, mine = banks / wide, shift = 2 + (uint32_t)__builtin_ctz(wide), cycles = 0;
	for (uint32_t lane = 0; lane < LANES; lane++) {
		chunk[lane] = (uint32_t)(request->address[lane] >> shift);
		bank[lane] = lane / group * mine + (chunk[lane] & (mine - 1));
	}
	for (uint32_t left = request->mask; left;) {
		uint32_t still = 0;
		cycles += groups_in(left, group);
		for (uint32_t rest = left; rest; rest &= rest - 1)
			served[bank[__builtin_ctz(rest)]] = chunk[__builtin_ctz(rest)];
		for (uint32_t rest = left; rest; rest &= rest - 1)
			if (served[bank[__builtin_ctz(rest)]] != chunk[__builtin_ctz(rest)])
				still |= rest & -rest;
		left = still;
	}
	return cycles ? cycles : 1;
}

static bool aligned(const struct hd_mem_request *request, uint32_t bytes)
{
	uint64_t all = 0;
	for (uint32_t lane = 0; lane < LANES; lane++)
		all |= request->address[lane] & (0 - (uint64_t)(request->mask >> lane & 1));
	return !(all & (bytes - 1));
}

uint32_t hd_shared_cycles(const struct hd_mem_request *request, uint32_t banks)
{
	uint32_t wide = request->bytes > 4 ? request->bytes / 4 : 1;
	assert(banks && banks <= MAX_BANKS);
	if (!may_share(request) || banks & (banks - 1) || banks < wide || (wide > 1 && !aligned(request, wide * 4)))
		return cycles_by_word(request, banks);
	if (request->mask == UINT32_MAX && in_rows(request->address, LANES / wide, banks * 4))
		return wide;
	return cycles_by_chunk(request, banks, wide);
}
