// Barriers and stores between the blocks of a cluster, and a ring of blocks that hand a value on,
// with arrivals, bytes that are expected and dropped elsewhere, and operations on words. Each number is worked out by hand.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__device__ unsigned in_block(const void *p, unsigned rank)
{
	unsigned at;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"((unsigned)__cvta_generic_to_shared(p)), "r"(rank));
	return at;
}
__device__ void init(void *bar, unsigned count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(bar)), "r"(count) : "memory");
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void wait(void *bar, unsigned parity)
{
	asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"((unsigned)__cvta_generic_to_shared(bar)), "r"(parity) : "memory");
}
__device__ unsigned is_over(void *bar, unsigned parity)
{
	unsigned is;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "r"((unsigned)__cvta_generic_to_shared(bar)), "r"(parity) : "memory");
	return is;
}

// Every block: 16 bytes, 8 and 4 of the left neighbour's, and what its 32 lanes add.
struct Box {
	unsigned quad[4];
	unsigned long long pair;
	unsigned word, sum, least;
	long long apart; // the barrier is 8 bytes behind it
	unsigned long long bar, full;
};

__global__ void ring(unsigned *wrong)
{
	__shared__ Box box;
	auto cluster = cg::this_cluster();
	unsigned rank = cluster.block_rank(), size = cluster.num_blocks(), right = (rank + 1) % size, left = (rank + size - 1) % size, lane = threadIdx.x, bad = 0;
	if (!lane) {
		box.sum = 0;
		box.least = 1000;
		init(&box.bar, 1);
		init(&box.full, 33);
	}
	cluster.sync();
	// 16 + 8 + 4 bytes of one lane, 4 bytes of each lane twice: 28 + 256.
	if (!lane)
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 284;" ::"r"((unsigned)__cvta_generic_to_shared(&box.bar)) : "memory");
	unsigned there = in_block(&box, right), bar = in_block(&box.apart, right);
	if (!lane) {
		asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5+8];" ::"r"(there), "r"(rank), "r"(rank + 1), "r"(rank + 2), "r"(rank + 3), "r"(bar) : "memory");
		asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0+16], %1, [%2+8];" ::"r"(there), "l"(0x100000000ull * rank + 5), "r"(bar) : "memory");
		asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0+24], %1, [%2+8];" ::"r"(there), "r"(rank + 7), "r"(bar) : "memory");
	}
	asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0+28], %1, [%2+8];" ::"r"(there), "r"(lane + rank), "r"(bar) : "memory");
	asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%0+32], %1, [%2+8];" ::"r"(there), "r"((int)rank - (int)lane), "r"(bar) : "memory");
#ifndef RACY
	wait(&box.bar, 0);
#endif
	bad += box.quad[0] != left || box.quad[1] != left + 1 || box.quad[2] != left + 2 || box.quad[3] != left + 3;
	bad += box.pair != 0x100000000ull * left + 5 || box.word != left + 7;
	bad += box.sum != 496 + 32 * left || (int)box.least != (int)left - 31;
	bad += is_over(&box.bar, 1);
	// 32 arrivals of the neighbour and one of a block that is told to expect 12 bytes, which the same neighbour says have come.
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(&box.full, right)) : "memory");
	if (!lane) {
		asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], 12;" ::"r"(in_block(&box.full, left)) : "memory");
		asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 12;" ::"r"(in_block(&box.full, left)) : "memory");
	}
	wait(&box.full, 0);
	cluster.sync(); // nobody arrives twice in a phase
	// One of them drops out for good: 32 end the next phase.
	if (!lane)
		asm volatile("mbarrier.arrive_drop.shared::cluster.b64 _, [%0];" ::"r"(in_block(&box.full, left)) : "memory");
	asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(in_block(&box.full, right)) : "memory");
	wait(&box.full, 1);
	bad += is_over(&box.full, 0);
	cluster.sync();
	asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(in_block(&box.full, right)) : "memory");
	wait(&box.full, 0);
	atomicAdd(wrong, bad);
	cluster.sync();
}

// What a remote store wrote is there when the arrival behind it is: blocks of rank 1 and up fill the table of rank 0.
__global__ void gathered(unsigned *wrong)
{
	__shared__ unsigned table[256];
	__shared__ unsigned long long bar;
	auto cluster = cg::this_cluster();
	unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
	if (!rank && !threadIdx.x)
		init(&bar, (size - 1) * blockDim.x);
	cluster.sync();
	for (unsigned round = 0; round < 3; round++) {
		if (rank) {
			unsigned *to = cluster.map_shared_rank(table, 0);
			to[(rank - 1) * blockDim.x + threadIdx.x] = round * 1000 + rank * 100 + threadIdx.x;
			asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(&bar, 0)) : "memory");
		} else {
			wait(&bar, round & 1);
			for (unsigned i = 1; i < size; i++)
				if (table[(i - 1) * blockDim.x + threadIdx.x] != round * 1000 + i * 100 + threadIdx.x)
					atomicAdd(wrong, 1);
		}
		cluster.sync();
	}
}

