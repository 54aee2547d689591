/*
 * Coalescer: lane addresses of one memory instruction -> accesses to lines, each with a mask of sectors.
 * Needs the line and sector size. Cost: a few steps where the executor has seen how the lanes lie (enum
 * hd_mem_pattern); else one a lane (a word of a lane for wide local accesses): a lane whose line is that of the lane
 * before costs a compare, another goes through a 256-entry hash on the stack.
 *
 * Local memory is interleaved by 4-byte words (hd_local_address), so an 8 or 16-byte access is 2 or 4 rows. An access
 * that is not aligned may span two lines. Atomics on one word are served one after the other, on different words of a
 * sector together: that is their service time in the L2.
 */
#include "runtime/memory/coalescer.h"

#include <assert.h>
#include <string.h>

#include "heddle/config.h"
#include "lib/bits.h"
#include "lib/hash.h"

enum { HASH_SLOTS = 256, HASH_EMPTY = 255, MASK_WORDS = 4, FEW = 4 };

struct state {
	const struct hd_coalescer *sizes;
	struct hd_access *out;
	uint32_t count;
	uint32_t last; /* access that the previous piece went to, and its line */
	uint64_t last_line;
	bool bytes;  /* track written bytes */
	bool hashed; /* `hash` is in use */
	uint8_t hash[HASH_SLOTS];
	uint64_t written[HD_MAX_ACCESSES][MASK_WORDS]; /* bytes of the line */
};

static uint32_t log2_exact(uint64_t value)
{
	assert(hd_is_power_of_two(value));
	return (uint32_t)__builtin_ctzll(value);
}

void hd_coalescer_init(struct hd_coalescer *coalescer, const struct hd_config *config)
{
	*coalescer = (struct hd_coalescer){log2_exact(config->l1_line), log2_exact(config->sector)};
	assert(coalescer->line_shift >= coalescer->sector_shift &&
	       coalescer->line_shift - coalescer->sector_shift <= 3);
}

static uint32_t new_line(struct state *state, uint64_t line)
{
	assert(state->count < HD_MAX_ACCESSES);
	state->out[state->count] = (struct hd_access){.line = line};
	if (state->bytes)
		memset(state->written[state->count], 0, sizeof(state->written[0]));
	return state->count++;
}

static uint32_t slot_of(uint64_t line)
{
	return (uint32_t)(hd_hash_mix(0, line) >> 56);
}

/* The first lines are looked up one by one; from now on all are in the hash. */
static void hash_lines(struct state *state)
{
	memset(state->hash, HASH_EMPTY, sizeof(state->hash));
	state->hashed = true;
	for (uint32_t i = 0; i < state->count; i++) {
		uint32_t slot = slot_of(state->out[i].line);
		while (state->hash[slot] != HASH_EMPTY)
			slot = (slot + 1) % HASH_SLOTS;
		state->hash[slot] = (uint8_t)i;
	}
}

static uint32_t find_line(struct state *state, uint64_t line)
{
	for (uint32_t i = 0; i < state->count && i < FEW; i++)
		if (state->out[i].line == line)
			return i;
	if (state->count < FEW)
		return new_line(state, line);
	if (state->count == FEW && !state->hashed)
		hash_lines(state);
	uint32_t slot = slot_of(line);
	for (; state->hash[slot] != HASH_EMPTY; slot = (slot + 1) % HASH_SLOTS)
		if (state->out[state->hash[slot]].line == line)
			return state->hash[slot];
	state->hash[slot] = (uint8_t)state->count;
	return new_line(state, line);
}

/* Marks `bytes` bytes at `offset` of a line as written. */
static inline void mark_written(uint64_t *written, uint32_t offset, uint32_t bytes)
{
	uint64_t mask = (UINT64_C(1) << bytes) - 1;
	written += offset / 64;
	written[0] |= mask << offset % 64;
	if (offset % 64 + bytes > 64)
		written[1] |= mask >> (64 - offset % 64);
}

/* Bytes [address, +bytes), which lie in one line. Kept small and inline: every lane comes through here. */
static inline void add_piece(struct state *state, uint64_t address, uint32_t bytes)
{
	uint32_t line_shift = state->sizes->line_shift, sector_shift = state->sizes->sector_shift;
	uint64_t line = address >> line_shift;
	if (line != state->last_line || !state->count) {
		state->last = find_line(state, line);
		state->last_line = line;
	}
	uint32_t offset = (uint32_t)address & ((1u << line_shift) - 1);
	uint32_t first = offset >> sector_shift, last = (offset + bytes - 1) >> sector_shift;
	state->out[state->last].sectors |= (uint8_t)((2u << last) - (1u << first));
	if (state->bytes)
		mark_written(state->written[state->last], offset, bytes);
}

