/*
 * Executable graphs: made from a graph, brought up to date from another one of the same form, and run. In the legacy
 * stream a launch runs the nodes one after the other, each after what it needs, before it returns; elsewhere work.c
 * runs together what can.
 */
#include "runtime/cudart/array.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"
#include "runtime/cudart/work.h"

/* ------------------------------------------------------------ running */

static cudaError_t run_memset(struct hd_cudart *cudart, const struct cudaMemsetParams *set)
{
	cudaError_t error = cudaSuccess;
	if (!set->width)
		return error;
	for (size_t row = 0; row < set->height && error == cudaSuccess && set->elementSize == 1; row++)
		error = hd_cudart_set(cudart, (char *)set->dst + row * set->pitch, (int)set->value, set->width);
	for (size_t row = 0; row < set->height && error == cudaSuccess && set->elementSize > 1; row++)
		error = hd_cudart_set_elements(cudart, (char *)set->dst + row * set->pitch, set->value,
					       set->elementSize, set->width);
	return error;
}

/* The program's function may call the runtime. */
static cudaError_t run_host(struct hd_cudart **cudart, cudaGraphNode_t node)
{
	cudaHostFn_t fn = node->u.host.fn;
	cudaStreamCallback_t callback = node->u.host.callback;
	void *data = node->u.host.data;
	cudaStream_t stream = node->u.host.stream;
	hd_cudart_leave(cudart);
	if (callback)
		callback(stream, cudaSuccess, data);
	else
		fn(data);
	*cudart = hd_cudart_enter();
	return cudaSuccess;
}

cudaError_t hd_graph_run_node(struct hd_cudart **cudart, cudaGraphNode_t node)
{
	if (node->disabled)
		return cudaSuccess;
	if (node->type == HD_NODE_VALUE)
		return hd_cudart_do_value(*cudart, &node->u.value);
	switch (node->type) {
	case cudaGraphNodeTypeKernel:
		return hd_cudart_run(*cudart, node->u.kernel.kernel, node->u.kernel.grid, node->u.kernel.block,
				     node->u.kernel.shared, &node->u.kernel.how, node->u.kernel.params);
	case cudaGraphNodeTypeMemcpy: return hd_cudart_copy_3d(*cudart, &node->u.copy);
	case cudaGraphNodeTypeMemset: return run_memset(*cudart, &node->u.set);
	case cudaGraphNodeTypeHost: return run_host(cudart, node);
	case cudaGraphNodeTypeGraph: return hd_graph_run(cudart, node->u.child);
	case cudaGraphNodeTypeEventRecord: hd_cudart_event_record(*cudart, node->u.event); return cudaSuccess;
	case cudaGraphNodeTypeMemAlloc: hd_graph_memory_begin(*cudart, node->memory); return cudaSuccess;
	case cudaGraphNodeTypeMemFree: hd_graph_memory_end(*cudart, node->u.freed); return cudaSuccess;
	default: return cudaSuccess; /* nothing to wait for */
	}
}

cudaError_t hd_graph_run(struct hd_cudart **cudart, cudaGraph_t graph)
{
	hd_nodes order;
	cudaError_t error = hd_graph_order(graph, &order) ? cudaSuccess : cudaErrorInvalidValue;
	for (uint32_t i = 0; i < order.len && error == cudaSuccess; i++)
		error = hd_graph_run_node(cudart, order.data[i]);
	hd_vec_release(&order);
	return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, graphExec);
	HD_VALID(STREAM, stream);
	cudaGraphNode_t node;
	if (!graphExec)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_start_beside(cudart));
	struct CUstream_st *object = hd_cudart_stream(stream);
	if (!object || !object->capture)
		HD_TRY(hd_graph_memory_launch(cudart, graphExec->graph,
					      graphExec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch));
	HD_TRY(hd_cudart_capture(cudart, stream, cudaGraphNodeTypeGraph, &node));
	if (node) {
		node->u.child = hd_graph_own(graphExec->graph);
		return cudaSuccess;
	}
	return hd_cudart_return(hd_graph_run(&cudart, graphExec->graph));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, graphExec);
	HD_VALID(STREAM, stream);
	(void)stream;
	return hd_cudart_return(graphExec ? cudaSuccess : cudaErrorInvalidValue);
}

