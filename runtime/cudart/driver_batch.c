/*
 * Functions of the driver API that are not the runtime's under another name: launches with attributes, copies with
 * contexts, loading on demand, and questions about contexts that are named.
 */
#include "runtime/cudart/array.h"
#include "runtime/cudart/driver.h"
#include "runtime/cudart/driver_array.h"

#include <string.h>

/* ------------------------------------------------------------ launches */

static cudaLaunchConfig_t config_of(const CUlaunchConfig *in)
{
	return (cudaLaunchConfig_t){
		.gridDim = {in->gridDimX, in->gridDimY, in->gridDimZ},
		.blockDim = {in->blockDimX, in->blockDimY, in->blockDimZ},
		.dynamicSmemBytes = in->sharedMemBytes,
		.stream = in->hStream,
		.attrs = (cudaLaunchAttribute *)in->attrs,
		.numAttrs = in->numAttrs,
	};
}

static cudaError_t launch_with(const CUlaunchConfig *in, CUfunction function, void **args)
{
	const cudaLaunchConfig_t config = config_of(in);
	return cudaLaunchKernelExC(&config, function, args);
}

CUresult cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func, const CUlaunchConfig *config)
{
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaLaunchConfig_t same = config_of(config);
	HD_DRIVER(cudaOccupancyMaxActiveClusters(numClusters, func, &same));
}

CUresult cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func, const CUlaunchConfig *config)
{
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaLaunchConfig_t same = config_of(config);
	HD_DRIVER(cudaOccupancyMaxPotentialClusterSize(clusterSize, func, &same));
}

/* Arguments in a buffer go the way of cuLaunchKernel, which has attributes for cooperative launches alone. */
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra)
{
	if (!config || !f)
		return config ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	if (!extra)
		HD_DRIVER(launch_with(config, f, kernelParams));
	if (config->numAttrs)
		return CUDA_ERROR_NOT_SUPPORTED;
	return cuLaunchKernel(f, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
			      config->blockDimY, config->blockDimZ, config->sharedMemBytes, config->hStream,
			      kernelParams, extra);
}

/* A kernel is loaded when it is first asked for. */
CUresult cuFuncLoad(CUfunction function)
{
	const char *name;
	return cuFuncGetName(&name, function);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
	const char *name;
	CUresult result = state ? cuFuncGetName(&name, function) : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return result;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_LAZY_LOADING;
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
						   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
						   size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags)
{
	if (flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
		return CUDA_ERROR_INVALID_VALUE;
	return cuOccupancyMaxPotentialBlockSize(minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
						dynamicSMemSize, blockSizeLimit);
}

/* ------------------------------------------------------------ copies */

/* The same bytes, but for the contexts. */
static CUresult box_of_peer(const CUDA_MEMCPY3D_PEER *peer, CUDA_MEMCPY3D *copy)
{
	_Static_assert(sizeof *peer == sizeof *copy, "CUDA has both of one form");
	if (!peer)
		return CUDA_ERROR_INVALID_VALUE;
	if ((peer->srcContext && !hd_driver_is_context(peer->srcContext)) ||
	    (peer->dstContext && !hd_driver_is_context(peer->dstContext)))
		return CUDA_ERROR_INVALID_CONTEXT;
	memcpy(copy, peer, sizeof *copy);
	copy->reserved0 = copy->reserved1 = NULL;
	return CUDA_SUCCESS;
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
	CUDA_MEMCPY3D copy;
	CUresult result = box_of_peer(pCopy, &copy);
	return result == CUDA_SUCCESS ? cuMemcpy3D(&copy) : result;
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
	CUDA_MEMCPY3D copy;
	CUresult result = box_of_peer(pCopy, &copy);
	return result == CUDA_SUCCESS ? cuMemcpy3DAsync(&copy, hStream) : result;
}

/* Memory is named as either end of a copy of the runtime's names it: by a pointer that says where it is. */
static cudaError_t get_copy(CUgraphNode node, CUDA_MEMCPY3D *out)
{
	struct cudaMemcpy3DParms p;
	cudaError_t error = out ? cudaGraphMemcpyNodeGetParams(node, &p) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	cudaArray_t array = p.srcArray ? p.srcArray : p.dstArray;
	size_t element = array ? hd_cudart_element_bytes(array) : 1;
	*out = (CUDA_MEMCPY3D){
		.srcXInBytes = p.srcPos.x * (p.srcArray ? element : 1),
		.srcY = p.srcPos.y,
		.srcZ = p.srcPos.z,
		.srcMemoryType = p.srcArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
		.srcDevice = (uintptr_t)p.srcPtr.ptr,
		.srcArray = (CUarray)p.srcArray,
		.srcPitch = p.srcPtr.pitch,
		.srcHeight = p.srcPtr.ysize,
		.dstXInBytes = p.dstPos.x * (p.dstArray ? element : 1),
		.dstY = p.dstPos.y,
		.dstZ = p.dstPos.z,
		.dstMemoryType = p.dstArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
		.dstDevice = (uintptr_t)p.dstPtr.ptr,
		.dstArray = (CUarray)p.dstArray,
		.dstPitch = p.dstPtr.pitch,
		.dstHeight = p.dstPtr.ysize,
		.WidthInBytes = p.extent.width * element,
		.Height = p.extent.height,
		.Depth = p.extent.depth,
	};
	return cudaSuccess;
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
	HD_DRIVER(get_copy(hNode, nodeParams));
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format, unsigned numChannels,
					    CUdevice dev)
{
	int most;
	bool known = (format >= CU_AD_FORMAT_UNSIGNED_INT8 && format <= CU_AD_FORMAT_UNSIGNED_INT32) ||
		     (format >= CU_AD_FORMAT_SIGNED_INT8 && format <= CU_AD_FORMAT_SIGNED_INT32) ||
		     format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT;
	if (!maxWidthInElements || !known || (numChannels != 1 && numChannels != 2 && numChannels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, dev);
	if (result == CUDA_SUCCESS)
		*maxWidthInElements = (size_t)most;
	return result;
}

/* ------------------------------------------------------------ contexts by their names */

static CUresult named(CUcontext *context)
{
	*context = *context ? *context : hd_driver_context();
	return *context && hd_driver_is_context(*context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* Contexts are made and destroyed: no two that live have one address. */
CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
	CUresult result = ctxId ? named(&ctx) : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*ctxId = (uintptr_t)ctx;
	return result;
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
	CUresult result = device ? named(&ctx) : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*device = 0;
	return result;
}

CUresult cuCtxSynchronize_v2(CUcontext ctx)
{
	CUresult result = named(&ctx);
	if (result == CUDA_SUCCESS)
		result = cuCtxPushCurrent(ctx);
	if (result != CUDA_SUCCESS)
		return result;
	result = cuCtxSynchronize();
	cuCtxPopCurrent(&ctx);
	return result;
}

/* ------------------------------------------------------------ attributes */

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	CUdeviceptr base;
	size_t size;
	if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = cuMemGetAddressRange(&base, &size, ptr);
	return result == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_INVALID_VALUE : result;
}

CUresult cuDeviceGetExecAffinitySupport(int *pi, int type, CUdevice dev)
{
	if (!pi || type) /* there is one type, of multiprocessors */
		return CUDA_ERROR_INVALID_VALUE;
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	*pi = 0;
	return CUDA_SUCCESS;
}
