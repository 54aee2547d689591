/*
 * The runtime's typed functions: each has the arguments that nvcc's headers take. Values of those that compute; of the
 * block size that fills a multiprocessor also under a limit that is no multiple of a warp, and where no block fits.
 */
#include <cstdio>

__global__ void kernel(int *out, int value)
{
	out[threadIdx.x] = value;
}
__device__ int variable[4];
__global__ void copy(int *out)
{
	out[0] = variable[1];
}

static size_t shared_of(int size)
{
	return size * 64;
}

#define OK(call)                                                                              \
	do {                                                                                  \
		cudaError_t error = (call);                                                   \
		if (error != cudaSuccess)                                                     \
			printf("line %d: %s\n", __LINE__, cudaGetErrorName(error));           \
	} while (0)

int main()
{
	int n = -1, m = -1, grid = -1, block = -1, *p, host[4] = {1, 2, 3, 4};
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, 256, 0));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&m, kernel, 256, 0, cudaOccupancyDisableCachingOverride));
	printf("blocks: %d %d\n", n, m);
	OK(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, kernel, 0, 0, cudaOccupancyDefault));
	printf("size: %d %d\n", grid, block);
	OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 100));
	printf("limit: %d %d\n", grid, block);
	OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 1 << 20));
	printf("none: %d %d\n", grid, block);
	OK(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid, &block, kernel, shared_of, 512, 0));
	printf("variable: %d %d\n", grid, block);
	printf("null: %s\n", cudaGetErrorName(cudaOccupancyMaxPotentialBlockSize((int *)0, &block, kernel)));

	cudaMemPool_t pool;
	cudaStream_t stream;
	cudaKernel_t handle;
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	OK(cudaStreamCreate(&stream));
	OK(cudaMallocAsync(&p, 256, pool, stream));
	OK(cudaGetKernel(&handle, kernel));
	cudaLaunchConfig_t config = {};
	config.gridDim = config.blockDim = dim3(1);
	config.stream = stream;
	OK(cudaLaunchKernelEx(&config, handle, p, 7));
	int got = 0;
	OK(cudaMemcpyAsync(&got, p, sizeof got, cudaMemcpyDeviceToHost, stream));
	OK(cudaStreamSynchronize(stream));
	printf("launched: %d\n", got);

	cudaGraph_t graph;
	cudaGraphNode_t node;
	cudaGraphExec_t made;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemcpyNodeToSymbol(&node, graph, 0, 0, variable, host, 8, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphMemcpyNodeSetParamsToSymbol(node, variable, host + 2, 8, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphInstantiate(&made, graph, 0));
	OK(cudaGraphLaunch(made, stream));
	copy<<<1, 1, 0, stream>>>(p);
	OK(cudaMemcpyAsync(&got, p, sizeof got, cudaMemcpyDeviceToHost, stream));
	OK(cudaStreamSynchronize(stream));
	printf("symbol: %d\n", got);
	OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(made, node, variable, host + 1, 8, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphLaunch(made, stream));
	copy<<<1, 1, 0, stream>>>(p);
	OK(cudaMemcpyAsync(&got, p, sizeof got, cudaMemcpyDeviceToHost, stream));
	OK(cudaStreamSynchronize(stream));
	printf("symbol: %d\n", got);
}
