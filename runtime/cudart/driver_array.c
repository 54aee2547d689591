/*
 * Arrays, textures and surfaces of the driver API: the runtime's under other names, with formats and flags in place of
 * channel descriptors and modes.
 */
#include "runtime/cudart/driver_array.h"

#include <string.h>

#include "runtime/cudart/handles.h"

static const struct {
	CUarray_format format;
	int bits;
	enum cudaChannelFormatKind kind;
} formats[] = {
	{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
	{CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};
enum { FORMATS = sizeof formats / sizeof *formats };

struct cudaChannelFormatDesc hd_driver_channels(CUarray_format format, unsigned channels)
{
	for (unsigned i = 0; i < FORMATS; i++)
		if (formats[i].format == format) {
			int bits = formats[i].bits;
			return (struct cudaChannelFormatDesc){channels > 0 ? bits : 0, channels > 1 ? bits : 0,
							      channels > 2 ? bits : 0, channels > 3 ? bits : 0,
							      formats[i].kind};
		}
	return (struct cudaChannelFormatDesc){0, 0, 0, 0, cudaChannelFormatKindNone};
}

CUarray_format hd_driver_format(const struct cudaChannelFormatDesc *desc, unsigned *channels)
{
	*channels = (desc->x > 0) + (desc->y > 0) + (desc->z > 0) + (desc->w > 0);
	for (unsigned i = 0; i < FORMATS; i++)
		if (formats[i].bits == desc->x && formats[i].kind == desc->f)
			return formats[i].format;
	return CU_AD_FORMAT_FLOAT;
}

static cudaArray_t array_of(CUarray array)
{
	return (cudaArray_t)array;
}

/* ------------------------------------------------------------ arrays */

static cudaError_t create(CUarray *handle, const CUDA_ARRAY3D_DESCRIPTOR *wanted)
{
	if (!handle || !wanted)
		return cudaErrorInvalidValue;
	struct cudaChannelFormatDesc desc = hd_driver_channels(wanted->Format, wanted->NumChannels);
	struct cudaExtent extent = {wanted->Width, wanted->Height, wanted->Depth};
	return cudaMalloc3DArray((cudaArray_t *)handle, &desc, extent, wanted->Flags);
}

CUresult cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
	HD_DRIVER(create(pHandle, pAllocateArray));
}

CUresult cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
	const CUDA_ARRAY_DESCRIPTOR *wanted = pAllocateArray;
	if (!wanted)
		return CUDA_ERROR_INVALID_VALUE;
	CUDA_ARRAY3D_DESCRIPTOR flat = {wanted->Width, wanted->Height, 0, wanted->Format, wanted->NumChannels, 0};
	return cuArray3DCreate(pHandle, &flat);
}

static cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray handle)
{
	HD_CUDART(cudart);
	const struct cudaArray *array = array_of(handle);
	if (!out)
		return cudaErrorInvalidValue;
	HD_VALID(ARRAY, array);
	*out = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = array->extent.width,
		.Height = array->extent.height,
		.Depth = array->extent.depth,
		.Flags = array->flags,
	};
	out->Format = hd_driver_format(&array->desc, &out->NumChannels);
	return cudaSuccess;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
	HD_DRIVER(describe(pArrayDescriptor, hArray));
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
	CUDA_ARRAY3D_DESCRIPTOR all;
	if (!pArrayDescriptor)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = cuArray3DGetDescriptor(&all, hArray);
	if (result == CUDA_SUCCESS)
		*pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){all.Width, all.Height, all.Format, all.NumChannels};
	return result;
}

CUresult cuArrayDestroy(CUarray hArray)
{
	HD_DRIVER(hArray ? cudaFreeArray(array_of(hArray)) : cudaErrorInvalidResourceHandle);
}

static cudaError_t create_levels(CUmipmappedArray *handle, const CUDA_ARRAY3D_DESCRIPTOR *wanted, unsigned levels)
{
	if (!handle || !wanted)
		return cudaErrorInvalidValue;
	struct cudaChannelFormatDesc desc = hd_driver_channels(wanted->Format, wanted->NumChannels);
	struct cudaExtent extent = {wanted->Width, wanted->Height, wanted->Depth};
	return cudaMallocMipmappedArray((cudaMipmappedArray_t *)handle, &desc, extent, levels, wanted->Flags);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
				unsigned int numMipmapLevels)
{
	HD_DRIVER(create_levels(pHandle, pMipmappedArrayDesc, numMipmapLevels));
}

