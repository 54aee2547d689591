/* cudaProfilerStart and cudaProfilerStop are declared with the runtime API. */
#ifndef __CUDA_PROFILER_API_H__
#define __CUDA_PROFILER_API_H__

#include "cuda_runtime_api.h"

#endif
