/* Arrays of the runtime API: pitched device memory with a format. */
#ifndef HD_RUNTIME_CUDART_ARRAY_H
#define HD_RUNTIME_CUDART_ARRAY_H

#include "runtime/cudart/memory.h"

struct cudaArray {
	struct cudaChannelFormatDesc desc;
	struct cudaExtent extent; /* elements, as it was asked for: 0 where a dimension is not there */
	unsigned flags;
	void *base;   /* device address */
	size_t pitch; /* bytes from row to row */
};

/* Channels of an element and their bits; false for a format that no element has. */
bool hd_cudart_format(const struct cudaChannelFormatDesc *desc, int *channels, int *bits);
size_t hd_cudart_rows(const struct cudaArray *array); /* of a plane */

/* cudaCreateTextureObject. */
cudaError_t hd_cudart_texture(struct hd_cudart *cudart, const struct cudaResourceDesc *resource,
			      const struct cudaTextureDesc *how, cudaTextureObject_t *object);
/* cudaMemcpy3D. */
cudaError_t hd_cudart_copy_3d(struct hd_cudart *cudart, const struct cudaMemcpy3DParms *p);

#endif
