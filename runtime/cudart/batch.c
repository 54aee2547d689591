/*
 * Batches of copies, prefetches and discards, and memory named by its location instead of a device's number. A batch is
 * looked through as a whole, and nothing of a wrong one is done; its parts are the single calls, one after the other.
 */
#include "runtime/cudart/batch.h"
#include "runtime/cudart/array.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"

/* ------------------------------------------------------------ what batches have in common */

/* Which parts each of `count` entries is for, by the first one: from 0 on, ascending, below the number of parts. */
static bool starts_are_right(const size_t *starts, size_t count, size_t parts)
{
	if (!starts || !count || count > parts || starts[0])
		return false;
	for (size_t i = 1; i < count; i++)
		if (starts[i] <= starts[i - 1])
			return false;
	return starts[count - 1] < parts;
}

/* Batches are not for the legacy stream. */
static bool stream_is_right(cudaStream_t stream)
{
	return stream && stream != cudaStreamLegacy;
}

/* A size that cannot be is one of an array that is not there either: looked at before the array is. */
static bool lists_are_right(const void *pointers, const size_t *sizes, size_t count)
{
	return pointers && sizes && count && count <= SIZE_MAX / 2 / sizeof(void *);
}

static bool order_is_right(enum cudaMemcpySrcAccessOrder order, unsigned flags)
{
	return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny &&
	       flags <= cudaMemcpyFlagPreferOverlapWithCompute;
}

/* ------------------------------------------------------------ copies */

/* A source that may be gone after the call has been read before it returns. */
static cudaError_t finish_reads(bool now, cudaStream_t stream)
{
	enum cudaStreamCaptureStatus status;
	if (!now)
		return cudaSuccess;
	HD_TRY(cudaStreamIsCapturing(stream, &status));
	return status == cudaStreamCaptureStatusNone ? cudaStreamSynchronize(stream) : cudaSuccess;
}

cudaError_t hd_cudart_copy_batch(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
				 const struct cudaMemcpyAttributes *attrs, const size_t *attrsIdxs, size_t numAttrs,
				 cudaStream_t stream)
{
	bool now = false;
	HD_VALID_APART(STREAM, stream);
	if (!stream_is_right(stream) || !lists_are_right(dsts, sizes, count) || !srcs || !attrs ||
	    !starts_are_right(attrsIdxs, numAttrs, count))
		return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; i < numAttrs; i++) {
		if (!order_is_right(attrs[i].srcAccessOrder, attrs[i].flags))
			return hd_cudart_return(cudaErrorInvalidValue);
		now |= attrs[i].srcAccessOrder == cudaMemcpySrcAccessOrderDuringApiCall;
	}
	for (size_t i = 0; i < count; i++)
		if (sizes[i] && (!dsts[i] || !srcs[i]))
			return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; i < count; i++)
		HD_TRY(cudaMemcpyAsync(dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, stream));
	return finish_reads(now, stream);
}

static const struct cudaArray *array_of(const struct cudaMemcpy3DOperand *end)
{
	return end->type == cudaMemcpyOperandTypeArray ? end->op.array.array : NULL;
}

/* One end as cudaMemcpy3D has it; false: it cannot be. */
static bool end_of(const struct cudaMemcpy3DOperand *end, const struct cudaExtent *extent, size_t element,
		   cudaArray_t *array, struct cudaPos *at, struct cudaPitchedPtr *rows)
{
	if (end->type == cudaMemcpyOperandTypeArray) {
		*array = end->op.array.array;
		*at = (struct cudaPos){end->op.array.offset.x, end->op.array.offset.y, end->op.array.offset.z};
		return true;
	}
	size_t width = end->op.ptr.rowLength ? end->op.ptr.rowLength : extent->width;
	size_t height = end->op.ptr.layerHeight ? end->op.ptr.layerHeight : extent->height;
	*rows = (struct cudaPitchedPtr){end->op.ptr.ptr, width * element, width, height};
	return end->type == cudaMemcpyOperandTypePointer && end->op.ptr.ptr && width >= extent->width &&
	       height >= extent->height && width <= SIZE_MAX / element;
}

