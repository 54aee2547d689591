/*
 * A persistent kernel with a scheduler for each cluster: as many clusters as fit stay until all tiles are done. The first
 * block of each takes the next number from a counter in global memory and tells the others through their barriers: with
 * st.async, whose bytes their phase waits for. When a block has its number it says so at the scheduler's barrier, so that
 * the number's place is free again. A tile is a square of a matrix; each block of a cluster sums up a part of its rows, and
 * hands the sum to the first one with red.async, which writes the tile's sum when all have come.
 * persistent [TILES [SIDE]]
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { BLOCKS = 4, THREADS = 128, TOLD = 0, FREE, SUMMED, BARRIERS };

__device__ static void wait_for(uint64_t *bar, uint32_t parity)
{
	while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, bar, parity))
		;
}

__global__ void __cluster_dims__(BLOCKS) __launch_bounds__(THREADS)
	sum_tiles(const int *matrix, int tiles, int side, unsigned *next, int *sums, int *by_cluster)
{
	__shared__ uint64_t bars[BARRIERS];
	__shared__ int tile, sum, warps[THREADS / 32];
	cg::cluster_group cluster = cg::this_cluster();
	unsigned rank = cluster.block_rank(), lane = threadIdx.x;
	if (!lane) {
		sum = 0;
		ptx::mbarrier_init(&bars[TOLD], 1);	 /* of the own block: its bytes */
		ptx::mbarrier_init(&bars[FREE], BLOCKS); /* of the first block: all have their number */
		ptx::mbarrier_init(&bars[SUMMED], 1);	 /* of the first block: the bytes of all sums */
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	cluster.sync();
	int done = 0;
	for (uint32_t round = 0;; round++) {
		if (!lane) {
			ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bars[TOLD], 4);
			if (!rank) {
				if (round)
					wait_for(&bars[FREE], (round - 1) & 1);
				ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
							       &bars[SUMMED], 4 * BLOCKS);
				int taken = (int)atomicAdd(next, 1u);
				for (unsigned i = 0; i < BLOCKS; i++)
					ptx::st_async(ptx::mapa(ptx::space_cluster, &tile, i), taken,
						      ptx::mapa(ptx::space_cluster, &bars[TOLD], i));
			}
		}
		wait_for(&bars[TOLD], round & 1);
		int mine = tile, part = 0;
		__syncthreads(); /* all threads have read it */
		if (!lane)
			ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
					     ptx::mapa(ptx::space_cluster, &bars[FREE], 0));
		if (mine >= tiles)
			break;
		const int *from = matrix + (size_t)mine * side * side;
		for (int row = (int)rank; row < side; row += BLOCKS)
			for (int i = (int)lane; i < side; i += THREADS)
				part += from[row * side + i];
		part = __reduce_add_sync(~0u, part);
		if (lane % 32 == 0)
			warps[lane / 32] = part;
		__syncthreads();
		if (!lane) {
			part = 0;
			for (int i = 0; i < THREADS / 32; i++)
				part += warps[i];
			ptx::red_async(ptx::op_add, ptx::mapa(ptx::space_cluster, &sum, 0), (int32_t)part,
				       ptx::mapa(ptx::space_cluster, &bars[SUMMED], 0));
			if (!rank) {
				wait_for(&bars[SUMMED], round & 1);
				sums[mine] = sum;
				sum = 0; /* nobody adds before the next number is told */
				done++;
			}
		}
	}
	if (!rank && !lane)
		by_cluster[blockIdx.x / BLOCKS] = done;
	cluster.sync();
}

int main(int argc, char **argv)
{
	int tiles = argc > 1 ? atoi(argv[1]) : 200, side = argc > 2 ? atoi(argv[2]) : 128, fits = 0, wrong = 0, all = 0, most = 0;
	if (tiles < 1 || side < 1) {
		fprintf(stderr, "persistent: expected two positive numbers\n");
		return 2;
	}
	size_t words = (size_t)tiles * side * side;
	int *matrix, *sums, *by_cluster;
	unsigned *next;
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim = {BLOCKS, 1, 1};
	config.gridDim = BLOCKS;
	config.blockDim = THREADS;
	config.attrs = &attribute;
	config.numAttrs = 1;
	cudaError_t error = cudaOccupancyMaxActiveClusters(&fits, sum_tiles, &config);
	int clusters = fits < (tiles + 1) / 2 ? fits : (tiles + 1) / 2;
	clusters = clusters > 0 ? clusters : 1;
	cudaMallocManaged(&matrix, words * sizeof *matrix);
	cudaMallocManaged(&sums, tiles * sizeof *sums);
	cudaMallocManaged(&by_cluster, clusters * sizeof *by_cluster);
	cudaMallocManaged(&next, sizeof *next);
	for (size_t i = 0; i < words; i++)
		matrix[i] = (int)(i * 7 % 1001) - 500;
	*next = 0;
	config.gridDim = clusters * BLOCKS;
	if (error == cudaSuccess)
		error = cudaLaunchKernelEx(&config, sum_tiles, (const int *)matrix, tiles, side, next, sums, by_cluster);
	if (error == cudaSuccess)
		error = cudaDeviceSynchronize();
	for (int tile = 0; tile < tiles && error == cudaSuccess; tile++) {
		int sum = 0;
		for (int i = 0; i < side * side; i++)
			sum += matrix[(size_t)tile * side * side + i];
		wrong += sums[tile] != sum;
	}
	for (int i = 0; i < clusters && error == cudaSuccess; i++) {
		all += by_cluster[i];
		most = most > by_cluster[i] ? most : by_cluster[i];
	}
	bool passed = error == cudaSuccess && !wrong && all == tiles;
	printf("sums of %d tiles of %d by %d clusters, %d at most by one: %s\n", tiles, side, clusters, most,
	       passed ? "PASSED" : error == cudaSuccess ? "FAILED" : cudaGetErrorString(error));
	return !passed;
}
