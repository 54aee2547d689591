/*
 * limits: core cycles for N accesses of a warp that do not wait for each other, over N, eight warps on each of eight SMs,
 * on data that L2 holds. An SM's limits on what is under way bend such a curve; where it jumps, one access more costs more
 * than all before it.
 * merge.N: loads of one line that L1 does not have. lines.N, past.N: loads of N such lines, through L1 and past it.
 * common.N: eight lines, the same for N SMs, which L2 does not have.
 * sectors.N: one load of N sectors in as many lines. stores.N and atomics.N: of N lines. shared.N: loads of shared memory.
 * blocks.N: blocks of 64 threads an SM on all SMs, each a chain of loads that miss L1; cycles of a link.
 */
#include "micro.h"

#define LINE 128  /* bytes */
#define WARPS 8	  /* an SM */
#define SMS 8
#define TURNS 8
#define MOST_BLOCKS 20

enum kind { MERGE, LINES, PAST, SECTORS, STORES, ATOMICS, SHARED };

static __device__ __forceinline__ unsigned load(const char *at)
{
	unsigned value;
	asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
	return value;
}

static __device__ __forceinline__ unsigned load_past(const char *at)
{
	unsigned value;
	asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
	return value;
}

static __device__ __forceinline__ unsigned load_shared(const unsigned *at)
{
	unsigned value;
	asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; ld.shared.u32 %0, [a]; }" : "=r"(value) : "l"(at) : "memory");
	return value;
}

/* Each warp and turn has lines of its own: `most` of them from `at` on. */
template <kind KIND, int N>
__global__ void __launch_bounds__(WARPS * 32) many(char *buffer, int turns, int most, unsigned *out)
{
	__shared__ unsigned words[WARPS * 32];
	unsigned sum = 0, lane = threadIdx.x % 32;
	size_t warp = blockIdx.x * WARPS + threadIdx.x / 32, warps = (size_t)gridDim.x * WARPS;
	words[threadIdx.x] = lane;
	__syncthreads();
#pragma unroll 1
	for (int turn = 0; turn < turns; turn++) {
		char *at = buffer + (turn * warps + warp) * most * LINE + lane * 4;
		unsigned values[N];
#pragma unroll
		for (int i = 0; i < N; i++) {
			if (KIND == MERGE)
				values[i] = load(at);
			else if (KIND == LINES)
				values[i] = load(at + i * LINE);
			else if (KIND == PAST)
				values[i] = load_past(at + i * LINE);
			else if (KIND == SHARED)
				values[i] = load_shared(words + threadIdx.x);
			else if (KIND == STORES)
				*(volatile unsigned *)(at + i * LINE) = lane;
			else if (KIND == ATOMICS)
				atomicAdd((unsigned *)(at + i * LINE), lane);
		}
		if (KIND == SECTORS)
			sum ^= load(at - lane * 4 + lane % N * LINE);
		else if (KIND != STORES && KIND != ATOMICS)
#pragma unroll
			for (int i = 0; i < N; i++)
				sum ^= values[i];
	}
	if (sum == 0x9e3779b9) /* never: the buffer is zero, lanes are below 32 */
		*out = sum;
}

/* So many turns that three times their bytes are half of L2 at most. */
static int turns_of(size_t bytes)
{
	size_t most = (size_t)micro_device().l2CacheSize / 2 / (3 * bytes);
	return most < 1 ? 1 : most < TURNS ? (int)most : TURNS;
}

template <kind KIND, int N>
static void measure(const char *prefix)
{
	char name[64];
	snprintf(name, sizeof name, "%s.%d", prefix, N);
	if (!micro_wanted(name))
		return;
	int most = KIND == MERGE ? 1 : N;
	size_t bytes = (size_t)SMS * WARPS * most * LINE; /* a turn */
	int turns = turns_of(bytes);
	char *buffer = micro_device_array<char>(3 * turns * bytes);
	unsigned *out = micro_device_array<unsigned>(1);
	/* Each is run twice, and the second run counts: L2 has the lines then. */
	double little = micro_cycles([&] { many<KIND, N><<<SMS, WARPS * 32>>>(buffer, turns, most, out); });
	double much = micro_cycles([&] { many<KIND, N><<<SMS, WARPS * 32>>>(buffer, 3 * turns, most, out); });
	micro_row(name, (much - little) / (2 * turns), "cycles");
	CHECK(cudaFree(buffer));
	CHECK(cudaFree(out));
}

