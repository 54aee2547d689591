/*
 * Arrays, and memory of three dimensions. An array is pitched memory here: rows follow each other, planes or layers
 * follow each other, and nothing is swizzled.
 */
#include <stdlib.h>

#include "runtime/cudart/array.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/work.h"

bool hd_cudart_format(const struct cudaChannelFormatDesc *desc, int *channels, int *bits)
{
	const int sizes[] = {desc->x, desc->y, desc->z, desc->w};
	int n = 0;
	while (n < 4 && sizes[n])
		n++;
	for (int i = 1; i < 4; i++)
		if (sizes[i] != (i < n ? sizes[0] : 0))
			return false;
	*channels = n;
	*bits = desc->x;
	return (n == 1 || n == 2 || n == 4) && (desc->x == 8 || desc->x == 16 || desc->x == 32) &&
	       (desc->f == cudaChannelFormatKindFloat ? desc->x > 8 : (unsigned)desc->f < cudaChannelFormatKindFloat);
}

size_t hd_cudart_element_bytes(const struct cudaArray *array)
{
	return (size_t)(array->desc.x + array->desc.y + array->desc.z + array->desc.w) / 8;
}

size_t hd_cudart_rows(const struct cudaArray *array)
{
	return array->extent.height ? array->extent.height : 1;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* Whether a texture of the card may have the size. */
static bool has_size(struct hd_cudart *cudart, struct cudaExtent extent, unsigned flags)
{
	bool layered = flags & cudaArrayLayered, deep = extent.depth && !layered;
	int width = 0, height = 0, depth = 0;
	if (hd_cudart_start_beside(cudart) != cudaSuccess)
		return true; /* which is what is said then */
	hd_cudart_attribute(cudart->config, deep ? cudaDevAttrMaxTexture3DWidth : cudaDevAttrMaxTexture2DWidth, &width);
	hd_cudart_attribute(cudart->config, deep ? cudaDevAttrMaxTexture3DHeight : cudaDevAttrMaxTexture2DHeight,
			    &height);
	hd_cudart_attribute(cudart->config,
			    layered ? cudaDevAttrMaxTexture2DLayeredLayers : cudaDevAttrMaxTexture3DDepth, &depth);
	return extent.width <= (size_t)width && extent.height <= (size_t)height && extent.depth <= (size_t)depth;
}

static cudaError_t make_array(struct hd_cudart *cudart, struct cudaArray *array,
			      const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags)
{
	int channels, bits;
	const unsigned known =
		0xef; /* bits that CUDA defines: layered, surface, cubemap, gather, attachment, sparse, deferred */
	if (!desc || !extent.width || flags & ~known || !has_size(cudart, extent, flags))
		return cudaErrorInvalidValue;
	if (!hd_cudart_format(desc, &channels, &bits))
		return cudaErrorInvalidChannelDescriptor;
	if (flags & cudaArrayCubemap)
		return cudaErrorNotSupported;
	struct cudaArray made = {.desc = *desc, .extent = extent, .flags = flags};
	size_t rows, width, planes = extent.depth ? extent.depth : 1;
	if (__builtin_mul_overflow(hd_cudart_rows(&made), planes, &rows) ||
	    __builtin_mul_overflow(extent.width, hd_cudart_element_bytes(&made), &width))
		return cudaErrorInvalidValue;
	cudaError_t error = hd_cudart_alloc_rows(cudart, &made.base, &made.pitch, width, rows);
	if (error == cudaSuccess)
		*array = made;
	return error;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
			      unsigned int flags)
{
	HD_CUDART(cudart);
	struct cudaArray made;
	if (!array)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(make_array(cudart, &made, desc, extent, flags));
	*array = hd_xcalloc(1, sizeof **array);
	**array = made;
	hd_handle_add(*array, HD_HANDLE_ARRAY);
	return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
			    unsigned int flags)
{
	return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
	HD_CUDART(cudart);
	HD_VALID_IF_ANY(ARRAY, array);
	if (!array)
		return cudaSuccess;
	if (array->level)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_free(cudart, array->base));
	hd_handle_drop(array);
	free(array);
	return cudaSuccess;
}

/* ------------------------------------------------------------ mipmapped arrays */

