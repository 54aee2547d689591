/*
 * A histogram whose bins are spread over the shared memory of the blocks of a cluster: as many bins as the blocks of a
 * cluster hold together. A value's bin is in one block, whichever block reads the value.
 * histogram [VALUES [BINS [BLOCKS]]]: of a cluster; 0 blocks: each block adds to all bins, in global memory.
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

extern __shared__ int own[];

__global__ void in_cluster(const unsigned *values, int count, int *bins, int bin_count)
{
	cg::cluster_group cluster = cg::this_cluster();
	int blocks = (int)cluster.num_blocks(), rank = (int)cluster.block_rank(), each = (bin_count + blocks - 1) / blocks;
	for (int i = threadIdx.x; i < each; i += blockDim.x)
		own[i] = 0;
	cluster.sync(); /* bins are zero, and all blocks are there */
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
		int bin = (int)(values[i] % bin_count);
		atomicAdd(cluster.map_shared_rank(own, bin / each) + bin % each, 1);
	}
	cluster.sync(); /* nobody adds any more, and no block ends while others add to its bins */
	for (int i = threadIdx.x; i < each && rank * each + i < bin_count; i += blockDim.x)
		atomicAdd(bins + rank * each + i, own[i]);
}

__global__ void in_memory(const unsigned *values, int count, int *bins, int bin_count)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		atomicAdd(bins + values[i] % bin_count, 1);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1 << 16, bin_count = argc > 2 ? atoi(argv[2]) : 4096;
	int blocks = argc > 3 ? atoi(argv[3]) : 8, threads = 256, grid = 64;
	unsigned *values, x = 1;
	int *bins;
	std::vector<int> expected(bin_count);
	cudaMallocManaged(&values, count * sizeof *values);
	cudaMallocManaged(&bins, bin_count * sizeof *bins);
	for (int i = 0; i < count; i++) {
		x = x * 1664525 + 1013904223;
		values[i] = x >> 8;
		expected[values[i] % bin_count]++;
	}
	cudaMemset(bins, 0, bin_count * sizeof *bins);
	if (blocks) {
		cudaLaunchConfig_t config = {};
		cudaLaunchAttribute attribute = {};
		attribute.id = cudaLaunchAttributeClusterDimension;
		attribute.val.clusterDim.x = blocks;
		attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
		config.gridDim = grid / blocks * blocks;
		config.blockDim = threads;
		config.dynamicSmemBytes = (bin_count + blocks - 1) / blocks * sizeof(int);
		config.attrs = &attribute;
		config.numAttrs = 1;
		cudaFuncSetAttribute(in_cluster, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)config.dynamicSmemBytes);
		cudaFuncSetAttribute(in_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
		cudaLaunchKernelEx(&config, in_cluster, (const unsigned *)values, count, bins, bin_count);
	} else {
		in_memory<<<grid, threads>>>(values, count, bins, bin_count);
	}
	cudaError_t error = cudaGetLastError();
	if (error == cudaSuccess)
		error = cudaDeviceSynchronize();
	int wrong = 0;
	for (int i = 0; i < bin_count; i++)
		wrong += bins[i] != expected[i];
	printf("histogram of %d values in %d bins: %s\n", count, bin_count,
	       error ? cudaGetErrorString(error) : wrong ? "FAILED" : "PASSED");
	return error || wrong;
}
