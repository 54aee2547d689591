// <cuda_occupancy.h>: by formula what the runtime answers for this GPU, and numbers worked out by hand for a device that
// is described here.
#include <climits>
#include <cstdio>
#include <cuda_occupancy.h>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))

__global__ void few(int *x)
{
	x[threadIdx.x]++;
}

__global__ void tile(float *x)
{
	__shared__ float y[3000];
	y[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	x[threadIdx.x] = y[threadIdx.x ^ 1];
}

// Keeps many values at a time.
__global__ void many(float *x)
{
	float y[60];
	for (int i = 0; i < 60; i++)
		y[i] = x[i * 32 + threadIdx.x];
	for (int i = 0; i < 60; i++)
		for (int j = 0; j < i; j++)
			y[i] = y[i] * y[j] + x[j];
	for (int i = 0; i < 60; i++)
		x[i * 32 + threadIdx.x] = y[i];
}

template <class Kernel>
static void beside_the_runtime(Kernel kernel)
{
	cudaDeviceProp device;
	cudaFuncAttributes of_kernel;
	cudaGetDeviceProperties(&device, 0);
	cudaFuncGetAttributes(&of_kernel, kernel);
	cudaOccDeviceProp properties = device;
	cudaOccFuncAttributes attributes = of_kernel;
	cudaOccDeviceState state;
	cudaOccResult result;
	for (int threads = 32; threads <= 1024; threads += 32)
		for (int dynamic = 0; dynamic <= 40000; dynamic += 3333) {
			int blocks;
			cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic);
			cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes,
										     &state, threads, dynamic);
			if (error != CUDA_OCC_SUCCESS || result.activeBlocksPerMultiprocessor != blocks) {
				failures++;
				printf("%d threads, %d bytes: %d, not %d\n", threads, dynamic,
				       result.activeBlocksPerMultiprocessor, blocks);
			}
		}
	for (int blocks = 1; blocks < 6; blocks++) {
		size_t here = 0, there = 0;
		cudaOccError error = cudaOccAvailableDynamicSMemPerBlock(&here, &properties, &attributes, &state, blocks, 128);
		bool fits = cudaOccupancyAvailableDynamicSMemPerBlock(&there, kernel, blocks, 128) == cudaSuccess;
		EXPECT(fits == (error == CUDA_OCC_SUCCESS) && here == there);
	}
	int grid, size, other_grid, other_size;
	EXPECT(cudaOccMaxPotentialOccupancyBlockSize(&grid, &size, &properties, &attributes, &state) ==
	       CUDA_OCC_SUCCESS);
	cudaOccupancyMaxPotentialBlockSize(&other_grid, &other_size, kernel);
	EXPECT(grid == other_grid && size == other_size);
}

int main()
{
	beside_the_runtime(few);
	beside_the_runtime(tile);
	beside_the_runtime(many);

	// A V100 as NVIDIA describes it. 40 registers are 1,280 a warp: 12 warps in each quarter of 16,384, 48 in all, six
	// blocks of 8. 10,000 bytes are 10,240, nine times in 98,304. 64 warps are eight blocks.
	cudaOccDeviceProp v100;
	v100.computeMajor = 7;
	v100.maxThreadsPerBlock = 1024;
	v100.maxThreadsPerMultiprocessor = 2048;
	v100.regsPerBlock = v100.regsPerMultiprocessor = 65536;
	v100.warpSize = 32;
	v100.sharedMemPerBlock = 49152;
	v100.sharedMemPerMultiprocessor = v100.sharedMemPerBlockOptin = 98304;
	v100.numSms = 80;
	cudaOccFuncAttributes kernel;
	kernel.maxThreadsPerBlock = INT_MAX;
	kernel.numRegs = 40;
	kernel.sharedSizeBytes = 8000;
	kernel.numBlockBarriers = 1;
	cudaOccDeviceState state;
	cudaOccResult result;
	EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &v100, &kernel, &state, 256, 2000) == CUDA_OCC_SUCCESS);
	EXPECT(result.blockLimitRegs == 6 && result.blockLimitSharedMem == 9 && result.blockLimitWarps == 8);
	EXPECT(result.blockLimitBlocks == 32 && result.activeBlocksPerMultiprocessor == 6);
	EXPECT(result.limitingFactors == OCC_LIMIT_REGISTERS && result.allocatedRegistersPerBlock == 10240);
	EXPECT(result.allocatedSharedMemPerBlock == 10240);
	// Half of shared memory is 48 K: the next size is 64 K, six blocks; both limit.
	state.carveoutConfig = SHAREDMEM_CARVEOUT_HALF;
	EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &v100, &kernel, &state, 256, 2000) == CUDA_OCC_SUCCESS);
	EXPECT(result.blockLimitSharedMem == 6 && result.limitingFactors == (OCC_LIMIT_REGISTERS | OCC_LIMIT_SHARED_MEMORY));
	// Four blocks leave 24,576 bytes each, 8,000 of them the kernel's own.
	size_t dynamic;
	kernel.maxDynamicSharedSizeBytes = 20000;
	state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
	EXPECT(cudaOccAvailableDynamicSMemPerBlock(&dynamic, &v100, &kernel, &state, 4, 256) == CUDA_OCC_SUCCESS);
	EXPECT(dynamic == 16576);
	// 49,153 bytes are too many unless the kernel asked for them.
	EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &v100, &kernel, &state, 256, 41153) == CUDA_OCC_SUCCESS);
	EXPECT(result.activeBlocksPerMultiprocessor == 0 && result.limitingFactors == OCC_LIMIT_SHARED_MEMORY);
	kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
	kernel.maxDynamicSharedSizeBytes = 41153;
	EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &v100, &kernel, &state, 256, 41153) == CUDA_OCC_SUCCESS);
	EXPECT(result.activeBlocksPerMultiprocessor == 1);
	// 15 warps of 128 registers fit as 16; 17 as 20 do not.
	kernel.numRegs = 128;
	EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &v100, &kernel, &state, 480, 0) == CUDA_OCC_SUCCESS);
	EXPECT(result.blockLimitRegs == 1);
	EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &v100, &kernel, &state, 544, 0) == CUDA_OCC_SUCCESS);
	EXPECT(result.blockLimitRegs == 0);
	EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &v100, &kernel, &state, 0, 0) ==
	       CUDA_OCC_ERROR_INVALID_INPUT);
	// 128 bytes a thread and 4,096 of the kernel's own: one block has 672 threads in whole warps, two have 352 each in
	// half of 98,304 bytes, three have 224: 704 threads are the most.
	int grid, size;
	kernel.numRegs = 16;
	kernel.sharedSizeBytes = 4096;
	kernel.maxDynamicSharedSizeBytes = 90000;
	EXPECT(cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(&grid, &size, &v100, &kernel, &state,
								 [](int threads) { return size_t(threads) * 128; }) ==
	       CUDA_OCC_SUCCESS);
	EXPECT(grid == 160 && size == 352);
	v100.computeMajor = 3;
	EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &v100, &kernel, &state, 256, 0) ==
	       CUDA_OCC_ERROR_UNKNOWN_DEVICE);
	printf("occupancy: %s\n", failures ? "FAILED" : "PASSED");
}
