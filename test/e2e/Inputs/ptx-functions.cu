// The functions of <cuda/ptx> that barriers, clusters and sends are: a ring of blocks in which each gives the next one a word, a pair,
// four words and sums, and all special registers. Bulk copies are compiled only where they are called.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void __cluster_dims__(4) ring(unsigned *wrong)
{
	__shared__ uint64_t bar, full;
	__shared__ alignas(16) int four[4];
	__shared__ double two[2];
	__shared__ float one;
	__shared__ unsigned sum, bits;
	__shared__ int least;
	unsigned rank = ptx::get_sreg_cluster_ctarank(), right = (rank + 1) % 4, left = (rank + 3) % 4, bad = 0;
	bool first = ptx::elect_sync(~0u);
	if (first) {
		sum = bits = 0;
		least = 100;
		ptx::mbarrier_init(&bar, 1);
		ptx::mbarrier_init(&full, 32);
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	ptx::barrier_cluster_arrive(ptx::sem_release);
	ptx::barrier_cluster_wait(ptx::sem_acquire);
	uint64_t *there = ptx::mapa(ptx::space_cluster, &bar, right);
	bad += ptx::getctarank(ptx::space_cluster, there) != right || ptx::getctarank(ptx::space_cluster, &bar) != rank;
	if (first) {
		uint64_t state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 36 + 3 * 32 * 4);
		bad += ptx::mbarrier_test_wait(&bar, state) && left == rank;
		int words[4] = {(int)rank, -1, 3, 5};
		double pair[2] = {0.5 + rank, 2};
		ptx::st_async(ptx::mapa(ptx::space_cluster, four, right), words, there);
		ptx::st_async(ptx::mapa(ptx::space_cluster, two, right), pair, there);
		ptx::st_async(ptx::mapa(ptx::space_cluster, &one, right), rank + 0.25f, there);
	}
	ptx::red_async(ptx::op_add, ptx::mapa(ptx::space_cluster, &sum, right), (uint32_t)ptx::get_sreg_laneid(), there);
	ptx::red_async(ptx::op_min, ptx::mapa(ptx::space_cluster, &least, right), -(int32_t)threadIdx.x, there);
	ptx::red_async(ptx::op_or_op, ptx::mapa(ptx::space_cluster, &bits, right), 1u << threadIdx.x, there);
	while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0))
		;
	bad += four[0] != (int)left || four[1] != -1 || four[3] != 5 || two[0] != 0.5 + left || two[1] != 2 || one != left + 0.25f;
	bad += sum != 496 || least != -31 || bits != ~0u;
	ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, ptx::mapa(ptx::space_cluster, &full, right));
	while (!ptx::mbarrier_try_wait_parity(&full, 0, 1000))
		;
	bad += ptx::get_sreg_tid_x() != threadIdx.x || ptx::get_sreg_nctaid_x() != gridDim.x || ptx::get_sreg_cluster_nctarank() != 4;
	bad += ptx::get_sreg_clusterid_x() != blockIdx.x / 4 || !ptx::get_sreg_is_explicit_cluster();
	atomicAdd(wrong, bad);
	ptx::barrier_cluster_arrive();
	ptx::barrier_cluster_wait();
}

// cuda::barrier: bytes with an arrival, and arrivals from the other block of the cluster.
__global__ void __cluster_dims__(2) objects(unsigned *wrong)
{
	__shared__ barrier bar;
	__shared__ unsigned long long data;
	auto cluster = cg::this_cluster();
	if (!threadIdx.x)
		init(&bar, 1 + blockDim.x);
	cluster.sync();
	barrier *theirs = cluster.map_shared_rank(&bar, cluster.block_rank() ^ 1);
	uint64_t *handle = (uint64_t *)cuda::device::barrier_native_handle(*theirs);
	if (!threadIdx.x) {
		barrier::arrival_token token = cuda::device::barrier_arrive_tx(bar, 1, 8);
		if (bar.try_wait(token) && false)
			atomicAdd(wrong, 1);
		ptx::st_async((uint64_t *)cluster.map_shared_rank(&data, cluster.block_rank() ^ 1), (uint64_t)77, handle);
	}
	(void)theirs->arrive();
	bar.wait_parity(false);
	if (data != 77)
		atomicAdd(wrong, 1);
	cluster.sync();
}

// Another block's barrier: only arrivals go there.
__global__ void __cluster_dims__(2) elsewhere(unsigned *wrong, int what)
{
	__shared__ barrier bar;
	auto cluster = cg::this_cluster();
	init(&bar, 1);
	cluster.sync();
	barrier *theirs = cluster.map_shared_rank(&bar, cluster.block_rank() ^ 1);
	if (what == 1)
		init(theirs, 1);
	else if (what == 2)
		theirs->arrive_and_drop();
	else if (what == 3 ? theirs->try_wait(0) : theirs->try_wait_parity(true))
		*wrong = 0;
	cluster.sync();
}

int main(int argc, char **argv)
{
	unsigned *wrong;
	cudaMallocManaged(&wrong, 4);
	*wrong = 0;
	if (argc > 1) {
		elsewhere<<<2, 1>>>(wrong, *argv[1] - '0');
		return cudaDeviceSynchronize() != 0;
	}
	ring<<<8, 32>>>(wrong);
	objects<<<4, 64>>>(wrong);
	cudaError_t error = cudaDeviceSynchronize();
	printf("functions of PTX: %u wrong, %s\n", *wrong, cudaGetErrorName(error));
	return *wrong != 0;
}
