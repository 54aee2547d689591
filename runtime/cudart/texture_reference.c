/*
 * Texture references (heddle_texture_reference.h): a texture object for each one that is bound, whose handle is kept in
 * the device's variable of that name. What the host's structure says of filters and addresses counts at each launch.
 */
#include "runtime/cudart/handles.h"
#include "runtime/cudart/reference.h"

#include "runtime/cudart/memory.h"

struct hd_reference {
	const struct textureReference *host;
	uint64_t address;		      /* of the device's variable; 0: that of the host's shadow */
	void *owned;			      /* NULL: nothing */
	bool normalized_read, bound, current; /* current: the object is of `was` */
	struct cudaResourceDesc resource;
	struct textureReference was;
	cudaTextureObject_t object; /* 0: none yet */
};

void __cudaRegisterTexture(void **fatCubinHandle, const struct textureReference *hostVar, const void **deviceAddress,
			   const char *deviceName, int dim, int norm, int ext)
{
	(void)deviceAddress, (void)dim;
	__cudaRegisterVar(fatCubinHandle, (char *)(uintptr_t)hostVar, NULL, deviceName, ext,
			  sizeof(cudaTextureObject_t), 0, 0);
	HD_CUDART(cudart);
	hd_cudart_add_reference(cudart, hostVar, 0)->normalized_read = norm != 0;
}

struct hd_reference *hd_cudart_add_reference(struct hd_cudart *cudart, const struct textureReference *host,
					     uint64_t address)
{
	struct hd_reference *reference = hd_xcalloc(1, sizeof *reference);
	reference->host = host;
	reference->address = address;
	hd_vec_push(&cudart->references, reference);
	return reference;
}

void hd_cudart_own(struct hd_reference *reference, void *memory)
{
	reference->owned = memory;
}

static struct hd_reference *find(struct hd_cudart *cudart, const struct textureReference *host)
{
	for (uint32_t i = 0; host && i < cudart->references.len; i++)
		if (cudart->references.data[i]->host == host)
			return cudart->references.data[i];
	return NULL;
}

static cudaError_t write_handle(struct hd_cudart *cudart, struct hd_reference *reference)
{
	uint64_t address = reference->address, size;
	if (!address && hd_cudart_variable(cudart, reference->host, &address, &size) != cudaSuccess)
		return cudaSuccess; /* no kernel fetches from it */
	return hd_cudart_copy(cudart, (void *)(uintptr_t)address, &reference->object, sizeof reference->object,
			      cudaMemcpyHostToDevice);
}

static cudaError_t refresh(struct hd_cudart *cudart, struct hd_reference *reference)
{
	const struct textureReference *host = reference->host;
	struct cudaTextureDesc how = {
		.addressMode = {host->addressMode[0], host->addressMode[1], host->addressMode[2]},
		.filterMode = host->filterMode,
		.readMode = reference->normalized_read ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
		.normalizedCoords = host->normalized,
		.sRGB = host->sRGB,
		.mipmapFilterMode = host->mipmapFilterMode,
		.mipmapLevelBias = host->mipmapLevelBias,
		.minMipmapLevelClamp = host->minMipmapLevelClamp,
		.maxMipmapLevelClamp = host->maxMipmapLevelClamp,
	};
	cudaTextureObject_t object;
	cudaError_t error = hd_cudart_texture(cudart, &reference->resource, &how, &object);
	if (error != cudaSuccess)
		return error;
	if (reference->object)
		hd_cudart_free_object(cudart, reference->object);
	reference->object = object;
	reference->was = *host;
	reference->current = true;
	return write_handle(cudart, reference);
}

cudaError_t hd_cudart_refresh_textures(struct hd_cudart *cudart)
{
	cudaError_t error = cudaSuccess;
	for (uint32_t i = 0; i < cudart->references.len && error == cudaSuccess; i++) {
		struct hd_reference *reference = cudart->references.data[i];
		if (reference->bound &&
		    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): copied as bytes, padding and all */
		    (!reference->current || memcmp(&reference->was, reference->host, sizeof reference->was) != 0))
			error = refresh(cudart, reference);
	}
	return error;
}