static cudaError_t copy_of_op(const struct cudaMemcpy3DBatchOp *op, struct cudaMemcpy3DParms *copy)
{
	const struct cudaArray *from = array_of(&op->src), *to = array_of(&op->dst);
	if (op->src.type == cudaMemcpyOperandTypeArray)
		HD_VALID_APART(ARRAY, from);
	if (op->dst.type == cudaMemcpyOperandTypeArray)
		HD_VALID_APART(ARRAY, to);
	size_t element = from ? hd_cudart_element_bytes(from) : to ? hd_cudart_element_bytes(to) : 1;
	*copy = (struct cudaMemcpy3DParms){.extent = op->extent, .kind = cudaMemcpyDefault};
	if (!order_is_right(op->srcAccessOrder, op->flags) || !op->extent.width || !op->extent.height ||
	    !op->extent.depth || (to && hd_cudart_element_bytes(to) != element) ||
	    !end_of(&op->src, &op->extent, element, &copy->srcArray, &copy->srcPos, &copy->srcPtr) ||
	    !end_of(&op->dst, &op->extent, element, &copy->dstArray, &copy->dstPos, &copy->dstPtr))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

cudaError_t hd_cudart_copy_boxes(size_t numOps, const struct cudaMemcpy3DBatchOp *opList, unsigned long long flags,
				 cudaStream_t stream)
{
	struct cudaMemcpy3DParms copy;
	bool now = false;
	HD_VALID_APART(STREAM, stream);
	if (!stream_is_right(stream) || !opList || !numOps || numOps > SIZE_MAX / 2 / sizeof *opList || flags)
		return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; i < numOps; i++) {
		HD_TRY(copy_of_op(&opList[i], &copy));
		now |= opList[i].srcAccessOrder == cudaMemcpySrcAccessOrderDuringApiCall;
	}
	for (size_t i = 0; i < numOps; i++) {
		HD_TRY(copy_of_op(&opList[i], &copy));
		HD_TRY(cudaMemcpy3DAsync(&copy, stream));
	}
	return finish_reads(now, stream);
}

/* ------------------------------------------------------------ managed memory */

/* The number that the older functions have for a location: a device, or the host, any part of which is one place. */
static cudaError_t device_of(struct cudaMemLocation location, int *device)
{
	switch (location.type) {
	case cudaMemLocationTypeDevice:
		*device = location.id;
		return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
	case cudaMemLocationTypeHost:
	case cudaMemLocationTypeHostNuma:
	case cudaMemLocationTypeHostNumaCurrent: *device = cudaCpuDeviceId; return cudaSuccess;
	default: return cudaErrorInvalidValue;
	}
}

cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, struct cudaMemLocation location,
				    unsigned int flags, cudaStream_t stream)
{
	int device;
	HD_VALID_APART(STREAM, stream);
	if (flags)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(device_of(location, &device));
	return cudaMemPrefetchAsync(devPtr, count, device, stream);
}

cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
			     struct cudaMemLocation location)
{
	int device = 0;
	bool asks_place = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
			  advice == cudaMemAdviseUnsetAccessedBy;
	if (asks_place)
		HD_TRY(device_of(location, &device));
	return cudaMemAdvise(devPtr, count, advice, device);
}

/* Every range is managed memory, whole or in part. */
static cudaError_t ranges_are_right(void **pointers, const size_t *sizes, size_t count, unsigned long long flags,
				    cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	HD_TRY(hd_cudart_start_beside(cudart));
	if (!stream_is_right(stream) || !lists_are_right(pointers, sizes, count) || flags)
		return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; i < count; i++) {
		const struct hd_shared_memory *memory = hd_cudart_shared(cudart, pointers[i]);
		uint64_t at = (uintptr_t)pointers[i], low, high;
		if (!memory || memory->type != cudaMemoryTypeManaged || !sizes[i] ||
		    !hd_sim_allocation(cudart->sim, at, &low, &high) || sizes[i] > high - at)
			return hd_cudart_return(cudaErrorInvalidValue);
	}
	return cudaSuccess;
}

cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs,
				      size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
				      cudaStream_t stream)
{
	int device;
	HD_TRY(ranges_are_right(dptrs, sizes, count, flags, stream));
	if (!prefetchLocs || !starts_are_right(prefetchLocIdxs, numPrefetchLocs, count))
		return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; i < numPrefetchLocs; i++)
		HD_TRY(device_of(prefetchLocs[i], &device));
	for (size_t i = 0, place = 0; i < count; i++) {
		if (place + 1 < numPrefetchLocs && prefetchLocIdxs[place + 1] == i)
			place++;
		HD_TRY(device_of(prefetchLocs[place], &device));
		HD_TRY(cudaMemPrefetchAsync(dptrs[i], sizes[i], device, stream));
	}
	return cudaSuccess;
}

/* What memory held stays: a value that nobody may rely on. */
cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
				     cudaStream_t stream)
{
	return ranges_are_right(dptrs, sizes, count, flags, stream);
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
						struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
						size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream)
{
	return cudaMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
					 stream);
}

/* ------------------------------------------------------------ pools by location */

/* There are pools of the device's pinned memory; other locations and kinds that CUDA names are not supported. */
static cudaError_t pool_place(const struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
	if (!location || (type != cudaMemAllocationTypePinned && type != cudaMemAllocationTypeManaged))
		return cudaErrorInvalidValue;
	if (location->type == cudaMemLocationTypeNone && type == cudaMemAllocationTypeManaged)
		return cudaErrorNotSupported;
	if (location->type != cudaMemLocationTypeDevice && location->type != cudaMemLocationTypeHost &&
	    location->type != cudaMemLocationTypeHostNuma)
		return cudaErrorInvalidValue;
	if (location->type == cudaMemLocationTypeDevice && location->id != 0)
		return cudaErrorInvalidValue;
	return location->type == cudaMemLocationTypeDevice && type == cudaMemAllocationTypePinned
		       ? cudaSuccess
		       : cudaErrorNotSupported;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
				     enum cudaMemAllocationType type)
{
	HD_TRY(pool_place(location, type));
	return cudaDeviceGetDefaultMemPool(memPool, location->id);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
	HD_TRY(pool_place(location, type));
	return cudaDeviceGetMemPool(memPool, location->id);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t memPool)
{
	HD_TRY(pool_place(location, type));
	return cudaDeviceSetMemPool(location->id, memPool);
}

/* ------------------------------------------------------------ atomics over links */

static bool operations_are_right(unsigned *capabilities, const enum cudaAtomicOperation *operations, unsigned count)
{
	if (!capabilities || !operations || !count)
		return false;
	for (unsigned i = 0; i < count; i++)
		if ((unsigned)operations[i] > cudaAtomicOperationFloatMax)
			return false;
	return true;
}

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const enum cudaAtomicOperation *operations,
						unsigned int count, int device)
{
	int native;
	if (!operations_are_right(capabilities, operations, count))
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(cudaDeviceGetAttribute(&native, cudaDevAttrHostNativeAtomicSupported, device));
	for (unsigned i = 0; i < count; i++)
		capabilities[i] = 0; /* no card here has them: they sit on PCIe */
	return cudaSuccess;
}

/* There is no second device. */
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities, const enum cudaAtomicOperation *operations,
					       unsigned int count, int srcDevice, int dstDevice)
{
	(void)srcDevice, (void)dstDevice;
	return hd_cudart_return(operations_are_right(capabilities, operations, count) ? cudaErrorInvalidDevice
										      : cudaErrorInvalidValue);
}
