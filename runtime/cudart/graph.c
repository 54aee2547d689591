/*
 * Graphs and their nodes: making, copying, ordering and releasing them, and what they consist of. Linear in nodes and
 * edges, but for questions about edges of which a graph keeps one direction only (quadratic).
 */
#include "runtime/cudart/graph.h"
#include "heddle/figures.h"
#include "runtime/cudart/handles.h"

#include <stdio.h>

/* ------------------------------------------------------------ nodes */

cudaGraph_t hd_graph_new(void)
{
	cudaGraph_t graph = hd_xcalloc(1, sizeof *graph);
	hd_handle_add(graph, HD_HANDLE_GRAPH);
	return graph;
}

void hd_graph_drop_contents(cudaGraphNode_t node)
{
	if (node->type == cudaGraphNodeTypeKernel) {
		free(node->u.kernel.params);
		free(node->u.kernel.args);
	} else if (node->type == cudaGraphNodeTypeGraph) {
		hd_graph_free(node->u.child);
	}
	if (node->memory)
		hd_graph_memory_drop(node->memory);
	node->memory = NULL;
	memset(&node->u, 0, sizeof node->u);
}

static void free_node(cudaGraphNode_t node)
{
	hd_graph_drop_contents(node);
	hd_vec_release(&node->needs);
	hd_handle_drop(node);
	free(node);
}

void hd_graph_free(cudaGraph_t graph)
{
	if (!graph)
		return;
	for (uint32_t i = 0; i < graph->nodes.len; i++)
		free_node(graph->nodes.data[i]);
	hd_vec_release(&graph->nodes);
	hd_graph_release_references(graph);
	hd_handle_drop(graph);
	free(graph);
}

static bool contains(const hd_nodes *nodes, cudaGraphNode_t node)
{
	for (uint32_t i = 0; i < nodes->len; i++)
		if (nodes->data[i] == node)
			return true;
	return false;
}

cudaGraphNode_t hd_graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, const cudaGraphNode_t *needs, size_t count)
{
	cudaGraphNode_t node = hd_xcalloc(1, sizeof *node);
	node->type = type;
	node->graph = graph;
	for (size_t i = 0; i < count; i++)
		if (!contains(&node->needs, needs[i]))
			hd_vec_push(&node->needs, needs[i]);
	hd_vec_push(&graph->nodes, node);
	hd_handle_add(node, HD_HANDLE_NODE);
	return node;
}

void hd_graph_take(cudaGraphNode_t node, cudaGraphNode_t from)
{
	if (from->memory)
		hd_graph_memory_hold(from->memory);
	hd_graph_drop_contents(node);
	node->u = from->u;
	node->memory = from->memory;
	if (node->type == cudaGraphNodeTypeGraph)
		node->u.child = hd_graph_own(from->u.child);
	if (node->type != cudaGraphNodeTypeKernel)
		return;
	const struct hd_meta_function *meta = hd_kernel_metadata(from->u.kernel.kernel);
	node->u.kernel.params = hd_xcalloc(1, meta->param_bytes ? meta->param_bytes : 1);
	memcpy(node->u.kernel.params, from->u.kernel.params, meta->param_bytes);
	node->u.kernel.args = hd_xcalloc(meta->param_count + 1, sizeof(void *));
	for (uint32_t i = 0; i < meta->param_count; i++)
		node->u.kernel.args[i] = node->u.kernel.params + meta->params[i].offset;
}

static cudaGraphNode_t copy_of(cudaGraph_t copy, cudaGraphNode_t original)
{
	for (uint32_t i = 0; i < copy->nodes.len; i++)
		if (copy->nodes.data[i]->original == original)
			return copy->nodes.data[i];
	return NULL;
}

cudaGraph_t hd_graph_copy(cudaGraph_t graph)
{
	cudaGraph_t copy = hd_graph_new();
	for (uint32_t i = 0; i < graph->nodes.len; i++) {
		cudaGraphNode_t from = graph->nodes.data[i], node = hd_graph_add(copy, from->type, NULL, 0);
		node->original = from;
		node->disabled = from->disabled;
		hd_graph_take(node, from);
	}
	for (uint32_t i = 0; i < graph->nodes.len; i++)
		for (uint32_t k = 0; k < graph->nodes.data[i]->needs.len; k++)
			hd_vec_push(&copy->nodes.data[i]->needs, copy_of(copy, graph->nodes.data[i]->needs.data[k]));
	hd_graph_copy_references(copy, graph);
	return copy;
}

