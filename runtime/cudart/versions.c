/*
 * The driver API's functions under the names that a toolkit's cuda.h gives them: `cuMemAlloc` is a macro for
 * cuMemAlloc_v2 there, so that programs which were compiled with it ask for that. A jump each; only for versions whose
 * parameters are those of ours.
 */
#include "runtime/cudart/driver.h"

#if defined(__x86_64__)
#define HD_JUMP "jmp "
#define HD_PLT "@PLT"
#elif defined(__aarch64__)
#define HD_JUMP "b "
#define HD_PLT ""
#endif

#ifdef HD_JUMP
#define HD_VERSION(name, version)                                                     \
	__asm__(".text\n.globl " #name #version "\n.type " #name #version ",%function\n" \
		#name #version ":\n\t" HD_JUMP #name HD_PLT "\n");
HD_VERSION(cuArray3DCreate, _v2)
HD_VERSION(cuArray3DGetDescriptor, _v2)
HD_VERSION(cuArrayCreate, _v2)
HD_VERSION(cuArrayGetDescriptor, _v2)
HD_VERSION(cuCtxCreate, _v2)
HD_VERSION(cuCtxDestroy, _v2)
HD_VERSION(cuCtxPopCurrent, _v2)
HD_VERSION(cuCtxPushCurrent, _v2)
HD_VERSION(cuDeviceGetUuid, _v2)
HD_VERSION(cuDevicePrimaryCtxRelease, _v2)
HD_VERSION(cuDevicePrimaryCtxReset, _v2)
HD_VERSION(cuDevicePrimaryCtxSetFlags, _v2)
HD_VERSION(cuDeviceTotalMem, _v2)
HD_VERSION(cuEventDestroy, _v2)
HD_VERSION(cuEventElapsedTime, _v2)
HD_VERSION(cuGetProcAddress, _v2)
HD_VERSION(cuGraphAddKernelNode, _v2)
HD_VERSION(cuGraphExecKernelNodeSetParams, _v2)
HD_VERSION(cuGraphExecUpdate, _v2)
HD_VERSION(cuGraphKernelNodeGetParams, _v2)
HD_VERSION(cuGraphKernelNodeSetParams, _v2)
HD_VERSION(cuGraphicsResourceGetMappedPointer, _v2)
HD_VERSION(cuGraphicsResourceSetMapFlags, _v2)
HD_VERSION(cuIpcOpenMemHandle, _v2)
HD_VERSION(cuLinkAddData, _v2)
HD_VERSION(cuLinkAddFile, _v2)
HD_VERSION(cuLinkCreate, _v2)
HD_VERSION(cuMemAlloc, _v2)
HD_VERSION(cuMemAllocHost, _v2)
HD_VERSION(cuMemAllocPitch, _v2)
HD_VERSION(cuMemFree, _v2)
HD_VERSION(cuMemGetAddressRange, _v2)
HD_VERSION(cuMemGetInfo, _v2)
HD_VERSION(cuMemHostGetDevicePointer, _v2)
HD_VERSION(cuMemHostRegister, _v2)
HD_VERSION(cuMemcpy2D, _v2)
HD_VERSION(cuMemcpy2DAsync, _v2)
HD_VERSION(cuMemcpy2DUnaligned, _v2)
HD_VERSION(cuMemcpy3D, _v2)
HD_VERSION(cuMemcpy3DAsync, _v2)
HD_VERSION(cuMemcpy3DBatchAsync, _v2)
HD_VERSION(cuMemcpyAtoA, _v2)
HD_VERSION(cuMemcpyAtoD, _v2)
HD_VERSION(cuMemcpyAtoH, _v2)
HD_VERSION(cuMemcpyAtoHAsync, _v2)
HD_VERSION(cuMemcpyBatchAsync, _v2)
HD_VERSION(cuMemcpyDtoA, _v2)
HD_VERSION(cuMemcpyDtoD, _v2)
HD_VERSION(cuMemcpyDtoDAsync, _v2)
HD_VERSION(cuMemcpyDtoH, _v2)
HD_VERSION(cuMemcpyDtoHAsync, _v2)
HD_VERSION(cuMemcpyHtoA, _v2)
HD_VERSION(cuMemcpyHtoAAsync, _v2)
HD_VERSION(cuMemcpyHtoD, _v2)
HD_VERSION(cuMemcpyHtoDAsync, _v2)
HD_VERSION(cuMemsetD16, _v2)
HD_VERSION(cuMemsetD2D16, _v2)
HD_VERSION(cuMemsetD2D32, _v2)
HD_VERSION(cuMemsetD2D8, _v2)
HD_VERSION(cuMemsetD32, _v2)
HD_VERSION(cuMemsetD8, _v2)
HD_VERSION(cuModuleGetGlobal, _v2)
HD_VERSION(cuStreamBatchMemOp, _v2)
HD_VERSION(cuStreamBeginCapture, _v2)
HD_VERSION(cuStreamDestroy, _v2)
HD_VERSION(cuStreamGetCaptureInfo, _v2)
HD_VERSION(cuStreamWaitValue32, _v2)
HD_VERSION(cuStreamWaitValue64, _v2)
HD_VERSION(cuStreamWriteValue32, _v2)
HD_VERSION(cuStreamWriteValue64, _v2)
HD_VERSION(cuTexRefGetAddress, _v2)
HD_VERSION(cuTexRefSetAddress, _v2)
HD_VERSION(cuTexRefSetAddress2D, _v3)
#endif
