/*
 * Kernel launches and attributes. In a stream of the program's a grid waits for its turn (work.c), in the legacy stream
 * it runs to its end inside the launch call; what it did wrong is reported as CUDA reports it, by the next call or the
 * one that waits (the error is sticky), while a launch that cannot start is refused at once.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/occupancy.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/work.h"

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

uint8_t *hd_cudart_pack(const struct hd_meta_function *meta, void **args)
{
	uint8_t *bytes = hd_xcalloc(1, meta->param_bytes ? meta->param_bytes : 1);
	for (uint32_t i = 0; i < meta->param_count; i++)
		memcpy(bytes + meta->params[i].offset, args[i], meta->params[i].bytes);
	return bytes;
}

/* The driver API's numbers: 1 is followed by the buffer, 2 by a pointer to its size, 0 ends the list. */
cudaError_t hd_cudart_launch_buffer(void **extra, const void **buffer, size_t *size)
{
	*buffer = NULL;
	*size = 0;
	for (; extra && *extra; extra += 2) {
		if (*extra == (void *)1)
			*buffer = extra[1];
		else if (*extra == (void *)2)
			*size = *(const size_t *)extra[1];
		else
			return cudaErrorInvalidValue;
	}
	return *buffer || !*size ? cudaSuccess : cudaErrorInvalidValue;
}

/* What a block may have of dynamic shared memory: without cudaFuncSetAttribute, 48 KiB with its static memory. */
static uint32_t most_dynamic_shared(const struct hd_cudart *cudart, const struct hd_kernel *kernel)
{
	for (uint32_t i = 0; i < cudart->opted.len; i++)
		if (cudart->opted.data[i].kernel == kernel)
			return cudart->opted.data[i].bytes;
	int most = 0;
	uint32_t own = hd_kernel_metadata(kernel)->shared_bytes;
	hd_cudart_attribute(cudart->config, cudaDevAttrMaxSharedMemoryPerBlock, &most);
	return own < (uint32_t)most ? (uint32_t)most - own : 0;
}

static const struct hd_clustered *clusters_of(const struct hd_cudart *cudart, const struct hd_kernel *kernel)
{
	static const struct hd_clustered none;
	for (uint32_t i = 0; i < cudart->clustered.len; i++)
		if (cudart->clustered.data[i].kernel == kernel)
			return &cudart->clustered.data[i];
	return &none;
}

/* What the launch says of clusters, or else the kernel's attributes; what its source says the simulator knows. */
static void set_clusters(const struct hd_cudart *cudart, const struct hd_launch_how *how, struct hd_launch *launch)
{
	const struct hd_clustered *own = clusters_of(cudart, launch->kernel);
	bool asked = how->cluster[0] || how->cluster[1] || how->cluster[2];
	int policy = how->policy ? how->policy : own->policy;
	for (uint32_t i = 0; i < 3; i++)
		launch->cluster[i] = asked ? how->cluster[i] : (uint32_t)own->size[i];
	launch->large_clusters = own->large;
	launch->balanced = policy == cudaClusterSchedulingPolicyLoadBalancing;
}

static struct hd_launch request_of(const struct hd_cudart *cudart, struct hd_kernel *kernel, dim3 grid, dim3 block,
				   size_t shared, const struct hd_launch_how *how, const uint8_t *params)
{
	struct hd_launch launch = {
		.kernel = kernel,
		.grid = {grid.x, grid.y, grid.z},
		.block = {block.x, block.y, block.z},
		.dynamic_shared = shared < UINT32_MAX ? (uint32_t)shared : UINT32_MAX,
		.shared_limited = true,
		.most_dynamic_shared = most_dynamic_shared(cudart, kernel),
		.cooperative = how->cooperative,
		.programmatic = how->programmatic,
		.params = params,
		.param_bytes = hd_kernel_metadata(kernel)->param_bytes,
	};
	set_clusters(cudart, how, &launch);
	return launch;
}

