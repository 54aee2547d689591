/*
 * Texture references of the driver API: one of a module's variables, with the structure that the runtime's references
 * have in the program (texture_reference.c).
 */
#include "runtime/cudart/driver_array.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/reference.h"

struct CUtexref_st {
	struct textureReference how;
	struct hd_reference *reference;
	struct cudaResourceDesc resource;
	struct cudaChannelFormatDesc format; /* of linear memory */
	unsigned flags;
	bool bound;
};

/* Whether the program has it from cuModuleGetTexRef. */
static bool is_reference(CUtexref texref)
{
	HD_CUDART(cudart);
	(void)cudart;
	return hd_handle_lives(texref, HD_HANDLE_TEXREF);
}

CUresult cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name)
{
	CUdeviceptr address;
	if (!pTexRef)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = cuModuleGetGlobal(&address, NULL, hmod, name);
	if (result != CUDA_SUCCESS)
		return result;
	HD_CUDART(cudart);
	CUtexref made = hd_xcalloc(1, sizeof *made);
	made->how.addressMode[0] = made->how.addressMode[1] = made->how.addressMode[2] = cudaAddressModeClamp;
	made->format = hd_driver_channels(CU_AD_FORMAT_FLOAT, 1);
	made->reference = hd_cudart_add_reference(cudart, &made->how, address);
	hd_cudart_own(made->reference, made); /* until the program ends */
	hd_handle_add(made, HD_HANDLE_TEXREF);
	*pTexRef = made;
	return CUDA_SUCCESS;
}

/* Binds anew what is bound, as flags and format now are. */
static cudaError_t bind(CUtexref texref, const struct cudaChannelFormatDesc *format)
{
	texref->bound = true;
	texref->how.normalized = (texref->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
	texref->how.sRGB = (texref->flags & CU_TRSF_SRGB) != 0;
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	return hd_cudart_bind(cudart, texref->reference, &texref->resource,
			      hd_driver_read_mode(format, texref->flags) == cudaReadModeNormalizedFloat);
}

static cudaError_t set_array(CUtexref texref, CUarray array, unsigned flags)
{
	cudaArray_t it = (cudaArray_t)array;
	if (!is_reference(texref) || flags != CU_TRSA_OVERRIDE_FORMAT)
		return cudaErrorInvalidValue;
	HD_VALID_APART(ARRAY, it);
	texref->resource = (struct cudaResourceDesc){.resType = cudaResourceTypeArray};
	texref->resource.res.array.array = it;
	texref->format = it->desc;
	return bind(texref, &texref->format);
}

CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags)
{
	HD_DRIVER(set_array(hTexRef, hArray, Flags));
}

static cudaError_t set_levels(CUtexref texref, CUmipmappedArray array, unsigned flags)
{
	cudaMipmappedArray_t it = (cudaMipmappedArray_t)array;
	if (!is_reference(texref) || flags != CU_TRSA_OVERRIDE_FORMAT)
		return cudaErrorInvalidValue;
	HD_VALID_APART(MIPMAP, it);
	texref->resource = (struct cudaResourceDesc){.resType = cudaResourceTypeMipmappedArray};
	texref->resource.res.mipmap.mipmap = it;
	texref->format = it->levels[0].desc;
	return bind(texref, &texref->format);
}

CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray, unsigned int Flags)
{
	HD_DRIVER(set_levels(hTexRef, hMipmappedArray, Flags));
}

static cudaError_t set_address(size_t *offset, CUtexref texref, CUdeviceptr address, size_t bytes)
{
	if (!is_reference(texref) || !address)
		return cudaErrorInvalidValue;
	if (offset)
		*offset = 0;
	texref->resource = (struct cudaResourceDesc){.resType = cudaResourceTypeLinear};
	texref->resource.res.linear.devPtr = (void *)(uintptr_t)address;
	texref->resource.res.linear.desc = texref->format;
	texref->resource.res.linear.sizeInBytes = bytes;
	return bind(texref, &texref->format);
}

CUresult cuTexRefSetAddress(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes)
{
	HD_DRIVER(set_address(ByteOffset, hTexRef, dptr, bytes));
}

static cudaError_t set_rows(CUtexref texref, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr address, size_t pitch)
{
	if (!is_reference(texref) || !desc || !address)
		return cudaErrorInvalidValue;
	texref->format = hd_driver_channels(desc->Format, desc->NumChannels);
	texref->resource = (struct cudaResourceDesc){.resType = cudaResourceTypePitch2D};
	texref->resource.res.pitch2D.devPtr = (void *)(uintptr_t)address;
	texref->resource.res.pitch2D.desc = texref->format;
	texref->resource.res.pitch2D.width = desc->Width;
	texref->resource.res.pitch2D.height = desc->Height;
	texref->resource.res.pitch2D.pitchInBytes = pitch;
	return bind(texref, &texref->format);
}

