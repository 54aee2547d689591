/*
 * Memory, streams and events of the driver API: the runtime's calls under other names.
 */
#include "runtime/cudart/driver.h"

#include <string.h>

#include "runtime/cudart/driver_array.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"
#include "runtime/cudart/virtual.h"

/* ------------------------------------------------------------ allocations */

CUresult cuMemGetInfo(size_t *free, size_t *total)
{
	HD_DRIVER(cudaMemGetInfo(free, total));
}

/* Device pointers are numbers here; no bytes are an error, unlike with the runtime. */
static cudaError_t allocate(CUdeviceptr *dptr, size_t bytes, CUstream stream, bool managed, unsigned flags)
{
	void *pointer = NULL;
	if (!dptr || !bytes)
		return cudaErrorInvalidValue;
	cudaError_t error =
		managed ? cudaMallocManaged(&pointer, bytes, flags) : cudaMallocAsync(&pointer, bytes, stream);
	*dptr = (uintptr_t)pointer;
	return error;
}

CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize)
{
	HD_DRIVER(allocate(dptr, bytesize, NULL, false, 0));
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
	HD_DRIVER(allocate(dptr, bytesize, hStream, false, 0));
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
	HD_DRIVER(allocate(dptr, bytesize, NULL, true, flags));
}

static cudaError_t allocate_rows(CUdeviceptr *dptr, size_t *pitch, size_t width, size_t height)
{
	void *pointer = NULL;
	if (!dptr || !width || !height)
		return cudaErrorInvalidValue;
	cudaError_t error = cudaMallocPitch(&pointer, pitch, width, height);
	*dptr = (uintptr_t)pointer;
	return error;
}

CUresult cuMemAllocPitch(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
			 unsigned int ElementSizeBytes)
{
	if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16)
		return CUDA_ERROR_INVALID_VALUE;
	HD_DRIVER(allocate_rows(dptr, pPitch, WidthInBytes, Height));
}

CUresult cuMemFree(CUdeviceptr dptr)
{
	HD_DRIVER(cudaFree(hd_driver_pointer(dptr)));
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
	HD_DRIVER(cudaFreeAsync(hd_driver_pointer(dptr), hStream));
}

CUresult cuMemAllocHost(void **pp, size_t bytesize)
{
	HD_DRIVER(cudaMallocHost(pp, bytesize));
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
	HD_DRIVER(cudaHostAlloc(pp, bytesize, Flags));
}

CUresult cuMemFreeHost(void *p)
{
	HD_DRIVER(cudaFreeHost(p));
}

CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
	HD_DRIVER(cudaHostRegister(p, bytesize, Flags));
}

CUresult cuMemHostUnregister(void *p)
{
	HD_DRIVER(cudaHostUnregister(p));
}

static cudaError_t device_pointer(CUdeviceptr *dptr, void *host, unsigned flags)
{
	void *pointer = NULL;
	cudaError_t error = dptr ? cudaHostGetDevicePointer(&pointer, host, flags) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*dptr = (uintptr_t)pointer;
	return error;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
	HD_DRIVER(device_pointer(pdptr, p, Flags));
}

static cudaError_t address_range(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
	HD_CUDART(cudart);
	uint64_t low, high;
	HD_TRY(hd_cudart_start(cudart));
	/* To the simulator mappings that follow one another are one allocation. */
	if (hd_cudart_is_virtual(address) ? !hd_cudart_mapping(cudart, address, &low, &high)
					  : !hd_sim_allocation(cudart->sim, address, &low, &high))
		return cudaErrorInvalidValue;
	if (base)
		*base = low;
	if (size)
		*size = high - low;
	return cudaSuccess;
}

CUresult cuMemGetAddressRange(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
	HD_DRIVER(address_range(pbase, psize, dptr));
}

/* Ways to share what is at the address: only what the program maps itself has any. */
static uint64_t handle_types(CUdeviceptr address)
{
	HD_CUDART(cudart);
	return hd_cudart_handle_types(cudart, address);
}

static cudaError_t pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	struct cudaPointerAttributes all;
	CUdeviceptr low;
	size_t size;
	cudaError_t error = data ? cudaPointerGetAttributes(&all, hd_driver_pointer(ptr)) : cudaErrorInvalidValue;
	if (error != cudaSuccess || all.type == cudaMemoryTypeUnregistered)
		return error != cudaSuccess ? error : cudaErrorInvalidValue;
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)data = hd_driver_context(); break;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(CUmemorytype *)data = all.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)data = (uintptr_t)all.devicePointer; break;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER: *(void **)data = all.hostPointer; break;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(int *)data = all.type == cudaMemoryTypeManaged; break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = all.device; break;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		if (address_range(&low, &size, ptr) != cudaSuccess)
			return cudaErrorInvalidValue;
		*(uint64_t *)data = attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE ? size : low;
		break;
	case CU_POINTER_ATTRIBUTE_MAPPED: *(int *)data = 1; break;
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: *(int *)data = 0; break;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: *(uint64_t *)data = handle_types(ptr); break;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: *(int *)data = 3; break; /* read and written by the device */
	default: return (unsigned)attribute - 1 < 21 ? cudaErrorNotSupported : cudaErrorInvalidValue; /* CUDA 12's */
	}
	return cudaSuccess;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	HD_DRIVER(pointer_attribute(data, attribute, ptr));
}

