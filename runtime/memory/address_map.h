/*
 * Where a line of device memory lives: L2 slice, place in the slice, DRAM channel, bank and row.
 */
#ifndef HD_RUNTIME_MEMORY_ADDRESS_MAP_H
#define HD_RUNTIME_MEMORY_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct hd_config;

struct hd_address_map {
	uint32_t slices, slice_bits; /* bits: of a power of two, else 0 */
	uint32_t slices_per_channel;
	uint32_t banks, groups, row_lines;
	bool row_first; /* dram_map = rows */
};

struct hd_dram_place {
	uint32_t bank, row; /* bank: its group is bank % groups; row_first: bank / (banks / groups) */
};

void hd_address_map_init(struct hd_address_map *map, const struct hd_config *config);
/* Consecutive lines go to consecutive slices, turned by the higher address bits, so that strides of a power of two
 * do not camp on a few slices. (slice, place) is one to one with the line. */
static inline uint32_t hd_address_slice(const struct hd_address_map *map, uint64_t line)
{
	uint32_t bits = map->slice_bits;
	if (bits) {
		uint64_t above = line >> bits;
		uint64_t folded = above ^ above >> bits ^ above >> 2 * bits ^ above >> 3 * bits;
		return (uint32_t)((line ^ folded) & (map->slices - 1));
	}
	uint64_t rest = line % map->slices, above = line / map->slices;
	return (uint32_t)((rest + above + above / map->slices) % map->slices);
}

/* The line's number among those of its slice. */
static inline uint64_t hd_address_in_slice(const struct hd_address_map *map, uint64_t line)
{
	return map->slice_bits ? line >> map->slice_bits : line / map->slices;
}

/* Consecutive lines of a channel alternate among its bank groups; lines of a row follow in each bank, then come the
 * other banks of the group, then the next row. Banks are XORed with the row. With dram_map = rows the lines of a row
 * follow each other, then come those of the next bank, of all banks, the next row: GPGPU-Sim 3.2.2's mapping, in which
 * the higher bits of a bank's number are its group. */
struct hd_dram_place hd_address_dram(const struct hd_address_map *map, uint32_t slice, uint64_t in_slice);

#endif
