/*
 * Tensor maps for copies in bulk: cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and cuTensorMapReplaceAddress. What a
 * map may be is in lib/tensormap.h, and so is what its 128 bytes hold. Layouts that are not modelled (interleaved ones,
 * other swizzles, packed types) are CUDA_ERROR_NOT_SUPPORTED.
 */
#include "lib/tensormap.h"
#include "runtime/cudart/driver.h"

#include "heddle/config.h"

enum { FIRST_CAPABILITY = 9 };

static bool is_modelled(CUtensorMapDataType type, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle)
{
	bool packed = type >= CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B && type <= CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
	bool interleaved = interleave == CU_TENSOR_MAP_INTERLEAVE_16B || interleave == CU_TENSOR_MAP_INTERLEAVE_32B;
	bool other = swizzle >= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B && swizzle <= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B;
	return !packed && !interleaved && !other;
}

/* False: a dimension has no or too many elements. `strides` may be missing for one dimension. */
static bool take_dimensions(struct hd_tensor_map *map, cuuint32_t rank, const cuuint64_t *dim,
			    const cuuint64_t *strides, const cuuint32_t *steps)
{
	if (!rank || rank > HD_TENSOR_MOST || !dim || !steps || (rank > 1 && !strides))
		return false;
	map->rank = (uint8_t)rank;
	for (uint32_t i = 0; i < rank; i++) {
		if (!dim[i] || dim[i] > UINT64_C(1) << 32)
			return false;
		map->size[i] = (uint32_t)dim[i];
		map->step[i] = steps[i];
		if (i)
			map->stride[i - 1] = strides[i - 1];
	}
	return true;
}

/* How the bytes lie. CUDA_ERROR_NOT_SUPPORTED: as is not modelled. */
static CUresult take_layout(struct hd_tensor_map *map, CUtensorMapDataType type, CUtensorMapInterleave interleave,
			    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
	if ((unsigned)type > UINT8_MAX || (unsigned)interleave > UINT8_MAX || (unsigned)swizzle > UINT8_MAX ||
	    (unsigned)promotion > UINT8_MAX || (unsigned)fill > UINT8_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_modelled(type, interleave, swizzle))
		return CUDA_ERROR_NOT_SUPPORTED;
	map->type = (uint8_t)type;
	map->interleave = (uint8_t)interleave;
	map->swizzle = (uint8_t)swizzle;
	map->promotion = (uint8_t)promotion;
	map->fill = (uint8_t)fill;
	return CUDA_SUCCESS;
}

static CUresult give_map(CUtensorMap *to, const struct hd_tensor_map *map)
{
	HD_CUDART(cudart);
	if (hd_tensor_map_check(map))
		return CUDA_ERROR_INVALID_VALUE;
	if (!cudart || cudart->config->compute_major < FIRST_CAPABILITY)
		return CUDA_ERROR_NOT_SUPPORTED;
	memcpy(to, map, sizeof *map);
	return CUDA_SUCCESS;
}

static struct hd_tensor_map map_of(void *address)
{
	return (struct hd_tensor_map){.magic = HD_TENSOR_MAGIC, .address = (uint64_t)(uintptr_t)address};
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
				void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
				const cuuint32_t *boxDim, const cuuint32_t *elementStrides,
				CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill)
{
	struct hd_tensor_map map = map_of(globalAddress);
	if (!tensorMap || (uintptr_t)tensorMap % 64 || !boxDim ||
	    !take_dimensions(&map, tensorRank, globalDim, globalStrides, elementStrides))
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; i < tensorRank; i++)
		map.box[i] = boxDim[i];
	CUresult result = take_layout(&map, tensorDataType, interleave, swizzle, l2Promotion, oobFill);
	return result ? result : give_map(tensorMap, &map);
}

/* False: a corner is beyond 16 bits. */
static bool take_corners(struct hd_tensor_map *map, const int *lower, const int *upper)
{
	for (uint32_t i = 0; i + 2 < map->rank; i++) {
		map->lower[i] = (int16_t)lower[i];
		map->upper[i] = (int16_t)upper[i];
		if (map->lower[i] != lower[i] || map->upper[i] != upper[i])
			return false;
	}
	return true;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
				 void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
				 const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner,
				 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
				 const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
				 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
				 CUtensorMapFloatOOBfill oobFill)
{
	struct hd_tensor_map map = map_of(globalAddress);
	if (!tensorMap || (uintptr_t)tensorMap % 64 || !pixelBoxLowerCorner || !pixelBoxUpperCorner ||
	    !take_dimensions(&map, tensorRank, globalDim, globalStrides, elementStrides) ||
	    !take_corners(&map, pixelBoxLowerCorner, pixelBoxUpperCorner))
		return CUDA_ERROR_INVALID_VALUE;
	map.im2col = 1;
	map.box[0] = channelsPerPixel;
	map.box[1] = pixelsPerColumn;
	CUresult result = take_layout(&map, tensorDataType, interleave, swizzle, l2Promotion, oobFill);
	return result ? result : give_map(tensorMap, &map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress)
{
	struct hd_tensor_map map;
	if (!tensorMap || (uintptr_t)tensorMap % 64)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&map, tensorMap, sizeof map);
	map.address = (uint64_t)(uintptr_t)globalAddress;
	if (hd_tensor_map_check(&map))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(tensorMap, &map, sizeof map);
	return CUDA_SUCCESS;
}