/* What there is no answer for is left at 0. */
CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data,
				CUdeviceptr ptr)
{
	if (!numAttributes || !attributes || !data)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < numAttributes; i++) {
		CUresult result = cuPointerGetAttribute(data[i], attributes[i], ptr);
		if (result == CUDA_ERROR_INVALID_VALUE && data[i])
			*(int *)data[i] = 0;
		else if (result != CUDA_SUCCESS)
			return result;
	}
	return CUDA_SUCCESS;
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
	HD_DRIVER(cudaMemAdvise(hd_driver_pointer(devPtr), count, (enum cudaMemoryAdvise)advice, device));
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream)
{
	HD_DRIVER(cudaMemPrefetchAsync(hd_driver_pointer(devPtr), count, dstDevice, hStream));
}

/* ------------------------------------------------------------ copies */

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
	HD_DRIVER(cudaMemcpy(hd_driver_pointer(dst), hd_driver_pointer(src), ByteCount, cudaMemcpyDefault));
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
	HD_DRIVER(
		cudaMemcpyAsync(hd_driver_pointer(dst), hd_driver_pointer(src), ByteCount, cudaMemcpyDefault, hStream));
}

CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
	HD_DRIVER(cudaMemcpy(hd_driver_pointer(dstDevice), srcHost, ByteCount, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
	HD_DRIVER(cudaMemcpyAsync(hd_driver_pointer(dstDevice), srcHost, ByteCount, cudaMemcpyHostToDevice, hStream));
}

CUresult cuMemcpyDtoH(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
	HD_DRIVER(cudaMemcpy(dstHost, hd_driver_pointer(srcDevice), ByteCount, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
	HD_DRIVER(cudaMemcpyAsync(dstHost, hd_driver_pointer(srcDevice), ByteCount, cudaMemcpyDeviceToHost, hStream));
}

CUresult cuMemcpyDtoD(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
	HD_DRIVER(cudaMemcpy(hd_driver_pointer(dstDevice), hd_driver_pointer(srcDevice), ByteCount,
			     cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
	HD_DRIVER(cudaMemcpyAsync(hd_driver_pointer(dstDevice), hd_driver_pointer(srcDevice), ByteCount,
				  cudaMemcpyDeviceToDevice, hStream));
}

/* The first byte of one end of a copy of rows, and its pitch: none given means that rows follow each other. */
static bool rows_of(CUmemorytype type, const void *host, CUdeviceptr device, size_t x, size_t y, size_t *pitch,
		    size_t width, const char **begin)
{
	*pitch = *pitch ? *pitch : width;
	*begin = type == CU_MEMORYTYPE_HOST ? host : hd_driver_pointer(device);
	if (type == CU_MEMORYTYPE_ARRAY || !*begin)
		return false;
	*begin += y * *pitch + x;
	return true;
}

static cudaError_t copy_rows(const CUDA_MEMCPY2D *copy, CUstream stream)
{
	const char *to, *from;
	if (!copy)
		return cudaErrorInvalidValue;
	if (copy->srcMemoryType == CU_MEMORYTYPE_ARRAY || copy->dstMemoryType == CU_MEMORYTYPE_ARRAY)
		return hd_driver_copy_2d(copy, stream);
	size_t from_pitch = copy->srcPitch, to_pitch = copy->dstPitch;
	if (!rows_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcXInBytes, copy->srcY, &from_pitch,
		     copy->WidthInBytes, &from) ||
	    !rows_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstXInBytes, copy->dstY, &to_pitch,
		     copy->WidthInBytes, &to))
		return cudaErrorInvalidValue;
	return cudaMemcpy2DAsync((void *)(uintptr_t)to, to_pitch, from, from_pitch, copy->WidthInBytes, copy->Height,
				 cudaMemcpyDefault, stream);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *pCopy)
{
	HD_DRIVER(copy_rows(pCopy, NULL));
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *pCopy)
{
	HD_DRIVER(copy_rows(pCopy, NULL));
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
	HD_DRIVER(copy_rows(pCopy, hStream));
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
		      size_t ByteCount)
{
	return cuMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext, ByteCount, NULL);
}

/* Every context has the one device. */
CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
			   size_t ByteCount, CUstream hStream)
{
	if (!hd_driver_is_context(dstContext) || !hd_driver_is_context(srcContext))
		return CUDA_ERROR_INVALID_CONTEXT;
	return cuMemcpyDtoDAsync(dstDevice, srcDevice, ByteCount, hStream);
}

/* ------------------------------------------------------------ memsets */

static cudaError_t set(CUdeviceptr address, size_t pitch, uint32_t value, unsigned bytes, size_t width, size_t height,
		       CUstream stream)
{
	HD_CUDART(cudart);
	cudaGraphNode_t node;
	HD_VALID(STREAM, stream);
	HD_TRY(hd_cudart_start_beside(cudart));
	size_t row, all;
	if (address % bytes || __builtin_mul_overflow(width, bytes, &row) || (height > 1 && pitch < row) ||
	    !hd_cudart_rows_bytes(pitch, row, height, &all) ||
	    hd_cudart_check_set(cudart, hd_driver_pointer(address), all) != cudaSuccess)
		return cudaErrorInvalidValue;
	HD_TRY(hd_cudart_capture(cudart, stream, cudaGraphNodeTypeMemset, &node));
	if (node)
		node->u.set = (struct cudaMemsetParams){hd_driver_pointer(address), pitch, value, bytes, width, height};
	for (size_t row = 0; !node && width && row < height; row++)
		HD_TRY(hd_cudart_set_elements(cudart, hd_driver_pointer(address + row * pitch), value, bytes, width));
	return cudaSuccess;
}

CUresult cuMemsetD8(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
	HD_DRIVER(set(dstDevice, 0, uc, 1, N, 1, NULL));
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
	HD_DRIVER(set(dstDevice, 0, uc, 1, N, 1, hStream));
}

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height,
			   CUstream hStream)
{
	HD_DRIVER(set(dstDevice, dstPitch, uc, 1, Width, Height, hStream));
}