/* ------------------------------------------------------------ making */

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	hd_nodes order;
	if (!pGraphExec || !graph)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (flags &
	    ~(unsigned long long)(cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
				  cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority))
		return hd_cudart_return(cudaErrorInvalidValue);
	if (flags & cudaGraphInstantiateFlagDeviceLaunch)
		return hd_cudart_return(cudaErrorNotSupported);
	bool ordered = hd_graph_order(graph, &order);
	hd_vec_release(&order);
	if (!ordered)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (hd_graph_memory_taken(graph))
		return hd_cudart_return(cudaErrorNotSupported);
	hd_graph_memory_take(graph, true);
	*pGraphExec = hd_xcalloc(1, sizeof **pGraphExec);
	(*pGraphExec)->graph = hd_graph_own(graph);
	(*pGraphExec)->flags = flags;
	hd_handle_add(*pGraphExec, HD_HANDLE_EXEC);
	return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags)
{
	return cudaGraphInstantiate(pGraphExec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
					   cudaGraphInstantiateParams *instantiateParams)
{
	HD_VALID_APART(GRAPH, graph);
	if (!instantiateParams)
		return hd_cudart_return(cudaErrorInvalidValue);
	cudaError_t error = cudaGraphInstantiate(pGraphExec, graph, instantiateParams->flags);
	instantiateParams->errNode_out = NULL;
	instantiateParams->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
	return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, graphExec);
	if (!graphExec || !flags)
		return hd_cudart_return(cudaErrorInvalidValue);
	*flags = graphExec->flags;
	return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, graphExec);
	if (!graphExec)
		return hd_cudart_return(cudaErrorInvalidValue);
	hd_graph_memory_take(graphExec->graph, false);
	hd_graph_free(graphExec->graph);
	hd_graph_memory_sweep(cudart);
	hd_handle_drop(graphExec);
	free(graphExec);
	return cudaSuccess;
}

/* ------------------------------------------------------------ bringing up to date */

static uint32_t place_of(cudaGraph_t graph, cudaGraphNode_t node)
{
	uint32_t place = 0;
	while (place < graph->nodes.len && graph->nodes.data[place] != node)
		place++;
	return place;
}

static bool needs_the_same(cudaGraphNode_t a, cudaGraphNode_t b)
{
	if (a->needs.len != b->needs.len)
		return false;
	for (uint32_t i = 0; i < a->needs.len; i++)
		if (place_of(a->graph, a->needs.data[i]) != place_of(b->graph, b->needs.data[i]))
			return false;
	return true;
}

/* Nodes are paired by the order of their making. */
static enum cudaGraphExecUpdateResult compare(cudaGraph_t exec, cudaGraph_t graph, cudaGraphNode_t *wrong)
{
	if (exec->nodes.len != graph->nodes.len)
		return cudaGraphExecUpdateErrorTopologyChanged;
	for (uint32_t i = 0; i < graph->nodes.len; i++) {
		cudaGraphNode_t a = exec->nodes.data[i], b = graph->nodes.data[i], inner = NULL;
		*wrong = b;
		if (a->type != b->type)
			return cudaGraphExecUpdateErrorNodeTypeChanged;
		if (!needs_the_same(a, b))
			return cudaGraphExecUpdateErrorTopologyChanged;
		if (a->type == cudaGraphNodeTypeGraph &&
		    compare(a->u.child, b->u.child, &inner) != cudaGraphExecUpdateSuccess)
			return cudaGraphExecUpdateErrorTopologyChanged;
	}
	*wrong = NULL;
	return cudaGraphExecUpdateSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
				cudaGraphExecUpdateResultInfo *resultInfo)
{
	HD_CUDART(cudart);
	HD_VALID(EXEC, hGraphExec);
	HD_VALID(GRAPH, hGraph);
	cudaGraphNode_t wrong = NULL;
	if (!hGraphExec || !hGraph)
		return hd_cudart_return(cudaErrorInvalidValue);
	enum cudaGraphExecUpdateResult result = compare(hGraphExec->graph, hGraph, &wrong);
	if (resultInfo)
		*resultInfo = (cudaGraphExecUpdateResultInfo){result, wrong, NULL};
	if (result != cudaGraphExecUpdateSuccess)
		return hd_cudart_return(cudaErrorGraphExecUpdateFailure);
	hd_graph_memory_take(hGraphExec->graph, false);
	for (uint32_t i = 0; i < hGraph->nodes.len; i++)
		hd_graph_take(hGraphExec->graph->nodes.data[i], hGraph->nodes.data[i]);
	hd_graph_memory_take(hGraphExec->graph, true);
	return cudaSuccess;
}