CUresult cuTexRefSetAddress2D(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr, size_t Pitch)
{
	HD_DRIVER(set_rows(hTexRef, desc, dptr, Pitch));
}

CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents)
{
	struct cudaChannelFormatDesc format = hd_driver_channels(fmt, (unsigned)NumPackedComponents);
	if (!is_reference(hTexRef) || !format.x)
		return CUDA_ERROR_INVALID_VALUE;
	hTexRef->format = format;
	return CUDA_SUCCESS;
}

CUresult cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags)
{
	if (!is_reference(hTexRef))
		return CUDA_ERROR_INVALID_HANDLE;
	hTexRef->flags = Flags;
	if (!hTexRef->bound)
		return CUDA_SUCCESS;
	HD_DRIVER(bind(hTexRef, &hTexRef->format));
}

#define HD_SET(name, parameters, condition, place, value)        \
	CUresult name parameters                                  \
	{                                                         \
		if (!is_reference(hTexRef) || !(condition))                     \
			return CUDA_ERROR_INVALID_VALUE;          \
		hTexRef->how.place = (value);                     \
		return CUDA_SUCCESS;                              \
	}
HD_SET(cuTexRefSetAddressMode, (CUtexref hTexRef, int dim, CUaddress_mode am), dim >= 0 && dim < 3, addressMode[dim],
       (enum cudaTextureAddressMode)am)
HD_SET(cuTexRefSetFilterMode, (CUtexref hTexRef, CUfilter_mode fm), true, filterMode, (enum cudaTextureFilterMode)fm)
HD_SET(cuTexRefSetMipmapFilterMode, (CUtexref hTexRef, CUfilter_mode fm), true, mipmapFilterMode,
       (enum cudaTextureFilterMode)fm)
HD_SET(cuTexRefSetMipmapLevelBias, (CUtexref hTexRef, float bias), true, mipmapLevelBias, bias)
HD_SET(cuTexRefSetMaxAnisotropy, (CUtexref hTexRef, unsigned int maxAniso), true, maxAnisotropy, maxAniso)
#undef HD_SET

CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp, float maxMipmapLevelClamp)
{
	if (!is_reference(hTexRef))
		return CUDA_ERROR_INVALID_HANDLE;
	hTexRef->how.minMipmapLevelClamp = minMipmapLevelClamp;
	hTexRef->how.maxMipmapLevelClamp = maxMipmapLevelClamp;
	return CUDA_SUCCESS;
}

#define HD_GET(name, parameters, out, condition, value)                 \
	CUresult name parameters                                         \
	{                                                                \
		if (!is_reference(hTexRef) || !(out) || !(condition))                  \
			return CUDA_ERROR_INVALID_VALUE;                 \
		*(out) = (value);                                        \
		return CUDA_SUCCESS;                                     \
	}
HD_GET(cuTexRefGetArray, (CUarray * phArray, CUtexref hTexRef), phArray,
       hTexRef->bound && hTexRef->resource.resType == cudaResourceTypeArray, (CUarray)hTexRef->resource.res.array.array)
HD_GET(cuTexRefGetAddress, (CUdeviceptr * pdptr, CUtexref hTexRef), pdptr,
       hTexRef->bound && hTexRef->resource.resType == cudaResourceTypeLinear,
       (uintptr_t)hTexRef->resource.res.linear.devPtr)
HD_GET(cuTexRefGetAddressMode, (CUaddress_mode * pam, CUtexref hTexRef, int dim), pam, dim >= 0 && dim < 3,
       (CUaddress_mode)hTexRef->how.addressMode[dim])
HD_GET(cuTexRefGetFilterMode, (CUfilter_mode * pfm, CUtexref hTexRef), pfm, true,
       (CUfilter_mode)hTexRef->how.filterMode)
HD_GET(cuTexRefGetFlags, (unsigned int *pFlags, CUtexref hTexRef), pFlags, true, hTexRef->flags)
#undef HD_GET

CUresult cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef)
{
	unsigned channels;
	if (!is_reference(hTexRef) || !pFormat)
		return CUDA_ERROR_INVALID_VALUE;
	*pFormat = hd_driver_format(&hTexRef->format, &channels);
	if (pNumChannels)
		*pNumChannels = (int)channels;
	return CUDA_SUCCESS;
}
