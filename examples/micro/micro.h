/*
 * What the microbenchmarks share. Each program prints rows `name value unit`, one for each quantity, and takes prefixes
 * of names as arguments: `latency alu. sfu.exp2` measures only these, and --list prints the names. A time is taken on
 * the GPU between two clock reads, for a short and a long stretch of the same thing in code that is already in the
 * instruction caches, and the difference counts, so that what the reads themselves cost is not in it. The programs know
 * nothing of any GPU but what its properties say, and run on hardware as in simulation.
 */
#ifndef MICRO_H
#define MICRO_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call) micro_check((call), #call, __FILE__, __LINE__)
static inline void micro_check(cudaError_t error, const char *call, const char *file, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
	exit(1);
}

/* All blocks are one cluster. */
template <typename... T>
static inline void micro_launch_cluster(void (*kernel)(T...), unsigned blocks, unsigned threads, T... args)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};
	config.gridDim = blocks;
	config.blockDim = threads;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = blocks;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	config.attrs = &attribute;
	config.numAttrs = 1;
	CHECK(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	CHECK(cudaLaunchKernelEx(&config, kernel, args...));
}

static char **micro_prefixes;
static int micro_prefix_count;
static bool micro_listing;

static inline void micro_begin(int argc, char **argv, const char *usage)
{
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		puts(usage);
		exit(0);
	}
	if (argc > 1 && strcmp(argv[1], "--list") == 0) {
		micro_listing = true;
		return;
	}
	micro_prefixes = argv + 1;
	micro_prefix_count = argc - 1;
}

static inline bool micro_wanted(const char *name)
{
	if (micro_listing) {
		puts(name);
		return false;
	}
	for (int i = 0; i < micro_prefix_count; i++)
		if (strncmp(name, micro_prefixes[i], strlen(micro_prefixes[i])) == 0)
			return true;
	return micro_prefix_count == 0;
}

static inline void micro_row(const char *name, double value, const char *unit)
{
	printf("%-28s %12.3f %s\n", name, value, unit);
	fflush(stdout);
}

/* The device's properties, read once. */
static inline const cudaDeviceProp &micro_device()
{
	static cudaDeviceProp properties;
	static bool known;
	if (!known)
		CHECK(cudaGetDeviceProperties(&properties, 0));
	known = true;
	return properties;
}

static inline double micro_core_mhz()
{
	int khz;
	CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
	return khz / 1000.0;
}

/* The most threads that a block of this kernel can have, in whole warps. */
template <typename Kernel>
static int micro_most_threads(Kernel kernel)
{
	cudaFuncAttributes attributes;
	CHECK(cudaFuncGetAttributes(&attributes, (const void *)kernel));
	return attributes.maxThreadsPerBlock / 32 * 32;
}

template <typename T>
static T *micro_device_array(size_t n)
{
	T *array;
	CHECK(cudaMalloc((void **)&array, n * sizeof(T)));
	CHECK(cudaMemset(array, 0, n * sizeof(T)));
	return array;
}

template <typename T>
static T micro_read(const T *device)
{
	T value;
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
	return value;
}

/* Core cycles from the start to the end of what `launch` does, by events; the second of two runs counts. */
template <typename Launch>
static double micro_cycles(Launch launch)
{
	cudaEvent_t start, stop;
	float milliseconds = 0;
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	for (int run = 0; run < 2; run++) {
		CHECK(cudaEventRecord(start));
		launch();
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(stop));
		CHECK(cudaEventSynchronize(stop));
		CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
	}
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
	return milliseconds * 1e3 * micro_core_mhz();
}

/* One step of a chain: x = op(x, y, z), on registers of 32 or 64 bits whatever is in them. */
#define MICRO_STEP(NAME, TYPE, REGISTER, TEXT)                                               \
	struct NAME {                                                                        \
		typedef TYPE Value;                                                          \
		static __device__ __forceinline__ void step(TYPE &x, TYPE y, TYPE z)         \
		{                                                                            \
			asm volatile(TEXT : "+" REGISTER(x) : REGISTER(y), REGISTER(z));     \
		}                                                                            \
	};

#endif
