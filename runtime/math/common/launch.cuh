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
	/* Device memory that calls of this handle and stream use one after the other; none in most handles. The first
	 * COUNTERS bytes are zero between calls. */
	void *scratch = nullptr;
	size_t scratch_bytes = 0;
};

/* Called once for a new handle. */
inline cudaError_t context_init(context *context)
{
	int major = 0, minor = 0;
	cudaError_t error = cudaGetDevice(&context->device);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, context->device);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, context->device);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&context->sm_count, cudaDevAttrMultiProcessorCount, context->device);
	context->capability = major * 10 + minor;
	return error;
}

/* A handle with device memory, of which each stream has a slice. */
struct sliced_context : context {
	char *memory = nullptr;
	stream_slices slices;

	/* The next calls are the stream's. */
	void set_stream(cudaStream_t next)
	{
		stream = next;
		scratch = memory + slices.find(next) * scratch_bytes;
	}
	/* The memory is allocated here, because a capture allows no allocation later. */
	cudaError_t init(size_t bytes)
	{
		cudaError_t error = context_init(this);
		if (error == cudaSuccess)
			error = cudaMalloc((void **)&memory, bytes);
		if (error == cudaSuccess)
			error = cudaMemset(memory, 0, bytes);
		scratch_bytes = bytes / SLICES;
		set_stream(nullptr);
		return error;
	}
	~sliced_context()
	{
		cudaFree(memory);
	}
};

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