static size_t halved(size_t n)
{
	return n > 1 ? n / 2 : n;
}

static unsigned most_levels(struct cudaExtent extent, unsigned flags)
{
	size_t depth = flags & cudaArrayLayered ? 0 : extent.depth, most = extent.width;
	unsigned levels = 1;
	most = extent.height > most ? extent.height : most;
	for (most = depth > most ? depth : most; most > 1; most /= 2)
		levels++;
	return levels;
}

static void free_levels(struct hd_cudart *cudart, cudaMipmappedArray_t mipmap)
{
	for (unsigned i = 0; i < mipmap->count; i++) {
		hd_cudart_free(cudart, mipmap->levels[i].base);
		hd_handle_drop(&mipmap->levels[i]);
	}
	hd_handle_drop(mipmap);
	free(mipmap);
}

/* More levels than there can be are as many as there can be. */
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray, const struct cudaChannelFormatDesc *desc,
				     struct cudaExtent extent, unsigned int numLevels, unsigned int flags)
{
	HD_CUDART(cudart);
	unsigned most = most_levels(extent, flags), count = numLevels < most ? numLevels : most;
	if (!mipmappedArray || !count)
		return hd_cudart_return(cudaErrorInvalidValue);
	cudaMipmappedArray_t mipmap = hd_xcalloc(1, sizeof *mipmap + count * sizeof *mipmap->levels);
	for (; mipmap->count < count; mipmap->count++) {
		struct cudaArray *level = &mipmap->levels[mipmap->count];
		cudaError_t error = make_array(cudart, level, desc, extent, flags);
		if (error != cudaSuccess) {
			free_levels(cudart, mipmap);
			return hd_cudart_return(error);
		}
		level->level = true;
		hd_handle_add(level, HD_HANDLE_ARRAY);
		extent.width = halved(extent.width);
		extent.height = halved(extent.height);
		extent.depth = flags & cudaArrayLayered ? extent.depth : halved(extent.depth);
	}
	hd_handle_add(mipmap, HD_HANDLE_MIPMAP);
	*mipmappedArray = mipmap;
	return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray,
				       unsigned int level)
{
	HD_CUDART(cudart);
	HD_VALID(MIPMAP, mipmappedArray);
	if (!levelArray || !mipmappedArray || level >= mipmappedArray->count)
		return hd_cudart_return(cudaErrorInvalidValue);
	*levelArray = (cudaArray_t)(uintptr_t)&mipmappedArray->levels[level];
	return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
	HD_CUDART(cudart);
	HD_VALID_IF_ANY(MIPMAP, mipmappedArray);
	if (mipmappedArray)
		free_levels(cudart, mipmappedArray);
	return cudaSuccess;
}

/* ------------------------------------------------------------ questions */

static cudaError_t requirements(struct cudaArrayMemoryRequirements *out, const struct cudaArray *arrays, unsigned count,
				int device)
{
	if (!out || !arrays || device)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	*out = (struct cudaArrayMemoryRequirements){.alignment = arrays->pitch};
	for (unsigned i = 0; i < count; i++) {
		size_t planes = arrays[i].extent.depth ? arrays[i].extent.depth : 1;
		out->size += arrays[i].pitch * hd_cudart_rows(&arrays[i]) * planes;
	}
	return cudaSuccess;
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements, cudaArray_t array,
					   int device)
{
	HD_CUDART(cudart);
	HD_VALID(ARRAY, array);
	return hd_cudart_return(requirements(memoryRequirements, array, 1, device));
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
						    cudaMipmappedArray_t mipmap, int device)
{
	HD_CUDART(cudart);
	HD_VALID(MIPMAP, mipmap);
	return hd_cudart_return(
		requirements(memoryRequirements, mipmap ? mipmap->levels : NULL, mipmap ? mipmap->count : 0, device));
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
	HD_CUDART(cudart);
	HD_VALID(ARRAY, array);
	if (!desc || !array)
		return hd_cudart_return(cudaErrorInvalidValue);
	*desc = array->desc;
	return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
			     cudaArray_t array)
{
	HD_CUDART(cudart);
	HD_VALID(ARRAY, array);
	if (!array)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (desc)
		*desc = array->desc;
	if (extent)
		*extent = array->extent;
	if (flags)
		*flags = array->flags;
	return cudaSuccess;
}