bool hd_cudart_launch_of(const struct hd_cudart *cudart, cudaGraphNode_t node, struct hd_launch *launch)
{
	if (!node->u.kernel.kernel)
		return false;
	*launch = request_of(cudart, node->u.kernel.kernel, node->u.kernel.grid, node->u.kernel.block,
			     node->u.kernel.shared, &node->u.kernel.how, node->u.kernel.params);
	return true;
}

cudaError_t hd_cudart_launch_error(struct hd_cudart *cudart, int status)
{
	cudaError_t error = hd_cudart_sim_error(cudart, status);
	return cudart->sticky != cudaSuccess ? cudaSuccess : error;
}

cudaError_t hd_cudart_refused(struct hd_cudart *cudart, const struct hd_launch *launch, int status)
{
	if (launch->cooperative && (status == HD_SIM_TOO_MUCH_SHARED || status == HD_SIM_TOO_MANY_REGISTERS))
		status = HD_SIM_TOO_LARGE;		       /* no block is resident */
	if (launch->cluster[0] && status == HD_SIM_BAD_LAUNCH) /* as an H100 says it */
		return cudaErrorInvalidValue;
	return hd_cudart_launch_error(cudart, status);
}

cudaError_t hd_cudart_run(struct hd_cudart *cudart, struct hd_kernel *kernel, dim3 grid, dim3 block, size_t shared,
			  const struct hd_launch_how *how, const uint8_t *params)
{
	struct hd_launch request = request_of(cudart, kernel, grid, block, shared, how, params);
	if (shared > UINT32_MAX)
		return cudaErrorInvalidValue;
	if (cudart->later_code)
		hd_cudart_note_target(cudart, hd_kernel_target(kernel));
	cudaError_t error = hd_cudart_refresh_textures(cudart);
	if (error != cudaSuccess)
		return error;
	uint64_t ticket;
	request.in_a_row = cudart->in_a_row;
	int status = hd_sim_submit(cudart->sim, &request, &ticket);
	if (status)
		return hd_cudart_refused(cudart, &request, status);
	cudart->in_a_row = true;
	while (!hd_sim_finished(cudart->sim, ticket)) {
		int failed = hd_cudart_step(cudart);
		status = status ? status : failed;
	}
	return hd_cudart_launch_error(cudart, status);
}

static cudaError_t launch(struct hd_cudart *cudart, const void *func, dim3 grid, dim3 block, void **args, size_t shared,
			  cudaStream_t stream, const struct hd_launch_how *how)
{
	cudaGraphNode_t node;
	cudaError_t error = hd_cudart_start_beside(cudart);
	if (error != cudaSuccess)
		return error;
	struct hd_kernel *kernel = hd_cudart_kernel(cudart, func);
	if (!kernel)
		return hd_cudart_no_kernel(func);
	if (cudart->config->compute_major < 9 && (how->cluster[0] > 1 || how->cluster[1] > 1 || how->cluster[2] > 1))
		return cudaErrorNotSupported;
	if ((hd_kernel_metadata(kernel)->param_count && !args) || shared > UINT32_MAX)
		return cudaErrorInvalidValue;
	error = hd_cudart_capture(cudart, stream, cudaGraphNodeTypeKernel, &node);
	if (error != cudaSuccess)
		return error;
	if (node) {
		struct cudaKernelNodeParams params = {(void *)(uintptr_t)func, grid, block,
						      (unsigned)shared,	       args, NULL};
		return hd_cudart_deferred(cudart, stream, node, hd_graph_set_kernel(cudart, node, &params, how));
	}
	uint8_t *params = hd_cudart_pack(hd_kernel_metadata(kernel), args);
	error = hd_cudart_run(cudart, kernel, grid, block, shared, how, params);
	free(params);
	return error;
}

cudaError_t hd_cudart_no_kernel(const void *func)
{
	return func ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}

struct hd_kernel *hd_cudart_kernel(struct hd_cudart *cudart, const void *host)
{
	struct hd_registered *function = hd_cudart_function(cudart, host);
	return function && hd_kernel_metadata(function->kernel) ? function->kernel : NULL;
}

