/*
 * Graphs as CUDA 13 has them: edges with data, attributes of nodes, and how much memory graphs have. An edge with data
 * starts a kernel before the one that it waits for has ended, which is not supported.
 */
#include <string.h>

#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"

/* ------------------------------------------------------------ edges */

static cudaError_t check_edges(const cudaGraphEdgeData *edges, size_t count)
{
	static const cudaGraphEdgeData none;
	if (edges && count > SIZE_MAX / 2 / sizeof *edges)
		return cudaErrorInvalidValue;
	for (size_t i = 0; edges && i < count; i++)
		if (memcmp(&edges[i], &none, sizeof none))
			return cudaErrorNotSupported;
	return cudaSuccess;
}

/* What a list of edges gets for data; it has room for `room` of them. */
static void clear_edges(cudaGraphEdgeData *edges, size_t room, const size_t *count)
{
	if (edges)
		memset(edges, 0, (room < *count ? room : *count) * sizeof *edges);
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
				const cudaGraphEdgeData *dependencyData, size_t numDependencies,
				struct cudaGraphNodeParams *nodeParams)
{
	HD_VALID_APART(GRAPH, graph);
	HD_TRY(check_edges(dependencyData, numDependencies));
	return cudaGraphAddNode(pGraphNode, graph, pDependencies, numDependencies, nodeParams);
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
					const cudaGraphEdgeData *edgeData, size_t numDependencies)
{
	HD_VALID_APART(GRAPH, graph);
	HD_TRY(check_edges(edgeData, numDependencies));
	return cudaGraphAddDependencies(graph, from, to, numDependencies);
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
					   const cudaGraphEdgeData *edgeData, size_t numDependencies)
{
	HD_VALID_APART(GRAPH, graph);
	HD_TRY(check_edges(edgeData, numDependencies));
	return cudaGraphRemoveDependencies(graph, from, to, numDependencies);
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
				 cudaGraphEdgeData *edgeData, size_t *numEdges)
{
	size_t room = numEdges ? *numEdges : 0;
	HD_TRY(cudaGraphGetEdges(graph, from, to, numEdges));
	clear_edges(from ? edgeData : NULL, room, numEdges);
	return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
					    cudaGraphEdgeData *edgeData, size_t *pNumDependencies)
{
	size_t room = pNumDependencies ? *pNumDependencies : 0;
	HD_TRY(cudaGraphNodeGetDependencies(node, pDependencies, pNumDependencies));
	clear_edges(pDependencies ? edgeData : NULL, room, pNumDependencies);
	return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
					      cudaGraphEdgeData *edgeData, size_t *pNumDependentNodes)
{
	size_t room = pNumDependentNodes ? *pNumDependentNodes : 0;
	HD_TRY(cudaGraphNodeGetDependentNodes(node, pDependentNodes, pNumDependentNodes));
	clear_edges(pDependentNodes ? edgeData : NULL, room, pNumDependentNodes);
	return cudaSuccess;
}

/* No edge has data, which a null list says. */
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
					unsigned long long *id_out, cudaGraph_t *graph_out,
					const cudaGraphNode_t **dependencies_out,
					const cudaGraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
	HD_TRY(cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, graph_out, dependencies_out,
					numDependencies_out));
	if (edgeData_out)
		*edgeData_out = NULL;
	return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *dependencies,
						   const cudaGraphEdgeData *dependencyData, size_t numDependencies,
						   unsigned int flags)
{
	HD_VALID_APART(STREAM, stream);
	HD_TRY(check_edges(dependencyData, numDependencies));
	return cudaStreamUpdateCaptureDependencies(stream, dependencies, numDependencies, flags);
}

/* ------------------------------------------------------------ attributes of kernels */

