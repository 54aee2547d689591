/*
 * The bit map of an SM's on-chip space (space.h; gpu-multiprogramming-lin, 3.6.5, 3.6.6).
 *
 * Cost: O(units) a place that is taken.
 */
#include "runtime/policy/duet/space.h"

#include <assert.h>
#include <string.h>

static bool is_taken(const struct duet_space *space, uint32_t unit)
{
	return space->map[unit / 64] >> unit % 64 & 1;
}

bool duet_space_init(struct duet_space *space, uint32_t registers, uint32_t shared, uint32_t l1)
{
	if ((uint64_t)registers + shared + l1 > DUET_MOST_UNITS)
		return false;
	memset(space, 0, sizeof(*space));
	space->units[DUET_REGISTERS] = registers;
	space->units[DUET_SHARED] = shared;
	space->units[DUET_L1] = l1;
	return true;
}

void duet_space_add_l1(struct duet_space *space, uint32_t units)
{
	assert(units <= DUET_MOST_UNITS - space->units[DUET_REGISTERS] - space->units[DUET_SHARED]);
	space->units[DUET_L1] = units;
}

void duet_space_keep(struct duet_space *space, enum duet_part part, uint32_t units)
{
	space->kept[part] = units < space->units[part] ? units : space->units[part];
}

static uint32_t first_of(const struct duet_space *space, enum duet_part part)
{
	uint32_t first = 0;
	for (uint32_t before = 0; before < (uint32_t)part; before++)
		first += space->units[before];
	return first;
}

static uint32_t take_at(struct duet_space *space, uint32_t address, uint32_t units)
{
	for (uint32_t unit = address; unit < address + units; unit++)
		space->map[unit / 64] |= UINT64_C(1) << unit % 64;
	space->taken += units;
	return address;
}

uint32_t duet_space_take(struct duet_space *space, enum duet_part part, uint32_t units)
{
	uint32_t first = first_of(space, part), run = 0;
	if (!units)
		return first;
	for (uint32_t unit = first; unit < first + space->units[part]; unit++) {
		run = is_taken(space, unit) ? 0 : run + 1;
		if (run == units)
			return take_at(space, unit + 1 - units, units);
	}
	return DUET_NOWHERE;
}

static uint32_t take_from_top(struct duet_space *space, enum duet_part part, uint32_t units)
{
	uint32_t first = first_of(space, part), run = 0;
	for (uint32_t unit = first + space->units[part]; unit-- > first + space->kept[part];) {
		run = is_taken(space, unit) ? 0 : run + 1;
		if (run == units)
			return take_at(space, unit, units);
	}
	return DUET_NOWHERE;
}

uint32_t duet_space_take_context(struct duet_space *space, enum duet_part part, uint32_t units)
{
	assert(units);
	uint32_t place = take_from_top(space, DUET_L1, units);
	return place == DUET_NOWHERE ? take_from_top(space, part, units) : place;
}

void duet_space_give(struct duet_space *space, uint32_t address, uint32_t units)
{
	for (uint32_t unit = address; unit < address + units; unit++) {
		assert(is_taken(space, unit));
		space->map[unit / 64] &= ~(UINT64_C(1) << unit % 64);
	}
	space->taken -= units;
}

bool duet_space_agrees(const struct duet_space *space)
{
	uint32_t bits = 0;
	for (uint32_t word = 0; word < DUET_MOST_UNITS / 64; word++)
		bits += (uint32_t)__builtin_popcountll(space->map[word]);
	return bits == space->taken;
}

enum { STATE_BITS = 2, ADDRESS_BITS = 12, WARP_BITS = 7, BLOCK_BITS = 5, WARP_QUEUES = 2 * 16, BLOCK_QUEUES = 2 * 8 };

uint32_t duet_storage_bits(uint32_t units)
{
	uint32_t warp = 1 + STATE_BITS + 2 * ADDRESS_BITS;    /* valid, state, registers and metadata */
	uint32_t block = 1 + DUET_MOST_BLOCKS + ADDRESS_BITS; /* valid, absent warps, shared memory */
	uint32_t queues = WARP_QUEUES * WARP_BITS + BLOCK_QUEUES * BLOCK_BITS;
	return units + DUET_MOST_WARPS * warp + DUET_MOST_BLOCKS * block + queues;
}

uint32_t duet_slots_storage_bits(uint32_t slots)
{
	return DUET_MOST_BLOCKS * WARP_BITS + slots * WARP_BITS;
}
