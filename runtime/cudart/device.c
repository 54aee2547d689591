/*
 * Device management: one device, the simulated GPU, whose properties come from its configuration.
 */
#include <stdio.h>
#include <string.h>

#include "runtime/cudart/context.h"

#define HD_CUDA_VERSION 12030 /* the API that include/cuda declares */

static int bus_bits(const struct hd_config *config)
{
	return (int)(config->dram_channels * config->dram_bus * 8);
}

static int l2_bytes(const struct hd_config *config)
{
	return (int)(config->l2_slices * config->l2_slice_bytes);
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
	HD_TRY(hd_cudart_start(cudart));
	const struct hd_config *config = &cudart->config;
	memset(prop, 0, sizeof *prop);
	snprintf(prop->name, sizeof prop->name, "%s", config->product);
	prop->totalGlobalMem = config->dram_bytes;
	prop->sharedMemPerBlock = config->shared_per_cta < 49152 ? config->shared_per_cta : 49152;
	prop->sharedMemPerBlockOptin = config->shared_per_cta;
	prop->sharedMemPerMultiprocessor = config->shared_bytes;
	prop->regsPerBlock = prop->regsPerMultiprocessor = (int)config->registers;
	prop->warpSize = 32;
	prop->memPitch = 0x7fffffff;
	prop->maxThreadsPerBlock = (int)config->max_threads_per_cta;
	prop->maxThreadsPerMultiProcessor = (int)config->max_threads;
	prop->maxBlocksPerMultiProcessor = (int)config->max_ctas;
	prop->maxThreadsDim[0] = prop->maxThreadsDim[1] = (int)config->max_threads_per_cta;
	prop->maxThreadsDim[2] = 64;
	prop->maxGridSize[0] = 0x7fffffff;
	prop->maxGridSize[1] = prop->maxGridSize[2] = 65535;
	prop->clockRate = (int)(config->core_mhz * 1000);
	prop->memoryClockRate = (int)(config->dram_mhz * 1000);
	prop->memoryBusWidth = bus_bits(config);
	prop->l2CacheSize = l2_bytes(config);
	prop->totalConstMem = 65536;
	prop->major = (int)config->compute_major;
	prop->minor = (int)config->compute_minor;
	prop->multiProcessorCount = (int)config->sm_count;
	prop->textureAlignment = 512;
	prop->canMapHostMemory = prop->unifiedAddressing = prop->managedMemory = prop->cooperativeLaunch = 1;
	prop->globalL1CacheSupported = prop->localL1CacheSupported = config->l1_bytes > 0;
	prop->asyncEngineCount = 1;
	prop->singleToDoublePrecisionPerfRatio = (int)(config->ii_fp64 / config->ii_fp32);
	return cudaSuccess;
}

