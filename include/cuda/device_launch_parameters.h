/* threadIdx, blockIdx, blockDim, gridDim and warpSize come with the prelude, heddle_cuda.h. */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#endif
