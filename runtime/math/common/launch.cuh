/*
 * What the libraries' handles have in common: the device they were made for, the stream, and device memory for partial
 * sums and copies. A library's own handle is derived from hd_math::context.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <cuda_runtime.h>

namespace hd_math {

enum { COUNTERS = 256, SLICES = 16 };

/*
 * The last error of the thread when a call of the library began: the program's own, which it may never fetch. A launch of
 * the library has failed where there is another one.
 */
inline thread_local cudaError_t error_before = cudaSuccess;

inline bool begin_call()
{
	error_before = cudaPeekAtLastError();
	return true;
}

inline cudaError_t error_of_call()
{
	cudaError_t error = cudaPeekAtLastError();
	return error == error_before ? cudaSuccess : error;
}

/* Which streams have which slice of a handle's memory: what runs at the same time must not share any. */
struct stream_slices {
	std::mutex lock;
	cudaStream_t streams[SLICES] = {};
	unsigned count = 0, next = 0;

	/* The stream's own; beyond SLICES streams, that of the one which has had its slice for longest. */
	unsigned find(cudaStream_t stream)
	{
		std::lock_guard<std::mutex> guard(lock);
		for (unsigned i = 0; i < count; i++)
			if (streams[i] == stream)
				return i;
		unsigned slice = count < SLICES ? count++ : next++ % SLICES;
		streams[slice] = stream;
		return slice;
	}
};

struct context {
	int device = 0;
	int capability = 0; /* 70 */
	int sm_count = 0;
	cudaStream_t stream = nullptr;
	/* Device memory that calls of this handle and stream use one after the other: a slice of `memory`. The first
	 * COUNTERS bytes are zero between calls. */
	void *scratch = nullptr;
	size_t scratch_bytes = 0;
	char *memory = nullptr;
	stream_slices slices;
};

/* The handle's next calls are the stream's. */
inline void context_set_stream(context *context, cudaStream_t stream)
{
	context->stream = stream;
	if (context->memory)
		context->scratch = context->memory + context->slices.find(stream) * context->scratch_bytes;
}

/* Called once for a new handle. The memory is allocated here, because a capture allows no allocation later. */
inline cudaError_t context_init(context *context, size_t bytes)
{
	int major = 0, minor = 0;
	cudaError_t error = cudaGetDevice(&context->device);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, context->device);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, context->device);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&context->sm_count, cudaDevAttrMultiProcessorCount, context->device);
	if (error == cudaSuccess && bytes)
		error = cudaMalloc((void **)&context->memory, bytes);
	if (error == cudaSuccess && bytes)
		error = cudaMemset(context->memory, 0, bytes);
	context->capability = major * 10 + minor;
	context->scratch_bytes = bytes / SLICES;
	context_set_stream(context, nullptr);
	return error;
}

inline void context_release(context *context)
{
	cudaFree(context->memory);
	context->memory = nullptr;
	context->scratch = nullptr;
}

/*
 * Device memory for one call: the handle's own where it is enough, else memory of the stream's order, which is freed
 * when the object's life ends. `data` is null where the device has no such memory.
 */
struct scratch {
	void *data = nullptr;
	cudaStream_t stream;
	bool own = false;

	scratch(const context *context, size_t bytes) : stream(context->stream)
	{
		if (bytes + COUNTERS <= context->scratch_bytes)
			data = static_cast<char *>(context->scratch) + COUNTERS;
		else if (cudaMallocAsync(&data, bytes, stream) == cudaSuccess)
			own = true;
	}
	~scratch()
	{
		if (own)
			cudaFreeAsync(data, stream);
	}
	scratch(const scratch &) = delete;
	scratch &operator=(const scratch &) = delete;
	template <class T> T *as() const
	{
		return static_cast<T *>(data);
	}
};

__host__ __device__ inline int64_t divide_up(int64_t n, int64_t by)
{
	return (n + by - 1) / by;
}

/* Blocks for n elements of `threads` each, at most `most`: kernels go on in steps of the grid. */
inline unsigned blocks_for(int64_t n, int threads, int64_t most = 1024)
{
	int64_t blocks = divide_up(n, threads);
	return static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

} // namespace hd_math