static inline void add(struct state *state, uint64_t address, uint32_t bytes)
{
	uint32_t size = 1u << state->sizes->line_shift, room = size - ((uint32_t)address & (size - 1));
	if (bytes > room) {
		add_piece(state, address, room);
		address += room;
		bytes -= room;
	}
	add_piece(state, address, bytes);
}

static uint8_t sectors_between(uint32_t first, uint32_t last)
{
	return (uint8_t)((2u << last) - (1u << first));
}

/* Bytes [from, to) of a line, each accessed once. Full sectors begin and end inside. */
static void add_range(const struct hd_coalescer *sizes, const struct hd_mem_request *request, struct hd_access *out,
		      uint64_t line, uint32_t from, uint32_t to)
{
	uint32_t shift = sizes->sector_shift, first = (from + (1u << shift) - 1) >> shift, end = to >> shift;
	*out = (struct hd_access){.line = line, .sectors = sectors_between(from >> shift, (to - 1) >> shift)};
	if (request->kind == HD_MEM_STORE && end > first)
		out->full = sectors_between(first, end - 1);
}

/* A word for each lane, side by side. */
static uint32_t consecutive(const struct hd_coalescer *sizes, const struct hd_mem_request *request,
			    struct hd_access *out)
{
	uint64_t address = request->address[0], line = address >> sizes->line_shift;
	uint32_t size = 1u << sizes->line_shift, from = (uint32_t)address & (size - 1), to = from + 4 * 32;
	add_range(sizes, request, &out[0], line, from, to < size ? to : size);
	if (to <= size)
		return 1;
	add_range(sizes, request, &out[1], line + 1, 0, to - size);
	return 2;
}

/* Rows of local memory that are a line each, one for each word that a lane accesses. */
static uint32_t rows(const struct hd_mem_request *request, uint32_t line_shift, struct hd_access *out)
{
	uint32_t words = request->bytes / 4;
	for (uint32_t word = 0; word < words; word++) {
		out[word] = (struct hd_access){.line = (request->address[0] >> line_shift) + word, .sectors = 0xf};
		out[word].full = request->kind == HD_MEM_STORE ? 0xf : 0;
	}
	return words;
}

/* Requests whose pattern says it all: their number of accesses, 0 for others. */
static uint32_t by_pattern(const struct hd_coalescer *sizes, const struct hd_mem_request *request,
			   struct hd_access *out)
{
	if (request->kind != HD_MEM_LOAD && request->kind != HD_MEM_STORE)
		return 0;
	if (request->pattern == HD_MEM_CONSECUTIVE && request->mask == UINT32_MAX && sizes->line_shift >= 7) {
		if (request->bytes == 4)
			return consecutive(sizes, request, out);
		if (request->space == HD_MEM_LOCAL && request->bytes > 4 && sizes->line_shift == 7 &&
		    sizes->sector_shift == 5 && !(request->address[0] & 127))
			return rows(request, sizes->line_shift, out);
	}
	return 0;
}

static bool aligned(const struct hd_mem_request *request)
{
	uint64_t all = 0;
	for (uint32_t left = request->mask; left; left &= left - 1)
		all |= request->address[__builtin_ctz(left)];
	return !(all & (request->bytes - 1u));
}

/* Loads that are aligned, so that each lane's lies in one sector: by far the most common case, without the bookkeeping.
 * Returns their number. */
static uint32_t loads(struct state *state, const struct hd_mem_request *request)
{
	uint32_t line_shift = state->sizes->line_shift, sector_shift = state->sizes->sector_shift;
	uint64_t sectors = (1u << (line_shift - sector_shift)) - 1, last_line = 0;
	uint32_t lanes = request->pattern == HD_MEM_UNIFORM ? request->mask & (0 - request->mask) : request->mask;
	struct hd_access *last = NULL;
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint64_t address = request->address[__builtin_ctz(left)], line = address >> line_shift;
		if (line != last_line || !last) {
			last = &state->out[find_line(state, line)];
			last_line = line;
		}
		last->sectors |= (uint8_t)(1u << (address >> sector_shift & sectors));
	}
	return state->count;
}

static bool sector_full(const uint64_t written[MASK_WORDS], uint32_t sector, uint32_t sector_shift)
{
	uint32_t bytes = 1u << sector_shift, first = sector << sector_shift;
	if (bytes == 32)
		return (uint32_t)(written[first / 64] >> first % 64) == UINT32_MAX;
	for (uint32_t word = first / 64; word < (first + bytes) / 64; word++)
		if (written[word] != UINT64_MAX)
			return false;
	return true;
}

