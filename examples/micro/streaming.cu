/*
 * streaming: bytes a core cycle of the whole GPU, and core cycles from one block to the next in its place, for kernels
 * of one element of 8 bytes a thread: init writes, read reads, scale does both, triad reads two and writes one. Two
 * blocks are resident on each SM, which take half of its shared memory each, so that the threads of a block are what
 * occupancy is made of. Each array is four times as large as L2. Rows NAME.THREADS and turn.NAME.THREADS.
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

int main(int argc, char **argv)
{
	micro_begin(argc, argv, "usage: streaming [--list] [PREFIX]...   rows whose names begin so (default: all)");
	measure_all<INIT>();
	measure_all<READ>();
	measure_all<SCALE>();
	measure_all<TRIAD>();
	return 0;
}