static cudaError_t kernel_node(cudaGraphNode_t node)
{
	HD_VALID(NODE, node);
	return node->type == cudaGraphNodeTypeKernel ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaKernelNodeAttrID attr,
					    const cudaKernelNodeAttrValue *value)
{
	HD_CUDART(cudart);
	(void)cudart;
	HD_TRY(kernel_node(hNode));
	if (!value)
		return hd_cudart_return(cudaErrorInvalidValue);
	switch (attr) {
	case cudaLaunchAttributeAccessPolicyWindow: hNode->u.kernel.window = value->accessPolicyWindow; break;
	case cudaLaunchAttributeCooperative: hNode->u.kernel.how.cooperative = value->cooperative != 0; break;
	case cudaLaunchAttributePriority: hNode->u.kernel.priority = value->priority; break;
	case cudaLaunchAttributeClusterDimension:
		hNode->u.kernel.how.cluster[0] = value->clusterDim.x;
		hNode->u.kernel.how.cluster[1] = value->clusterDim.y;
		hNode->u.kernel.how.cluster[2] = value->clusterDim.z;
		break;
	case cudaLaunchAttributeClusterSchedulingPolicyPreference:
		hNode->u.kernel.how.policy = (int)value->clusterSchedulingPolicyPreference;
		break;
	default: return hd_cudart_return(cudaErrorInvalidValue);
	}
	return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaKernelNodeAttrID attr,
					    cudaKernelNodeAttrValue *value_out)
{
	HD_CUDART(cudart);
	(void)cudart;
	HD_TRY(kernel_node(hNode));
	if (!value_out)
		return hd_cudart_return(cudaErrorInvalidValue);
	switch (attr) {
	case cudaLaunchAttributeAccessPolicyWindow: value_out->accessPolicyWindow = hNode->u.kernel.window; break;
	case cudaLaunchAttributeCooperative: value_out->cooperative = hNode->u.kernel.how.cooperative; break;
	case cudaLaunchAttributePriority: value_out->priority = hNode->u.kernel.priority; break;
	case cudaLaunchAttributeClusterDimension:
		value_out->clusterDim.x = hNode->u.kernel.how.cluster[0];
		value_out->clusterDim.y = hNode->u.kernel.how.cluster[1];
		value_out->clusterDim.z = hNode->u.kernel.how.cluster[2];
		break;
	case cudaLaunchAttributeClusterSchedulingPolicyPreference:
		value_out->clusterSchedulingPolicyPreference =
			(enum cudaClusterSchedulingPolicy)hNode->u.kernel.how.policy;
		break;
	default: return hd_cudart_return(cudaErrorInvalidValue);
	}
	return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc)
{
	HD_CUDART(cudart);
	(void)cudart;
	HD_TRY(kernel_node(hDst));
	HD_TRY(kernel_node(hSrc));
	hDst->u.kernel.window = hSrc->u.kernel.window;
	hDst->u.kernel.how = hSrc->u.kernel.how;
	hDst->u.kernel.priority = hSrc->u.kernel.priority;
	return cudaSuccess;
}

/* ------------------------------------------------------------ memory of graphs */

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
	HD_CUDART(cudart);
	if (device)
		return hd_cudart_return(cudaErrorInvalidDevice);
	if (!value || (unsigned)attr > cudaGraphMemAttrReservedMemHigh)
		return hd_cudart_return(cudaErrorInvalidValue);
	memcpy(value, cudart->graph_bytes + attr, sizeof *cudart->graph_bytes);
	return cudaSuccess;
}

/* A watermark may be set to what is used now, by a zero. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
	uint64_t wanted;
	if (device)
		return hd_cudart_return(cudaErrorInvalidDevice);
	if (!value || (attr != cudaGraphMemAttrUsedMemHigh && attr != cudaGraphMemAttrReservedMemHigh))
		return hd_cudart_return(cudaErrorInvalidValue);
	memcpy(&wanted, value, sizeof wanted);
	if (wanted)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_CUDART(cudart);
	cudart->graph_bytes[attr] = cudart->graph_bytes[attr - 1];
	return cudaSuccess;
}
