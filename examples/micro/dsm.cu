/*
 * dsm: shared memory of other blocks of a cluster (compute capability 9.0), each block on an SM of its own.
 * dsm.chase.N: core cycles of a link of a chain in the next block's shared memory, in a cluster of N. dsm.own: in the own.
 * dsm.load, dsm.store: bytes a cycle that one SM reads from another, or writes there, 16 bytes a thread.
 * dsm.ring.N: bytes a cycle that N SMs together write, each to the next one.
 * dsm.fence: core cycles of a store there and a fence behind it.
 * dsm.barrier.N: core cycles from the arrival at the cluster's barrier to behind the wait.
 * Other devices have no such rows.
 */
#include "micro.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define CLUSTERS 1
#define SPACE "shared::cluster"
#else
#define SPACE "shared"
#endif

#define WORDS 1024 /* of a chain */
#define THREADS 1024
#define BYTES 16 /* a thread and access */

static __device__ __forceinline__ void meet()
{
#if CLUSTERS
	asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

static __device__ __forceinline__ unsigned rank()
{
	unsigned value = 0;
#if CLUSTERS
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
#endif
	return value;
}

static __device__ __forceinline__ unsigned ranks()
{
	unsigned value = 1;
#if CLUSTERS
	asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(value));
#endif
	return value;
}

static __device__ __forceinline__ unsigned mapped(const void *at, unsigned of)
{
	unsigned value = of;
#if CLUSTERS
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
		     : "=r"(value)
		     : "r"((unsigned)__cvta_generic_to_shared(at)), "r"(of));
#endif
	return value;
}

static __device__ __forceinline__ unsigned load(unsigned at)
{
	unsigned value;
	asm volatile("ld." SPACE ".u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
	return value;
}

/* Words hold the address of the next one, in the block that is `ahead`. */
__global__ void chase(int links, unsigned ahead, long long *cycles, unsigned *out)
{
	__shared__ unsigned words[WORDS];
	unsigned to = (rank() + ahead) % ranks(), from = rank();
	for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x)
		words[i] = mapped(&words[(i + 33) % WORDS], from);
	meet();
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		unsigned at = ahead ? mapped(words, to) : (unsigned)__cvta_generic_to_shared(words);
		for (int i = 0; i < 64; i++)
			at = load(at);
		long long start = clock64();
#pragma unroll 16
		for (int i = 0; i < links; i++)
			at = load(at);
		*cycles = clock64() - start;
		*out = at;
	}
	meet();
}

/* Those of the first `writers` blocks that have one behind them. */
__global__ void __launch_bounds__(THREADS) stream(int turns, bool stores, unsigned writers, long long *cycles, unsigned *out)
{
	__shared__ alignas(16) unsigned words[THREADS * BYTES / 4];
	unsigned at = mapped(words + threadIdx.x * (BYTES / 4), (rank() + 1) % ranks()), sum = 0;
	for (unsigned i = threadIdx.x; i < THREADS * BYTES / 4; i += THREADS)
		words[i] = i;
	meet();
	long long start = clock64();
	if (rank() < writers) {
		for (int i = 0; i < turns; i++) {
			unsigned a = i, b = i, c = i, d = i;
			if (stores)
				asm volatile("st." SPACE ".v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(a), "r"(b),
					     "r"(c), "r"(d)
					     : "memory");
			else
				asm volatile("ld." SPACE ".v4.u32 {%0, %1, %2, %3}, [%4];"
					     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
					     : "r"(at)
					     : "memory");
			sum += a + b + c + d;
		}
	}
	if (stores)
		__threadfence();
	__syncthreads();
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*cycles = clock64() - start;
	out[blockIdx.x * THREADS + threadIdx.x] = sum;
	meet();
}

__global__ void fences(int turns, long long *cycles)
{
	__shared__ unsigned word;
	unsigned at = mapped(&word, (rank() + 1) % ranks());
	meet();
	long long start = clock64();
#pragma unroll 8
	for (int i = 0; i < turns; i++)
		asm volatile("st." SPACE ".u32 [%0], %1;\nfence.sc.cluster;" ::"r"(at), "r"(i) : "memory");
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*cycles = clock64() - start;
	meet();
}

__global__ void barriers(int turns, long long *cycles)
{
	meet();
	long long start = clock64();
#pragma unroll 8
	for (int i = 0; i < turns; i++)
		meet();
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*cycles = clock64() - start;
}

int main(int argc, char **argv)
{
	micro_begin(argc, argv, "dsm [PREFIX...]: shared memory of other blocks of a cluster");
	if (!micro_listing && micro_device().major < 9)
		return 0;
	long long *cycles = micro_listing ? NULL : micro_device_array<long long>(1);
	unsigned *out = micro_listing ? NULL : micro_device_array<unsigned>(16 * THREADS);
	auto links = [&](unsigned blocks, unsigned ahead) {
		double took[2];
		for (int i = 0; i < 2; i++) {
			micro_launch_cluster(chase, blocks, 32, 64 << i, ahead, cycles, out);
			took[i] = (double)micro_read(cycles);
		}
		return (took[1] - took[0]) / 64;
	};
	auto bytes = [&](unsigned blocks, bool stores, unsigned writers) {
		double took[2];
		for (int i = 0; i < 2; i++) {
			micro_launch_cluster(stream, blocks, THREADS, 8 << i, stores, writers, cycles, out);
			took[i] = (double)micro_read(cycles);
		}
		return 8.0 * THREADS * BYTES * writers / (took[1] - took[0]);
	};
	char name[32];
	if (micro_wanted("dsm.own"))
		micro_row("dsm.own", links(2, 0), "cycles");
	for (unsigned blocks = 2; blocks <= 16; blocks *= 2) {
		snprintf(name, sizeof name, "dsm.chase.%u", blocks);
		if (micro_wanted(name))
			micro_row(name, links(blocks, 1), "cycles");
	}
	if (micro_wanted("dsm.load"))
		micro_row("dsm.load", bytes(2, false, 1), "bytes/cycle");
	if (micro_wanted("dsm.store"))
		micro_row("dsm.store", bytes(2, true, 1), "bytes/cycle");
	for (unsigned blocks = 2; blocks <= 16; blocks *= 2) {
		snprintf(name, sizeof name, "dsm.ring.%u", blocks);
		if (micro_wanted(name))
			micro_row(name, bytes(blocks, true, blocks), "bytes/cycle");
	}
	if (micro_wanted("dsm.fence")) {
		double took[2];
		for (int i = 0; i < 2; i++) {
			micro_launch_cluster(fences, 2, 1, 16 << i, cycles);
			took[i] = (double)micro_read(cycles);
		}
		micro_row("dsm.fence", (took[1] - took[0]) / 16, "cycles");
	}
	for (unsigned blocks = 2; blocks <= 16; blocks *= 2) {
		snprintf(name, sizeof name, "dsm.barrier.%u", blocks);
		if (!micro_wanted(name))
			continue;
		double took[2];
		for (int i = 0; i < 2; i++) {
			micro_launch_cluster(barriers, blocks, 32, 16 << i, cycles);
			took[i] = (double)micro_read(cycles);
		}
		micro_row(name, (took[1] - took[0]) / 16, "cycles");
	}
	return 0;
}