static bool attribute(const struct hd_config *config, enum cudaDeviceAttr attr, int *value)
{
	const struct {
		enum cudaDeviceAttr attr;
		uint64_t value;
	} table[] = {
		{cudaDevAttrMaxThreadsPerBlock, config->max_threads_per_cta},
		{cudaDevAttrMaxBlockDimX, config->max_threads_per_cta},
		{cudaDevAttrMaxBlockDimY, config->max_threads_per_cta},
		{cudaDevAttrMaxBlockDimZ, 64},
		{cudaDevAttrMaxGridDimX, 0x7fffffff},
		{cudaDevAttrMaxGridDimY, 65535},
		{cudaDevAttrMaxGridDimZ, 65535},
		{cudaDevAttrMaxSharedMemoryPerBlock, config->shared_per_cta < 49152 ? config->shared_per_cta : 49152},
		{cudaDevAttrMaxSharedMemoryPerBlockOptin, config->shared_per_cta},
		{cudaDevAttrMaxSharedMemoryPerMultiprocessor, config->shared_bytes},
		{cudaDevAttrTotalConstantMemory, 65536},
		{cudaDevAttrWarpSize, 32},
		{cudaDevAttrMaxPitch, 0x7fffffff},
		{cudaDevAttrMaxRegistersPerBlock, config->registers},
		{cudaDevAttrMaxRegistersPerMultiprocessor, config->registers},
		{cudaDevAttrClockRate, (uint64_t)(config->core_mhz * 1000)},
		{cudaDevAttrMemoryClockRate, (uint64_t)(config->dram_mhz * 1000)},
		{cudaDevAttrGlobalMemoryBusWidth, (uint64_t)bus_bits(config)},
		{cudaDevAttrL2CacheSize, (uint64_t)l2_bytes(config)},
		{cudaDevAttrMultiProcessorCount, config->sm_count},
		{cudaDevAttrMaxThreadsPerMultiProcessor, config->max_threads},
		{cudaDevAttrMaxBlocksPerMultiprocessor, config->max_ctas},
		{cudaDevAttrComputeCapabilityMajor, config->compute_major},
		{cudaDevAttrComputeCapabilityMinor, config->compute_minor},
		{cudaDevAttrTextureAlignment, 512},
		{cudaDevAttrCanMapHostMemory, 1},
		{cudaDevAttrUnifiedAddressing, 1},
		{cudaDevAttrManagedMemory, 1},
		{cudaDevAttrMemoryPoolsSupported, 1},
		{cudaDevAttrCooperativeLaunch, 1},
		{cudaDevAttrGlobalL1CacheSupported, config->l1_bytes > 0},
		{cudaDevAttrLocalL1CacheSupported, config->l1_bytes > 0},
		{cudaDevAttrAsyncEngineCount, 1},
		/* what the model does not have */
		{cudaDevAttrGpuOverlap, 0},
		{cudaDevAttrKernelExecTimeout, 0},
		{cudaDevAttrIntegrated, 0},
		{cudaDevAttrComputeMode, 0},
		{cudaDevAttrConcurrentKernels, 0},
		{cudaDevAttrEccEnabled, 0},
		{cudaDevAttrPciBusId, 0},
		{cudaDevAttrPciDeviceId, 0},
		{cudaDevAttrPciDomainId, 0},
		{cudaDevAttrTccDriver, 0},
		{cudaDevAttrStreamPrioritiesSupported, 0},
		{cudaDevAttrIsMultiGpuBoard, 0},
		{cudaDevAttrPageableMemoryAccess, 0},
		{cudaDevAttrConcurrentManagedAccess, 0},
		{cudaDevAttrComputePreemptionSupported, 0},
		{cudaDevAttrCooperativeMultiDeviceLaunch, 0},
	};
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].attr == attr) {
			*value = (int)table[i].value;
			return true;
		}
	return false;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
	HD_CUDART(cudart);
	if (!value)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (device != 0)
		return hd_cudart_return(cudaErrorInvalidDevice);
	HD_TRY(hd_cudart_start(cudart));
	return hd_cudart_return(attribute(&cudart->config, attr, value) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
	(void)prop;
	if (!device)
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
	return cudaChooseDevice(device, NULL);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	HD_CUDART(cudart);
	cudart->device_flags = flags;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	HD_CUDART(cudart);
	*flags = cudart->device_flags;
	return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
	for (int i = 0; i < count; i++)
		if (devices[i] != 0)
			return hd_cudart_return(cudaErrorInvalidDevice);
	return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
	HD_CUDART(cudart);
	return hd_cudart_return(hd_cudart_start(cudart));
}

cudaError_t cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

/* Memory and statistics live until the process ends; a fault stays, since the simulated context is gone with it. */
cudaError_t cudaDeviceReset(void)
{
	HD_CUDART(cudart);
	return hd_cudart_return(cudart->sticky);
}

cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}

/* Stack and heap sizes count until the simulator starts; the others have no meaning here and are remembered. */
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	HD_CUDART(cudart);
	if ((unsigned)limit >= sizeof cudart->limits / sizeof *cudart->limits)
		return hd_cudart_return(cudaErrorUnsupportedLimit);
	cudart->limits[limit] = value;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	HD_CUDART(cudart);
	if ((unsigned)limit >= sizeof cudart->limits / sizeof *cudart->limits)
		return hd_cudart_return(cudaErrorUnsupportedLimit);
	*value = cudart->limits[limit];
	return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	(void)config;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	*config = cudaFuncCachePreferNone;
	return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	(void)config;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	*config = cudaSharedMemBankSizeFourByte;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
	if (leastPriority)
		*leastPriority = 0;
	if (greatestPriority)
		*greatestPriority = 0;
	return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccess, int device, int peerDevice)
{
	(void)device, (void)peerDevice;
	*canAccess = 0;
	return cudaSuccess;
}

/* There is one device. */
cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
	(void)peerDevice, (void)flags;
	return hd_cudart_return(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
	(void)peerDevice;
	return hd_cudart_return(cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetPCIBusId(char *busId, int length, int device)
{
	if (device != 0)
		return hd_cudart_return(cudaErrorInvalidDevice);
	snprintf(busId, (size_t)length, "0000:00:00.0");
	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
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