CUresult cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level)
{
	HD_DRIVER(cudaGetMipmappedArrayLevel((cudaArray_t *)pLevelArray, (cudaMipmappedArray_t)hMipmappedArray, level));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray)
{
	HD_DRIVER(hMipmappedArray ? cudaFreeMipmappedArray((cudaMipmappedArray_t)hMipmappedArray)
				  : cudaErrorInvalidResourceHandle);
}

/* ------------------------------------------------------------ copies */

/* One end of a copy. */
struct side {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t x, y, z, pitch, height;
};

/* As the runtime has it: places in arrays are in elements. No pitch and no height: rows and planes follow each other.
 */
static bool translate(const struct side *side, const CUDA_MEMCPY3D *copy, cudaArray_t *array, struct cudaPos *pos,
		      struct cudaPitchedPtr *pointer)
{
	*pos = (struct cudaPos){side->x, side->y, side->z};
	if (side->type == CU_MEMORYTYPE_ARRAY) {
		size_t bytes = side->array ? hd_cudart_element_bytes(array_of(side->array)) : 0;
		*array = array_of(side->array);
		pos->x = bytes ? side->x / bytes : 0;
		return bytes && side->x % bytes == 0 && copy->WidthInBytes % bytes == 0;
	}
	const void *memory = side->type == CU_MEMORYTYPE_HOST ? side->host : hd_driver_pointer(side->device);
	*pointer = (struct cudaPitchedPtr){(void *)(uintptr_t)memory, side->pitch ? side->pitch : copy->WidthInBytes,
					   copy->WidthInBytes, side->height ? side->height : copy->Height};
	return memory;
}

cudaError_t hd_driver_box(const CUDA_MEMCPY3D *copy, struct cudaMemcpy3DParms *out)
{
	struct cudaMemcpy3DParms p = {.kind = cudaMemcpyDefault};
	if (!copy)
		return cudaErrorInvalidValue;
	const struct side from = {copy->srcMemoryType, copy->srcHost,	  copy->srcDevice,
				  copy->srcArray,      copy->srcXInBytes, copy->srcY,
				  copy->srcZ,	       copy->srcPitch,	  copy->srcHeight};
	const struct side to = {copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray, copy->dstXInBytes,
				copy->dstY,	     copy->dstZ,    copy->dstPitch,  copy->dstHeight};
	if (copy->srcLOD || copy->dstLOD || !translate(&from, copy, &p.srcArray, &p.srcPos, &p.srcPtr) ||
	    !translate(&to, copy, &p.dstArray, &p.dstPos, &p.dstPtr))
		return cudaErrorInvalidValue;
	cudaArray_t array = p.srcArray ? p.srcArray : p.dstArray;
	p.extent = (struct cudaExtent){copy->WidthInBytes / (array ? hd_cudart_element_bytes(array) : 1), copy->Height,
				       copy->Depth};
	*out = p;
	return cudaSuccess;
}

static cudaError_t copy_box(const CUDA_MEMCPY3D *copy, CUstream stream)
{
	struct cudaMemcpy3DParms p;
	cudaError_t error = hd_driver_box(copy, &p);
	return error == cudaSuccess ? cudaMemcpy3DAsync(&p, stream) : error;
}

cudaError_t hd_driver_copy_2d(const CUDA_MEMCPY2D *copy, CUstream stream)
{
	const CUDA_MEMCPY3D box = {
		.srcXInBytes = copy->srcXInBytes,
		.srcY = copy->srcY,
		.srcMemoryType = copy->srcMemoryType,
		.srcHost = copy->srcHost,
		.srcDevice = copy->srcDevice,
		.srcArray = copy->srcArray,
		.srcPitch = copy->srcPitch,
		.dstXInBytes = copy->dstXInBytes,
		.dstY = copy->dstY,
		.dstMemoryType = copy->dstMemoryType,
		.dstHost = copy->dstHost,
		.dstDevice = copy->dstDevice,
		.dstArray = copy->dstArray,
		.dstPitch = copy->dstPitch,
		.WidthInBytes = copy->WidthInBytes,
		.Height = copy->Height,
		.Depth = 1,
	};
	return copy_box(&box, stream);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *pCopy)
{
	HD_DRIVER(copy_box(pCopy, NULL));
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
	HD_DRIVER(copy_box(pCopy, hStream));
}