cudaGraph_t hd_graph_own(cudaGraph_t graph)
{
	cudaGraph_t copy = hd_graph_copy(graph);
	copy->owned = true;
	return copy;
}

/* ------------------------------------------------------------ order */

static bool is_ready(cudaGraphNode_t node, const hd_nodes *done)
{
	for (uint32_t i = 0; i < node->needs.len; i++)
		if (!contains(done, node->needs.data[i]))
			return false;
	return true;
}

bool hd_graph_order(cudaGraph_t graph, hd_nodes *order)
{
	*order = (hd_nodes){0};
	while (order->len < graph->nodes.len) {
		uint32_t before = order->len;
		for (uint32_t i = 0; i < graph->nodes.len; i++)
			if (!contains(order, graph->nodes.data[i]) && is_ready(graph->nodes.data[i], order))
				hd_vec_push(order, graph->nodes.data[i]);
		if (order->len == before)
			return false;
	}
	return true;
}

bool hd_graph_waits_for(cudaGraphNode_t node, cudaGraphNode_t other)
{
	hd_nodes seen = {0};
	hd_vec_push(&seen, node);
	for (uint32_t i = 0; i < seen.len; i++)
		for (uint32_t k = 0; k < seen.data[i]->needs.len; k++)
			if (!contains(&seen, seen.data[i]->needs.data[k]))
				hd_vec_push(&seen, seen.data[i]->needs.data[k]);
	bool found = node != other && contains(&seen, other);
	hd_vec_release(&seen);
	return found;
}

/* ------------------------------------------------------------ the API: graphs */

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)
{
	HD_CUDART(cudart);
	if (!pGraph || flags)
		return hd_cudart_return(cudaErrorInvalidValue);
	*pGraph = hd_graph_new();
	return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	if (!graph || graph->owned)
		return hd_cudart_return(cudaErrorInvalidValue);
	hd_graph_free(graph);
	hd_graph_memory_sweep(cudart);
	return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, originalGraph);
	if (!pGraphClone || !originalGraph)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (hd_graph_has_memory(originalGraph))
		return hd_cudart_return(cudaErrorNotSupported);
	*pGraphClone = hd_graph_copy(originalGraph);
	return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, originalNode);
	HD_VALID(GRAPH, clonedGraph);
	if (!pNode || !originalNode || !clonedGraph)
		return hd_cudart_return(cudaErrorInvalidValue);
	*pNode = copy_of(clonedGraph, originalNode);
	return hd_cudart_return(*pNode ? cudaSuccess : cudaErrorInvalidValue);
}

/* Whether it was needed. */
static bool drop_need(cudaGraphNode_t node, cudaGraphNode_t need)
{
	uint32_t kept = 0, before = node->needs.len;
	for (uint32_t k = 0; k < before; k++)
		if (node->needs.data[k] != need)
			node->needs.data[kept++] = node->needs.data[k];
	node->needs.len = kept;
	return kept < before;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	if (!node)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (hd_graph_has_memory(node->graph))
		return hd_cudart_return(cudaErrorNotSupported);
	hd_nodes *nodes = &node->graph->nodes;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < nodes->len; i++) {
		cudaGraphNode_t other = nodes->data[i];
		drop_need(other, node);
		if (other != node)
			nodes->data[kept++] = other;
	}
	nodes->len = kept;
	free_node(node);
	return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
				     size_t numDependencies)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(from, numDependencies);
	HD_VALID_NODES(to, numDependencies);
	if (!graph || (numDependencies && (!from || !to)))
		return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; i < numDependencies; i++) {
		if (!contains(&graph->nodes, from[i]) || !contains(&graph->nodes, to[i]) || from[i] == to[i] ||
		    contains(&to[i]->needs, from[i]) || hd_graph_waits_for(from[i], to[i]))
			return hd_cudart_return(cudaErrorInvalidValue);
		hd_vec_push(&to[i]->needs, from[i]);
	}
	return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
					size_t numDependencies)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	HD_VALID_NODES(from, numDependencies);
	HD_VALID_NODES(to, numDependencies);
	if (!graph || (numDependencies && (!from || !to)))
		return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; i < numDependencies; i++)
		if (!drop_need(to[i], from[i]))
			return hd_cudart_return(cudaErrorInvalidValue);
	return cudaSuccess;
}

/* ------------------------------------------------------------ the API: questions */

