/* Texture references, as both APIs have them. */
#ifndef HD_RUNTIME_CUDART_REFERENCE_H
#define HD_RUNTIME_CUDART_REFERENCE_H

#include "runtime/cudart/array.h"

#pragma GCC visibility push(default)
#include "cuda/heddle_texture_reference.h"
#pragma GCC visibility pop

struct hd_reference;

/* One more; `address`: of the device's variable, 0 where the host's structure has been registered as its shadow. */
struct hd_reference *hd_cudart_add_reference(struct hd_cudart *cudart, const struct textureReference *host,
					     uint64_t address);
/* Frees `memory` with the reference. */
void hd_cudart_own(struct hd_reference *reference, void *memory);
cudaError_t hd_cudart_bind(struct hd_cudart *cudart, struct hd_reference *reference,
			   const struct cudaResourceDesc *resource, bool normalized_read);

#endif
