/*
 * memory: cycles from a load to the load whose address it returns, one thread, over sizes: global memory through L1 and
 * past it, constant and shared memory, and textures of linear memory; of an atomic addition whose operand is the result of
 * the one before; and, on GPUs that have it, from an asynchronous copy of a word that L1 has to what waits for it.
 * A chase goes round its buffer in lines of 128 bytes, once to fill the caches; `chase.dram` never comes back to a
 * line, and `chase.page` goes round 32 lines in pages of 2 MB of their own.
 */
#include <cuda_pipeline.h>

#include "micro.h"

#define LINE 128 /* bytes */
#define HOPS 512
#define BLOCK_HOPS 16

enum cache { THROUGH_L1, PAST_L1 };

template <cache KIND>
static __device__ char **load(char **at)
{
	char **next;
	if (KIND == PAST_L1)
		asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
	else
		asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
	return next;
}

__global__ void link_lines(char *buffer, size_t lines, size_t stride)
{
	size_t step = (size_t)gridDim.x * blockDim.x;
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < lines; i += step)
		*(char **)(buffer + i * stride) = buffer + (i + 1 == lines ? 0 : i + 1) * stride;
}

template <cache KIND>
__global__ void chase(char *buffer, long long warm_hops, long long hops, long long *cycles, char ***end)
{
	char **at = (char **)buffer;
	long long start = 0;
#pragma unroll 1
	for (int pass = 0; pass < 2; pass++) {
		long long left = pass ? hops : warm_hops;
		start = clock64();
#pragma unroll 1
		for (; left > 0; left -= BLOCK_HOPS)
#pragma unroll
			for (int i = 0; i < BLOCK_HOPS; i++)
				at = load<KIND>(at);
	}
	*end = at;
	*cycles = clock64() - start;
}

/* What a kernel has written is in L2: pushes it out. */
static void flood_l2()
{
	size_t bytes = 2 * (size_t)micro_device().l2CacheSize;
	char *flood = micro_device_array<char>(bytes);
	link_lines<<<micro_device().multiProcessorCount * 2, 1024>>>(flood, bytes / 32, 32);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(flood));
}

template <cache KIND>
static void global_chase(const char *name, size_t lines, size_t stride, long long warm_hops)
{
	if (!micro_wanted(name))
		return;
	char *buffer = micro_device_array<char>(lines * stride);
	long long *cycles = micro_device_array<long long>(1);
	char ***end = micro_device_array<char **>(1);
	link_lines<<<64, 256>>>(buffer, lines, stride);
	if (!warm_hops)
		flood_l2();
	chase<KIND><<<1, 1>>>(buffer, warm_hops, HOPS, cycles, end);
	micro_row(name, (double)micro_read(cycles) / HOPS, "cycles");
	CHECK(cudaFree(buffer));
	CHECK(cudaFree(cycles));
	CHECK(cudaFree(end));
}

template <cache KIND>
static void chase_of_size(const char *prefix, size_t kib)
{
	char name[64];
	size_t lines = kib * 1024 / LINE;
	snprintf(name, sizeof name, "%s.%zuK", prefix, kib);
	global_chase<KIND>(name, lines, LINE, (long long)lines);
}

#define CONSTANT_WORDS 8192
__constant__ unsigned constant_words[CONSTANT_WORDS]; /* each the index of the next */

template <bool SHARED>
__global__ void chase_index(unsigned words, unsigned stride, int hops, long long *cycles, unsigned *end)
{
	__shared__ unsigned shared_words[SHARED ? CONSTANT_WORDS : 1];
	if (SHARED)
		for (unsigned i = 0; i < words; i += stride)
			shared_words[i] = (i + stride < words ? i + stride : 0) * sizeof(unsigned);
	unsigned at = 0;
	long long start = 0;
	const char *constants = (const char *)constant_words, *shared = (const char *)shared_words;
#pragma unroll 1
	for (int pass = 0; pass < 2; pass++) {
		start = clock64();
#pragma unroll 1
		for (int left = hops; left > 0; left -= BLOCK_HOPS)
#pragma unroll
			for (int i = 0; i < BLOCK_HOPS; i++)
				at = *(const volatile unsigned *)((SHARED ? shared : constants) + at);
	}
	*end = at;
	*cycles = clock64() - start;
}

template <bool SHARED>
static void index_chase(const char *name, unsigned bytes, unsigned stride)
{
	static unsigned host[CONSTANT_WORDS];
	unsigned words = bytes / sizeof(unsigned), step = stride / sizeof(unsigned);
	if (!micro_wanted(name))
		return;
	for (unsigned i = 0; i < words; i += step)
		host[i] = (i + step < words ? i + step : 0) * sizeof(unsigned);
	CHECK(cudaMemcpyToSymbol(constant_words, host, sizeof host));
	long long *cycles = micro_device_array<long long>(1);
	unsigned *end = micro_device_array<unsigned>(1);
	chase_index<SHARED><<<1, 1>>>(words, step, HOPS, cycles, end);
	micro_row(name, (double)micro_read(cycles) / HOPS, "cycles");
	CHECK(cudaFree(cycles));
	CHECK(cudaFree(end));
}