/* ------------------------------------------------------------ copies of boxes */

/* One end of a copy: where the box begins, and the distances of its rows and planes. */
struct end {
	char *at;
	size_t pitch, slice;
};

static struct end array_end(const struct cudaArray *array, struct cudaPos at)
{
	struct end end = {array->base, array->pitch, array->pitch * hd_cudart_rows(array)};
	end.at += at.z * end.slice + at.y * end.pitch + at.x * hd_cudart_element_bytes(array);
	return end;
}

static struct end pointer_end(struct cudaPitchedPtr pointer, struct cudaPos at)
{
	struct end end = {pointer.ptr, pointer.pitch, pointer.pitch * pointer.ysize};
	if (end.at)
		end.at += at.z * end.slice + at.y * end.pitch + at.x;
	return end;
}

/* Whether the box is inside of the array; its width is in elements. */
static bool fits(const struct cudaArray *array, struct cudaPos at, struct cudaExtent box)
{
	size_t size[] = {array->extent.width, hd_cudart_rows(array), array->extent.depth ? array->extent.depth : 1};
	size_t from[] = {at.x, at.y, at.z}, extent[] = {box.width, box.height, box.depth};
	for (int i = 0; i < 3; i++)
		if (from[i] > size[i] || extent[i] > size[i] - from[i])
			return false;
	return true;
}

/* A box and both of its ends, for what is asked; widths in bytes. */
struct box {
	struct end to, from;
	size_t width, height, depth;
	enum cudaMemcpyKind kind;
};

/* Bytes from the first to the last of a box; false: no address space has so many. */
static bool box_bytes(const struct box *box, const struct end *end, size_t *bytes)
{
	size_t plane;
	if (!box->depth || !hd_cudart_rows_bytes(end->pitch, box->width, box->height, &plane))
		return !box->depth;
	return hd_cudart_rows_bytes(end->slice, plane, box->depth, bytes);
}

static cudaError_t check_box(struct hd_cudart *cudart, const struct box *box)
{
	size_t to = 0, from = 0;
	if (!box_bytes(box, &box->to, &to) || !box_bytes(box, &box->from, &from))
		return cudaErrorInvalidValue;
	return hd_cudart_check_ends(cudart, box->to.at, to, box->from.at, from, box->kind);
}

static cudaError_t copy_box(struct hd_cudart *cudart, const struct box *box)
{
	cudaError_t error = hd_cudart_start(cudart);
	if (error == cudaSuccess)
		error = check_box(cudart, box);
	for (size_t z = 0; z < box->depth && error == cudaSuccess; z++)
		for (size_t y = 0; y < box->height && error == cudaSuccess; y++)
			error = hd_cudart_copy(cudart, box->to.at + z * box->to.slice + y * box->to.pitch,
					       box->from.at + z * box->from.slice + y * box->from.pitch, box->width,
					       box->kind);
	return error;
}

static cudaError_t box_of(const struct cudaMemcpy3DParms *p, struct box *box)
{
	if (!p || !p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr)
		return cudaErrorInvalidValue;
	if ((p->srcArray && !hd_handle_lives(p->srcArray, HD_HANDLE_ARRAY)) ||
	    (p->dstArray && !hd_handle_lives(p->dstArray, HD_HANDLE_ARRAY)))
		return cudaErrorInvalidValue;
	if ((p->srcArray && !fits(p->srcArray, p->srcPos, p->extent)) ||
	    (p->dstArray && !fits(p->dstArray, p->dstPos, p->extent)))
		return cudaErrorInvalidValue;
	size_t width = p->extent.width;
	if (p->srcArray || p->dstArray)
		width *= hd_cudart_element_bytes(p->srcArray ? p->srcArray : p->dstArray);
	if ((!p->srcArray && p->extent.height > 1 && width > p->srcPtr.pitch) ||
	    (!p->dstArray && p->extent.height > 1 && width > p->dstPtr.pitch))
		return cudaErrorInvalidPitchValue;
	*box = (struct box){
		.from = p->srcArray ? array_end(p->srcArray, p->srcPos) : pointer_end(p->srcPtr, p->srcPos),
		.to = p->dstArray ? array_end(p->dstArray, p->dstPos) : pointer_end(p->dstPtr, p->dstPos),
		.width = width,
		.height = p->extent.height,
		.depth = p->extent.depth,
		.kind = p->kind,
	};
	return cudaSuccess;
}