/* Offsets and counts are bytes of an array of one dimension. */
CUresult cuMemcpyDtoA(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount)
{
	HD_DRIVER(cudaMemcpyToArray(array_of(dstArray), dstOffset, 0, hd_driver_pointer(srcDevice), ByteCount,
				    cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoD(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
	HD_DRIVER(cudaMemcpyFromArray(hd_driver_pointer(dstDevice), array_of(srcArray), srcOffset, 0, ByteCount,
				      cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyHtoA(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount)
{
	return cuMemcpyHtoAAsync(dstArray, dstOffset, srcHost, ByteCount, NULL);
}

CUresult cuMemcpyHtoAAsync(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount, CUstream hStream)
{
	HD_DRIVER(cudaMemcpyToArrayAsync(array_of(dstArray), dstOffset, 0, srcHost, ByteCount, cudaMemcpyHostToDevice,
					 hStream));
}

CUresult cuMemcpyAtoH(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
	return cuMemcpyAtoHAsync(dstHost, srcArray, srcOffset, ByteCount, NULL);
}

CUresult cuMemcpyAtoHAsync(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount, CUstream hStream)
{
	HD_DRIVER(cudaMemcpyFromArrayAsync(dstHost, array_of(srcArray), srcOffset, 0, ByteCount, cudaMemcpyDeviceToHost,
					   hStream));
}

CUresult cuMemcpyAtoA(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
	HD_DRIVER(cudaMemcpyArrayToArray(array_of(dstArray), dstOffset, 0, array_of(srcArray), srcOffset, 0, ByteCount,
					 cudaMemcpyDeviceToDevice));
}

/* ------------------------------------------------------------ textures and surfaces */

static cudaError_t resource_of(struct cudaResourceDesc *out, const CUDA_RESOURCE_DESC *in)
{
	if (!in || in->flags)
		return cudaErrorInvalidValue;
	*out = (struct cudaResourceDesc){.resType = (enum cudaResourceType)in->resType};
	switch (in->resType) {
	case CU_RESOURCE_TYPE_ARRAY: out->res.array.array = array_of(in->res.array.hArray); break;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		out->res.mipmap.mipmap = (cudaMipmappedArray_t)in->res.mipmap.hMipmappedArray;
		break;
	case CU_RESOURCE_TYPE_LINEAR:
		out->res.linear.devPtr = hd_driver_pointer(in->res.linear.devPtr);
		out->res.linear.desc = hd_driver_channels(in->res.linear.format, in->res.linear.numChannels);
		out->res.linear.sizeInBytes = in->res.linear.sizeInBytes;
		break;
	case CU_RESOURCE_TYPE_PITCH2D:
		out->res.pitch2D.devPtr = hd_driver_pointer(in->res.pitch2D.devPtr);
		out->res.pitch2D.desc = hd_driver_channels(in->res.pitch2D.format, in->res.pitch2D.numChannels);
		out->res.pitch2D.width = in->res.pitch2D.width;
		out->res.pitch2D.height = in->res.pitch2D.height;
		out->res.pitch2D.pitchInBytes = in->res.pitch2D.pitchInBytes;
		break;
	default: return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

static void resource_back(CUDA_RESOURCE_DESC *out, const struct cudaResourceDesc *in)
{
	unsigned channels;
	memset(out, 0, sizeof *out);
	out->resType = (CUresourcetype)in->resType;
	if (in->resType == cudaResourceTypeArray) {
		out->res.array.hArray = (CUarray)in->res.array.array;
	} else if (in->resType == cudaResourceTypeMipmappedArray) {
		out->res.mipmap.hMipmappedArray = (CUmipmappedArray)in->res.mipmap.mipmap;
	} else if (in->resType == cudaResourceTypeLinear) {
		out->res.linear.devPtr = (uintptr_t)in->res.linear.devPtr;
		out->res.linear.format = hd_driver_format(&in->res.linear.desc, &channels);
		out->res.linear.numChannels = channels;
		out->res.linear.sizeInBytes = in->res.linear.sizeInBytes;
	} else {
		out->res.pitch2D.devPtr = (uintptr_t)in->res.pitch2D.devPtr;
		out->res.pitch2D.format = hd_driver_format(&in->res.pitch2D.desc, &channels);
		out->res.pitch2D.numChannels = channels;
		out->res.pitch2D.width = in->res.pitch2D.width;
		out->res.pitch2D.height = in->res.pitch2D.height;
		out->res.pitch2D.pitchInBytes = in->res.pitch2D.pitchInBytes;
	}
}

static const struct cudaChannelFormatDesc *format_of(const struct cudaResourceDesc *resource)
{
	const struct cudaMipmappedArray *mipmap = resource->res.mipmap.mipmap;
	switch (resource->resType) {
	case cudaResourceTypeArray: return resource->res.array.array ? &resource->res.array.array->desc : NULL;
	case cudaResourceTypeMipmappedArray: return mipmap ? &mipmap->levels[0].desc : NULL;
	case cudaResourceTypeLinear: return &resource->res.linear.desc;
	default: return &resource->res.pitch2D.desc;
	}
}

enum cudaTextureReadMode hd_driver_read_mode(const struct cudaChannelFormatDesc *desc, unsigned flags)
{
	bool element = flags & CU_TRSF_READ_AS_INTEGER || desc->f == cudaChannelFormatKindFloat || desc->x == 32;
	return element ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
}

static cudaError_t create_texture(CUtexObject *object, const CUDA_RESOURCE_DESC *wanted, const CUDA_TEXTURE_DESC *how,
				  const CUDA_RESOURCE_VIEW_DESC *view)
{
	struct cudaResourceDesc resource;
	if (!object || !how)
		return cudaErrorInvalidValue;
	cudaError_t error = resource_of(&resource, wanted);
	if (error != cudaSuccess || view)
		return view ? cudaErrorNotSupported : error;
	const struct cudaChannelFormatDesc *format = format_of(&resource);
	if (!format)
		return cudaErrorInvalidResourceHandle;
	struct cudaTextureDesc texture = {
		.filterMode = (enum cudaTextureFilterMode)how->filterMode,
		.readMode = hd_driver_read_mode(format, how->flags),
		.sRGB = (how->flags & CU_TRSF_SRGB) != 0,
		.normalizedCoords = (how->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
		.maxAnisotropy = how->maxAnisotropy,
		.mipmapFilterMode = (enum cudaTextureFilterMode)how->mipmapFilterMode,
		.mipmapLevelBias = how->mipmapLevelBias,
		.minMipmapLevelClamp = how->minMipmapLevelClamp,
		.maxMipmapLevelClamp = how->maxMipmapLevelClamp,
	};
	for (int i = 0; i < 3; i++)
		texture.addressMode[i] = (enum cudaTextureAddressMode)how->addressMode[i];
	memcpy(texture.borderColor, how->borderColor, sizeof texture.borderColor);
	return cudaCreateTextureObject(object, &resource, &texture, NULL);
}

CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
			   const CUDA_TEXTURE_DESC *pTexDesc, const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
	HD_DRIVER(create_texture(pTexObject, pResDesc, pTexDesc, pResViewDesc));
}

CUresult cuTexObjectDestroy(CUtexObject texObject)
{
	HD_DRIVER(cudaDestroyTextureObject(texObject));
}

static cudaError_t ask_resource(CUDA_RESOURCE_DESC *out, unsigned long long object)
{
	struct cudaResourceDesc resource;
	cudaError_t error = out ? cudaGetTextureObjectResourceDesc(&resource, object) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		resource_back(out, &resource);
	return error;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
	HD_DRIVER(ask_resource(pResDesc, texObject));
}

static cudaError_t ask_texture(CUDA_TEXTURE_DESC *out, CUtexObject object)
{
	struct cudaTextureDesc how;
	cudaError_t error = out ? cudaGetTextureObjectTextureDesc(&how, object) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	*out = (CUDA_TEXTURE_DESC){
		.filterMode = (CUfilter_mode)how.filterMode,
		.flags = (how.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
			 (how.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u),
		.maxAnisotropy = how.maxAnisotropy,
		.mipmapFilterMode = (CUfilter_mode)how.mipmapFilterMode,
		.mipmapLevelBias = how.mipmapLevelBias,
		.minMipmapLevelClamp = how.minMipmapLevelClamp,
		.maxMipmapLevelClamp = how.maxMipmapLevelClamp,
	};
	for (int i = 0; i < 3; i++)
		out->addressMode[i] = (CUaddress_mode)how.addressMode[i];
	memcpy(out->borderColor, how.borderColor, sizeof out->borderColor);
	return cudaSuccess;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
	HD_DRIVER(ask_texture(pTexDesc, texObject));
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc, CUtexObject texObject)
{
	(void)pResViewDesc;
	HD_DRIVER(cudaGetTextureObjectResourceViewDesc(NULL, texObject));
}

static cudaError_t create_surface(CUsurfObject *object, const CUDA_RESOURCE_DESC *wanted)
{
	struct cudaResourceDesc resource;
	cudaError_t error = resource_of(&resource, wanted);
	return error != cudaSuccess ? error : cudaCreateSurfaceObject(object, &resource);
}

CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
	HD_DRIVER(create_surface(pSurfObject, pResDesc));
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject)
{
	HD_DRIVER(cudaDestroySurfaceObject(surfObject));
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject)
{
	HD_DRIVER(ask_resource(pResDesc, surfObject));
}
