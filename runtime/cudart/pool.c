/*
 * Stream-ordered memory. Work runs in the order in which it is submitted, so that memory is there, and gone, at once.
 * Attributes of pools are remembered; their use is that of all device memory.
 */
#include <string.h>

#include "heddle/config.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"

struct CUmemPoolHandle_st {
	uint64_t release_threshold; /* bytes */
	int reuse[3];
	uint64_t high[2]; /* most bytes that were reserved, and used, since these were set to 0 */
};

static const struct CUmemPoolHandle_st fresh = {.reuse = {1, 1, 1}};

static struct CUmemPoolHandle_st *pool_of(struct hd_cudart *cudart)
{
	if (!cudart->pool) {
		cudart->pool = hd_xcalloc(1, sizeof *cudart->pool);
		hd_handle_add(cudart->pool, HD_HANDLE_POOL);
		*cudart->pool = fresh;
	}
	return cudart->pool;
}

void hd_cudart_reset_pool(struct hd_cudart *cudart)
{
	if (cudart->pool)
		*cudart->pool = fresh;
}

/* Where cudaMallocAsync takes memory from. */
static struct CUmemPoolHandle_st *current_pool(struct hd_cudart *cudart)
{
	return cudart->chosen ? cudart->chosen : pool_of(cudart);
}

/* Where an attribute of 32 bits is kept; NULL: it is another. */
static int *reuse_of(struct CUmemPoolHandle_st *pool, enum cudaMemPoolAttr attr)
{
	if (attr < cudaMemPoolReuseFollowEventDependencies || attr > cudaMemPoolReuseAllowInternalDependencies)
		return NULL;
	return &pool->reuse[attr - cudaMemPoolReuseFollowEventDependencies];
}

static uint64_t used_bytes(const struct hd_cudart *cudart)
{
	return cudart->config->dram_bytes - hd_sim_free_bytes(cudart->sim);
}

static void note_use(const struct hd_cudart *cudart, struct CUmemPoolHandle_st *pool)
{
	uint64_t used = used_bytes(cudart);
	for (unsigned i = 0; i < 2; i++)
		pool->high[i] = used > pool->high[i] ? used : pool->high[i];
}

/* Where a watermark is kept; NULL: it is another attribute. */
static uint64_t *high_of(struct CUmemPoolHandle_st *pool, enum cudaMemPoolAttr attr)
{
	return attr == cudaMemPoolAttrReservedMemHigh ? &pool->high[0]
	       : attr == cudaMemPoolAttrUsedMemHigh   ? &pool->high[1]
						      : NULL;
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, hStream);
	cudaGraphNode_t node;
	HD_TRY(hd_cudart_start_beside(cudart));
	HD_TRY(hd_cudart_capture(cudart, hStream, cudaGraphNodeTypeMemAlloc, &node));
	if (node) {
		HD_TRY(hd_graph_memory_new(cudart, node, devPtr, size));
		node->u.alloc.bytesize = size;
		node->u.alloc.dptr = *devPtr;
		return cudaSuccess;
	}
	HD_TRY(hd_cudart_alloc(cudart, devPtr, size));
	note_use(cudart, current_pool(cudart));
	return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, hStream);
	cudaGraphNode_t node;
	HD_TRY(hd_cudart_start_beside(cudart));
	struct CUstream_st *stream = hd_cudart_stream(hStream);
	if (stream && stream->capture && !hd_handle_lives(devPtr, HD_HANDLE_GRAPH_MEMORY))
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_capture(cudart, hStream, cudaGraphNodeTypeMemFree, &node));
	if (node) /* each launch of the graph uses the same memory again */
		node->u.freed = devPtr;
	return hd_cudart_return(node ? cudaSuccess : hd_cudart_free(cudart, devPtr));
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
	HD_VALID_APART(POOL, memPool);
	HD_VALID_APART(STREAM, stream);
	if (!memPool)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(cudaMallocAsync(ptr, size, stream));
	HD_CUDART(cudart);
	note_use(cudart, memPool);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
	HD_CUDART(cudart);
	if (!memPool)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (device != 0)
		return hd_cudart_return(cudaErrorInvalidDevice);
	HD_TRY(hd_cudart_start(cudart));
	*memPool = pool_of(cudart);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
	HD_CUDART(cudart);
	if (!memPool || device)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_start(cudart));
	*memPool = current_pool(cudart);
	return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
	HD_CUDART(cudart);
	HD_VALID(POOL, memPool);
	if (device != 0)
		return hd_cudart_return(cudaErrorInvalidDevice);
	cudart->chosen = memPool;
	return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	if (!memPool || !poolProps || poolProps->allocType != cudaMemAllocationTypePinned)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (poolProps->handleTypes != cudaMemHandleTypeNone || poolProps->location.type != cudaMemLocationTypeDevice)
		return hd_cudart_return(cudaErrorNotSupported);
	if (poolProps->location.id != 0)
		return hd_cudart_return(cudaErrorInvalidDevice);
	*memPool = hd_xcalloc(1, sizeof **memPool);
	hd_handle_add(*memPool, HD_HANDLE_POOL);
	for (unsigned i = 0; i < 3; i++)
		(*memPool)->reuse[i] = 1;
	return cudaSuccess;
}

