/*
 * Texture and surface objects: a structure in device memory that the device functions read (heddle_texture.h). Cubemaps
 * and views of another format are not supported.
 */
#include "cuda/heddle_texture.h"
#include "runtime/cudart/array.h"
#include "runtime/cudart/handles.h"

static int at_least_one(size_t n)
{
	return n ? (int)n : 1;
}

static cudaError_t of_array(struct hd_texture *texture, const struct cudaArray *array)
{
	if (!array)
		return cudaErrorInvalidResourceHandle;
	hd_cudart_format(&array->desc, &texture->channels, &texture->bits);
	texture->base = (uintptr_t)array->base;
	texture->pitch = array->pitch;
	texture->slice = array->pitch * hd_cudart_rows(array);
	texture->size[0] = at_least_one(array->extent.width);
	texture->size[1] = at_least_one(array->extent.height);
	texture->size[2] = at_least_one(array->extent.depth);
	texture->kind = array->desc.f;
	return cudaSuccess;
}

/* Linear and pitched memory. */
static cudaError_t of_memory(struct hd_texture *texture, const void *memory, const struct cudaChannelFormatDesc *desc,
			     size_t width, size_t height, size_t pitch)
{
	if (!hd_cudart_format(desc, &texture->channels, &texture->bits))
		return cudaErrorInvalidChannelDescriptor;
	if (!memory || width > INT32_MAX || height > INT32_MAX)
		return cudaErrorInvalidValue;
	texture->base = (uintptr_t)memory;
	texture->pitch = pitch;
	texture->slice = pitch * height;
	texture->size[0] = (int)width;
	texture->size[1] = (int)height;
	texture->size[2] = 1;
	texture->kind = desc->f;
	return cudaSuccess;
}

/* Of its first level: others differ in what of_array sets. */
static cudaError_t of_mipmap(struct hd_texture *texture, const struct cudaMipmappedArray *mipmap)
{
	if (!hd_handle_lives(mipmap, HD_HANDLE_MIPMAP))
		return cudaErrorInvalidResourceHandle;
	texture->levels = (int)mipmap->count;
	return of_array(texture, &mipmap->levels[0]);
}

static cudaError_t describe(struct hd_texture *texture, const struct cudaResourceDesc *resource)
{
	const struct cudaChannelFormatDesc *desc = &resource->res.linear.desc;
	size_t bytes = (size_t)(desc->x + desc->y + desc->z + desc->w) / 8;
	texture->levels = 1;
	switch (resource->resType) {
	case cudaResourceTypeArray:
		return hd_handle_lives(resource->res.array.array, HD_HANDLE_ARRAY)
			       ? of_array(texture, resource->res.array.array)
			       : cudaErrorInvalidResourceHandle;
	case cudaResourceTypeMipmappedArray: return of_mipmap(texture, resource->res.mipmap.mipmap);
	case cudaResourceTypeLinear:
		return of_memory(texture, resource->res.linear.devPtr, desc,
				 bytes ? resource->res.linear.sizeInBytes / bytes : 0, 1, 0);
	case cudaResourceTypePitch2D:
		return of_memory(texture, resource->res.pitch2D.devPtr, &resource->res.pitch2D.desc,
				 resource->res.pitch2D.width, resource->res.pitch2D.height,
				 resource->res.pitch2D.pitchInBytes);
	default: return cudaErrorInvalidValue;
	}
}

/* What CUDA's guide allows: filters and normalised reads give floats, and reads in place are of integers or floats. */
static bool consistent(const struct hd_texture *texture, const struct cudaTextureDesc *how)
{
	bool filtered = how->filterMode != cudaFilterModePoint || texture->linear_levels;
	if (texture->levels > 1 && !how->normalizedCoords)
		return false;
	if (how->readMode == cudaReadModeNormalizedFloat)
		return texture->kind != cudaChannelFormatKindFloat && texture->bits < 32;
	return !filtered || texture->kind == cudaChannelFormatKindFloat;
}

/* Wrapping and mirroring are for normalised coordinates; others are clamped in their place. */
static int address_mode(const struct cudaTextureDesc *how, int dimension)
{
	enum cudaTextureAddressMode mode = how->addressMode[dimension];
	bool repeats = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
	return repeats && !how->normalizedCoords ? cudaAddressModeClamp : (int)mode;
}

/* What a program may ask for again. */
struct hd_object_of {
	unsigned long long object;
	struct cudaResourceDesc resource;
	struct cudaTextureDesc how; /* of a texture */
};

/* The other levels stand behind the first. */
static cudaError_t make_object(struct hd_cudart *cudart, const struct hd_texture *texture,
			       const struct cudaResourceDesc *resource, const struct cudaTextureDesc *how,
			       unsigned long long *object)
{
	char *place;
	cudaError_t error = hd_cudart_alloc(cudart, (void **)&place, (size_t)texture->levels * sizeof *texture);
	for (int i = 0; i < texture->levels && error == cudaSuccess; i++) {
		struct hd_texture level = *texture;
		level.self = (uintptr_t)place;
		if (i)
			of_array(&level, &resource->res.mipmap.mipmap->levels[i]);
		error = hd_cudart_copy(cudart, place + (size_t)i * sizeof level, &level, sizeof level,
				       cudaMemcpyHostToDevice);
	}
	if (error != cudaSuccess)
		return error;
	struct hd_object_of *made = hd_xcalloc(1, sizeof *made);
	*made = (struct hd_object_of){.object = (uintptr_t)place, .resource = *resource};
	if (how)
		made->how = *how;
	hd_vec_push(&cudart->objects, made);
	*object = made->object;
	return cudaSuccess;
}