static cudaError_t find_kernel(struct hd_cudart *cudart, const void *func, struct hd_registered **function)
{
	cudaError_t error = hd_cudart_start_beside(cudart);
	if (error != cudaSuccess)
		return error;
	*function = hd_cudart_function(cudart, func);
	return *function && hd_kernel_metadata((*function)->kernel) ? cudaSuccess : hd_cudart_no_kernel(func);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
			     cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	const struct hd_launch_how how = {.cooperative = false};
	return hd_cudart_return(launch(cudart, func, gridDim, blockDim, args, sharedMem, stream, &how));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
					cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	const struct hd_launch_how how = {.cooperative = true};
	return hd_cudart_return(launch(cudart, func, gridDim, blockDim, args, sharedMem, stream, &how));
}

/* What an H100 (driver 580, CUDA 13.0) refuses of attributes that mean nothing here. */
static cudaError_t check_attribute(const cudaLaunchAttribute *attr)
{
	const cudaLaunchAttributeValue *val = &attr->val;
	const struct cudaAccessPolicyWindow *window = &val->accessPolicyWindow;
	int first;
	void *event;
	memcpy(&first, val, sizeof first);
	memcpy(&event, val, sizeof event);
	bool good;
	switch (attr->id) {
	case cudaLaunchAttributeAccessPolicyWindow:
		good = window->hitRatio >= 0 && window->hitRatio <= 1 && window->num_bytes < (size_t)1 << 47;
		break;
	case cudaLaunchAttributeClusterSchedulingPolicyPreference: good = first >= 0 && first <= 2; break;
	case cudaLaunchAttributeProgrammaticEvent:
	case cudaLaunchAttributeLaunchCompletionEvent: return event ? cudaSuccess : cudaErrorInvalidResourceHandle;
	case cudaLaunchAttributeMemSyncDomainMap: good = (first & 0xff) < 4 && (first >> 8 & 0xff) < 4; break;
	case cudaLaunchAttributeMemSyncDomain: good = first >= 0 && first <= cudaLaunchMemSyncDomainRemote; break;
	case cudaLaunchAttributePreferredSharedMemoryCarveout: good = first >= -1 && first <= 100; break;
	case cudaLaunchAttributeIgnore:
	case cudaLaunchAttributeCooperative:
	case cudaLaunchAttributeClusterDimension:
	case cudaLaunchAttributeProgrammaticStreamSerialization:
	case cudaLaunchAttributePriority:
	case cudaLaunchAttributePreferredClusterDimension:
	case cudaLaunchAttributeDeviceUpdatableKernelNode: good = true; break;
	default: good = false; break; /* of streams alone, or none */
	}
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

/* The blocks of a cluster that an attribute asks for; all zeros: none. */
static cudaError_t read_cluster(const cudaLaunchAttributeValue *value, struct hd_launch_how *how)
{
	const uint32_t size[3] = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
	bool some = size[0] || size[1] || size[2];
	if (some && (!size[0] || !size[1] || !size[2]))
		return cudaErrorInvalidClusterSize;
	memcpy(how->cluster, size, sizeof how->cluster);
	return cudaSuccess;
}

static cudaError_t read_config(const cudaLaunchConfig_t *config, struct hd_launch_how *how)
{
	enum { MOST_ATTRIBUTES = 64 }; /* more than there are: no table stands behind such a number */
	if (!config || (config->numAttrs && !config->attrs) || config->numAttrs > MOST_ATTRIBUTES)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const cudaLaunchAttribute *attr = &config->attrs[i];
		cudaError_t error = check_attribute(attr);
		if (error == cudaSuccess && attr->id == cudaLaunchAttributeClusterDimension)
			error = read_cluster(&attr->val, how);
		if (error != cudaSuccess)
			return error;
		if (attr->id == cudaLaunchAttributeCooperative)
			how->cooperative = attr->val.cooperative != 0;
		if (attr->id == cudaLaunchAttributeProgrammaticStreamSerialization)
			how->programmatic = attr->val.programmaticStreamSerializationAllowed != 0;
		if (attr->id == cudaLaunchAttributeClusterSchedulingPolicyPreference)
			how->policy = (int)attr->val.clusterSchedulingPolicyPreference;
	}
	return cudaSuccess;
}

