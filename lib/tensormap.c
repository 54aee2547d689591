/*
 * Descriptions of tensors: tensormap.h. Without interleave the innermost dimension is dense and its step counts as 1.
 *
 * im2col goes through the places that a convolution's filter takes, dimension 1 fastest: from a place on, by steps, to
 * the box's upper corner and from the lower one on again, then through the next image. At each it reads the pixel that
 * lies at the offsets in the filter.
 *
 * Cost: O(1) a row.
 */
#include "lib/tensormap.h"

#include <stddef.h>

enum { MOST_BOX = 256, MOST_PIXELS = 1024, MOST_STEP = 8, ALIGN = 16 };
static const uint64_t most_stride = UINT64_C(1) << 40;

uint32_t hd_tensor_element(uint32_t type)
{
	static const uint8_t bytes[HD_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
	return type < HD_TENSOR_TYPES ? bytes[type] : 0;
}

static bool is_float(uint32_t type)
{
	return type >= HD_TENSOR_F16;
}

static const char *check_dimension(const struct hd_tensor_map *map, uint32_t i)
{
	if (!map->im2col && (!map->box[i] || map->box[i] > MOST_BOX))
		return "a box has 1 to 256 elements in each dimension";
	if (!map->step[i] || map->step[i] > MOST_STEP)
		return "element strides are 1 to 8";
	if (i && (map->stride[i - 1] % ALIGN || map->stride[i - 1] >= most_stride))
		return "strides are multiples of 16 below 2^40";
	return NULL;
}

static int64_t size_of(const struct hd_tensor_map *map, uint32_t i)
{
	return map->size[i] ? map->size[i] : INT64_C(1) << 32;
}

/* Of dimension `i`: the place behind the last one of a filter. */
static int64_t end_of(const struct hd_tensor_map *map, uint32_t i)
{
	return size_of(map, i) + map->upper[i - 1];
}

static const char *check_pixels(const struct hd_tensor_map *map)
{
	if (map->rank < 3)
		return "im2col is for 3 to 5 dimensions";
	if (!map->box[0] || map->box[0] > MOST_BOX || !map->box[1] || map->box[1] > MOST_PIXELS)
		return "im2col reads 1 to 256 channels of 1 to 1024 pixels";
	int32_t most = 1 << (map->rank == 3 ? 15 : map->rank == 4 ? 7 : 4);
	for (uint32_t i = 1; i + 1 < map->rank; i++) {
		int32_t lower = map->lower[i - 1], upper = map->upper[i - 1];
		if (lower < -most || lower >= most || upper < -most || upper >= most)
			return "a corner of im2col's box is too far away for so many dimensions";
		if (end_of(map, i) <= lower)
			return "im2col's box is empty";
	}
	return NULL;
}

const char *hd_tensor_map_check(const struct hd_tensor_map *map)
{
	uint32_t bytes = hd_tensor_element(map->type);
	const char *wrong = NULL;
	if (map->magic != HD_TENSOR_MAGIC)
		return "it was not made by cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col";
	if (!bytes)
		return "its type is none";
	if (!map->rank || map->rank > HD_TENSOR_MOST)
		return "a tensor has 1 to 5 dimensions";
	if (map->interleave)
		return "interleaved layouts are not modelled: nothing is published of where slices of channels lie";
	if (map->swizzle > 3)
		return "swizzles of other atoms than 16 bytes are not modelled";
	if (map->fill > 1 || (map->fill && !is_float(map->type)))
		return "NaN is for types of floating point";
	if (map->promotion > 3)
		return "its L2 promotion is none";
	if (!map->address || map->address % ALIGN)
		return "the tensor's address is no multiple of 16";
	for (uint32_t i = 0; i < map->rank && !wrong; i++)
		wrong = check_dimension(map, i);
	if (!wrong && map->im2col)
		wrong = check_pixels(map);
	if (wrong)
		return wrong;
	if (map->box[0] * bytes % ALIGN)
		return "a box's rows are no multiples of 16 bytes";
	if (map->swizzle && map->box[0] * bytes > 16u << map->swizzle)
		return "a box's rows are longer than the swizzle's";
	return NULL;
}

/* ---- boxes */

uint32_t hd_tensor_box_length(const struct hd_tensor_map *map, uint32_t i)
{
	if (map->im2col)
		return i < 2 ? map->box[i] : 1;
	return i ? (map->box[i] + map->step[i] - 1) / map->step[i] : map->box[0];
}

uint32_t hd_tensor_box_bytes(const struct hd_tensor_map *map)
{
	uint64_t bytes = hd_tensor_element(map->type);
	for (uint32_t i = 0; i < map->rank && bytes <= UINT32_MAX; i++)
		bytes *= hd_tensor_box_length(map, i);
	return bytes <= UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

bool hd_tensor_has_place(const struct hd_tensor_map *map, const int32_t *at)
{
	for (uint32_t i = 1; map->im2col && i + 1 < map->rank; i++)
		if (at[i] < map->lower[i - 1] || at[i] >= end_of(map, i))
			return false;
	return true;
}

void hd_tensor_walk(struct hd_tensor_walk *walk, const struct hd_tensor_map *map, const int32_t *at, uint32_t offsets)
{
	uint32_t bits = hd_tensor_offset_bits(map->rank);
	*walk = (struct hd_tensor_walk){.map = map};
	for (uint32_t i = 0; i < map->rank; i++)
		walk->at[i] = at[i];
	for (uint32_t i = 1; map->im2col && i + 1 < map->rank; i++)
		walk->offset[i] = offsets >> (i - 1) * bits & ((1u << bits) - 1);
}

/* The innermost dimension, whose elements lie side by side. */
static void fill_row(const struct hd_tensor_walk *walk, struct hd_tensor_row *row)
{
	const struct hd_tensor_map *map = walk->map;
	uint32_t element = hd_tensor_element(map->type);
	int64_t first = walk->at[0], end = first + map->box[0], size = size_of(map, 0);
	int64_t from = first < 0 ? 0 : first, to = end < size ? end : size;
	row->skip = row->bytes = 0;
	if (from >= to)
		return;
	row->skip = (uint32_t)(from - first) * element;
	row->bytes = (uint32_t)(to - from) * element;
	row->address = map->address + (uint64_t)from * element;
}

/* The next row of a box. */
static void step_row(struct hd_tensor_walk *walk)
{
	const struct hd_tensor_map *map = walk->map;
	uint32_t i;
	for (i = 1; i < map->rank && ++walk->index[i] == hd_tensor_box_length(map, i); i++)
		walk->index[i] = 0;
	walk->over = i >= map->rank;
}

/* The next place of the filter. */
static void step_pixel(struct hd_tensor_walk *walk)
{
	const struct hd_tensor_map *map = walk->map;
	uint32_t i;
	for (i = 1; i + 1 < map->rank; i++) {
		walk->at[i] += map->step[i];
		if (walk->at[i] < end_of(map, i))
			break;
		walk->at[i] = map->lower[i - 1];
	}
	if (i + 1 == map->rank)
		walk->at[i]++;
	walk->over = ++walk->index[0] == map->box[1];
}

bool hd_tensor_next(struct hd_tensor_walk *walk, struct hd_tensor_row *row)
{
	const struct hd_tensor_map *map = walk->map;
	bool inside = true;
	uint64_t distance = 0;
	if (walk->over)
		return false;
	for (uint32_t i = 1; i < map->rank; i++) {
		int64_t x = walk->at[i] + walk->offset[i] + (int64_t)walk->index[i] * map->step[i];
		inside &= x >= 0 && x < size_of(map, i);
		distance += (uint64_t)x * map->stride[i - 1];
	}
	*row = (struct hd_tensor_row){.place = walk->place};
	if (inside)
		fill_row(walk, row);
	row->address += row->bytes ? distance : 0;
	walk->place += map->box[0] * hd_tensor_element(map->type);
	if (map->im2col)
		step_pixel(walk);
	else
		step_row(walk);
	return true;
}

/* ---- conversions */

bool hd_tensor_converts(const struct hd_tensor_map *map)
{
	return map->type >= HD_TENSOR_F32_FTZ;
}

uint32_t hd_tensor_convert(const struct hd_tensor_map *map, uint32_t bits)
{
	if (map->type != HD_TENSOR_TF32 && !(bits & 0x7f800000u))
		bits &= 0x80000000u;
	return map->type == HD_TENSOR_F32_FTZ ? bits : bits & ~UINT32_C(0x1fff);
}