__global__ void chase_texture(cudaTextureObject_t texture, int hops, long long *cycles, int *end)
{
	int at = 0;
	long long start = 0;
#pragma unroll 1
	for (int pass = 0; pass < 2; pass++) {
		start = clock64();
#pragma unroll 1
		for (int left = hops; left > 0; left -= BLOCK_HOPS)
#pragma unroll
			for (int i = 0; i < BLOCK_HOPS; i++)
				at = tex1Dfetch<int>(texture, at);
	}
	*end = at;
	*cycles = clock64() - start;
}

/* A texture of indices, each of the next line's. */
static void texture_chase(const char *name, int bytes)
{
	int words = bytes / (int)sizeof(int), step = LINE / (int)sizeof(int);
	if (!micro_wanted(name))
		return;
	int *host = (int *)calloc((size_t)words, sizeof *host), *device = micro_device_array<int>((size_t)words);
	for (int i = 0; i < words; i += step)
		host[i] = i + step < words ? i + step : 0;
	CHECK(cudaMemcpy(device, host, (size_t)bytes, cudaMemcpyHostToDevice));
	cudaResourceDesc resource = {};
	cudaTextureDesc how = {};
	cudaTextureObject_t texture;
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = device;
	resource.res.linear.desc = cudaCreateChannelDesc<int>();
	resource.res.linear.sizeInBytes = (size_t)bytes;
	CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
	long long *cycles = micro_device_array<long long>(1);
	int *end = micro_device_array<int>(1);
	chase_texture<<<1, 1>>>(texture, HOPS, cycles, end);
	micro_row(name, (double)micro_read(cycles) / HOPS, "cycles");
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFree(device));
	CHECK(cudaFree(cycles));
	CHECK(cudaFree(end));
	free(host);
}

/* Each result is zero and goes into the address of the next. */
template <bool SHARED>
__global__ void atomic_chain(unsigned *global, long long *cycles)
{
	__shared__ unsigned shared;
	shared = 0;
	unsigned old = 0;
	long long start = 0;
#pragma unroll 1
	for (int pass = 0; pass < 2; pass++) {
		start = clock64();
#pragma unroll 1
		for (int left = HOPS; left > 0; left -= BLOCK_HOPS)
#pragma unroll
			for (int i = 0; i < BLOCK_HOPS; i++)
				old = atomicAdd((SHARED ? &shared : global) + old, old);
	}
	global[1] = old;
	*cycles = clock64() - start;
}

template <bool SHARED>
static void atomics(const char *name)
{
	if (!micro_wanted(name))
		return;
	long long *cycles = micro_device_array<long long>(1);
	unsigned *global = micro_device_array<unsigned>(2);
	atomic_chain<SHARED><<<1, 1>>>(global, cycles);
	micro_row(name, (double)micro_read(cycles) / HOPS, "cycles");
	CHECK(cudaFree(cycles));
	CHECK(cudaFree(global));
}

/* One warp. Each copy waits for the one before; what waits issues a cycle before it. */
__global__ void copy_chain(const unsigned *from, long long *cycles)
{
	__shared__ unsigned to[32];
	long long start = 0;
#pragma unroll 1
	for (int pass = 0; pass < 2; pass++) {
		start = clock64();
#pragma unroll 1
		for (int left = HOPS; left > 0; left -= BLOCK_HOPS)
#pragma unroll
			for (int i = 0; i < BLOCK_HOPS; i++) {
				__pipeline_memcpy_async(&to[threadIdx.x], &from[threadIdx.x], sizeof *to);
				__pipeline_commit();
				__pipeline_wait_prior(0);
			}
	}
	*cycles = clock64() - start;
}

static void copies(const char *name)
{
	if (!micro_wanted(name) || micro_device().major < 8)
		return;
	long long *cycles = micro_device_array<long long>(1);
	unsigned *from = micro_device_array<unsigned>(32);
	copy_chain<<<1, 32>>>(from, cycles);
	micro_row(name, (double)micro_read(cycles) / HOPS - 1, "cycles");
	CHECK(cudaFree(cycles));
	CHECK(cudaFree(from));
}

int main(int argc, char **argv)
{
	micro_begin(argc, argv, "usage: memory [--list] [PREFIX]...   rows whose names begin so (default: all)");
	for (size_t kib = 8; kib <= 256; kib *= 2)
		chase_of_size<THROUGH_L1>("chase.l1", kib);
	for (size_t kib = 256; kib <= 8192; kib *= 2)
		chase_of_size<PAST_L1>("chase.l2", kib);
	global_chase<PAST_L1>("chase.dram", 2 * HOPS, 4096 + LINE, 0);
	global_chase<PAST_L1>("chase.page", 32, ((size_t)2 << 20) + 4096 + LINE, 32);
	index_chase<true>("chase.shared", 4096, 4);
	index_chase<false>("chase.constant.1K", 1024, 64);
	index_chase<false>("chase.constant.2K", 2048, 64);
	index_chase<false>("chase.constant.8K", 8192, 64);
	index_chase<false>("chase.constant.32K", 32768, 64);
	texture_chase("chase.texture", 8192);
	atomics<false>("atomic.global");
	atomics<true>("atomic.shared");
	copies("copy.l1");
	return 0;
}
