/*
 * streaming: bytes a core cycle of the whole GPU, and core cycles from one block to the next in its place, for kernels
 * of one element of 8 bytes a thread: init writes, read reads, scale does both, triad reads two and writes one. Two
 * blocks are resident on each SM, which take half of its shared memory each, so that the threads of a block are what
 * occupancy is made of. Each array is four times as large as L2. Rows NAME.THREADS and turn.NAME.THREADS. `l2.bytes`:
 * what full SMs read from L2, where each thread reads its two elements over and over, past L1. loop.NAME.BLOCKS: bytes a
 * cycle of blocks of 128 threads that stay, so many an SM, and go through arrays of thrice L2, an element a turn.
 */
#include "micro.h"

enum kind { INIT, READ, SCALE, TRIAD };
static const char *const kinds[] = {"init", "read", "scale", "triad"};
static const int moved[] = {8, 8, 16, 24}; /* bytes a thread */

template <kind KIND>
__global__ void stream(const double *a, const double *b, double *c)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	if (KIND == INIT)
		c[i] = 1.5;
	else if (KIND == SCALE)
		c[i] = 1.5 * a[i];
	else if (KIND == TRIAD)
		c[i] = a[i] + 1.5 * b[i];
	else if (a[i] == 1e300) /* never: a store that is there for the compiler only */
		c[i] = 0;
}

/* Shared memory a block so that two fit on an SM and three do not. */
static size_t half_of_shared(const void *kernel)
{
	size_t bytes = micro_device().sharedMemPerMultiprocessor / 2 - 2048;
	size_t most = micro_device().sharedMemPerBlockOptin ? micro_device().sharedMemPerBlockOptin
							    : micro_device().sharedMemPerBlock;
	bytes = bytes < most ? bytes : most;
	if (bytes > micro_device().sharedMemPerBlock)
		CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
	return bytes;
}

template <kind KIND>
static void measure(int threads)
{
	char rate[64], turn[64];
	snprintf(rate, sizeof rate, "%s.%d", kinds[KIND], threads);
	snprintf(turn, sizeof turn, "turn.%s.%d", kinds[KIND], threads);
	bool want_rate = micro_wanted(rate), want_turn = micro_wanted(turn);
	if (!want_rate && !want_turn)
		return;
	int resident = 2 * micro_device().multiProcessorCount;
	int rounds = 1 + (int)(4 * (size_t)micro_device().l2CacheSize / (sizeof(double) * threads * resident));
	int blocks = resident * (rounds < 16 ? 16 : rounds);
	size_t elements = (size_t)blocks * threads, shared = half_of_shared((const void *)stream<KIND>);
	double *a = micro_device_array<double>(elements), *b = micro_device_array<double>(elements);
	double *c = micro_device_array<double>(elements);
	double cycles = micro_cycles([&] { stream<KIND><<<blocks, threads, shared>>>(a, b, c); });
	if (want_rate)
		micro_row(rate, (double)elements * moved[KIND] / cycles, "bytes/cycle");
	if (want_turn)
		micro_row(turn, cycles * resident / blocks, "cycles/block");
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(c));
}

template <kind KIND>
static void measure_all()
{
	static const int threads[] = {32, 64, 128, 192, 256, 512, 1024};
	for (int count : threads)
		measure<KIND>(count);
}

template <kind KIND>
__global__ void __launch_bounds__(128) walk(const double *a, const double *b, double *c, size_t elements)
{
	double sum = 0;
#pragma unroll 1
	for (size_t i = blockIdx.x * (size_t)128 + threadIdx.x; i < elements; i += gridDim.x * (size_t)128)
		if (KIND == SCALE)
			c[i] = 1.5 * a[i];
		else if (KIND == TRIAD)
			c[i] = a[i] + 1.5 * b[i];
		else
			sum += a[i];
	if (KIND == READ && sum == 1e300) /* never */
		c[0] = sum;
}

template <kind KIND>
static void measure_walk(int blocks)
{
	char rate[64];
	snprintf(rate, sizeof rate, "loop.%s.%d", KIND == READ ? "sum" : kinds[KIND], blocks);
	if (!micro_wanted(rate))
		return;
	size_t elements = 3 * (size_t)micro_device().l2CacheSize / sizeof(double);
	double *a = micro_device_array<double>(elements), *b = micro_device_array<double>(elements);
	double *c = micro_device_array<double>(elements);
	int all = blocks * micro_device().multiProcessorCount;
	double cycles = micro_cycles([&] { walk<KIND><<<all, 128>>>(a, b, c, elements); });
	micro_row(rate, (double)elements * moved[KIND] / cycles, "bytes/cycle");
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(c));
}

static void measure_walks()
{
	static const int blocks[] = {1, 2, 4};
	for (int count : blocks)
		measure_walk<READ>(count);
	for (int count : blocks)
		measure_walk<SCALE>(count);
	measure_walk<SCALE>(16);
	measure_walk<TRIAD>(2);
}

#define L2_ROUNDS 4

__global__ void __launch_bounds__(1024)
	read_again(const unsigned long long *words, size_t step, int rounds, unsigned long long *out)
{
	const unsigned long long *at = words + blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	unsigned long long sum = 0;
#pragma unroll 1
	for (; rounds > 0; rounds--) {
		unsigned long long a, b;
		asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(a) : "l"(at) : "memory");
		asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(b) : "l"(at + step) : "memory");
		sum ^= a ^ b;
	}
	if (sum) /* never */
		*out = sum;
}

static void measure_l2()
{
	if (!micro_wanted("l2.bytes"))
		return;
	int blocks = micro_device().maxThreadsPerMultiProcessor / 512 * micro_device().multiProcessorCount;
	size_t step = (size_t)blocks * 512;
	unsigned long long *words = micro_device_array<unsigned long long>(2 * step);
	unsigned long long *out = micro_device_array<unsigned long long>(1);
	double little = micro_cycles([&] { read_again<<<blocks, 512>>>(words, step, L2_ROUNDS, out); });
	double much = micro_cycles([&] { read_again<<<blocks, 512>>>(words, step, 3 * L2_ROUNDS, out); });
	micro_row("l2.bytes", 2.0 * L2_ROUNDS * 2 * step * sizeof *words / (much - little), "bytes/cycle");
	CHECK(cudaFree(words));
	CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
	micro_begin(argc, argv, "usage: streaming [--list] [PREFIX]...   rows whose names begin so (default: all)");
	measure_l2();
	measure_all<INIT>();
	measure_all<READ>();
	measure_all<SCALE>();
	measure_all<TRIAD>();
	measure_walks();
	return 0;
}
