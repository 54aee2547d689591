/*
 * The runtime on the device. Launches from kernels are declarations alone, since the simulated GPU has none, for
 * headers that name them in code that is never compiled for the device (Thrust, CUB). A kernel that calls one does not
 * link: the error names the function. Programmatic launches, from the host, are there.
 */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "driver_types.h"
#include "vector_types.h"

#ifdef __cplusplus
extern "C" {
#endif

__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ void *cudaGetParameterBufferV2(void *func, dim3 grid, dim3 block, unsigned int shared);
__device__ cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t stream);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);

__device__ cudaError_t cudaLaunchDevice(void *func, void *parameters, dim3 grid, dim3 block, unsigned int shared,
					cudaStream_t stream);

/* A launch with cudaLaunchAttributeProgrammaticStreamSerialization may begin when each block of the kernel before it
 * has called the first one or has ended; the second one waits until that kernel has ended (compute capability 9.0). */
static inline __device__ void cudaTriggerProgrammaticLaunchCompletion(void)
{
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

static inline __device__ void cudaGridDependencySynchronize(void)
{
	asm volatile("griddepcontrol.wait;" ::: "memory");
}

#ifdef __cplusplus
}
#endif

#endif