cudaError_t hd_cudart_check_3d(struct hd_cudart *cudart, const struct cudaMemcpy3DParms *p)
{
	struct box box;
	cudaError_t error = box_of(p, &box);
	return error == cudaSuccess ? check_box(cudart, &box) : error;
}

cudaError_t hd_cudart_copy_3d(struct hd_cudart *cudart, const struct cudaMemcpy3DParms *p)
{
	struct box box;
	cudaError_t error = box_of(p, &box);
	return error == cudaSuccess ? copy_box(cudart, &box) : error;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
	return cudaMemcpy3DAsync(p, NULL);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	cudaGraphNode_t node;
	HD_TRY(hd_cudart_start_beside(cudart));
	if (!p)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_capture(cudart, stream, cudaGraphNodeTypeMemcpy, &node));
	if (!node)
		return hd_cudart_return(hd_cudart_copy_3d(cudart, p));
	node->u.copy = *p;
	return hd_cudart_return(hd_cudart_deferred(cudart, stream, node, cudaSuccess));
}

/* Offsets and widths of the older calls are in bytes; checks that the box is inside of the array. */
static bool byte_box(const struct cudaArray *array, size_t x, size_t y, size_t width, size_t height, struct end *end)
{
	size_t row = array ? array->extent.width * hd_cudart_element_bytes(array) : 0;
	if (!array || x > row || width > row - x || y > hd_cudart_rows(array) || height > hd_cudart_rows(array) - y)
		return false;
	*end = array_end(array, (struct cudaPos){0, y, 0});
	end->at += x;
	return true;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
				size_t width, size_t height, enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(ARRAY, dst);
	struct end to, from = {(char *)(uintptr_t)src, spitch, 0};
	if (!byte_box(dst, wOffset, hOffset, width, height, &to) || !src)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (width > spitch && height > 1)
		return hd_cudart_return(cudaErrorInvalidPitchValue);
	const struct box box = {to, from, width, height, 1, kind};
	return hd_cudart_return(copy_box(cudart, &box));
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
				  size_t width, size_t height, enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(ARRAY, src);
	struct end from, to = {dst, dpitch, 0};
	if (!byte_box(src, wOffset, hOffset, width, height, &from) || !dst)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (width > dpitch && height > 1)
		return hd_cudart_return(cudaErrorInvalidPitchValue);
	const struct box box = {to, from, width, height, 1, kind};
	return hd_cudart_return(copy_box(cudart, &box));
}

static bool between_arrays(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
				     size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
				     enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(ARRAY, dst);
	HD_VALID(ARRAY, src);
	struct end to, from;
	if (!byte_box(dst, wOffsetDst, hOffsetDst, width, height, &to) ||
	    !byte_box(src, wOffsetSrc, hOffsetSrc, width, height, &from))
		return hd_cudart_return(cudaErrorInvalidValue);
	if (!between_arrays(kind))
		return hd_cudart_return(cudaErrorInvalidMemcpyDirection);
	const struct box box = {to, from, width, height, 1, kind};
	return hd_cudart_return(copy_box(cudart, &box));
}

/* Bytes from `x` to the end of a row, or none. */
static size_t row_rest(const struct cudaArray *array, size_t x)
{
	size_t row = array->extent.width * hd_cudart_element_bytes(array);
	return x < row ? row - x : 0;
}

/* Whether an array has `count` bytes from a place on. */
static bool has_run(const struct cudaArray *array, size_t x, size_t y, size_t count)
{
	size_t rest = array ? row_rest(array, x) : 0, rows = array ? hd_cudart_rows(array) : 0;
	return rest && y < rows && count <= rest + (rows - y - 1) * row_rest(array, 0);
}

