/*
 * Sums of rows: a cluster has a row, each of its blocks a part of it. The blocks of a cluster add their sums up through
 * the shared memory of its first one; no block goes through global memory for that.
 * reduction [ROWS [COLUMNS]]
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

enum { BLOCKS = 4, THREADS = 128 };

__global__ void __cluster_dims__(BLOCKS) __launch_bounds__(THREADS) sum_rows(const int *matrix, int columns, int *sums)
{
	__shared__ int part[BLOCKS], warps[THREADS / 32];
	cg::cluster_group cluster = cg::this_cluster();
	int row = blockIdx.x / BLOCKS, rank = (int)cluster.block_rank(), sum = 0;
	auto token = cluster.barrier_arrive(); /* this block is there */
	for (int i = rank * THREADS + (int)threadIdx.x; i < columns; i += BLOCKS * THREADS)
		sum += matrix[(size_t)row * columns + i];
	sum = __reduce_add_sync(~0u, sum);
	if (threadIdx.x % 32 == 0)
		warps[threadIdx.x / 32] = sum;
	__syncthreads();
	cluster.barrier_wait(static_cast<decltype(token) &&>(token)); /* and so are all others */
	if (threadIdx.x == 0) {
		sum = 0;
		for (int i = 0; i < THREADS / 32; i++)
			sum += warps[i];
		cluster.map_shared_rank(part, 0)[rank] = sum;
	}
	cluster.sync();
	if (rank == 0 && threadIdx.x == 0) {
		sum = 0;
		for (int i = 0; i < BLOCKS; i++)
			sum += part[i];
		sums[row] = sum;
	}
}

int main(int argc, char **argv)
{
	int rows = argc > 1 ? atoi(argv[1]) : 64, columns = argc > 2 ? atoi(argv[2]) : 2048, wrong = 0;
	int *matrix, *sums;
	cudaMallocManaged(&matrix, (size_t)rows * columns * sizeof *matrix);
	cudaMallocManaged(&sums, rows * sizeof *sums);
	for (int i = 0; i < rows * columns; i++)
		matrix[i] = i * 7 % 1001 - 500;
	sum_rows<<<rows * BLOCKS, THREADS>>>(matrix, columns, sums);
	cudaError_t error = cudaGetLastError();
	if (error == cudaSuccess)
		error = cudaDeviceSynchronize();
	for (int row = 0; row < rows; row++) {
		int sum = 0;
		for (int i = 0; i < columns; i++)
			sum += matrix[row * columns + i];
		wrong += sums[row] != sum;
	}
	printf("sums of %d rows of %d: %s\n", rows, columns,
	       error ? cudaGetErrorString(error) : wrong ? "FAILED" : "PASSED");
	return error || wrong;
}