template <kind KIND>
static void measure_kind(const char *prefix)
{
	measure<KIND, 1>(prefix);
	measure<KIND, 2>(prefix);
	measure<KIND, 3>(prefix);
	measure<KIND, 4>(prefix);
	measure<KIND, 5>(prefix);
	measure<KIND, 6>(prefix);
	measure<KIND, 7>(prefix);
	measure<KIND, 8>(prefix);
	measure<KIND, 9>(prefix);
	measure<KIND, 10>(prefix);
	measure<KIND, 11>(prefix);
	measure<KIND, 12>(prefix);
	measure<KIND, 13>(prefix);
	measure<KIND, 14>(prefix);
	measure<KIND, 15>(prefix);
	measure<KIND, 16>(prefix);
}

/* Wide warps: powers of two and their neighbours. */
static void measure_sectors()
{
	measure<SECTORS, 1>("sectors");
	measure<SECTORS, 2>("sectors");
	measure<SECTORS, 4>("sectors");
	measure<SECTORS, 8>("sectors");
	measure<SECTORS, 9>("sectors");
	measure<SECTORS, 15>("sectors");
	measure<SECTORS, 16>("sectors");
	measure<SECTORS, 17>("sectors");
	measure<SECTORS, 24>("sectors");
	measure<SECTORS, 31>("sectors");
	measure<SECTORS, 32>("sectors");
}

__global__ void __launch_bounds__(64) chain(const char *buffer, int links, unsigned *out)
{
	const char *at = buffer + (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * 4;
	size_t stride = (size_t)gridDim.x * blockDim.x * 4;
	unsigned value = 0;
#pragma unroll 1
	for (int i = 0; i < links; i++)
		value = load(at + i * stride + value); /* zero: the next address waits for it */
	if (value)
		*out = value;
}

static void measure_blocks()
{
	for (int count = 1; count <= MOST_BLOCKS; count++) {
		char name[64];
		snprintf(name, sizeof name, "blocks.%d", count);
		if (!micro_wanted(name))
			continue;
		int blocks = count * micro_device().multiProcessorCount;
		size_t bytes = (size_t)blocks * 64 * 4; /* a link */
		int links = turns_of(bytes);
		char *buffer = micro_device_array<char>(3 * links * bytes);
		unsigned *out = micro_device_array<unsigned>(1);
		double little = micro_cycles([&] { chain<<<blocks, 64>>>(buffer, links, out); });
		double much = micro_cycles([&] { chain<<<blocks, 64>>>(buffer, 3 * links, out); });
		micro_row(name, (much - little) / (2 * links), "cycles");
		CHECK(cudaFree(buffer));
		CHECK(cudaFree(out));
	}
}

#define COMMON 8 /* lines that a warp has under way */

/* Warp by warp other lines, the same ones in all blocks. */
__global__ void __launch_bounds__(WARPS * 32) common_lines(const char *buffer, int turns, unsigned *out)
{
	const char *at = buffer + threadIdx.x / 32 * COMMON * LINE + threadIdx.x % 32 * 4;
	unsigned sum = 0;
#pragma unroll 1
	for (int turn = 0; turn < turns; turn++, at += WARPS * COMMON * LINE) {
		unsigned values[COMMON];
#pragma unroll
		for (int i = 0; i < COMMON; i++)
			values[i] = load_past(at + i * LINE);
#pragma unroll
		for (int i = 0; i < COMMON; i++)
			sum ^= values[i];
	}
	if (sum == 0x9e3779b9)
		*out = sum;
}

static void measure_common()
{
	static const int sms[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
	enum { COUNTS = sizeof sms / sizeof *sms };
	const size_t bytes = WARPS * COMMON * LINE; /* a turn */
	/* Each of the two runs of each length has lines of its own. */
	char *buffer = micro_device_array<char>(COUNTS * 2 * (1 + 3) * TURNS * bytes), *at = buffer;
	unsigned *out = micro_device_array<unsigned>(1);
	for (int count : sms) {
		char name[64];
		snprintf(name, sizeof name, "common.%d", count);
		if (!micro_wanted(name))
			continue;
		double cycles[2];
		for (int i = 0; i < 2; i++) {
			int turns = i ? 3 * TURNS : TURNS;
			cycles[i] = micro_cycles([&] {
				common_lines<<<count, WARPS * 32>>>(at, turns, out);
				at += turns * bytes;
			});
		}
		micro_row(name, (cycles[1] - cycles[0]) / (2 * TURNS), "cycles");
	}
	CHECK(cudaFree(buffer));
	CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
	micro_begin(argc, argv, "usage: limits [--list] [PREFIX]...   rows whose names begin so (default: all)");
	measure_kind<MERGE>("merge");
	measure_kind<LINES>("lines");
	measure_kind<PAST>("past");
	measure_common();
	measure_sectors();
	measure_kind<STORES>("stores");
	measure_kind<ATOMICS>("atomics");
	measure_kind<SHARED>("shared");
	measure_blocks();
	return 0;
}
