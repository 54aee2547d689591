/*
 * Nodes of graphs: adding them, asking what they do and changing it, in a graph or in an executable one. Each kind has
 * one function that fills it in; the calls of the API differ in where they find the node.
 */
#include "heddle/figures.h"
#include "runtime/cudart/array.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"

/* ------------------------------------------------------------ filling in */

static cudaError_t pack_extra(const struct hd_meta_function *meta, void **extra, uint8_t *params)
{
	size_t size;
	const void *buffer;
	cudaError_t error = hd_cudart_launch_buffer(extra, &buffer, &size);
	if (error != cudaSuccess)
		return error;
	if (size < meta->param_bytes)
		return cudaErrorInvalidValue;
	memcpy(params, buffer, meta->param_bytes);
	return cudaSuccess;
}

cudaError_t hd_graph_set_kernel(struct hd_cudart *cudart, cudaGraphNode_t node,
				const struct cudaKernelNodeParams *params, const struct hd_launch_how *how)
{
	struct hd_kernel *kernel = hd_cudart_kernel(cudart, params->func);
	if (!kernel)
		return cudaErrorInvalidDeviceFunction;
	const struct hd_meta_function *meta = hd_kernel_metadata(kernel);
	if (params->kernelParams && params->extra)
		return cudaErrorInvalidValue; /* one or the other */
	if (meta->param_count && !params->kernelParams && !params->extra)
		return cudaErrorInvalidValue;
	uint8_t *bytes = params->kernelParams || !meta->param_count ? hd_cudart_pack(meta, params->kernelParams)
								    : hd_xcalloc(1, meta->param_bytes);
	cudaError_t error =
		params->kernelParams || !meta->param_count ? cudaSuccess : pack_extra(meta, params->extra, bytes);
	if (error != cudaSuccess) {
		free(bytes);
		return error;
	}
	const struct hd_launch_how kept = how ? *how : (struct hd_launch_how){.cooperative = false};
	hd_graph_drop_contents(node);
	node->u.kernel.func = params->func;
	node->u.kernel.kernel = kernel;
	node->u.kernel.grid = params->gridDim;
	node->u.kernel.block = params->blockDim;
	node->u.kernel.shared = params->sharedMemBytes;
	node->u.kernel.how = kept;
	node->u.kernel.params = bytes;
	node->u.kernel.args = hd_xcalloc(meta->param_count + 1, sizeof(void *));
	for (uint32_t i = 0; i < meta->param_count; i++)
		node->u.kernel.args[i] = bytes + meta->params[i].offset;
	return cudaSuccess;
}

void hd_graph_set_copy(cudaGraphNode_t node, void *to, size_t to_pitch, const void *from, size_t from_pitch,
		       size_t width, size_t height, enum cudaMemcpyKind kind)
{
	node->u.copy = (struct cudaMemcpy3DParms){
		.srcPtr = {(void *)(uintptr_t)from, from_pitch, width, height},
		.dstPtr = {to, to_pitch, width, height},
		.extent = {width, height, 1},
		.kind = kind,
	};
}

/* Memory that is there holds all bytes of a copy; what is not there may be by the time of the launch. */
static bool may_end(const struct hd_cudart *cudart, const void *memory, size_t count)
{
	uintptr_t last;
	return !__builtin_add_overflow((uintptr_t)memory, count - 1, &last) &&
	       (!hd_sim_owns(cudart->sim, (uintptr_t)memory) || hd_sim_owns(cudart->sim, last));
}

static cudaError_t set_copy_1d(struct hd_cudart *cudart, cudaGraphNode_t node, void *to, const void *from, size_t count,
			       enum cudaMemcpyKind kind)
{
	if ((unsigned)kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!to || !from || !count || !may_end(cudart, to, count) || !may_end(cudart, from, count))
		return cudaErrorInvalidValue;
	hd_graph_set_copy(node, to, count, from, count, count, 1, kind);
	return cudaSuccess;
}

