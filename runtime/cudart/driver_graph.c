/*
 * What the driver API has of the runtime's graphs, streams and pools: the same functions under other names, nodes with
 * other structures, and what is not supported in either API.
 */
#include "runtime/cudart/driver_array.h"
#include "runtime/cudart/graph.h"

#define HD_DRIVER_SAME(name, runtime, parameters, arguments) \
	CUresult name parameters                              \
	{                                                     \
		HD_DRIVER(runtime arguments);                 \
	}
#define HD_DRIVER_FORMS(name, runtime, parameters, arguments) /* batch_forms.c */
#include "cuda/heddle_driver_same.def"
#undef HD_DRIVER_SAME

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define HD_UNSUPPORTED_RUNTIME(name, ...)                        \
	cudaError_t name(__VA_ARGS__)                            \
	{                                                        \
		return hd_cudart_return(cudaErrorNotSupported);  \
	}
#define HD_UNSUPPORTED_DRIVER(name, ...)          \
	CUresult name(__VA_ARGS__)                \
	{                                         \
		return CUDA_ERROR_NOT_SUPPORTED;  \
	}
#include "cuda/heddle_unsupported.def"
#undef HD_UNSUPPORTED_RUNTIME
#undef HD_UNSUPPORTED_DRIVER
#pragma GCC diagnostic pop

/* ------------------------------------------------------------ kernels */

static struct cudaKernelNodeParams kernel_params(const CUDA_KERNEL_NODE_PARAMS *in)
{
	void *function = in->func ? (void *)in->func : (void *)in->kern;
	return (struct cudaKernelNodeParams){function,
					     {in->gridDimX, in->gridDimY, in->gridDimZ},
					     {in->blockDimX, in->blockDimY, in->blockDimZ},
					     in->sharedMemBytes,
					     in->kernelParams,
					     in->extra};
}

static cudaError_t add_kernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t count,
			      const CUDA_KERNEL_NODE_PARAMS *wanted)
{
	if (!wanted)
		return cudaErrorInvalidValue;
	struct cudaKernelNodeParams params = kernel_params(wanted);
	return cudaGraphAddKernelNode(node, graph, needs, count, &params);
}

CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
			      size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	HD_DRIVER(add_kernel(phGraphNode, hGraph, dependencies, numDependencies, nodeParams));
}

static cudaError_t get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out)
{
	struct cudaKernelNodeParams params;
	CUfunction function;
	cudaError_t error = out ? cudaGraphKernelNodeGetParams(node, &params) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = cudaGetFuncBySymbol(&function, params.func);
	if (error != cudaSuccess)
		return error;
	*out = (CUDA_KERNEL_NODE_PARAMS){
		.func = function,
		.gridDimX = params.gridDim.x,
		.gridDimY = params.gridDim.y,
		.gridDimZ = params.gridDim.z,
		.blockDimX = params.blockDim.x,
		.blockDimY = params.blockDim.y,
		.blockDimZ = params.blockDim.z,
		.sharedMemBytes = params.sharedMemBytes,
		.kernelParams = params.kernelParams,
		.extra = params.extra,
		.kern = (CUkernel)function,
		.ctx = hd_driver_context(),
	};
	return cudaSuccess;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	HD_DRIVER(get_kernel(hNode, nodeParams));
}

/* `exec` NULL: of the graph itself. */
static cudaError_t set_kernel(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *wanted)
{
	if (!wanted)
		return cudaErrorInvalidValue;
	struct cudaKernelNodeParams params = kernel_params(wanted);
	return exec ? cudaGraphExecKernelNodeSetParams(exec, node, &params)
		    : cudaGraphKernelNodeSetParams(node, &params);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	HD_DRIVER(set_kernel(NULL, hNode, nodeParams));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	HD_DRIVER(hGraphExec ? set_kernel(hGraphExec, hNode, nodeParams) : cudaErrorInvalidValue);
}

/* ------------------------------------------------------------ copies */

static cudaError_t add_copy(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t count,
			    const CUDA_MEMCPY3D *wanted)
{
	struct cudaMemcpy3DParms params;
	cudaError_t error = hd_driver_box(wanted, &params);
	return error == cudaSuccess ? cudaGraphAddMemcpyNode(node, graph, needs, count, &params) : error;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
			      size_t numDependencies, const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
	HD_DRIVER_OF(ctx, add_copy(phGraphNode, hGraph, dependencies, numDependencies, copyParams));
}

static cudaError_t set_copy(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *wanted)
{
	struct cudaMemcpy3DParms params;
	cudaError_t error = hd_driver_box(wanted, &params);
	if (error != cudaSuccess)
		return error;
	return exec ? cudaGraphExecMemcpyNodeSetParams(exec, node, &params)
		    : cudaGraphMemcpyNodeSetParams(node, &params);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
	HD_DRIVER(set_copy(NULL, hNode, nodeParams));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams,
					CUcontext ctx)
{
	HD_DRIVER_OF(ctx, hGraphExec ? set_copy(hGraphExec, hNode, copyParams) : cudaErrorInvalidValue);
}

/* ------------------------------------------------------------ memsets */

static struct cudaMemsetParams memset_params(const CUDA_MEMSET_NODE_PARAMS *in)
{
	return (struct cudaMemsetParams){
		(void *)(uintptr_t)in->dst, in->pitch, in->value, in->elementSize, in->width, in->height};
}

static cudaError_t add_memset(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t count,
			      const CUDA_MEMSET_NODE_PARAMS *wanted)
{
	if (!wanted)
		return cudaErrorInvalidValue;
	struct cudaMemsetParams params = memset_params(wanted);
	return cudaGraphAddMemsetNode(node, graph, needs, count, &params);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
			      size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
	HD_DRIVER_OF(ctx, add_memset(phGraphNode, hGraph, dependencies, numDependencies, memsetParams));
}

static cudaError_t get_memset(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *out)
{
	struct cudaMemsetParams params;
	cudaError_t error = out ? cudaGraphMemsetNodeGetParams(node, &params) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*out = (CUDA_MEMSET_NODE_PARAMS){(uintptr_t)params.dst, params.pitch, params.value,
						 params.elementSize,	params.width, params.height};
	return error;
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
	HD_DRIVER(get_memset(hNode, nodeParams));
}

static cudaError_t set_memset(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *wanted)
{
	if (!wanted)
		return cudaErrorInvalidValue;
	struct cudaMemsetParams params = memset_params(wanted);
	return exec ? cudaGraphExecMemsetNodeSetParams(exec, node, &params)
		    : cudaGraphMemsetNodeSetParams(node, &params);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
	HD_DRIVER(set_memset(NULL, hNode, nodeParams));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
	HD_DRIVER_OF(ctx, hGraphExec ? set_memset(hGraphExec, hNode, memsetParams) : cudaErrorInvalidValue);
}
