/*
 * Tensor maps for copies in bulk: cuTensorMapEncodeTiled and cuTensorMapReplaceAddress. What a map may be is in
 * lib/tensormap.h, and so is what its 128 bytes hold. Layouts that are not modelled (interleaved ones, other swizzles,
 * packed types, im2col) are CUDA_ERROR_NOT_SUPPORTED.
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

/* False: a dimension has no or too many elements. */
static bool take_dimensions(struct hd_tensor_map *map, const cuuint64_t *dim, const cuuint64_t *strides,
			    const cuuint32_t *box, const cuuint32_t *steps)
{
	for (uint32_t i = 0; i < map->rank; i++) {
		if (!dim[i] || dim[i] > UINT64_C(1) << 32)
			return false;
		map->size[i] = (uint32_t)dim[i];
		map->box[i] = box[i];
		map->step[i] = steps[i];
		if (i)
			map->stride[i - 1] = strides[i - 1];
	}
	return true;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
				void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
				const cuuint32_t *boxDim, const cuuint32_t *elementStrides,
				CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill)
{
	struct hd_tensor_map map = {.magic = HD_TENSOR_MAGIC, .address = (uint64_t)(uintptr_t)globalAddress};
	if (!tensorMap || (uintptr_t)tensorMap % 64 || !globalDim || !boxDim || !elementStrides || !tensorRank ||
	    tensorRank > HD_TENSOR_MOST || (tensorRank > 1 && !globalStrides) || (unsigned)tensorDataType > UINT8_MAX ||
	    (unsigned)interleave > UINT8_MAX || (unsigned)swizzle > UINT8_MAX || (unsigned)l2Promotion > UINT8_MAX ||
	    (unsigned)oobFill > UINT8_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_modelled(tensorDataType, interleave, swizzle))
		return CUDA_ERROR_NOT_SUPPORTED;
	map.type = (uint8_t)tensorDataType;
	map.rank = (uint8_t)tensorRank;
	map.interleave = (uint8_t)interleave;
	map.swizzle = (uint8_t)swizzle;
	map.promotion = (uint8_t)l2Promotion;
	map.fill = (uint8_t)oobFill;
	if (!take_dimensions(&map, globalDim, globalStrides, boxDim, elementStrides) || hd_tensor_map_check(&map))
		return CUDA_ERROR_INVALID_VALUE;
	HD_CUDART(cudart);
	if (!cudart || cudart->config->compute_major < FIRST_CAPABILITY)
		return CUDA_ERROR_NOT_SUPPORTED;
	memcpy(tensorMap, &map, sizeof map);
	return CUDA_SUCCESS;
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
