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
	bool level;   /* of a mipmapped array, which owns it */
};

/* Each level is half as large in all dimensions, but for layers. */
struct cudaMipmappedArray {
	unsigned count;
	struct cudaArray levels[];
};

/* Channels of an element and their bits; false for a format that no element has. */
bool hd_cudart_format(const struct cudaChannelFormatDesc *desc, int *channels, int *bits);
size_t hd_cudart_element_bytes(const struct cudaArray *array);
size_t hd_cudart_rows(const struct cudaArray *array); /* of a plane */

/* cudaCreateTextureObject. */
cudaError_t hd_cudart_texture(struct hd_cudart *cudart, const struct cudaResourceDesc *resource,
			      const struct cudaTextureDesc *how, cudaTextureObject_t *object);
/* With its descriptors; of no object nothing happens. */
void hd_cudart_free_object(struct hd_cudart *cudart, unsigned long long object);
void hd_cudart_free_objects(struct hd_cudart *cudart); /* all */
/* cudaMemcpy3D, and what is known of one before it is done. */
cudaError_t hd_cudart_check_3d(struct hd_cudart *cudart, const struct cudaMemcpy3DParms *p);
cudaError_t hd_cudart_copy_3d(struct hd_cudart *cudart, const struct cudaMemcpy3DParms *p);

#endif