// An arrival does not overtake stores that wait in the load/store unit: each takes it 32 cycles, a line for every lane.
__global__ void queued(unsigned *wrong)
{
	__shared__ unsigned table[1024];
	__shared__ unsigned long long bar;
	auto cluster = cg::this_cluster();
	unsigned at = threadIdx.x % 32 * 32 + threadIdx.x / 32;
	if (!threadIdx.x)
		init(&bar, blockDim.x);
	table[at] = 0;
	cluster.sync();
	if (cluster.block_rank()) {
		cluster.map_shared_rank(table, 0)[at] = threadIdx.x + 1;
		asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(&bar, 0)) : "memory");
	} else {
		wait(&bar, 0);
		if (table[at] != threadIdx.x + 1)
			atomicAdd(wrong, 1);
	}
	cluster.sync();
}

// Without clusters the own block is rank 0.
__global__ void alone(unsigned *wrong)
{
	__shared__ unsigned word;
	__shared__ unsigned long long bar;
	if (!threadIdx.x) {
		init(&bar, 1);
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4;" ::"r"((unsigned)__cvta_generic_to_shared(&bar)) : "memory");
	}
	__syncthreads();
	if (threadIdx.x == 32)
		asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], 77, [%1];" ::"r"(in_block(&word, 0)), "r"(in_block(&bar, 0)) : "memory");
	wait(&bar, 0);
	if (word != 77)
		atomicAdd(wrong, 1);
}

// rank 0 waits for an arrival of rank 1, and both say how long that took from the cluster's barrier.
__global__ void timed(unsigned *cycles)
{
	__shared__ unsigned long long bar;
	auto cluster = cg::this_cluster();
	if (!threadIdx.x)
		init(&bar, 1);
	cluster.sync();
	unsigned begin = clock();
	if (cluster.block_rank())
		asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(&bar, 0)) : "memory");
	else {
		wait(&bar, 0);
		*cycles = clock() - begin;
	}
	cluster.sync();
}

// What is loaded from another block comes while a function runs, whose caller's registers --verify compares.
__device__ __noinline__ unsigned busy(unsigned x, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		x = x * 3 + i;
	return x;
}
__global__ void loads(unsigned *wrong, unsigned n)
{
	__shared__ volatile unsigned word[32];
	auto cluster = cg::this_cluster();
	word[threadIdx.x] = 100 + threadIdx.x;
	cluster.sync();
	unsigned far = cluster.map_shared_rank(word, cluster.block_rank() ^ 1)[31 - threadIdx.x];
	unsigned near = busy(threadIdx.x, n);
	if (far != 131 - threadIdx.x || near == 1)
		atomicAdd(wrong, 1);
	cluster.sync();
}

// 0: the barrier is not where the data are; 1: an arrival more than the other block expects.
__global__ void faulty(int what)
{
	__shared__ unsigned long long word, bar;
	auto cluster = cg::this_cluster();
	if (!threadIdx.x)
		init(&bar, 1);
	cluster.sync();
	if (cluster.block_rank() && !what)
		asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], 1, [%1];" ::"r"(in_block(&word, 0)), "r"(in_block(&bar, 1)) : "memory");
	if (cluster.block_rank() && what)
		asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0], 2;" ::"r"(in_block(&bar, 0)) : "memory");
	cluster.sync();
}

template <class... T>
static void launch(void (*kernel)(T...), unsigned blocks, unsigned cluster, unsigned threads, T... args)
{
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim = {cluster, 1, 1};
	cudaLaunchConfig_t config = {};
	config.gridDim = blocks;
	config.blockDim = threads;
	config.attrs = &attribute;
	config.numAttrs = 1;
	cudaLaunchKernelEx(&config, kernel, args...);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (*what == 'a' || *what == 'o') {
		launch(faulty, 2, 2, 1, (int)(*what == 'o'));
		return cudaDeviceSynchronize() != 0;
	}
	unsigned *out;
	cudaMallocManaged(&out, 8);
	out[0] = out[1] = 0;
	for (unsigned size = 2; size <= 8; size *= 2)
		launch(ring, 3 * size, size, 32, out);
	launch(gathered, 8, 4, 64, out);
	launch(queued, 2, 2, 512, out);
	alone<<<2, 64>>>(out);
	launch(loads, 2, 2, 32, out, 300u);
	launch(timed, 2, 2, 1, out + 1);
	cudaError_t error = cudaDeviceSynchronize();
	printf("remote barriers: %u wrong, %s", out[0], cudaGetErrorName(error));
	if (*what)
		printf(", %u cycles", out[1]);
	printf("\n");
	return out[0] != 0;
}