/* Hands a list out as CUDA does: with a null array its length, else as many as there is room for. */
static cudaError_t hand_out(const hd_nodes *list, cudaGraphNode_t *nodes, size_t *count)
{
	if (!count)
		return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; nodes && i < *count; i++)
		nodes[i] = i < list->len ? list->data[i] : NULL;
	if (!nodes || *count > list->len)
		*count = list->len;
	return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	return graph ? hand_out(&graph->nodes, nodes, numNodes) : hd_cudart_return(cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies, size_t *pNumDependencies)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	return node ? hand_out(&node->needs, pDependencies, pNumDependencies) : hd_cudart_return(cudaErrorInvalidValue);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	hd_nodes roots = {0};
	if (!graph)
		return hd_cudart_return(cudaErrorInvalidValue);
	for (uint32_t i = 0; i < graph->nodes.len; i++)
		if (!graph->nodes.data[i]->needs.len)
			hd_vec_push(&roots, graph->nodes.data[i]);
	cudaError_t error = hand_out(&roots, pRootNodes, pNumRootNodes);
	hd_vec_release(&roots);
	return error;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
					   size_t *pNumDependentNodes)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	hd_nodes dependent = {0};
	if (!node)
		return hd_cudart_return(cudaErrorInvalidValue);
	for (uint32_t i = 0; i < node->graph->nodes.len; i++)
		if (contains(&node->graph->nodes.data[i]->needs, node))
			hd_vec_push(&dependent, node->graph->nodes.data[i]);
	cudaError_t error = hand_out(&dependent, pDependentNodes, pNumDependentNodes);
	hd_vec_release(&dependent);
	return error;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *numEdges)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	hd_nodes sources = {0}, targets = {0};
	if (!graph || !from != !to || !numEdges || (from && !*numEdges))
		return hd_cudart_return(cudaErrorInvalidValue);
	for (uint32_t i = 0; i < graph->nodes.len; i++)
		for (uint32_t k = 0; k < graph->nodes.data[i]->needs.len; k++) {
			hd_vec_push(&sources, graph->nodes.data[i]->needs.data[k]);
			hd_vec_push(&targets, graph->nodes.data[i]);
		}
	size_t count = *numEdges;
	hand_out(&sources, from, numEdges);
	hand_out(&targets, to, &count);
	hd_vec_release(&sources);
	hd_vec_release(&targets);
	return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType)
{
	HD_CUDART(cudart);
	HD_VALID(NODE, node);
	if (!node || !pType)
		return hd_cudart_return(cudaErrorInvalidValue);
	*pType = node->type;
	return cudaSuccess;
}

static void print_dot(FILE *file, cudaGraph_t graph)
{
	static const char *const names[] = {
		[cudaGraphNodeTypeKernel] = "kernel",
		[cudaGraphNodeTypeMemcpy] = "memcpy",
		[cudaGraphNodeTypeMemset] = "memset",
		[cudaGraphNodeTypeHost] = "host",
		[cudaGraphNodeTypeGraph] = "graph",
		[cudaGraphNodeTypeEmpty] = "empty",
		[cudaGraphNodeTypeWaitEvent] = "wait",
		[cudaGraphNodeTypeEventRecord] = "record",
		[cudaGraphNodeTypeMemAlloc] = "alloc",
		[cudaGraphNodeTypeMemFree] = "free",
		[HD_NODE_VALUE] = "values",
		[cudaGraphNodeTypeCount] = NULL,
	};
	fprintf(file, "digraph graph_1 {\n");
	for (uint32_t i = 0; i < graph->nodes.len; i++) {
		cudaGraphNode_t node = graph->nodes.data[i];
		fprintf(file, "\tnode_%u [label=\"%u: %s%s%s\"];\n", i, i, names[node->type],
			node->type == cudaGraphNodeTypeKernel ? " " : "",
			node->type == cudaGraphNodeTypeKernel ? hd_kernel_name(node->u.kernel.kernel) : "");
		for (uint32_t k = 0; k < graph->nodes.len; k++)
			if (contains(&node->needs, graph->nodes.data[k]))
				fprintf(file, "\tnode_%u -> node_%u;\n", k, i);
	}
	fprintf(file, "}\n");
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
	HD_CUDART(cudart);
	HD_VALID(GRAPH, graph);
	(void)flags;
	FILE *file = graph && path ? fopen(path, "w") : NULL;
	if (!file)
		return hd_cudart_return(graph && path ? cudaErrorOperatingSystem : cudaErrorInvalidValue);
	print_dot(file, graph);
	return hd_cudart_return(fclose(file) ? cudaErrorOperatingSystem : cudaSuccess);
}
