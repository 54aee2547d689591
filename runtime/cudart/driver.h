/*
 * The driver API beside the runtime API: most calls check that a context is current and then are the runtime's, whose
 * last error they leave alone.
 */
#ifndef HD_RUNTIME_CUDART_DRIVER_H
#define HD_RUNTIME_CUDART_DRIVER_H

#pragma GCC visibility push(default)
#include "cuda/cuda.h"
#pragma GCC visibility pop

#include "runtime/cudart/context.h"

/* CUDA_SUCCESS when cuInit was called and a context is current; keeps the runtime's last error for hd_driver_end. */
CUresult hd_driver_begin(void);
/* What the driver API calls an error of the runtime's; puts the runtime's last error back. */
CUresult hd_driver_end(cudaError_t error);
/* The calling thread's context; NULL. */
CUcontext hd_driver_context(void);

/* Whether a program has it from a function of this API. */
bool hd_driver_is_context(CUcontext context);
bool hd_driver_is_module(const struct hd_cudart *cudart, CUmodule module);

/* cuModuleLoad and cuModuleLoadData, without a context. */
CUresult hd_driver_load_file(CUmodule *module, const char *path);
CUresult hd_driver_load(CUmodule *module, const void *image);

/* CUDA_SUCCESS for a kernel object; else what a driver would answer, with what it is said where that helps. */
CUresult hd_driver_refuse(struct hd_cudart *cudart, const uint8_t *bytes, size_t size, const char *name);
/* A link that the program did not destroy. */
void hd_driver_link_release(CUlinkState state);

/* The runtime's functions take pointers. */
static inline void *hd_driver_pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

/* A call of the runtime's, in a context. */
#define HD_DRIVER(call)                                                            \
	do {                                                                       \
		CUresult hd_begin_ = hd_driver_begin();                            \
		return hd_begin_ == CUDA_SUCCESS ? hd_driver_end(call) : hd_begin_; \
	} while (0)

/* The same of a context that the call may name: any, since all have the one device. */
#define HD_DRIVER_OF(context, call)                                                \
	do {                                                                       \
		if ((context) && !hd_driver_is_context(context))                               \
			return CUDA_ERROR_INVALID_CONTEXT;                         \
		HD_DRIVER(call);                                                   \
	} while (0)

#endif
