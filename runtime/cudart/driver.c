/*
 * The driver API's errors, devices and contexts. There is one device with one set of memory and modules; a context is
 * only what is current in a thread.
 */
#include "runtime/cudart/driver.h"
#include "runtime/cudart/handles.h"

#include <stdio.h>
#include <string.h>

struct CUctx_st {
	unsigned flags;
};
enum { MOST_CONTEXTS = 64 }; /* pushed in a thread */

static struct CUctx_st primary;
static unsigned primary_users;
static bool initialized;
static _Thread_local struct CUctx_st *contexts[MOST_CONTEXTS];
static _Thread_local unsigned context_count;
static _Thread_local cudaError_t kept;

/* ------------------------------------------------------------ errors */

static const struct {
	CUresult result;
	const char *name;
} results[] = {
#define HD_CU_RESULT(name, value) {name, #name},
#include "cuda/heddle_cu_results.def"
#undef HD_CU_RESULT
};

CUresult cuGetErrorName(CUresult error, const char **pStr)
{
	if (!pStr)
		return CUDA_ERROR_INVALID_VALUE;
	*pStr = NULL;
	for (unsigned i = 0; i < sizeof results / sizeof *results; i++)
		if (results[i].result == error)
			*pStr = results[i].name;
	return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
	CUresult known = cuGetErrorName(error, pStr);
	if (known != CUDA_SUCCESS)
		return known;
	if (error == CUDA_ERROR_CONTEXT_ALREADY_CURRENT) /* the one that the runtime has not */
		*pStr = "context already current";
	else
		*pStr = cudaGetErrorString((cudaError_t)error);
	return CUDA_SUCCESS;
}

static CUresult translate(cudaError_t error)
{
	switch (error) {
	case cudaErrorInvalidConfiguration:
	case cudaErrorInvalidPitchValue:
	case cudaErrorInvalidHostPointer:
	case cudaErrorInvalidDevicePointer:
	case cudaErrorInvalidMemcpyDirection: return CUDA_ERROR_INVALID_VALUE;
	case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
	case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
	default: return (CUresult)error;
	}
}

/* The runtime API calls cuInit when it starts. */
static bool is_ready(void)
{
	return initialized || hd_driver_context();
}

CUresult hd_driver_begin(void)
{
	kept = *hd_cudart_last_error();
	if (!is_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	return hd_driver_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult hd_driver_end(cudaError_t error)
{
	*hd_cudart_last_error() = kept;
	return translate(error);
}

/* ------------------------------------------------------------ devices */

CUresult cuInit(unsigned int Flags)
{
	if (Flags)
		return CUDA_ERROR_INVALID_VALUE;
	HD_CUDART(cudart);
	kept = *hd_cudart_last_error();
	initialized = true;
	return hd_driver_end(hd_cudart_boot(cudart));
}

CUresult cuDriverGetVersion(int *driverVersion)
{
	if (!driverVersion)
		return CUDA_ERROR_INVALID_VALUE;
	*driverVersion = CUDA_VERSION;
	return CUDA_SUCCESS;
}

/* Questions about a device need no context. */
static CUresult ask(CUdevice dev, const void *out)
{
	if (!is_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	kept = *hd_cudart_last_error();
	return dev ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}
#define HD_ASK(dev, out)                                \
	do {                                            \
		CUresult hd_ask_ = ask((dev), (out));   \
		if (hd_ask_ != CUDA_SUCCESS)            \
			return hd_ask_;                 \
	} while (0)

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	HD_ASK(ordinal, device);
	*device = 0;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
	HD_ASK(0, count);
	*count = 1;
	return CUDA_SUCCESS;
}

static CUresult properties(CUdevice dev, struct cudaDeviceProp *prop)
{
	return hd_driver_end(cudaGetDeviceProperties(prop, dev));
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
	struct cudaDeviceProp prop;
	HD_ASK(dev, name);
	CUresult result = properties(dev, &prop);
	if (result == CUDA_SUCCESS && len > 0)
		snprintf(name, (size_t)len, "%s", prop.name);
	return result;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
	struct cudaDeviceProp prop;
	HD_ASK(dev, uuid);
	CUresult result = properties(dev, &prop);
	if (result == CUDA_SUCCESS)
		*uuid = prop.uuid;
	return result;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev)
{
	struct cudaDeviceProp prop;
	HD_ASK(dev, bytes);
	CUresult result = properties(dev, &prop);
	if (result == CUDA_SUCCESS)
		*bytes = prop.totalGlobalMem;
	return result;
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
	HD_ASK(dev, pi);
	return hd_driver_end(cudaDeviceGetAttribute(pi, (enum cudaDeviceAttr)attrib, dev));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
	HD_ASK(dev, major && minor ? major : NULL);
	CUresult result = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev);
	return result == CUDA_SUCCESS ? cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev)
				      : result;
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
	struct cudaDeviceProp all;
	HD_ASK(dev, prop);
	CUresult result = properties(dev, &all);
	if (result != CUDA_SUCCESS)
		return result;
	*prop = (CUdevprop){
		.maxThreadsPerBlock = all.maxThreadsPerBlock,
		.maxThreadsDim = {all.maxThreadsDim[0], all.maxThreadsDim[1], all.maxThreadsDim[2]},
		.maxGridSize = {all.maxGridSize[0], all.maxGridSize[1], all.maxGridSize[2]},
		.sharedMemPerBlock = (int)all.sharedMemPerBlock,
		.totalConstantMemory = (int)all.totalConstMem,
		.SIMDWidth = all.warpSize,
		.memPitch = (int)all.memPitch,
		.regsPerBlock = all.regsPerBlock,
		.clockRate = all.clockRate,
		.textureAlign = (int)all.textureAlignment,
	};
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
	HD_ASK(dev, pciBusId);
	return hd_driver_end(cudaDeviceGetPCIBusId(pciBusId, len, dev));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
	HD_ASK(0, dev);
	return hd_driver_end(cudaDeviceGetByPCIBusId(dev, pciBusId));
}

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
	HD_ASK(dev, canAccessPeer);
	*canAccessPeer = 0;
	return peerDev ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

