/*
 * What the call-heavy workloads share: checked CUDA calls, sizes on the command line, random numbers that are the same
 * on every machine, and the verdict. Each workload is a folder of two modules: library.cu has the functions that the
 * kernels of main.cu call. Compiled with -dc they stay calls, as in programs of several sources.
 */
#ifndef CALLS_COMMON_H
#define CALLS_COMMON_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A function of both halves, or of the device alone where it works with atomics. It is a call also inside its module,
 * as in programs of many sources, unless CALLS_INLINE is defined: then nothing forbids to inline it.
 */
#ifdef CALLS_INLINE
#define DEVICE_FUNCTION __device__
#else
#define DEVICE_FUNCTION __device__ __noinline__
#endif
#define FUNCTION __host__ DEVICE_FUNCTION

#define CHECK(call) check_cuda((call), #call, __FILE__, __LINE__)
static inline void check_cuda(cudaError_t error, const char *call, const char *file, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
	exit(1);
}

/* Checks the launch before it, and waits for its end. */
static inline void check_launch(const char *file, int line)
{
	check_cuda(cudaGetLastError(), "launch", file, line);
	check_cuda(cudaDeviceSynchronize(), "kernel", file, line);
}
#define CHECK_LAUNCH() check_launch(__FILE__, __LINE__)

struct Arguments {
	int count;
	char **values;
	const char *usage; /* a line */
};

/* The i-th argument as a number from 1 to `most`, or `fallback` where it is left out. */
static inline int size_argument(const Arguments &arguments, int i, int fallback, long most)
{
	if (arguments.count <= i)
		return fallback;
	const char *text = arguments.values[i];
	char *end;
	long value = strtol(text, &end, 10);
	if (*text != '\0' && *end == '\0' && value >= 1 && value <= most)
		return (int)value;
	bool help = strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0;
	fprintf(help ? stdout : stderr, "usage: %s\n", arguments.usage);
	exit(help ? 0 : 2);
}

/* Blocks of `block` threads for n items. */
static inline int blocks_for(int n, int block)
{
	return (n + block - 1) / block;
}

/* Next of a sequence that is the same everywhere (Numerical Recipes' linear congruential generator). */
__host__ __device__ inline unsigned next_random(unsigned *seed)
{
	return *seed = *seed * 1664525u + 1013904223u;
}

/* The same, in [0, 1). */
__host__ __device__ inline float next_unit(unsigned *seed)
{
	return (float)(next_random(seed) >> 8) / (1 << 24);
}

/* Memory of both sides; ends the program where there is none. */
template <typename T> static T *host_array(size_t n)
{
	T *array = (T *)calloc(n ? n : 1, sizeof *array);
	if (array)
		return array;
	fputs("out of memory\n", stderr);
	exit(1);
}

template <typename T> static T *device_array(size_t n)
{
	T *array;
	CHECK(cudaMalloc(&array, (n ? n : 1) * sizeof *array));
	CHECK(cudaMemset(array, 0, (n ? n : 1) * sizeof *array));
	return array;
}

template <typename T> static T *device_copy(const T *from, size_t n)
{
	T *array = device_array<T>(n);
	CHECK(cudaMemcpy(array, from, n * sizeof *array, cudaMemcpyHostToDevice));
	return array;
}

template <typename T> static void copy_back(T *to, const T *from, size_t n)
{
	CHECK(cudaMemcpy(to, from, n * sizeof *to, cudaMemcpyDeviceToHost));
}

/* Differences to report in full; the rest is counted. */
#define SHOWN 3

/* Counts what is wrong, and prints the first few. */
struct Verdict {
	const char *name;
	int wrong;
};

static inline void differs(Verdict *verdict, const char *format, ...)
{
	if (verdict->wrong++ >= SHOWN)
		return;
	va_list arguments;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

/* Prints `name: PASSED (...)` or FAILED, and returns the program's exit status. */
static inline int conclude(const Verdict &verdict, const char *format, ...)
{
	va_list arguments;
	printf("%s: %s (", verdict.name, verdict.wrong ? "FAILED" : "PASSED");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf(", %d wrong)\n", verdict.wrong);
	return verdict.wrong != 0;
}

#endif