CUresult cuMemsetD2D8(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height)
{
	HD_DRIVER(set(dstDevice, dstPitch, uc, 1, Width, Height, NULL));
}

CUresult cuMemsetD16(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
	HD_DRIVER(set(dstDevice, 0, us, 2, N, 1, NULL));
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
	HD_DRIVER(set(dstDevice, 0, us, 2, N, 1, hStream));
}

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height,
			    CUstream hStream)
{
	HD_DRIVER(set(dstDevice, dstPitch, us, 2, Width, Height, hStream));
}

CUresult cuMemsetD2D16(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height)
{
	HD_DRIVER(set(dstDevice, dstPitch, us, 2, Width, Height, NULL));
}

CUresult cuMemsetD32(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
	HD_DRIVER(set(dstDevice, 0, ui, 4, N, 1, NULL));
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
	HD_DRIVER(set(dstDevice, 0, ui, 4, N, 1, hStream));
}

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height,
			    CUstream hStream)
{
	HD_DRIVER(set(dstDevice, dstPitch, ui, 4, Width, Height, hStream));
}

CUresult cuMemsetD2D32(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height)
{
	HD_DRIVER(set(dstDevice, dstPitch, ui, 4, Width, Height, NULL));
}

/* ------------------------------------------------------------ streams and events */

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
	HD_DRIVER(cudaStreamCreateWithFlags(phStream, Flags));
}

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
	HD_DRIVER(cudaStreamCreateWithPriority(phStream, flags, priority));
}

CUresult cuStreamDestroy(CUstream hStream)
{
	HD_DRIVER(cudaStreamDestroy(hStream));
}

CUresult cuStreamSynchronize(CUstream hStream)
{
	HD_DRIVER(cudaStreamSynchronize(hStream));
}

CUresult cuStreamQuery(CUstream hStream)
{
	HD_DRIVER(cudaStreamQuery(hStream));
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
	HD_DRIVER(cudaStreamWaitEvent(hStream, hEvent, Flags));
}

/* The numbers of the two kinds of status agree where a callback can see them. */
CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags)
{
	HD_DRIVER(cudaStreamAddCallback(hStream, (cudaStreamCallback_t)(void (*)(void))callback, userData, flags));
}

CUresult cuStreamGetPriority(CUstream hStream, int *priority)
{
	HD_DRIVER(priority ? cudaStreamGetPriority(hStream, priority) : cudaErrorInvalidValue);
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
	HD_DRIVER(flags ? cudaStreamGetFlags(hStream, flags) : cudaErrorInvalidValue);
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
	unsigned flags; /* what any stream has */
	CUresult result = cuStreamGetFlags(hStream, &flags);
	return result == CUDA_SUCCESS ? cuCtxGetCurrent(pctx) : result;
}

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
	HD_DRIVER(cudaEventCreateWithFlags(phEvent, Flags));
}

CUresult cuEventDestroy(CUevent hEvent)
{
	HD_DRIVER(cudaEventDestroy(hEvent));
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream)
{
	HD_DRIVER(cudaEventRecord(hEvent, hStream));
}

CUresult cuEventQuery(CUevent hEvent)
{
	HD_DRIVER(cudaEventQuery(hEvent));
}

CUresult cuEventSynchronize(CUevent hEvent)
{
	HD_DRIVER(cudaEventSynchronize(hEvent));
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
	HD_DRIVER(cudaEventElapsedTime(pMilliseconds, hStart, hEnd));
}
