/*
 * Device management: one device, the simulated GPU, whose properties come from its configuration.
 */
#include <stdio.h>
#include <string.h>

#include "heddle/config.h"
#include "runtime/cudart/stream.h"

#define HD_CUDA_VERSION 12050 /* the API that include/cuda declares */

static uint64_t l2_bytes(const struct hd_config *config)
{
	return config->l2_slices * config->l2_slice_bytes;
}

bool hd_cudart_attribute(const struct hd_config *config, int attr, int *value)
{
#define since6(now, before) (hd_cudart_capability(config) >= 60 ? (now) : (before))
#define HD_DEVICE_ATTRIBUTE(name, driver, number, expression) \
	case number: *value = (int)(expression); return true;
#define HD_DRIVER_ATTRIBUTE(driver, number, expression) \
	case number: *value = expression; return true;
#define HD_DEVICE_PROPERTY(member, name)
	switch (attr) {
#include "cuda/heddle_device_attributes.def"
	default: return false;
	}
#undef HD_DRIVER_ATTRIBUTE
#undef HD_DEVICE_ATTRIBUTE
#undef HD_DEVICE_PROPERTY
#undef since6
}

cudaError_t cudaGetDeviceCount(int *count)
{
	if (!count)
		return hd_cudart_return(cudaErrorInvalidValue);
	*count = 1;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	HD_CUDART(cudart);
	if (!prop)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (device != 0)
		return hd_cudart_return(cudaErrorInvalidDevice);
	HD_TRY(hd_cudart_boot(cudart));
	const struct hd_config *config = cudart->config;
	memset(prop, 0, sizeof *prop);
	snprintf(prop->name, sizeof prop->name, "%s", config->product);
	memcpy(prop->uuid.bytes, "Heddle model GPU", sizeof prop->uuid.bytes);
	prop->totalGlobalMem = config->dram_bytes;
	int value;
#define HD_DEVICE_ATTRIBUTE(name, driver, number, expression)
#define HD_DRIVER_ATTRIBUTE(driver, number, expression)
#define HD_DEVICE_PROPERTY(member, attr)                                      \
	hd_cudart_attribute(config, cudaDevAttr##attr, &value);               \
	prop->member = (__typeof__(prop->member))value;
#include "cuda/heddle_device_attributes.def"
#undef HD_DEVICE_ATTRIBUTE
#undef HD_DRIVER_ATTRIBUTE
#undef HD_DEVICE_PROPERTY
	return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
	HD_CUDART(cudart);
	if (!value)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (device != 0)
		return hd_cudart_return(cudaErrorInvalidDevice);
	HD_TRY(hd_cudart_boot(cudart));
	return hd_cudart_return(hd_cudart_attribute(cudart->config, attr, value) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
	if (!device || !prop)
		return hd_cudart_return(cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	return hd_cudart_return(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device)
{
	if (!device)
		return hd_cudart_return(cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	HD_CUDART(cudart);
	if (flags & ~(unsigned)cudaDeviceMask)
		return hd_cudart_return(cudaErrorInvalidValue);
	cudart->device_flags = flags;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	HD_CUDART(cudart);
	if (!flags)
		return hd_cudart_return(cudaErrorInvalidValue);
	*flags = cudart->device_flags;
	return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
	if (count < 0 || (count && !devices))
		return hd_cudart_return(cudaErrorInvalidValue);
	for (int i = 0; i < count; i++)
		if (devices[i] != 0)
			return hd_cudart_return(cudaErrorInvalidDevice);
	return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	return hd_cudart_return(hd_cudart_may_wait(cudart, NULL));
}

cudaError_t cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
	return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
	return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
	return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
	return cudaDeviceGetCacheConfig(config);
}

/* What cards know: from 9.0 on kernels start others without waiting for them. */
static bool is_limit(const struct hd_cudart *cudart, enum cudaLimit limit)
{
	return (unsigned)limit <= cudaLimitPersistingL2CacheSize &&
	       !(limit == cudaLimitDevRuntimeSyncDepth && cudart->config->compute_major >= 9);
}

/* Others have numbers up to 9 by now. */
static cudaError_t no_limit(enum cudaLimit limit)
{
	return (unsigned)limit <= 9 ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue;
}

enum { MOST_STACK = 512 << 10 }; /* bytes of local memory that a thread can have (CUDA guide, Compute Capabilities) */
enum { MOST_FETCH = 128 };	 /* bytes that L2 fetches (cudaDeviceSetLimit) */

/* Stack and heap sizes and what L2 fetches count until the simulator starts; the others have no meaning here and are
 * remembered. */
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	HD_CUDART(cudart);
	if (!is_limit(cudart, limit))
		return hd_cudart_return(no_limit(limit));
	if ((limit == cudaLimitStackSize && value > MOST_STACK) ||
	    (limit == cudaLimitMaxL2FetchGranularity && value > MOST_FETCH))
		return hd_cudart_return(cudaErrorInvalidValue);
	cudart->limits[limit] = value;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	HD_CUDART(cudart);
	if (!value)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(cudart->sticky);
	if (!is_limit(cudart, limit))
		return hd_cudart_return(no_limit(limit));
	/* As cards have them. Calls of unknown depth get more stack than that: HD_SIM_STACK_BYTES. */
	static const size_t defaults[] = {
		[cudaLimitStackSize] = 1024,
		[cudaLimitPrintfFifoSize] = 1 << 20,
		[cudaLimitMallocHeapSize] = 8 << 20,
		[cudaLimitDevRuntimeSyncDepth] = 2,
		[cudaLimitDevRuntimePendingLaunchCount] = 2048,
		[cudaLimitMaxL2FetchGranularity] = 64,
		[cudaLimitPersistingL2CacheSize] = 0,
	};
	*value = cudart->limits[limit] ? cudart->limits[limit] : defaults[limit];
	return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	return hd_cudart_return((unsigned)config <= cudaFuncCachePreferEqual ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	if (!config)
		return hd_cudart_return(cudaErrorInvalidValue);
	*config = cudaFuncCachePreferNone;
	return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	bool known = (unsigned)config <= cudaSharedMemBankSizeEightByte;
	return hd_cudart_return(known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	if (!config)
		return hd_cudart_return(cudaErrorInvalidValue);
	*config = cudaSharedMemBankSizeFourByte;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start_beside(cudart));
	/* As the card has it; blocks of more urgent streams get a place first (runtime/gpu/gpu.c). */
	int level = hd_cudart_capability(cudart->config);
	if (leastPriority)
		*leastPriority = 0;
	if (greatestPriority)
		*greatestPriority = level >= 70 ? -5 : level >= 35 ? -1 : 0;
	return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccess, int device, int peerDevice)
{
	if (!canAccess)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (device || peerDevice)
		return hd_cudart_return(cudaErrorInvalidDevice);
	*canAccess = 0;
	return cudaSuccess;
}

/* There is one device. */
cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
	if (peerDevice)
		return hd_cudart_return(cudaErrorInvalidDevice);
	return hd_cudart_return(flags ? cudaErrorInvalidValue : cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
	return hd_cudart_return(peerDevice ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice)
{
	(void)attr, (void)srcDevice, (void)dstDevice;
	return hd_cudart_return(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

/* As cudaDevAttrGPUDirectRDMASupported says. */
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
					       enum cudaFlushGPUDirectRDMAWritesScope scope)
{
	(void)target, (void)scope;
	return hd_cudart_return(cudaErrorNotSupported);
}

cudaError_t cudaDeviceGetPCIBusId(char *busId, int length, int device)
{
	if (device != 0)
		return hd_cudart_return(cudaErrorInvalidDevice);
	if (!busId || length < (int)sizeof "0000:00:00.0")
		return hd_cudart_return(cudaErrorInvalidValue);
	snprintf(busId, (size_t)length, "0000:00:00.0");
	return cudaSuccess;
}

/* As cudaDeviceGetPCIBusId writes it. */
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
	unsigned domain, bus, slot, function = 0;
	bool whole = device && pciBusId && sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &slot, &function) >= 3;
	if (!whole)
		domain = 0;
	if (!device || !pciBusId || (!whole && sscanf(pciBusId, "%x:%x.%x", &bus, &slot, &function) < 2))
		return hd_cudart_return(cudaErrorInvalidValue);
	if (domain || bus || slot || function)
		return hd_cudart_return(cudaErrorInvalidDevice);
	*device = 0;
	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	if (!version)
		return hd_cudart_return(cudaErrorInvalidValue);
	*version = HD_CUDA_VERSION;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	return cudaDriverGetVersion(version);
}

cudaError_t cudaProfilerStart(void)
{
	return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
	return cudaSuccess;
}
