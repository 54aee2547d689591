/*
 * Kernel launches and attributes. A grid runs to its end inside the launch call; what it did wrong is
 * reported as CUDA reports it, by the next call (the error is sticky), while a launch that cannot
 * start is refused at once.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/cudart/context.h"

/* One pending `<<<grid, block, shared, stream>>>` for each nesting of launches in the arguments. */
struct configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};
#define HD_MAX_NESTED_LAUNCHES 64
static _Thread_local struct configuration configurations[HD_MAX_NESTED_LAUNCHES];
static _Thread_local unsigned configuration_count;

unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, struct CUstream_st *stream)
{
	if (configuration_count == HD_MAX_NESTED_LAUNCHES) {
		hd_cudart_return(cudaErrorInvalidConfiguration);
		return 1;
	}
	configurations[configuration_count++] = (struct configuration){gridDim, blockDim, sharedMem, stream};
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream)
{
	if (!configuration_count)
		return hd_cudart_return(cudaErrorMissingConfiguration);
	const struct configuration *top = &configurations[--configuration_count];
	*gridDim = top->grid;
	*blockDim = top->block;
	*sharedMem = top->shared;
	*(cudaStream_t *)stream = top->stream;
	return cudaSuccess;
}

/* Lays the arguments out as the kernel's metadata says. The caller frees the bytes. */
static uint8_t *pack_arguments(const struct hd_meta_function *meta, void **args)
{
	uint8_t *bytes = hd_xcalloc(1, meta->param_bytes ? meta->param_bytes : 1);
	for (uint32_t i = 0; i < meta->param_count; i++)
		memcpy(bytes + meta->params[i].offset, args[i], meta->params[i].bytes);
	return bytes;
}

static cudaError_t launch(struct hd_cudart *cudart, const void *func, dim3 grid, dim3 block, void **args, size_t shared,
			  bool cooperative)
{
	cudaError_t error = hd_cudart_start(cudart);
	if (error != cudaSuccess)
		return error;
	struct hd_registered *function = hd_cudart_function(cudart, func);
	if (!function)
		return cudaErrorInvalidDeviceFunction;
	const struct hd_meta_function *meta = hd_kernel_metadata(function->kernel);
	if (!meta || shared > UINT32_MAX || (meta->param_count && !args))
		return cudaErrorInvalidValue;
	uint8_t *params = pack_arguments(meta, args);
	struct hd_launch request = {
		.kernel = function->kernel,
		.grid = {grid.x, grid.y, grid.z},
		.block = {block.x, block.y, block.z},
		.dynamic_shared = (uint32_t)shared,
		.cooperative = cooperative,
		.params = params,
		.param_bytes = meta->param_bytes,
	};
	uint32_t places = hd_sim_check_places(cudart->sim);
	int status = hd_sim_launch(cudart->sim, &request);
	free(params);
	if (!places && hd_sim_check_places(cudart->sim))
		hd_cudart_report("check", "something was found");
	if (status == HD_SIM_BAD_LAUNCH && shared > cudart->config.shared_per_cta)
		return cudaErrorInvalidValue; /* as CUDA has it, unlike a wrong grid or block */
	error = hd_cudart_sim_error(cudart, status);
	return cudart->sticky != cudaSuccess ? cudaSuccess : error;
}

static cudaError_t find_kernel(struct hd_cudart *cudart, const void *func, struct hd_registered **function)
{
	cudaError_t error = hd_cudart_start(cudart);
	if (error != cudaSuccess)
		return error;
	*function = hd_cudart_function(cudart, func);
	return *function && hd_kernel_metadata((*function)->kernel) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
			     cudaStream_t stream)
{
	HD_CUDART(cudart);
	(void)stream;
	return hd_cudart_return(launch(cudart, func, gridDim, blockDim, args, sharedMem, false));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
					cudaStream_t stream)
{
	HD_CUDART(cudart);
	(void)stream;
	return hd_cudart_return(launch(cudart, func, gridDim, blockDim, args, sharedMem, true));
}

/* Attributes that only hint (priorities, policies, the next launch's early start) mean nothing here; clusters are not
 * there. */
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
	HD_CUDART(cudart);
	bool cooperative = false;
	if (!config || (config->numAttrs && !config->attrs))
		return hd_cudart_return(cudaErrorInvalidValue);
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const cudaLaunchAttribute *attr = &config->attrs[i];
		if (attr->id == cudaLaunchAttributeCooperative)
			cooperative = attr->val.cooperative != 0;
		if (attr->id == cudaLaunchAttributeClusterDimension &&
		    (attr->val.clusterDim.x > 1 || attr->val.clusterDim.y > 1 || attr->val.clusterDim.z > 1))
			return hd_cudart_return(cudaErrorNotSupported);
	}
	return hd_cudart_return(
		launch(cudart, func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, cooperative));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
	(void)stream;
	if (!fn)
		return hd_cudart_return(cudaErrorInvalidValue);
	fn(userData);
	return cudaSuccess;
}

/* ------------------------------------------------------------ attributes */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
	HD_CUDART(cudart);
	struct hd_registered *function;
	HD_TRY(find_kernel(cudart, func, &function));
	const struct hd_meta_function *meta = hd_kernel_metadata(function->kernel);
	const struct hd_config *config = &cudart->config;
	memset(attr, 0, sizeof *attr);
	attr->sharedSizeBytes = meta->shared_bytes;
	attr->localSizeBytes = meta->max_stack_bytes;
	attr->numRegs = (int)meta->registers;
	attr->maxThreadsPerBlock = (int)(meta->max_threads ? meta->max_threads : config->max_threads_per_cta);
	attr->ptxVersion = attr->binaryVersion = (int)(config->compute_major * 10 + config->compute_minor);
	attr->maxDynamicSharedSizeBytes = (int)(config->shared_per_cta - meta->shared_bytes);
	return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
	HD_CUDART(cudart);
	struct hd_registered *function;
	HD_TRY(find_kernel(cudart, func, &function));
	uint64_t limit = cudart->config.shared_per_cta - hd_kernel_metadata(function->kernel)->shared_bytes;
	if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize) {
		if (value < 0 || (uint64_t)value > limit)
			return hd_cudart_return(cudaErrorInvalidValue);
		function->max_dynamic_shared = (uint32_t)value;
	} else if (attr != cudaFuncAttributePreferredSharedMemoryCarveout) {
		return hd_cudart_return(cudaErrorInvalidValue);
	}
	return cudaSuccess;
}

/* Preferences about the split of L1 and shared memory: the model takes what resident CTAs use. */
cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
	HD_CUDART(cudart);
	struct hd_registered *function;
	(void)config;
	return hd_cudart_return(find_kernel(cudart, func, &function));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
	(void)config;
	return cudaFuncSetCacheConfig(func, cudaFuncCachePreferNone);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize,
							  size_t dynamicSMemSize)
{
	HD_CUDART(cudart);
	struct hd_registered *function;
	uint32_t ctas;
	if (!numBlocks || blockSize <= 0 || dynamicSMemSize > UINT32_MAX)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(find_kernel(cudart, func, &function));
	int status =
		hd_sim_occupancy(cudart->sim, function->kernel, (uint32_t)blockSize, (uint32_t)dynamicSMemSize, &ctas);
	*numBlocks = status ? 0 : (int)ctas;
	return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func, int blockSize,
								   size_t dynamicSMemSize, unsigned int flags)
{
	(void)flags;
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize, dynamicSMemSize);
}