/* The same for a node of an executable graph, which goes on copying one run of bytes. */
static cudaError_t change_copy_1d(struct hd_cudart *cudart, cudaGraphNode_t node, void *to, const void *from,
				  size_t count, enum cudaMemcpyKind kind)
{
	const struct cudaMemcpy3DParms *copy = &node->u.copy;
	if ((unsigned)kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (copy->srcArray || copy->dstArray || copy->extent.height > 1 || copy->extent.depth > 1)
		return cudaErrorInvalidValue;
	return set_copy_1d(cudart, node, to, from, count, kind);
}

static cudaError_t set_memset(cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
	unsigned size = params ? params->elementSize : 0;
	if (!params || !params->dst || (size != 1 && size != 2 && size != 4) ||
	    (params->height > 1 && params->pitch < params->width * size))
		return cudaErrorInvalidValue;
	node->u.set = *params;
	return cudaSuccess;
}

static cudaError_t set_host(cudaGraphNode_t node, const struct cudaHostNodeParams *params)
{
	if (!params || !params->fn)
		return cudaErrorInvalidValue;
	node->u.host.fn = params->fn;
	node->u.host.callback = NULL;
	node->u.host.data = params->userData;
	return cudaSuccess;
}

static cudaError_t set_child(cudaGraphNode_t node, cudaGraph_t child)
{
	if (!hd_handle_lives(child, HD_HANDLE_GRAPH) || child == node->graph)
		return cudaErrorInvalidValue;
	if (hd_graph_has_memory(child))
		return cudaErrorNotSupported;
	cudaGraph_t copy = hd_graph_own(child);
	hd_graph_drop_contents(node);
	node->u.child = copy;
	return cudaSuccess;
}

static cudaError_t set_event(cudaGraphNode_t node, cudaEvent_t event)
{
	node->u.event = event;
	return hd_handle_lives(event, HD_HANDLE_EVENT) ? cudaSuccess : cudaErrorInvalidValue;
}

/* ------------------------------------------------------------ adding */

/* A new node, or an error: every dependency is to be of the same graph. */
static cudaError_t begin(cudaGraphNode_t *node, cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
			 size_t count, enum cudaGraphNodeType type)
{
	if (!out || !graph || (count && !needs))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < count; i++)
		if (!needs[i] || needs[i]->graph != graph)
			return cudaErrorInvalidValue;
	*node = hd_graph_add(graph, type, needs, count);
	return cudaSuccess;
}

/* Nothing needs the node yet. */
static cudaError_t end(cudaGraphNode_t node, cudaGraphNode_t *out, cudaError_t error)
{
	if (error == cudaSuccess) {
		*out = node;
		return error;
	}
	node->graph->nodes.len--;
	hd_graph_drop_contents(node);
	hd_vec_release(&node->needs);
	hd_handle_drop(node);
	free(node);
	return hd_cudart_return(error);
}

/* A function that adds a node of a type, which `fill` fills in; the context is held. */
#define HD_ADD(type, fill)                                                                                     \
	cudaGraphNode_t node;                                                                                  \
	HD_TRY(hd_cudart_start(cudart));                                                                       \
	HD_TRY(begin(&node, pGraphNode, graph, pDependencies, numDependencies, cudaGraphNodeType##type));      \
	return end(node, pGraphNode, fill)

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
				   size_t numDependencies, const struct cudaKernelNodeParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(Kernel, pNodeParams ? hd_graph_set_kernel(cudart, node, pNodeParams, NULL) : cudaErrorInvalidValue);
}

static cudaError_t set_copy(struct hd_cudart *cudart, cudaGraphNode_t node, const struct cudaMemcpy3DParms *params)
{
	(void)cudart;
	if (!params || !params->srcArray == !params->srcPtr.ptr || !params->dstArray == !params->dstPtr.ptr)
		return cudaErrorInvalidValue;
	if ((unsigned)params->kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	node->u.copy = *params;
	return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
				   size_t numDependencies, const struct cudaMemcpy3DParms *pCopyParams)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(Memcpy, set_copy(cudart, node, pCopyParams));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				     const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
				     const void *src, size_t count, enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(Memcpy, set_copy_1d(cudart, node, dst, src, count, kind));
}

static cudaError_t set_copy_symbol(struct hd_cudart *cudart, cudaGraphNode_t node, const void *symbol, void *to,
				   const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	void *place;
	cudaError_t error = hd_cudart_symbol_range(cudart, symbol, count, offset, &place);
	if (error != cudaSuccess)
		return error;
	return set_copy_1d(cudart, node, to ? to : place, to ? place : from, count, kind);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
					   const cudaGraphNode_t *pDependencies, size_t numDependencies,
					   const void *symbol, const void *src, size_t count, size_t offset,
					   enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(Memcpy, set_copy_symbol(cudart, node, symbol, NULL, src, count, offset, kind));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
					     const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
					     const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(Memcpy,
	       dst ? set_copy_symbol(cudart, node, symbol, dst, NULL, count, offset, kind) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
				   size_t numDependencies, const struct cudaMemsetParams *pMemsetParams)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(Memset, set_memset(node, pMemsetParams));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
				 size_t numDependencies, const struct cudaHostNodeParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(Host, set_host(node, pNodeParams));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				       const cudaGraphNode_t *pDependencies, size_t numDependencies,
				       cudaGraph_t childGraph)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_VALID(GRAPH, childGraph);
	HD_ADD(Graph, set_child(node, childGraph));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
				  size_t numDependencies)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(Empty, cudaSuccess);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
					const cudaGraphNode_t *pDependencies, size_t numDependencies, cudaEvent_t event)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(EventRecord, set_event(node, event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				      const cudaGraphNode_t *pDependencies, size_t numDependencies, cudaEvent_t event)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(WaitEvent, set_event(node, event));
}

