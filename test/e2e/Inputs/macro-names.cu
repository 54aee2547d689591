// Every header that programs include, and macros in a kernel.
#include <cuda.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_occupancy.h>
#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <cuda/atomic>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cufftXt.h>
#include <curand_kernel.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <mma.h>
#include <nccl.h>
#include <nvToolsExt.h>
#include <nvtx3/nvtx3.hpp>
#include <nvrtc.h>
#include <cudaTypedefs.h>
#include <cuda_device_runtime_api.h>

__global__ void kernel(int *out)
{
	out[threadIdx.x] = N + T;
}