/* `count` bytes in the order of each array's rows, whose lengths may differ. */
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
				   size_t wOffsetSrc, size_t hOffsetSrc, size_t count, enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(ARRAY, dst);
	HD_VALID(ARRAY, src);
	HD_TRY(hd_cudart_start(cudart));
	if (!has_run(dst, wOffsetDst, hOffsetDst, count) || !has_run(src, wOffsetSrc, hOffsetSrc, count))
		return hd_cudart_return(cudaErrorInvalidValue);
	if (!between_arrays(kind))
		return hd_cudart_return(cudaErrorInvalidMemcpyDirection);
	while (count) {
		size_t to_rest = row_rest(dst, wOffsetDst), from_rest = row_rest(src, wOffsetSrc);
		size_t width = to_rest < from_rest ? to_rest : from_rest;
		struct end to, from;
		width = width < count ? width : count;
		if (!byte_box(dst, wOffsetDst, hOffsetDst, width, 1, &to) ||
		    !byte_box(src, wOffsetSrc, hOffsetSrc, width, 1, &from))
			return hd_cudart_return(cudaErrorInvalidValue);
		HD_TRY(hd_cudart_copy(cudart, to.at, from.at, width, kind));
		count -= width;
		hOffsetDst += width == to_rest;
		wOffsetDst = width == to_rest ? 0 : wOffsetDst + width;
		hOffsetSrc += width == from_rest;
		wOffsetSrc = width == from_rest ? 0 : wOffsetSrc + width;
	}
	return cudaSuccess;
}

/* `count` bytes from a place of an array on, row after row. */
static cudaError_t copy_run(struct hd_cudart *cudart, const struct cudaArray *array, size_t x, size_t y, char *memory,
			    size_t count, enum cudaMemcpyKind kind, bool to_array)
{
	cudaError_t error = hd_cudart_start(cudart);
	for (struct end end; count && error == cudaSuccess; x = 0, y++) {
		size_t row = array ? array->extent.width * hd_cudart_element_bytes(array) : 0;
		size_t width = x < row && count > row - x ? row - x : count;
		if (!memory || !byte_box(array, x, y, width, 1, &end))
			return cudaErrorInvalidValue;
		error = to_array ? hd_cudart_copy(cudart, end.at, memory, width, kind)
				 : hd_cudart_copy(cudart, memory, end.at, width, kind);
		memory += width;
		count -= width;
	}
	return error;
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
			      enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(ARRAY, dst);
	return hd_cudart_return(copy_run(cudart, dst, wOffset, hOffset, (char *)(uintptr_t)src, count, kind, true));
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
				enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(ARRAY, src);
	return hd_cudart_return(copy_run(cudart, src, wOffset, hOffset, dst, count, kind, false));
}

/* ------------------------------------------------------------ pitched memory of three dimensions */

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
	HD_CUDART(cudart);
	size_t rows;
	if (!pitchedDevPtr || __builtin_mul_overflow(extent.height, extent.depth, &rows))
		return hd_cudart_return(cudaErrorInvalidValue);
	*pitchedDevPtr = (struct cudaPitchedPtr){NULL, 0, extent.width, extent.height};
	return hd_cudart_return(
		hd_cudart_alloc_rows(cudart, &pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
			      cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	cudaGraphNode_t node;
	HD_TRY(hd_cudart_start_beside(cudart));
	if (extent.width > pitchedDevPtr.pitch && extent.height > 1)
		return hd_cudart_return(cudaErrorInvalidValue);
	struct end end = pointer_end(pitchedDevPtr, (struct cudaPos){0, 0, 0});
	const struct box box = {.to = end, .width = extent.width, .height = extent.height, .depth = extent.depth};
	size_t bytes = 0;
	if (!box_bytes(&box, &end, &bytes))
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_check_set(cudart, end.at, bytes));
	for (size_t z = 0; z < extent.depth; z++) {
		HD_TRY(hd_cudart_capture(cudart, stream, cudaGraphNodeTypeMemset, &node));
		if (node)
			node->u.set =
				(struct cudaMemsetParams){end.at + z * end.slice, end.pitch,	(unsigned char)value, 1,
							  extent.width,		  extent.height};
		for (size_t y = 0; !node && y < extent.height; y++)
			HD_TRY(hd_cudart_set(cudart, end.at + z * end.slice + y * end.pitch, value, extent.width));
	}
	return cudaSuccess;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
	return cudaMemset3DAsync(pitchedDevPtr, value, extent, NULL);
}
