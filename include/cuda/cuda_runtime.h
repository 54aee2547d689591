/*
 * The CUDA runtime API with its C++ layer: typed forms of the functions that take `void *`, a symbol's address or a
 * kernel's address. CUDA sources have it from the prelude; host-only C++ files include it for the API alone.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "builtin_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "host_defines.h"
#include "surface_indirect_functions.h"
#include "texture_indirect_functions.h"
#include "vector_functions.h"

#if defined(__cplusplus)

/* Memory */
template <class _T>
static inline cudaError_t cudaMalloc(_T **devPtr, size_t size)
{
	return ::cudaMalloc((void **)(void *)devPtr, size);
}
template <class _T>
static inline cudaError_t cudaMallocHost(_T **ptr, size_t size, unsigned int flags = 0)
{
	return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}
static inline cudaError_t cudaMallocHost(void **ptr, size_t size, unsigned int flags)
{
	return ::cudaHostAlloc(ptr, size, flags);
}
template <class _T>
static inline cudaError_t cudaHostAlloc(_T **ptr, size_t size, unsigned int flags)
{
	return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}
template <class _T>
static inline cudaError_t cudaHostGetDevicePointer(_T **device, void *host, unsigned int flags)
{
	return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class _T>
static inline cudaError_t cudaMallocManaged(_T **devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
	return ::cudaMallocManaged((void **)(void *)devPtr, size, flags);
}
template <class _T>
static inline cudaError_t cudaMallocPitch(_T **devPtr, size_t *pitch, size_t width, size_t height)
{
	return ::cudaMallocPitch((void **)(void *)devPtr, pitch, width, height);
}
template <class _T>
static inline cudaError_t cudaMallocAsync(_T **devPtr, size_t size, cudaStream_t hStream)
{
	return ::cudaMallocAsync((void **)(void *)devPtr, size, hStream);
}
static inline cudaError_t cudaMallocAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}
template <class _T>
static inline cudaError_t cudaMallocAsync(_T **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}
template <class _T>
static inline cudaError_t cudaMallocFromPoolAsync(_T **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}
template <class _T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, _T *devPtr, size_t length = 0,
						   unsigned int flags = cudaMemAttachSingle)
{
	return ::cudaStreamAttachMemAsync(stream, (void *)devPtr, length, flags);
}

/* Device symbols: the variable itself stands for its address. */
template <class _T>
static inline cudaError_t cudaMemcpyToSymbol(const _T &symbol, const void *src, size_t count, size_t offset = 0,
					     enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class _T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const _T &symbol, const void *src, size_t count, size_t offset = 0,
						  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
						  cudaStream_t stream = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class _T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const _T &symbol, size_t count, size_t offset = 0,
					       enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class _T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const _T &symbol, size_t count, size_t offset = 0,
						    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
						    cudaStream_t stream = 0)
{
	return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class _T>
static inline cudaError_t cudaGetSymbolAddress(void **devPtr, const _T &symbol)
{
	return ::cudaGetSymbolAddress(devPtr, (const void *)&symbol);
}
template <class _T, class _Second>
static inline cudaError_t cudaGetSymbolAddress(_Second **devPtr, const _T &symbol)
{
	return ::cudaGetSymbolAddress((void **)(void *)devPtr, (const void *)&symbol);
}
template <class _T>
static inline cudaError_t cudaGetSymbolSize(size_t *size, const _T &symbol)
{
	return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

/* Kernels: the function itself stands for its address. */
template <class _T>
static inline cudaError_t cudaLaunchKernel(_T *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem = 0,
					   cudaStream_t stream = 0)
{
	return ::cudaLaunchKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}
template <class _T>
static inline cudaError_t cudaLaunchCooperativeKernel(_T *func, dim3 gridDim, dim3 blockDim, void **args,
						      size_t sharedMem = 0, cudaStream_t stream = 0)
{
	return ::cudaLaunchCooperativeKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}
/* The arguments are converted to what the kernel takes. */
template <class... _Parameters, class... _Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(_Parameters...),
					     _Arguments &&...arguments)
{
	return [&](_Parameters... converted) {
		void *pointers[] = {(void *)&converted..., nullptr};
		return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
	}(static_cast<_Arguments &&>(arguments)...);
}
template <class _T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, _T *func)
{
	return ::cudaFuncGetAttributes(attr, (const void *)func);
}
template <class _T>
static inline cudaError_t cudaFuncSetAttribute(_T *func, enum cudaFuncAttribute attr, int value)
{
	return ::cudaFuncSetAttribute((const void *)func, attr, value);
}
template <class _T>
static inline cudaError_t cudaFuncSetCacheConfig(_T *func, enum cudaFuncCache config)
{
	return ::cudaFuncSetCacheConfig((const void *)func, config);
}
template <class _T>
static inline cudaError_t cudaFuncSetSharedMemConfig(_T *func, enum cudaSharedMemConfig config)
{
	return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}
template <class _T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, _T func, int blockSize,
									size_t dynamicSMemSize)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void *)func, blockSize,
							       dynamicSMemSize);
}

template <class _T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, _T func, int blockSize,
										 size_t dynamicSMemSize,
										 unsigned int flags)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void *)func, blockSize,
									dynamicSMemSize, flags);
}

template <typename _T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, _T *func, const cudaLaunchConfig_t *config)
{
	return ::cudaOccupancyMaxActiveClusters(numClusters, (const void *)func, config);
}
template <typename _T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, _T *func,
							       const cudaLaunchConfig_t *config)
{
	return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, (const void *)func, config);
}
template <class _T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, _T *func, int numBlocks,
								    int blockSize)
{
	return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (const void *)func, numBlocks, blockSize);
}