/* ------------------------------------------------------------ contexts */

/* A program that has called the runtime has the primary context current. */
CUcontext hd_driver_context(void)
{
	if (context_count)
		return contexts[context_count - 1];
	HD_CUDART(cudart);
	return cudart->runtime_used ? &primary : NULL;
}

bool hd_driver_is_context(CUcontext context)
{
	HD_CUDART(cudart);
	(void)cudart;
	return context == &primary || hd_handle_lives(context, HD_HANDLE_CONTEXT);
}

static void add_context(CUcontext context)
{
	HD_CUDART(cudart);
	(void)cudart;
	hd_handle_add(context, HD_HANDLE_CONTEXT);
}

static void free_context(CUcontext context)
{
	HD_CUDART(cudart);
	(void)cudart;
	hd_handle_drop(context);
	free(context);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
	HD_ASK(dev, pctx);
	primary_users++;
	*pctx = &primary;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
	HD_ASK(dev, &primary);
	if (!primary_users)
		return CUDA_ERROR_INVALID_CONTEXT;
	primary_users--;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
	HD_ASK(dev, &primary);
	return hd_driver_end(cudaDeviceReset());
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
	HD_ASK(dev, &primary);
	primary.flags = flags;
	return flags & ~(unsigned)CU_CTX_FLAGS_MASK ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
	HD_ASK(dev, flags && active ? flags : NULL);
	*flags = primary.flags;
	*active = primary_users > 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext ctx)
{
	HD_ASK(0, &primary);
	if (!hd_driver_is_context(ctx) || context_count == MOST_CONTEXTS)
		return CUDA_ERROR_INVALID_CONTEXT;
	contexts[context_count++] = ctx;
	return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *pctx)
{
	HD_ASK(0, &primary);
	if (!context_count)
		return CUDA_ERROR_INVALID_CONTEXT;
	context_count--;
	if (pctx)
		*pctx = contexts[context_count];
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
	HD_ASK(0, &primary);
	if (context_count)
		context_count--;
	return ctx ? cuCtxPushCurrent(ctx) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
	HD_ASK(0, pctx);
	*pctx = hd_driver_context();
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
	HD_ASK(dev, pctx);
	if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
		return CUDA_ERROR_INVALID_VALUE;
	struct CUctx_st *context = hd_xcalloc(1, sizeof *context);
	context->flags = flags;
	add_context(context);
	CUresult result = cuCtxPushCurrent(context);
	if (result == CUDA_SUCCESS)
		*pctx = context;
	else
		free_context(context);
	return result;
}

CUresult cuCtxDestroy(CUcontext ctx)
{
	HD_ASK(0, &primary);
	if (ctx == &primary || !hd_driver_is_context(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (context_count && contexts[context_count - 1] == ctx)
		context_count--;
	free_context(ctx);
	return CUDA_SUCCESS;
}

/* Questions that a context answers. */
#define HD_IN_CONTEXT(out)                                                        \
	do {                                                                      \
		CUresult hd_begin_ = hd_driver_begin();                           \
		if (hd_begin_ != CUDA_SUCCESS)                                    \
			return hd_begin_;                                         \
		if (!(out))                                                       \
			return CUDA_ERROR_INVALID_VALUE;                          \
	} while (0)

CUresult cuCtxGetDevice(CUdevice *device)
{
	HD_IN_CONTEXT(device);
	*device = 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
	HD_IN_CONTEXT(flags);
	*flags = hd_driver_context()->flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
	HD_IN_CONTEXT(&primary);
	if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
		return CUDA_ERROR_INVALID_VALUE;
	hd_driver_context()->flags = flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
	HD_ASK(0, version);
	if (ctx ? !hd_driver_is_context(ctx) : !hd_driver_context())
		return CUDA_ERROR_INVALID_CONTEXT;
	*version = 3020; /* of the driver API's functions, as CUDA has it since 3.2 */
	return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
	HD_DRIVER(cudaDeviceSynchronize());
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	HD_DRIVER(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
	HD_IN_CONTEXT(pvalue);
	HD_DRIVER(cudaDeviceGetLimit(pvalue, (enum cudaLimit)limit));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	HD_DRIVER(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
	HD_IN_CONTEXT(pconfig);
	*pconfig = CU_FUNC_CACHE_PREFER_NONE;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	HD_DRIVER(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config));
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
	HD_IN_CONTEXT(pConfig);
	*pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
	HD_DRIVER(cudaDeviceGetStreamPriorityRange(leastPriority, greatestPriority));
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
	(void)peerContext;
	HD_DRIVER(Flags ? cudaErrorInvalidValue : cudaErrorPeerAccessUnsupported);
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext)
{
	(void)peerContext;
	HD_DRIVER(cudaErrorPeerAccessNotEnabled);
}

CUresult cuProfilerStart(void)
{
	HD_DRIVER(cudaSuccess);
}

CUresult cuProfilerStop(void)
{
	HD_DRIVER(cudaSuccess);
}