/* What was allocated from it stays until it is freed. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool)
{
	HD_CUDART(cudart);
	HD_VALID(POOL, memPool);
	if (!memPool || memPool == cudart->pool)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (cudart->chosen == memPool)
		cudart->chosen = NULL;
	hd_handle_drop(memPool);
	free(memPool);
	return cudaSuccess;
}

/* There is one device, which always has access. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList, size_t count)
{
	HD_CUDART(cudart);
	HD_VALID(POOL, memPool);
	if (count > SIZE_MAX / 2 / sizeof *descList) /* no list is as long */
		return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; descList && i < count; i++)
		if (descList[i].location.type != cudaMemLocationTypeDevice || descList[i].location.id != 0)
			return hd_cudart_return(cudaErrorInvalidDevice);
	return hd_cudart_return(memPool && (descList || !count) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
				 struct cudaMemLocation *location)
{
	HD_CUDART(cudart);
	HD_VALID(POOL, memPool);
	if (!flags || !memPool || !location || location->type != cudaMemLocationTypeDevice || location->id)
		return hd_cudart_return(cudaErrorInvalidValue);
	*flags = cudaMemAccessFlagsProtReadWrite;
	return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
	HD_CUDART(cudart);
	HD_VALID(POOL, memPool);
	if (!memPool || !value)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (reuse_of(memPool, attr))
		memcpy(reuse_of(memPool, attr), value, sizeof(int));
	else if (attr == cudaMemPoolAttrReleaseThreshold)
		memcpy(&memPool->release_threshold, value, sizeof memPool->release_threshold);
	else if (high_of(memPool, attr) && *(const uint64_t *)value == 0) /* they begin anew */
		*high_of(memPool, attr) = used_bytes(cudart);
	else
		return hd_cudart_return(cudaErrorInvalidValue);
	return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
	HD_CUDART(cudart);
	HD_VALID(POOL, memPool);
	if (!memPool || !value)
		return hd_cudart_return(cudaErrorInvalidValue);
	uint64_t used = used_bytes(cudart);
	if (reuse_of(memPool, attr))
		memcpy(value, reuse_of(memPool, attr), sizeof(int));
	else if (attr == cudaMemPoolAttrReleaseThreshold)
		memcpy(value, &memPool->release_threshold, sizeof memPool->release_threshold);
	else if (attr == cudaMemPoolAttrReservedMemCurrent || attr == cudaMemPoolAttrUsedMemCurrent)
		memcpy(value, &used, sizeof used);
	else if (high_of(memPool, attr))
		memcpy(value, high_of(memPool, attr), sizeof used);
	else
		return hd_cudart_return(cudaErrorInvalidValue);
	return cudaSuccess;
}

/* Nothing is kept beyond what is allocated. */
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
	HD_CUDART(cudart);
	HD_VALID(POOL, memPool);
	(void)minBytesToKeep;
	return hd_cudart_return(memPool ? cudaSuccess : cudaErrorInvalidValue);
}