/* Attributes that only hint (priorities, policies of L2) mean nothing here. */
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
	HD_CUDART(cudart);
	struct hd_launch_how how = {.cooperative = false};
	if (config)
		HD_VALID(STREAM, config->stream);
	HD_TRY(read_config(config, &how));
	return hd_cudart_return(launch(cudart, func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
				       config->stream, &how));
}

/* Called with the lock free, since the function may call the runtime. */
static cudaError_t capture_host(cudaStream_t stream, cudaHostFn_t fn, cudaStreamCallback_t callback, void *data,
				bool *captured)
{
	HD_CUDART(cudart);
	cudaGraphNode_t node;
	HD_TRY(hd_cudart_start_beside(cudart));
	HD_TRY(hd_cudart_capture(cudart, stream, cudaGraphNodeTypeHost, &node));
	*captured = node != NULL;
	if (node) {
		node->u.host.fn = fn;
		node->u.host.callback = callback;
		node->u.host.data = data;
		node->u.host.stream = stream;
	}
	return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
	HD_VALID_APART(STREAM, stream);
	bool captured;
	if (!fn)
		return hd_cudart_return(cudaErrorInvalidValue);
	cudaError_t error = capture_host(stream, fn, NULL, userData, &captured);
	if (error == cudaSuccess && !captured)
		fn(userData);
	return error;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
				  unsigned int flags)
{
	HD_VALID_APART(STREAM, stream);
	bool captured = false;
	if (!callback || flags)
		return hd_cudart_return(cudaErrorInvalidValue);
	cudaError_t error = capture_host(stream, NULL, callback, userData, &captured);
	if (!captured)
		callback(stream, error, userData);
	return error;
}

/* ------------------------------------------------------------ attributes */

/* The largest block that can be launched: its registers and shared memory have to fit on an SM. */
static uint32_t most_threads(const struct hd_config *config, const struct hd_meta_function *meta)
{
	struct hd_sm_limits limits = hd_sm_limits_of(config);
	uint32_t threads = meta->max_threads ? meta->max_threads : config->max_threads_per_cta;
	while (threads && !hd_occupancy_compute(&limits, meta->registers, threads, meta->shared_bytes).ctas)
		threads = (threads - 1) / limits.warp_lanes * limits.warp_lanes;
	return threads;
}

/*
 * What a kernel is for, and what runs: PTX of its target is there, and machine code of it, which GPUs of the same major
 * version run as it is and others get compiled from the PTX. Libraries choose by it what they launch (CUB's policies).
 */
static void set_versions(const struct hd_config *config, const struct hd_kernel *kernel,
			 struct cudaFuncAttributes *attr)
{
	int card = hd_cudart_capability(config), target = hd_cudart_target(hd_kernel_target(kernel));
	int code = target ? target : card;
	attr->ptxVersion = code;
	attr->binaryVersion = code / 10 >= card / 10 ? code : card;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
	HD_CUDART(cudart);
	if (!attr)
		return hd_cudart_return(cudaErrorInvalidValue);
	struct hd_registered *function;
	HD_TRY(find_kernel(cudart, func, &function));
	const struct hd_meta_function *meta = hd_kernel_metadata(function->kernel);
	const struct hd_config *config = cudart->config;
	memset(attr, 0, sizeof *attr);
	attr->sharedSizeBytes = meta->shared_bytes;
	attr->localSizeBytes = meta->max_stack_bytes;
	attr->numRegs = (int)meta->registers;
	attr->maxThreadsPerBlock = (int)most_threads(config, meta);
	set_versions(config, function->kernel, attr);
	attr->maxDynamicSharedSizeBytes = (int)most_dynamic_shared(cudart, function->kernel);
	attr->preferredShmemCarveout = -1;
	const struct hd_clustered *clusters = clusters_of(cudart, function->kernel);
	bool required = meta->cluster[0] != 0;
	attr->clusterDimMustBeSet = required;
	attr->requiredClusterWidth = required ? (int)meta->cluster[0] : clusters->size[0];
	attr->requiredClusterHeight = required ? (int)meta->cluster[1] : clusters->size[1];
	attr->requiredClusterDepth = required ? (int)meta->cluster[2] : clusters->size[2];
	attr->clusterSchedulingPolicyPreference = clusters->policy;
	attr->nonPortableClusterSizeAllowed = clusters->large;
	return cudaSuccess;
}

