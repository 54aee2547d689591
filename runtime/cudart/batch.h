/*
 * Batches of copies, whichever form of CUDA's function the caller was compiled for.
 */
#ifndef HD_RUNTIME_CUDART_BATCH_H
#define HD_RUNTIME_CUDART_BATCH_H

#include "runtime/cudart/context.h"

cudaError_t hd_cudart_copy_batch(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
				 const struct cudaMemcpyAttributes *attrs, const size_t *attrsIdxs, size_t numAttrs,
				 cudaStream_t stream);
cudaError_t hd_cudart_copy_boxes(size_t numOps, const struct cudaMemcpy3DBatchOp *opList, unsigned long long flags,
				 cudaStream_t stream);

#endif
