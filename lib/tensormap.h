/*
 * Descriptions of tensors for copies in bulk (CUtensorMap): what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col
 * check and write, and which bytes of memory a box of one is. After the PTX ISA, Tensors; the layout is ours.
 */
#ifndef HD_LIB_TENSORMAP_H
#define HD_LIB_TENSORMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/api.h"

enum { HD_TENSOR_MAP_BYTES = 128, HD_TENSOR_MOST = 5 };
#define HD_TENSOR_MAGIC UINT32_C(0x4d544448) /* "HDTM" */

/* Types in the order of CUtensorMapDataType. */
enum hd_tensor_type {
	HD_TENSOR_U8,
	HD_TENSOR_U16,
	HD_TENSOR_U32,
	HD_TENSOR_S32,
	HD_TENSOR_U64,
	HD_TENSOR_S64,
	HD_TENSOR_F16,
	HD_TENSOR_F32,
	HD_TENSOR_F64,
	HD_TENSOR_BF16,
	HD_TENSOR_F32_FTZ,
	HD_TENSOR_TF32,
	HD_TENSOR_TF32_FTZ,
	HD_TENSOR_TYPES
};

/*
 * The 128 bytes. Each field is one that a store can replace (tensormap.replace). Sizes count elements, 0 stands for
 * 2^32; strides are of dimensions 1 and up and count bytes.
 */
struct hd_tensor_map {
	uint32_t magic;
	uint8_t type, rank, interleave, swizzle;
	uint8_t fill;	   /* 1: NaN where there is no element */
	uint8_t promotion; /* of what L2 misses: 0 none, 1 to 3: to 64, 128, 256 bytes */
	uint8_t im2col;	   /* 1: pixels, as convolutions read them; else boxes */
	uint8_t unused[5];
	uint64_t address;
	uint64_t stride[HD_TENSOR_MOST - 1];
	uint32_t size[HD_TENSOR_MOST];
	uint32_t box[HD_TENSOR_MOST]; /* im2col: channels of a pixel, pixels */
	uint32_t step[HD_TENSOR_MOST];
	/* im2col, of the dimensions between the innermost and the outermost: the first place of a filter, and the place
	 * behind the last one less the tensor's size. */
	int16_t lower[HD_TENSOR_MOST - 2], upper[HD_TENSOR_MOST - 2];
};
_Static_assert(sizeof(struct hd_tensor_map) == HD_TENSOR_MAP_BYTES, "as CUDA has it");

/* Bytes of an element; 0: no such type. */
HD_API uint32_t hd_tensor_element(uint32_t type);
/* What is wrong with a map, as a static text; NULL: nothing. A map that was never encoded is wrong, too. */
HD_API const char *hd_tensor_map_check(const struct hd_tensor_map *map);

/* im2col: bits of an offset, which stand side by side in a word of 16 bits, that of dimension 1 lowest. */
static inline uint32_t hd_tensor_offset_bits(uint32_t dimensions)
{
	return dimensions == 3 ? 16 : dimensions == 4 ? 8 : 5;
}

/* ---- boxes */

/* Elements of a box along dimension `i`, and its bytes in shared memory. */
HD_API uint32_t hd_tensor_box_length(const struct hd_tensor_map *map, uint32_t i);
HD_API uint32_t hd_tensor_box_bytes(const struct hd_tensor_map *map);

/* A row of a box: `bytes` bytes at `address` are those behind `skip` of the row, which begins `place` bytes behind the
 * box's begin in shared memory, before any swizzle. The others have no element. */
struct hd_tensor_row {
	uint64_t address;
	uint32_t place, skip, bytes;
};
/* Where a walk over the rows of a box is. */
struct hd_tensor_walk {
	const struct hd_tensor_map *map;
	int64_t at[HD_TENSOR_MOST];
	uint32_t index[HD_TENSOR_MOST];
	uint32_t offset[HD_TENSOR_MOST];
	uint32_t place;
	bool over;
};
/* The box whose first element is at these coordinates, innermost first. The map is not copied. Of im2col a row is a
 * pixel; the coordinates are the first place of the filter, and the offsets (hd_tensor_offset_bits) the pixel's in it.
 */
HD_API void hd_tensor_walk(struct hd_tensor_walk *walk, const struct hd_tensor_map *map, const int32_t *at,
			   uint32_t offsets);
/* Whether the filter's first place is one of the map's; always, where that is no im2col. */
HD_API bool hd_tensor_has_place(const struct hd_tensor_map *map, const int32_t *at);
/* False: there are no more rows. */
HD_API bool hd_tensor_next(struct hd_tensor_walk *walk, struct hd_tensor_row *row);

/* What a load makes of elements: single precision to tf32 by cutting 13 bits off, subnormals to zeros. */
HD_API bool hd_tensor_converts(const struct hd_tensor_map *map);
HD_API uint32_t hd_tensor_convert(const struct hd_tensor_map *map, uint32_t bits);

#endif