static void find_full_sectors(struct state *state)
{
	for (uint32_t i = 0; i < state->count; i++)
		for (uint32_t left = state->out[i].sectors; left; left &= left - 1) {
			uint32_t sector = (uint32_t)__builtin_ctz(left);
			if (sector_full(state->written[i], sector, state->sizes->sector_shift))
				state->out[i].full |= (uint8_t)(1u << sector);
		}
}

static uint32_t lanes_at(const struct hd_mem_request *request, uint32_t lanes, uint64_t word)
{
	uint32_t count = 0;
	for (; lanes; lanes &= lanes - 1)
		count += request->address[__builtin_ctz(lanes)] / request->bytes == word;
	return count;
}

/* For each access, over its sectors, the most lanes on one word. A lane counts those before it on its word, itself
 * included; the last of them has the whole number. */
static void find_service(struct state *state, const struct hd_mem_request *request)
{
	uint8_t most[HD_MAX_ACCESSES][8];
	memset(most, 0, sizeof(most[0]) * state->count);
	for (uint32_t left = request->mask; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t address = request->address[lane];
		uint32_t access = find_line(state, address >> state->sizes->line_shift);
		uint32_t sector = (uint32_t)(address >> state->sizes->sector_shift) %
				  (1u << (state->sizes->line_shift - state->sizes->sector_shift));
		uint32_t lanes = lanes_at(request, request->mask & ((2u << lane) - 1), address / request->bytes);
		most[access][sector] = (uint8_t)hd_larger(most[access][sector], lanes);
	}
	for (uint32_t i = 0; i < state->count; i++)
		for (uint32_t sector = 0; sector < 8; sector++)
			state->out[i].service = (uint8_t)(state->out[i].service + most[i][sector]);
}

uint32_t hd_coalesce(const struct hd_coalescer *coalescer, const struct hd_mem_request *request,
		     struct hd_access out[HD_MAX_ACCESSES])
{
	struct state state;
	bool wide_local = request->space == HD_MEM_LOCAL && request->bytes > 4;
	uint32_t known = request->pattern ? by_pattern(coalescer, request, out) : 0;
	if (known)
		return known;
	state.sizes = coalescer;
	state.out = out;
	state.count = state.last = 0;
	state.last_line = 0;
	state.hashed = false;
	state.bytes = request->kind == HD_MEM_STORE;
	if (request->kind == HD_MEM_LOAD && !wide_local && request->bytes <= 1u << coalescer->sector_shift &&
	    aligned(request))
		return loads(&state, request);
	uint32_t words = wide_local ? request->bytes / 4 : 1, bytes = wide_local ? 4 : request->bytes;
	for (uint32_t word = 0; word < words; word++)
		for (uint32_t left = request->mask; left; left &= left - 1)
			add(&state, request->address[__builtin_ctz(left)] + word * 128, bytes);
	if (state.bytes)
		find_full_sectors(&state);
	if (request->kind == HD_MEM_ATOMIC || request->kind == HD_MEM_REDUCTION)
		find_service(&state, request);
	return state.count;
}

/* ---- runs of bytes */

enum { RUN_SLOTS = 4096 }; /* four times the most lines: look-ups are short */

static void touch(uint64_t *out, uint32_t *count, uint16_t *slots, uint64_t line, uint8_t sectors)
{
	uint32_t slot = (uint32_t)(hd_hash_mix(0, line) >> 52);
	while (slots[slot] && out[slots[slot] - 1] >> 8 != line)
		slot = (slot + 1) % RUN_SLOTS;
	if (!slots[slot]) {
		out[*count] = line << 8;
		slots[slot] = (uint16_t)++*count;
	}
	out[slots[slot] - 1] |= sectors;
}

uint32_t hd_coalesce_runs(const struct hd_coalescer *coalescer, const uint64_t *address, uint32_t count, uint32_t bytes,
			  uint64_t *out)
{
	uint16_t slots[RUN_SLOTS];
	uint32_t lines = 0, size = 1u << coalescer->line_shift, shift = coalescer->sector_shift;
	assert(count <= HD_MEM_MOST_RUNS && bytes && bytes <= size);
	memset(slots, 0, sizeof(slots));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t line = address[i] >> coalescer->line_shift;
		uint32_t from = (uint32_t)address[i] & (size - 1), to = from + bytes;
		touch(out, &lines, slots, line, sectors_between(from >> shift, ((to < size ? to : size) - 1) >> shift));
		if (to > size)
			touch(out, &lines, slots, line + 1, sectors_between(0, (to - size - 1) >> shift));
	}
	return lines;
}
