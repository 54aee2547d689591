/*
 * What device code may ask about errors and devices, so that functions for both sides can: the part of the device
 * runtime's API that needs no launch from the device.
 */
#ifndef HEDDLE_CUDA_ERRORS_H
#define HEDDLE_CUDA_ERRORS_H

#define HD_HERE __device__ static inline

extern "C" {
HD_HERE const char *cudaGetErrorName(cudaError_t error)
{
	switch (error) {
#define HD_CUDA_ERROR(name, value, text)                         \
	case name:                                               \
		return #name;
#include "heddle_cuda_errors.def"
#undef HD_CUDA_ERROR
	}
	return "unrecognized error code";
}
HD_HERE const char *cudaGetErrorString(cudaError_t error)
{
	switch (error) {
#define HD_CUDA_ERROR(name, value, text)                         \
	case name:                                               \
		return text;
#include "heddle_cuda_errors.def"
#undef HD_CUDA_ERROR
	}
	return "unrecognized error code";
}
/* The calls that there are cannot fail but by a null result, which is returned and not kept. */
HD_HERE cudaError_t cudaGetLastError(void)
{
	return cudaSuccess;
}
HD_HERE cudaError_t cudaPeekAtLastError(void)
{
	return cudaSuccess;
}
HD_HERE cudaError_t cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}
HD_HERE cudaError_t cudaGetDeviceCount(int *count)
{
	*count = 1;
	return cudaSuccess;
}
/* From the heap of malloc; the host cannot free it, as under CUDA. */
HD_HERE cudaError_t cudaMalloc(void **devPtr, size_t size)
{
	*devPtr = malloc(size);
	return *devPtr || !size ? cudaSuccess : cudaErrorMemoryAllocation;
}
HD_HERE cudaError_t cudaFree(void *devPtr)
{
	free(devPtr);
	return cudaSuccess;
}
}

#undef HD_HERE
#endif