/*
 * The block size, the limit or a multiple of the warp size, that keeps the most threads resident on a multiprocessor,
 * and the grid that fills the device once; both are 0 where no block fits. `sharedOf(blockSize)` gives the dynamic
 * shared memory in bytes.
 */
template <class _T, class _F>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *minGridSize, int *blockSize, _T func, _F sharedOf,
							int blockSizeLimit = 0, unsigned int flags = 0)
{
	struct cudaFuncAttributes attr;
	int device = 0, sms = 0, warp = 0, best = 0;
	if (!minGridSize || !blockSize || !func)
		return cudaErrorInvalidValue;
	cudaError_t error = ::cudaGetDevice(&device);
	if (error == cudaSuccess)
		error = ::cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
	if (error == cudaSuccess)
		error = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
	if (error == cudaSuccess)
		error = ::cudaFuncGetAttributes(&attr, (const void *)func);
	if (error != cudaSuccess)
		return error;

	int limit = attr.maxThreadsPerBlock, bestSize = 0, bestBlocks = 0;
	if (blockSizeLimit > 0 && blockSizeLimit < limit)
		limit = blockSizeLimit;
	for (int top = (limit + warp - 1) / warp * warp; top > 0; top -= warp) {
		int blocks = 0, size = top < limit ? top : limit;
		error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)func, size,
										 (size_t)sharedOf(size), flags);
		if (error != cudaSuccess)
			return error;
		if (blocks * size > best) {
			best = blocks * size;
			bestSize = size;
			bestBlocks = blocks;
		}
	}
	*blockSize = bestSize;
	*minGridSize = bestBlocks * sms;
	return cudaSuccess;
}
template <class _T, class _F>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, _T func,
									 _F sharedOf, int blockSizeLimit = 0)
{
	return ::cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, sharedOf,
									 blockSizeLimit, 0u);
}
struct hd_constant_shared {
	size_t bytes;
	size_t operator()(int) const
	{
		return bytes;
	}
};
template <class _T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, _T func,
								      size_t dynamicSMemSize = 0,
								      int blockSizeLimit = 0, unsigned int flags = 0)
{
	hd_constant_shared shared = {dynamicSMemSize};
	return ::cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, shared,
									 blockSizeLimit, flags);
}
template <class _T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, _T func,
							     size_t dynamicSMemSize = 0, int blockSizeLimit = 0)
{
	return ::cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize,
							     blockSizeLimit, 0u);
}

/* Graphs: the forms of CUDA 11. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
					       cudaGraphNode_t *pErrorNode, char *pLogBuffer, size_t bufferSize)
{
	if (pErrorNode)
		*pErrorNode = 0;
	if (pLogBuffer && bufferSize)
		*pLogBuffer = 0;
	return ::cudaGraphInstantiate(pGraphExec, graph, 0);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
					      cudaGraphNode_t *hErrorNode_out,
					      enum cudaGraphExecUpdateResult *updateResult_out)
{
	cudaGraphExecUpdateResultInfo info;
	cudaError_t error = ::cudaGraphExecUpdate(hGraphExec, hGraph, &info);
	if (hErrorNode_out)
		*hErrorNode_out = info.errorNode;
	if (updateResult_out)
		*updateResult_out = info.result;
	return error;
}
template <class _T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
							 const cudaGraphNode_t *pDependencies, size_t numDependencies,
							 const _T &symbol, const void *src, size_t count, size_t offset,
							 enum cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeToSymbol(pGraphNode, graph, pDependencies, numDependencies,
						(const void *)&symbol, src, count, offset, kind);
}
template <class _T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
							   const cudaGraphNode_t *pDependencies, size_t numDependencies,
							   void *dst, const _T &symbol, size_t count, size_t offset,
							   enum cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeFromSymbol(pGraphNode, graph, pDependencies, numDependencies, dst,
						  (const void *)&symbol, count, offset, kind);
}
template <class _T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const _T &symbol, const void *src,
							       size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, count, offset, kind);
}
template <class _T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const _T &symbol,
								 size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, count, offset, kind);
}
template <class _T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
								   const _T &symbol, const void *src, size_t count,
								   size_t offset, enum cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(hGraphExec, node, (const void *)&symbol, src, count, offset,
							  kind);
}
template <class _T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
								     void *dst, const _T &symbol, size_t count,
								     size_t offset, enum cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(hGraphExec, node, dst, (const void *)&symbol, count, offset,
							    kind);
}

/* Kernels and libraries */
template <class _T>
static inline cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, _T *func)
{
	return ::cudaGetKernel(kernelPtr, (const void *)func);
}
template <class... _Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, const cudaKernel_t kernel,
					     _Arguments &&...arguments)
{
	void *pointers[] = {(void *)&arguments..., nullptr};
	return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
}
template <class _T>
static inline cudaError_t cudaLibraryGetGlobal(_T **dptr, size_t *bytes, cudaLibrary_t library, const char *name)
{
	return ::cudaLibraryGetGlobal((void **)(void *)dptr, bytes, library, name);
}
template <class _T>
static inline cudaError_t cudaLibraryGetManaged(_T **dptr, size_t *bytes, cudaLibrary_t library, const char *name)
{
	return ::cudaLibraryGetManaged((void **)(void *)dptr, bytes, library, name);
}

/* Events */
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
	return ::cudaEventCreateWithFlags(event, flags);
}

#endif

#ifdef HEDDLE_TEXTURE_REFERENCES
#include "heddle_texture_reference.h"
#endif

#ifdef __CUDACC__
#include "cuda_device_runtime_api.h"
#endif

#endif
