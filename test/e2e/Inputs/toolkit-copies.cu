// Copies of a pipeline, of a group and of the primitives.
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__global__ void k(int *o, const int *in) {
  __shared__ alignas(16) int s[256];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&s[4 * threadIdx.x], &in[4 * threadIdx.x], cuda::aligned_size_t<16>(16), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  o[threadIdx.x] = s[4 * threadIdx.x];
  pipe.consumer_release();
}
__global__ void k2(int *o, const int *in) {
  __shared__ alignas(16) int s[256];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, s, in, cuda::aligned_size_t<16>(1024));
  cg::wait(b);
  o[threadIdx.x] = s[threadIdx.x];
}
__global__ void k3(int *o, const int *in) {
  __shared__ alignas(16) int s[256];
  __pipeline_memcpy_async(&s[4 * threadIdx.x], &in[4 * threadIdx.x], 16);
  __pipeline_commit(); __pipeline_wait_prior(0);
  o[threadIdx.x] = s[4 * threadIdx.x];
}
