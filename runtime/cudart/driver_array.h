/* What the driver API's arrays and texture references share. */
#ifndef HD_RUNTIME_CUDART_DRIVER_ARRAY_H
#define HD_RUNTIME_CUDART_DRIVER_ARRAY_H

#include "runtime/cudart/array.h"
#include "runtime/cudart/driver.h"

/* A format as the runtime has it, and back. No bits: there is none such. */
struct cudaChannelFormatDesc hd_driver_channels(CUarray_format format, unsigned channels);
CUarray_format hd_driver_format(const struct cudaChannelFormatDesc *desc, unsigned *channels);
enum cudaTextureReadMode hd_driver_read_mode(const struct cudaChannelFormatDesc *desc, unsigned flags);
/* A copy as the runtime has it. */
cudaError_t hd_driver_box(const CUDA_MEMCPY3D *copy, struct cudaMemcpy3DParms *out);
/* cuMemcpy2D where an end is an array. */
cudaError_t hd_driver_copy_2d(const CUDA_MEMCPY2D *copy, CUstream stream);

#endif
