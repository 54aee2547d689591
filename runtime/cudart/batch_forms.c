/*
 * cudaMemcpyBatchAsync and cudaMemcpy3DBatchAsync, and the driver API's, as programs call them that were compiled with
 * a toolkit's headers: those of CUDA 12.8 and 12.9 have a parameter `failIdx` before the last ones, those of CUDA 13 do
 * not, and the names are the same. What stands where `failIdx` would be tells the forms apart: in CUDA 13's it is a
 * stream, or flags, which are zero. A caller of the shorter form leaves the last argument here undefined; it counts
 * only where the form is the longer one. The definitions have other names in C, because the header declares CUDA 13's
 * form.
 */
#include "lib/api.h"
#include "runtime/cudart/batch.h"
#include "runtime/cudart/driver.h"
#include "runtime/cudart/handles.h"

#include <stdint.h>

HD_API cudaError_t hd_cudart_either_batch(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
					  struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
					  void *fail_or_stream, cudaStream_t stream) __asm__("cudaMemcpyBatchAsync");
HD_API cudaError_t hd_cudart_either_boxes(size_t numOps, struct cudaMemcpy3DBatchOp *opList, uintptr_t fail_or_flags,
					  uintptr_t flags_or_stream,
					  cudaStream_t stream) __asm__("cudaMemcpy3DBatchAsync");

static bool is_stream(const void *handle)
{
	return handle && hd_handle_check_apart(handle, HD_HANDLE_STREAM) == cudaSuccess;
}

/* The parts of a batch are looked at before any is done: what fails pertains to none of them. */
static cudaError_t tell(cudaError_t error, size_t *fail)
{
	if (error != cudaSuccess)
		*fail = SIZE_MAX;
	return error;
}

cudaError_t hd_cudart_either_batch(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
				   struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
				   void *fail_or_stream, cudaStream_t stream)
{
	if (!fail_or_stream || is_stream(fail_or_stream) || !is_stream(stream))
		return hd_cudart_copy_batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs,
					    (cudaStream_t)fail_or_stream);
	return tell(hd_cudart_copy_batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream),
		    (size_t *)fail_or_stream);
}

cudaError_t hd_cudart_either_boxes(size_t numOps, struct cudaMemcpy3DBatchOp *opList, uintptr_t fail_or_flags,
				   uintptr_t flags_or_stream, cudaStream_t stream)
{
	if (!fail_or_flags || flags_or_stream || !is_stream(stream))
		return hd_cudart_copy_boxes(numOps, opList, fail_or_flags, (cudaStream_t)flags_or_stream);
	return tell(hd_cudart_copy_boxes(numOps, opList, flags_or_stream, stream), (size_t *)fail_or_flags);
}

/* ------------------------------------------------------------ the driver API's */

HD_API CUresult hd_driver_either_batch(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
				       CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
				       void *fail_or_stream, CUstream stream) __asm__("cuMemcpyBatchAsync");
HD_API CUresult hd_driver_either_boxes(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, uintptr_t fail_or_flags,
				       uintptr_t flags_or_stream, CUstream stream) __asm__("cuMemcpy3DBatchAsync");

CUresult hd_driver_either_batch(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
				CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, void *fail_or_stream,
				CUstream stream)
{
	HD_DRIVER(hd_cudart_either_batch((void *const *)dsts, (const void *const *)srcs, sizes, count,
					 (struct cudaMemcpyAttributes *)attrs, attrsIdxs, numAttrs, fail_or_stream,
					 stream));
}

CUresult hd_driver_either_boxes(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, uintptr_t fail_or_flags,
				uintptr_t flags_or_stream, CUstream stream)
{
	HD_DRIVER(hd_cudart_either_boxes(numOps, (struct cudaMemcpy3DBatchOp *)opList, fail_or_flags, flags_or_stream,
					 stream));
}
