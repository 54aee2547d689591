/*
 * Functions of the runtime API that are newer than CUDA 12.3, as CUDA 13 has them: batches of copies, prefetches and
 * discards, pools by location, capabilities of atomics. Part of cuda_runtime_api.h.
 */
#ifndef HEDDLE_BATCH_H
#define HEDDLE_BATCH_H

#include "driver_types.h"

/* When a copy may read its source: a copy of a batch has to say so. */
enum cudaMemcpySrcAccessOrder {
	cudaMemcpySrcAccessOrderInvalid = 0,
	cudaMemcpySrcAccessOrderStream = 1,
	cudaMemcpySrcAccessOrderDuringApiCall = 2,
	cudaMemcpySrcAccessOrderAny = 3,
	cudaMemcpySrcAccessOrderMax = 0x7FFFFFFF
};
typedef enum cudaMemcpySrcAccessOrder cudaMemcpySrcAccessOrder;
enum cudaMemcpyFlags {
	cudaMemcpyFlagDefault = 0,
	cudaMemcpyFlagPreferOverlapWithCompute = 1
};
struct cudaMemcpyAttributes {
	enum cudaMemcpySrcAccessOrder srcAccessOrder;
	struct cudaMemLocation srcLocHint;
	struct cudaMemLocation dstLocHint;
	unsigned int flags;
};
typedef struct cudaMemcpyAttributes cudaMemcpyAttributes;

enum cudaMemcpy3DOperandType {
	cudaMemcpyOperandTypePointer = 1,
	cudaMemcpyOperandTypeArray = 2,
	cudaMemcpyOperandTypeMax = 0x7FFFFFFF
};
struct cudaOffset3D {
	size_t x;
	size_t y;
	size_t z;
};
/* Lengths and offsets in elements: of the array at either end, else bytes. */
struct cudaMemcpy3DOperand {
	enum cudaMemcpy3DOperandType type;
	union {
		struct {
			void *ptr;
			size_t rowLength;   /* 0: as wide as the copy */
			size_t layerHeight; /* 0: as high as the copy */
			struct cudaMemLocation locHint;
		} ptr;
		struct {
			cudaArray_t array;
			struct cudaOffset3D offset;
		} array;
	} op;
};
struct cudaMemcpy3DBatchOp {
	struct cudaMemcpy3DOperand src;
	struct cudaMemcpy3DOperand dst;
	struct cudaExtent extent;
	enum cudaMemcpySrcAccessOrder srcAccessOrder;
	unsigned int flags;
};

enum cudaAtomicOperation {
	cudaAtomicOperationIntegerAdd = 0,
	cudaAtomicOperationIntegerMin = 1,
	cudaAtomicOperationIntegerMax = 2,
	cudaAtomicOperationIntegerIncrement = 3,
	cudaAtomicOperationIntegerDecrement = 4,
	cudaAtomicOperationAnd = 5,
	cudaAtomicOperationOr = 6,
	cudaAtomicOperationXOR = 7,
	cudaAtomicOperationExchange = 8,
	cudaAtomicOperationCAS = 9,
	cudaAtomicOperationFloatAdd = 10,
	cudaAtomicOperationFloatMin = 11,
	cudaAtomicOperationFloatMax = 12
};
enum cudaAtomicOperationCapability {
	cudaAtomicCapabilitySigned = 1 << 0,
	cudaAtomicCapabilityUnsigned = 1 << 1,
	cudaAtomicCapabilityReduction = 1 << 2,
	cudaAtomicCapabilityScalar32 = 1 << 3,
	cudaAtomicCapabilityScalar64 = 1 << 4,
	cudaAtomicCapabilityScalar128 = 1 << 5,
	cudaAtomicCapabilityVector32x4 = 1 << 6
};

#if defined(__cplusplus)
extern "C" {
#endif

/* A place in place of a device's number. */
cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, struct cudaMemLocation location,
				    unsigned int flags, cudaStream_t stream);
cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
			     struct cudaMemLocation location);
cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
				 struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
				 cudaStream_t stream);
cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList, unsigned long long flags,
				   cudaStream_t stream);
cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs,
				      size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
				      cudaStream_t stream);
cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
				     cudaStream_t stream);
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
						struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
						size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream);

/* There are pools of pinned memory of the device. */
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
				     enum cudaMemAllocationType type);
cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
			      enum cudaMemAllocationType type);
cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
			      cudaMemPool_t memPool);

/* None over the link to the host. */
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const enum cudaAtomicOperation *operations,
						unsigned int count, int device);
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities, const enum cudaAtomicOperation *operations,
					       unsigned int count, int srcDevice, int dstDevice);

#if defined(__cplusplus)
}

/* CUDA 13 has these under the older functions' names. */
static inline cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, cudaMemLocation location,
					       unsigned int flags, cudaStream_t stream = 0)
{
	return cudaMemPrefetchAsync_v2(devPtr, count, location, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void *devPtr, size_t count, cudaMemoryAdvise advice,
					cudaMemLocation location)
{
	return cudaMemAdvise_v2(devPtr, count, advice, location);
}

/* CUDA 12.8's and 12.9's forms, which also tell what failed: a batch is looked through before any of it is done. */
static inline cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
					       cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
					       size_t *failIdx, cudaStream_t stream)
{
	cudaError_t error = cudaMemcpyBatchAsync(dsts, (const void *const *)srcs, sizes, count, attrs, attrsIdxs,
						 numAttrs, stream);
	if (error != cudaSuccess && failIdx)
		*failIdx = ~(size_t)0;
	return error;
}
static inline cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, cudaMemcpy3DBatchOp *opList, size_t *failIdx,
						 unsigned long long flags, cudaStream_t stream)
{
	cudaError_t error = cudaMemcpy3DBatchAsync(numOps, opList, flags, stream);
	if (error != cudaSuccess && failIdx)
		*failIdx = ~(size_t)0;
	return error;
}

/* Lists of pointers to anything; the same attributes for all. */
template <typename _T, typename _Second>
static inline cudaError_t cudaMemcpyBatchAsync(_T *const *dsts, _Second *const *srcs, const size_t *sizes, size_t count,
					       cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
					       cudaStream_t stream)
{
	return cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs, sizes, count, attrs, attrsIdxs,
				    numAttrs, stream);
}
template <typename _T, typename _Second>
static inline cudaError_t cudaMemcpyBatchAsync(_T *const *dsts, _Second *const *srcs, const size_t *sizes, size_t count,
					       cudaMemcpyAttributes attr, cudaStream_t stream)
{
	size_t first = 0;
	return cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs, sizes, count, &attr, &first, 1,
				    stream);
}
template <typename _T>
static inline cudaError_t cudaMemPrefetchBatchAsync(_T **dptrs, size_t *sizes, size_t count,
						    cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
						    size_t numPrefetchLocs, unsigned long long flags,
						    cudaStream_t stream)
{
	return cudaMemPrefetchBatchAsync((void **)dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
					 flags, stream);
}
template <typename _T>
static inline cudaError_t cudaMemPrefetchBatchAsync(_T **dptrs, size_t *sizes, size_t count,
						    cudaMemLocation prefetchLocs, unsigned long long flags,
						    cudaStream_t stream)
{
	size_t first = 0;
	return cudaMemPrefetchBatchAsync((void **)dptrs, sizes, count, &prefetchLocs, &first, 1, flags, stream);
}
template <typename _T>
static inline cudaError_t cudaMemDiscardBatchAsync(_T **dptrs, size_t *sizes, size_t count, unsigned long long flags,
						   cudaStream_t stream)
{
	return cudaMemDiscardBatchAsync((void **)dptrs, sizes, count, flags, stream);
}
template <typename _T>
static inline cudaError_t cudaMemDiscardAndPrefetchBatchAsync(_T **dptrs, size_t *sizes, size_t count,
							      cudaMemLocation prefetchLocs, unsigned long long flags,
							      cudaStream_t stream)
{
	size_t first = 0;
	return cudaMemDiscardAndPrefetchBatchAsync((void **)dptrs, sizes, count, &prefetchLocs, &first, 1, flags,
						   stream);
}
#endif

#endif
