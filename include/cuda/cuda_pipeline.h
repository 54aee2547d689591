/* nvcuda::experimental::pipeline: batches of copies to shared memory, asynchronous from sm_80 on. */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_pipeline_primitives.h"

namespace nvcuda
{
namespace experimental
{
class pipeline
{
	size_t batches = 0;

      public:
	pipeline() = default;
	pipeline(const pipeline &) = delete;
	pipeline &operator=(const pipeline &) = delete;

	/* Returns the number of the batch that it ends. */
	__device__ size_t commit()
	{
		__pipeline_commit();
		return batches++;
	}
	__device__ void commit_and_wait()
	{
		wait(commit());
	}
	__device__ void wait(size_t batch)
	{
		__pipeline_wait_prior(batches > batch ? batches - 1 - batch : 0);
	}
	template <unsigned _N> __device__ void wait_prior()
	{
		__pipeline_wait_prior(_N);
	}
};

template <class _T> __device__ __forceinline__ void memcpy_async(_T &dst, const _T &src, pipeline &)
{
	if ((sizeof(_T) == 4 || sizeof(_T) == 8 || sizeof(_T) == 16) && alignof(_T) == sizeof(_T))
		__pipeline_memcpy_async(&dst, &src, sizeof(_T));
	else
		dst = src;
}
} // namespace experimental
} // namespace nvcuda

#endif
