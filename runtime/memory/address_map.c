/*
 * Address mapping. Pure arithmetic on the line number; shifts where the number of slices is a power of two, divisions
 * where it is not. Real mappings are not published; this one has their known properties (see map.h).
 */
#include "runtime/memory/address_map.h"
#include "lib/bits.h"

#include <assert.h>
#include <stdbool.h>

#include "heddle/config.h"

void hd_address_map_init(struct hd_address_map *map, const struct hd_config *config)
{
	uint32_t slices = (uint32_t)config->l2_slices;
	*map = (struct hd_address_map){.slices = slices, .banks = (uint32_t)config->dram_banks};
	map->slice_bits = hd_is_power_of_two(slices) ? (uint32_t)__builtin_ctz(slices) : 0;
	map->slices_per_channel = slices / (uint32_t)config->dram_channels;
	map->groups = (uint32_t)config->dram_groups;
	map->row_lines = (uint32_t)(config->dram_row / config->l2_line);
	map->row_first = config->dram_map == HD_DRAM_MAP_ROWS;
	if (!map->row_lines)
		map->row_lines = 1;
	assert(map->slices_per_channel && config->l2_slices % config->dram_channels == 0);
}

struct hd_dram_place hd_address_dram(const struct hd_address_map *map, uint32_t slice, uint64_t in_slice)
{
	uint64_t rest = in_slice * map->slices_per_channel + slice % map->slices_per_channel;
	if (map->row_first)
		return (struct hd_dram_place){(uint32_t)(rest / map->row_lines % map->banks),
					      (uint32_t)(rest / map->row_lines / map->banks)};
	uint32_t group = (uint32_t)(rest % map->groups), per_group = map->banks / map->groups;
	rest = rest / map->groups / map->row_lines;
	uint32_t bank = (uint32_t)(rest % per_group) * map->groups + group;
	uint32_t row = (uint32_t)(rest / per_group);
	if (hd_is_power_of_two(map->banks))
		bank ^= row & (map->banks - 1);
	return (struct hd_dram_place){bank, row};
}