static uint32_t find_object(const struct hd_cudart *cudart, unsigned long long object)
{
	uint32_t i = 0;
	while (i < cudart->objects.len && cudart->objects.data[i]->object != object)
		i++;
	return i;
}

void hd_cudart_free_object(struct hd_cudart *cudart, unsigned long long object)
{
	uint32_t i = find_object(cudart, object);
	if (i == cudart->objects.len)
		return;
	free(cudart->objects.data[i]);
	cudart->objects.data[i] = hd_vec_last(&cudart->objects);
	cudart->objects.len--;
	hd_cudart_free(cudart, (void *)(uintptr_t)object);
}

void hd_cudart_free_objects(struct hd_cudart *cudart)
{
	while (cudart->objects.len)
		hd_cudart_free_object(cudart, cudart->objects.data[0]->object);
}

static void set_levels(struct hd_texture *texture, const struct cudaTextureDesc *how)
{
	float last = (float)(texture->levels - 1);
	texture->linear_levels = texture->levels > 1 && how->mipmapFilterMode == cudaFilterModeLinear;
	texture->level_bias = how->mipmapLevelBias;
	texture->first_level = how->minMipmapLevelClamp < last ? how->minMipmapLevelClamp : last;
	texture->last_level = how->maxMipmapLevelClamp < last ? how->maxMipmapLevelClamp : last;
}

cudaError_t hd_cudart_texture(struct hd_cudart *cudart, const struct cudaResourceDesc *resource,
			      const struct cudaTextureDesc *how, cudaTextureObject_t *object)
{
	struct hd_texture texture = {0};
	if (how->sRGB)
		return cudaErrorNotSupported;
	cudaError_t error = describe(&texture, resource);
	if (error != cudaSuccess)
		return error;
	set_levels(&texture, how);
	if (!consistent(&texture, how))
		return cudaErrorInvalidValue;
	for (int i = 0; i < 3; i++)
		texture.address_mode[i] = address_mode(how, i);
	for (int i = 0; i < 4; i++)
		texture.border[i] = how->borderColor[i];
	texture.linear = how->filterMode == cudaFilterModeLinear;
	texture.normalized_read = how->readMode == cudaReadModeNormalizedFloat;
	texture.normalized_coords = how->normalizedCoords != 0;
	return make_object(cudart, &texture, resource, how, object);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject, const struct cudaResourceDesc *pResDesc,
				    const struct cudaTextureDesc *pTexDesc,
				    const struct cudaResourceViewDesc *pResViewDesc)
{
	HD_CUDART(cudart);
	if (!pTexObject || !pResDesc || !pTexDesc)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (pResViewDesc)
		return hd_cudart_return(cudaErrorNotSupported);
	return hd_cudart_return(hd_cudart_texture(cudart, pResDesc, pTexDesc, pTexObject));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	if (find_object(cudart, texObject) == cudart->objects.len)
		return hd_cudart_return(texObject ? cudaErrorInvalidValue : cudaSuccess);
	hd_cudart_free_object(cudart, texObject);
	return cudaSuccess;
}

static cudaError_t ask(unsigned long long object, struct cudaResourceDesc *resource, struct cudaTextureDesc *how)
{
	HD_CUDART(cudart);
	uint32_t i = find_object(cudart, object);
	if (i == cudart->objects.len || (!resource && !how))
		return hd_cudart_return(cudaErrorInvalidValue);
	if (resource)
		*resource = cudart->objects.data[i]->resource;
	if (how)
		*how = cudart->objects.data[i]->how;
	return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc, cudaTextureObject_t texObject)
{
	return ask(texObject, pResDesc, NULL);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc, cudaTextureObject_t texObject)
{
	return ask(texObject, NULL, pTexDesc);
}

/* No object has one. */
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
						 cudaTextureObject_t texObject)
{
	(void)pResViewDesc, (void)texObject;
	return hd_cudart_return(cudaErrorInvalidValue);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc, cudaSurfaceObject_t surfObject)
{
	return ask(surfObject, pResDesc, NULL);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject, const struct cudaResourceDesc *pResDesc)
{
	HD_CUDART(cudart);
	struct hd_texture texture = {0};
	if (!pSurfObject || !pResDesc || pResDesc->resType != cudaResourceTypeArray || !pResDesc->res.array.array)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(describe(&texture, pResDesc));
	if (!(pResDesc->res.array.array->flags & cudaArraySurfaceLoadStore))
		return hd_cudart_return(cudaErrorInvalidValue);
	texture.surface = 1;
	return hd_cudart_return(make_object(cudart, &texture, pResDesc, NULL, pSurfObject));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject)
{
	return cudaDestroyTextureObject(surfObject);
}