/* Sizes that the source fixes (__cluster_dims__) cannot be set; others are looked at when the kernel is launched. */
static cudaError_t set_clustered(struct hd_cudart *cudart, const struct hd_kernel *kernel, enum cudaFuncAttribute attr,
				 int value)
{
	struct hd_clustered now = *clusters_of(cudart, kernel);
	now.kernel = kernel;
	switch (attr) {
	case cudaFuncAttributeRequiredClusterWidth:
	case cudaFuncAttributeRequiredClusterHeight:
	case cudaFuncAttributeRequiredClusterDepth:
		if (hd_kernel_metadata(kernel)->cluster[0])
			return cudaErrorNotPermitted;
		if (value < 0)
			return cudaErrorInvalidValue;
		now.size[attr - cudaFuncAttributeRequiredClusterWidth] = value;
		break;
	case cudaFuncAttributeNonPortableClusterSizeAllowed: now.large = value != 0; break;
	case cudaFuncAttributeClusterSchedulingPolicyPreference:
		if (value < 0 || value > cudaClusterSchedulingPolicyLoadBalancing)
			return cudaErrorInvalidValue;
		now.policy = value;
		break;
	default: return cudaErrorInvalidValue;
	}
	for (uint32_t i = 0; i < cudart->clustered.len; i++)
		if (cudart->clustered.data[i].kernel == kernel) {
			cudart->clustered.data[i] = now;
			return cudaSuccess;
		}
	hd_vec_push(&cudart->clustered, now);
	return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
	HD_CUDART(cudart);
	struct hd_registered *function;
	HD_TRY(find_kernel(cudart, func, &function));
	struct hd_kernel *kernel = function->kernel;
	uint64_t own = hd_kernel_metadata(kernel)->shared_bytes, card = cudart->config->shared_per_cta;
	if (attr == cudaFuncAttributePreferredSharedMemoryCarveout)
		return hd_cudart_return(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
	if (attr > cudaFuncAttributePreferredSharedMemoryCarveout)
		return hd_cudart_return(set_clustered(cudart, kernel, attr, value));
	if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || (uint64_t)value + own > card)
		return hd_cudart_return(cudaErrorInvalidValue);
	for (uint32_t i = 0; i < cudart->opted.len; i++)
		if (cudart->opted.data[i].kernel == kernel) {
			cudart->opted.data[i].bytes = (uint32_t)value;
			return cudaSuccess;
		}
	hd_vec_push(&cudart->opted, (struct hd_opted){kernel, (uint32_t)value});
	return cudaSuccess;
}

/* Preferences about the split of L1 and shared memory: the model takes what resident CTAs use. */
cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
	HD_CUDART(cudart);
	struct hd_registered *function;
	if ((unsigned)config > cudaFuncCachePreferEqual)
		return hd_cudart_return(cudaErrorInvalidValue);
	return hd_cudart_return(find_kernel(cudart, func, &function));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
	if ((unsigned)config > cudaSharedMemBankSizeEightByte)
		return hd_cudart_return(cudaErrorInvalidValue);
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
	bool taken = dynamicSMemSize <= most_dynamic_shared(cudart, function->kernel);
	int status =
		hd_sim_occupancy(cudart->sim, function->kernel, (uint32_t)blockSize, (uint32_t)dynamicSMemSize, &ctas);
	*numBlocks = status || !taken ? 0 : (int)ctas; /* as a launch would be refused */
	return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func, int blockSize,
								   size_t dynamicSMemSize, unsigned int flags)
{
	if (flags > cudaOccupancyDisableCachingOverride)
		return hd_cudart_return(cudaErrorInvalidValue);
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize, dynamicSMemSize);
}