static cudaError_t set_alloc(struct hd_cudart *cudart, cudaGraphNode_t node, struct cudaMemAllocNodeParams *params)
{
	if (!params || !params->bytesize)
		return cudaErrorInvalidValue;
	cudaError_t error = hd_graph_memory_new(cudart, node, &params->dptr, params->bytesize);
	node->u.alloc = *params;
	return error;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				     const cudaGraphNode_t *pDependencies, size_t numDependencies,
				     struct cudaMemAllocNodeParams *nodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(MemAlloc, set_alloc(cudart, node, nodeParams));
}

static cudaError_t set_free(cudaGraphNode_t node, void *pointer)
{
	node->u.freed = pointer;
	return hd_handle_lives(pointer, HD_HANDLE_GRAPH_MEMORY) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				    const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dptr)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	HD_ADD(MemFree, set_free(node, dptr));
}

static cudaError_t set_any(struct hd_cudart *cudart, cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
	switch (node->type) {
	case cudaGraphNodeTypeKernel: return hd_graph_set_kernel(cudart, node, &params->kernel, NULL);
	case cudaGraphNodeTypeMemcpy: return set_copy(cudart, node, &params->memcpy.copyParams);
	case cudaGraphNodeTypeMemset: return set_memset(node, &params->memset);
	case cudaGraphNodeTypeHost: return set_host(node, &params->host);
	case cudaGraphNodeTypeGraph: return set_child(node, params->graph.graph);
	case cudaGraphNodeTypeEmpty: return cudaSuccess;
	case cudaGraphNodeTypeWaitEvent:
	case cudaGraphNodeTypeEventRecord: return set_event(node, params->eventRecord.event);
	case cudaGraphNodeTypeMemAlloc: return set_alloc(cudart, node, &params->alloc);
	case cudaGraphNodeTypeMemFree: return set_free(node, params->free.dptr);
	default: return cudaErrorNotSupported;
	}
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
			     size_t numDependencies, struct cudaGraphNodeParams *nodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(pDependencies, numDependencies);
	cudaGraphNode_t node;
	HD_TRY(hd_cudart_start(cudart));
	if (!nodeParams)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(begin(&node, pGraphNode, graph, pDependencies, numDependencies, nodeParams->type));
	return end(node, pGraphNode, set_any(cudart, node, nodeParams));
}

/* ------------------------------------------------------------ asking and changing */

/* The node of an executable graph that was made from one of another, or of a graph that that was made from. */
static cudaGraphNode_t find_in(cudaGraph_t graph, cudaGraphNode_t node)
{
	for (uint32_t i = 0; i < graph->nodes.len; i++)
		for (cudaGraphNode_t at = graph->nodes.data[i]; at; at = at->original)
			if (at == node)
				return graph->nodes.data[i];
	return NULL;
}

static bool is_a(cudaGraphNode_t node, enum cudaGraphNodeType type)
{
	return node && node->type == type;
}