void hd_cudart_unbind_references(struct hd_cudart *cudart)
{
	for (uint32_t i = 0; i < cudart->references.len; i++) {
		struct hd_reference *reference = cudart->references.data[i];
		if (reference->object)
			hd_cudart_free_object(cudart, reference->object);
		reference->object = 0;
		reference->bound = reference->current = false;
	}
}

void hd_cudart_free_references(struct hd_cudart *cudart)
{
	for (uint32_t i = 0; i < cudart->references.len; i++) {
		free(cudart->references.data[i]->owned);
		free(cudart->references.data[i]);
	}
	hd_vec_release(&cudart->references);
	for (uint32_t i = 0; i < cudart->objects.len; i++)
		free(cudart->objects.data[i]);
	hd_vec_release(&cudart->objects);
}

/* ------------------------------------------------------------ the API */

static cudaError_t bind(const struct textureReference *texref, const struct cudaResourceDesc *resource)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	struct hd_reference *reference = find(cudart, texref);
	if (!reference)
		return hd_cudart_return(cudaErrorInvalidTexture);
	return hd_cudart_return(hd_cudart_bind(cudart, reference, resource, reference->normalized_read));
}

cudaError_t hd_cudart_bind(struct hd_cudart *cudart, struct hd_reference *reference,
			   const struct cudaResourceDesc *resource, bool normalized_read)
{
	reference->resource = *resource;
	reference->normalized_read = normalized_read;
	reference->bound = true;
	reference->current = false;
	return refresh(cudart, reference);
}

/* Any address will do: the offset that the program is to add to what it fetches is 0. */
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texref, const void *devPtr,
			    const struct cudaChannelFormatDesc *desc, size_t size)
{
	struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
	if (!devPtr || !desc)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (offset)
		*offset = 0;
	{
		HD_CUDART(cudart);
		uint64_t low, high;
		HD_TRY(hd_cudart_start(cudart));
		if (!hd_sim_allocation(cudart->sim, (uintptr_t)devPtr, &low, &high))
			return hd_cudart_return(cudaErrorInvalidDevicePointer);
		if (size > high - (uintptr_t)devPtr) /* by default up to the end */
			size = high - (uintptr_t)devPtr;
	}
	resource.res.linear.devPtr = (void *)(uintptr_t)devPtr;
	resource.res.linear.desc = *desc;
	resource.res.linear.sizeInBytes = size;
	return bind(texref, &resource);
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texref, const void *devPtr,
			      const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
	struct cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D};
	if (!devPtr || !desc)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (offset)
		*offset = 0;
	resource.res.pitch2D.devPtr = (void *)(uintptr_t)devPtr;
	resource.res.pitch2D.desc = *desc;
	resource.res.pitch2D.width = width;
	resource.res.pitch2D.height = height;
	resource.res.pitch2D.pitchInBytes = pitch;
	return bind(texref, &resource);
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texref, cudaArray_const_t array,
				   const struct cudaChannelFormatDesc *desc)
{
	HD_VALID_APART(ARRAY, array);
	struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
	if (!array || !desc)
		return hd_cudart_return(cudaErrorInvalidValue);
	resource.res.array.array = (cudaArray_t)(uintptr_t)array;
	return bind(texref, &resource);
}

cudaError_t cudaUnbindTexture(const struct textureReference *texref)
{
	HD_CUDART(cudart);
	struct hd_reference *reference = find(cudart, texref);
	if (!reference)
		return hd_cudart_return(cudaErrorInvalidTexture);
	if (reference->object)
		hd_cudart_free_object(cudart, reference->object);
	reference->object = 0;
	reference->bound = reference->current = false;
	return hd_cudart_return(write_handle(cudart, reference));
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texref)
{
	HD_CUDART(cudart);
	struct hd_reference *reference = find(cudart, texref);
	if (!reference || !reference->bound || !offset)
		return hd_cudart_return(cudaErrorInvalidTextureBinding);
	*offset = 0;
	return cudaSuccess;
}

cudaError_t cudaGetTextureReference(const struct textureReference **texref, const void *symbol)
{
	HD_CUDART(cudart);
	struct hd_reference *reference = find(cudart, symbol);
	if (!reference || !texref)
		return hd_cudart_return(cudaErrorInvalidTexture);
	*texref = reference->host;
	return cudaSuccess;
}