/* Bytes of an SM's shared memory that each of so many blocks can have. */
static size_t shared_of_each(int blocks)
{
	HD_CUDART(cudart);
	const struct hd_config *config = cudart->config;
	size_t unit = (size_t)config->shared_unit, most = (size_t)config->shared_per_cta;
	size_t each = (size_t)config->shared_bytes / (size_t)blocks / unit * unit;
	return each < most ? each : most;
}

/*
 * Each block's part of an SM's shared memory, without what the kernel has of its own. As on an H100 what CUDA reserves
 * for blocks is not taken off, so that as many blocks as asked for may not fit with so much.
 */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func, int numBlocks,
						      int blockSize)
{
	struct cudaFuncAttributes attributes;
	int blocks;
	if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0)
		return hd_cudart_return(cudaErrorInvalidValue);
	cudaError_t error = cudaFuncGetAttributes(&attributes, func);
	if (error == cudaSuccess)
		error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, func, blockSize, 0);
	if (error != cudaSuccess)
		return error;
	if (blocks < numBlocks)
		return hd_cudart_return(cudaErrorInvalidValue);
	size_t free_bytes = shared_of_each(numBlocks) - attributes.sharedSizeBytes;
	size_t asked = (size_t)attributes.maxDynamicSharedSizeBytes;
	*dynamicSmemSize = free_bytes < asked ? free_bytes : asked;
	return cudaSuccess;
}

/* ------------------------------------------------------------ clusters */

/* How many clusters of a launch are resident at a time; 0: it would be refused. */
static cudaError_t count_clusters(struct hd_cudart *cudart, const struct hd_launch *launch, int *count)
{
	uint32_t clusters;
	int status = hd_sim_clusters(cudart->sim, launch, &clusters);
	*count = status ? 0 : (int)clusters;
	return status == HD_SIM_BAD_LAUNCH ? cudaErrorInvalidConfiguration : cudaSuccess;
}

/* The launch that the arguments describe, without its parameters. */
static cudaError_t described(struct hd_cudart *cudart, const void *func, const cudaLaunchConfig_t *config,
			     struct hd_launch *launch)
{
	static const uint8_t no_params[HD_CB_BYTES];
	struct hd_launch_how how = {.cooperative = false};
	struct hd_registered *function;
	cudaError_t error = read_config(config, &how);
	if (error == cudaSuccess)
		error = find_kernel(cudart, func, &function);
	if (error == cudaSuccess)
		*launch = request_of(cudart, function->kernel, config->gridDim, config->blockDim,
				     config->dynamicSmemBytes, &how, no_params);
	return error;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func, const cudaLaunchConfig_t *config)
{
	HD_CUDART(cudart);
	struct hd_launch launch;
	if (!numClusters)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(described(cudart, func, config, &launch));
	return hd_cudart_return(count_clusters(cudart, &launch, numClusters));
}

/* The largest power of two, whatever cluster and grid the arguments have; that of the source, if it has one. */
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func, const cudaLaunchConfig_t *config)
{
	HD_CUDART(cudart);
	struct hd_launch launch;
	int clusters = 0;
	if (!clusterSize)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(described(cudart, func, config, &launch));
	const uint32_t *own = hd_kernel_metadata(launch.kernel)->cluster;
	uint32_t size = own[0] ? own[0] * own[1] * own[2] : launch.large_clusters ? 16 : 8;
	for (; size && !clusters && !own[0]; size /= clusters ? 1 : 2) {
		launch.grid[0] = launch.cluster[0] = size;
		launch.grid[1] = launch.grid[2] = launch.cluster[1] = launch.cluster[2] = 1;
		HD_TRY(count_clusters(cudart, &launch, &clusters));
	}
	*clusterSize = (int)size;
	return cudaSuccess;
}