/* A function that asks a node of a type; the context is held. */
#define HD_GET(type, out, value)                                                          \
	if (!is_a(node, cudaGraphNodeType##type) || !(out))                               \
		return hd_cudart_return(cudaErrorInvalidValue);                           \
	*(out) = value;                                                                   \
	return cudaSuccess

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_GET(Kernel, pNodeParams,
	       ((struct cudaKernelNodeParams){(void *)(uintptr_t)node->u.kernel.func, node->u.kernel.grid,
					      node->u.kernel.block, (unsigned)node->u.kernel.shared,
					      node->u.kernel.args, NULL}));
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_GET(Memcpy, pNodeParams, node->u.copy);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_GET(Memset, pNodeParams, node->u.set);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_GET(Host, pNodeParams, ((struct cudaHostNodeParams){node->u.host.fn, node->u.host.data}));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_GET(Graph, pGraph, node->u.child);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_GET(EventRecord, event_out, node->u.event);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_GET(WaitEvent, event_out, node->u.event);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params_out)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_GET(MemAlloc, params_out, node->u.alloc);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_GET(MemFree, (void **)dptr_out, node->u.freed);
}

/* Each kind of node can be changed in a graph, and in an executable graph, where its graph's node names it. */
#define HD_CHANGE(kind, fill)                                                             \
	if (!is_a(node, cudaGraphNodeType##kind))                                         \
		return hd_cudart_return(cudaErrorInvalidValue);                           \
	return hd_cudart_return(fill)
#define HD_CHANGE_EXEC(kind, fill)                                                        \
	if (!hGraphExec || !is_a(node = find_in(hGraphExec->graph, node), cudaGraphNodeType##kind)) \
		return hd_cudart_return(cudaErrorInvalidValue);                           \
	return hd_cudart_return(fill)
#define HD_SET_KERNEL                                                                                      \
	pNodeParams ? hd_graph_set_kernel(cudart, node, pNodeParams, &node->u.kernel.how) : cudaErrorInvalidValue

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_CHANGE(Kernel, HD_SET_KERNEL);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
					     const struct cudaKernelNodeParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(NODE, node);
	HD_CHANGE_EXEC(Kernel, HD_SET_KERNEL);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_CHANGE(Memcpy, set_copy(cudart, node, pNodeParams));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
					     const struct cudaMemcpy3DParms *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(NODE, node);
	HD_CHANGE_EXEC(Memcpy, set_copy(cudart, node, pNodeParams));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t count,
					   enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_CHANGE(Memcpy, set_copy_1d(cudart, node, dst, src, count, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
					       const void *src, size_t count, enum cudaMemcpyKind kind)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(NODE, node);
	HD_CHANGE_EXEC(Memcpy, change_copy_1d(cudart, node, dst, src, count, kind));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_CHANGE(Memset, set_memset(node, pNodeParams));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
					     const struct cudaMemsetParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(NODE, node);
	HD_CHANGE_EXEC(Memset, set_memset(node, pNodeParams));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_CHANGE(Host, set_host(node, pNodeParams));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
					   const struct cudaHostNodeParams *pNodeParams)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(NODE, node);
	HD_CHANGE_EXEC(Host, set_host(node, pNodeParams));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_CHANGE(EventRecord, set_event(node, event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, cudaEvent_t event)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(NODE, node);
	HD_CHANGE_EXEC(EventRecord, set_event(node, event));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	HD_CHANGE(WaitEvent, set_event(node, event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, cudaEvent_t event)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(NODE, node);
	HD_CHANGE_EXEC(WaitEvent, set_event(node, event));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
						 cudaGraph_t childGraph)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(NODE, node);
	HD_VALID(GRAPH, childGraph);
	HD_CHANGE_EXEC(Graph, set_child(node, childGraph));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(NODE, hNode);
	cudaGraphNode_t node = hGraphExec ? find_in(hGraphExec->graph, hNode) : NULL;
	if (!is_a(node, cudaGraphNodeTypeKernel) && !is_a(node, cudaGraphNodeTypeMemset) &&
	    !is_a(node, cudaGraphNodeTypeMemcpy))
		return hd_cudart_return(cudaErrorInvalidValue);
	node->disabled = !isEnabled;
	return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int *isEnabled)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(NODE, hNode);
	cudaGraphNode_t node = hGraphExec ? find_in(hGraphExec->graph, hNode) : NULL;
	if (!isEnabled || (!is_a(node, cudaGraphNodeTypeKernel) && !is_a(node, cudaGraphNodeTypeMemset) &&
			   !is_a(node, cudaGraphNodeTypeMemcpy)))
		return hd_cudart_return(cudaErrorInvalidValue);
	*isEnabled = !node->disabled;
	return cudaSuccess;
}
