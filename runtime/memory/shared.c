/*
 * Shared-memory bank conflicts: how many cycles an instruction takes. Needs lane offsets and the number of 4-byte
 * banks.
 *
 * Lanes that read the same word share one access (broadcast); different words in one bank are served one a cycle.
 * 64-bit accesses go in two half-warps, 128-bit ones in four quarter-warps, each on its own. Of a load whose lanes i
 * and i ^ 1, or i and i ^ 2, all have one address, two such parts go together where the machine has it so
 * (shared_pairs): cards of compute capability 7.0 to 7.5 do, by NVIDIA's answer in its developers' forum (77228).
 * Atomics cannot share: each lane on a word is an access.
 *
 * Accesses of 8 and 16 bytes are aligned, so that their words are in neighbouring banks and meet those of others all or
 * not at all: such a chunk counts as one word of banks that are as wide.
 *
 * Cost: lanes of a whole warp that stay in one row of the banks take one step each; others one a lane and a walk over
 * what was already seen in its bank.
 */
#include <assert.h>
#include <string.h>

#include "runtime/memory/coalescer.h"

enum { MAX_BANKS = 64, END = 255, LANES = 32, PART = 8, MAX_GROUPS = 4 };

/* Words or chunks seen, chained by bank. At most 32 lanes of one, 16 of two or 8 of four words in a group. */
struct banks {
	uint32_t word[LANES];
	uint8_t next[LANES];
	uint8_t first[MAX_BANKS];
	uint8_t depth[MAX_BANKS];
	uint32_t count;
};

/* Lanes may share what they read or write. */
static bool may_share(const struct hd_mem_request *request)
{
	return request->kind == HD_MEM_LOAD || request->kind == HD_MEM_STORE;
}

static void clear(struct banks *banks, uint32_t bank_count)
{
	banks->count = 0;
	memset(banks->first, END, bank_count);
	memset(banks->depth, 0, bank_count);
}

static inline void add_word(struct banks *banks, uint32_t word, uint32_t bank, bool share, uint32_t *most)
{
	uint32_t seen = banks->first[bank];
	if (share)
		for (; seen != END; seen = banks->next[seen])
			if (banks->word[seen] == word)
				return;
	assert(banks->count < LANES);
	banks->word[banks->count] = word;
	banks->next[banks->count] = banks->first[bank];
	banks->first[bank] = (uint8_t)banks->count++;
	if (++banks->depth[bank] > *most)
		*most = banks->depth[bank];
}

/* ---- word by word */

static uint32_t group_cycles(const struct hd_mem_request *request, uint32_t lanes, uint32_t bank_count)
{
	struct banks banks;
	uint32_t words = request->bytes > 4 ? request->bytes / 4 : 1, most = 0;
	clear(&banks, bank_count);
	for (; lanes; lanes &= lanes - 1) {
		uint32_t word = (uint32_t)(request->address[__builtin_ctz(lanes)] / 4);
		for (uint32_t i = 0; i < words; i++, word++)
			add_word(&banks, word, word % bank_count, may_share(request), &most);
	}
	return most;
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

/* The groups have banks of their own, together as many as there are words of banks. `merged`: two groups go together.
 */
static uint32_t cycles_by_chunk(const struct hd_mem_request *request, uint32_t bank_count, uint32_t wide, bool merged)
{
	struct banks banks;
	uint32_t most[MAX_GROUPS] = {0}, mine = bank_count / wide, shift = 2 + (uint32_t)__builtin_ctz(wide);
	uint32_t per_group = 5 - (uint32_t)__builtin_ctz(wide) + merged;
	bool share = may_share(request);
	clear(&banks, bank_count);
	for (uint32_t left = request->mask; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left), group = lane >> per_group;
		uint32_t chunk = (uint32_t)(request->address[lane] >> shift);
		add_word(&banks, chunk, group * mine + (chunk & (mine - 1)), share, &most[group]);
	}
	uint32_t cycles = most[0] + most[1] + most[2] + most[3];
	return cycles ? cycles : 1;
}

/* Whether the active ones of lanes i and i ^ `bit` all have one address. */
static bool are_paired(const struct hd_mem_request *request, uint32_t bit)
{
	for (uint32_t lane = 0; lane < LANES; lane++) {
		uint32_t other = lane ^ bit;
		if (request->mask >> lane & request->mask >> other & 1 &&
		    request->address[lane] != request->address[other])
			return false;
	}
	return true;
}

bool hd_shared_pairs(const struct hd_mem_request *request)
{
	return request->bytes > 4 && request->kind == HD_MEM_LOAD && (are_paired(request, 1) || are_paired(request, 2));
}

uint32_t hd_shared_cycles(const struct hd_mem_request *request, uint32_t banks, bool pairs)
{
	uint32_t wide = request->bytes > 4 ? request->bytes / 4 : 1;
	assert(banks && banks <= MAX_BANKS);
	if (banks & (banks - 1) || banks < wide)
		return cycles_by_word(request, banks);
	if (pairs)
		return cycles_by_chunk(request, banks, wide, true);
	if (request->mask == UINT32_MAX && may_share(request) && in_rows(request->address, LANES / wide, banks * 4))
		return wide;
	return cycles_by_chunk(request, banks, wide, false);
}
