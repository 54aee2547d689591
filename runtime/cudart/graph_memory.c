/*
 * Memory that nodes of graphs allocate. Its address is the node's from its making on; the memory is there from a launch
 * until it is freed: by a node of this graph or another, or by the program. A graph that leaves its memory allocated
 * can be launched again when that was freed, or when it was made to free it first.
 *
 * Two questions are apart. `allocated` is what the calls that were made so far will have done, and decides which call
 * is valid. The simulator knows what their work has done, which comes later in a stream. O(memory of graphs) a call.
 */
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"

struct hd_graph_memory {
	void *pointer;
	uint64_t bytes;
	uint32_t nodes; /* that have it */
	bool taken;	/* by an executable graph: there may be one */
	bool allocated;
};

/* ------------------------------------------------------------ the memory itself */

/* Adds to a count and to its watermark. */
static void count(struct hd_cudart *cudart, enum cudaGraphMemAttributeType current, uint64_t bytes)
{
	uint64_t *counts = cudart->graph_bytes + current;
	counts[0] += bytes;
	counts[1] = counts[0] > counts[1] ? counts[0] : counts[1];
}

static bool is_there(struct hd_cudart *cudart, const struct hd_graph_memory *memory)
{
	uint64_t low, high;
	return hd_sim_allocation(cudart->sim, (uintptr_t)memory->pointer, &low, &high);
}

static void show(struct hd_cudart *cudart, const struct hd_graph_memory *memory)
{
	if (is_there(cudart, memory))
		return;
	hd_sim_show_memory(cudart->sim, (uintptr_t)memory->pointer, memory->bytes);
	count(cudart, cudaGraphMemAttrUsedMemCurrent, memory->bytes);
}

static void hide(struct hd_cudart *cudart, const struct hd_graph_memory *memory)
{
	if (!is_there(cudart, memory))
		return;
	hd_sim_hide_memory(cudart->sim, (uintptr_t)memory->pointer);
	hd_cudart_forget_advice(cudart, (uintptr_t)memory->pointer);
	cudart->graph_bytes[cudaGraphMemAttrUsedMemCurrent] -= memory->bytes;
}

static struct hd_graph_memory *find(const struct hd_cudart *cudart, const void *pointer)
{
	for (uint32_t i = 0; i < cudart->graph_memory.len; i++)
		if (cudart->graph_memory.data[i]->pointer == pointer)
			return cudart->graph_memory.data[i];
	return NULL;
}

bool hd_graph_memory_has(const struct hd_cudart *cudart, uintptr_t address)
{
	for (uint32_t i = 0; i < cudart->graph_memory.len; i++) {
		const struct hd_graph_memory *memory = cudart->graph_memory.data[i];
		if (address - (uintptr_t)memory->pointer < memory->bytes)
			return true;
	}
	return false;
}

cudaError_t hd_graph_memory_new(struct hd_cudart *cudart, cudaGraphNode_t node, void **pointer, size_t bytes)
{
	hd_graph_memory_sweep(cudart);
	cudaError_t error = hd_cudart_alloc(cudart, pointer, bytes);
	if (error != cudaSuccess || !*pointer)
		return error;
	hd_sim_hide_memory(cudart->sim, (uintptr_t)*pointer);
	struct hd_graph_memory *memory = hd_xcalloc(1, sizeof *memory);
	*memory = (struct hd_graph_memory){.pointer = *pointer, .bytes = bytes, .nodes = 1};
	hd_vec_push(&cudart->graph_memory, memory);
	hd_handle_add(*pointer, HD_HANDLE_GRAPH_MEMORY);
	count(cudart, cudaGraphMemAttrReservedMemCurrent, bytes);
	node->memory = memory;
	return cudaSuccess;
}

void hd_graph_memory_hold(struct hd_graph_memory *memory)
{
	memory->nodes++;
}

void hd_graph_memory_drop(struct hd_graph_memory *memory)
{
	memory->nodes--;
}

static void forget(struct hd_cudart *cudart, struct hd_graph_memory *memory)
{
	cudart->graph_bytes[cudaGraphMemAttrReservedMemCurrent] -= memory->bytes;
	if (is_there(cudart, memory))
		cudart->graph_bytes[cudaGraphMemAttrUsedMemCurrent] -= memory->bytes;
	else
		hd_sim_show_memory(cudart->sim, (uintptr_t)memory->pointer, memory->bytes);
	if (!memory->allocated)
		hd_sim_free_memory(cudart->sim, (uintptr_t)memory->pointer);
	hd_handle_drop(memory->pointer);
	free(memory);
}

void hd_graph_memory_sweep(struct hd_cudart *cudart)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < cudart->graph_memory.len; i++) {
		struct hd_graph_memory *memory = cudart->graph_memory.data[i];
		if (memory->nodes)
			cudart->graph_memory.data[kept++] = memory;
		else
			forget(cudart, memory);
	}
	cudart->graph_memory.len = kept;
}

cudaError_t hd_graph_memory_free(struct hd_cudart *cudart, const void *pointer)
{
	struct hd_graph_memory *memory = find(cudart, pointer);
	if (!memory->allocated)
		return cudaErrorInvalidValue;
	memory->allocated = false;
	hide(cudart, memory);
	return cudaSuccess;
}

/* ------------------------------------------------------------ graphs */

bool hd_graph_has_memory(cudaGraph_t graph)
{
	for (uint32_t i = 0; i < graph->nodes.len; i++)
		if (graph->nodes.data[i]->type == cudaGraphNodeTypeMemAlloc ||
		    graph->nodes.data[i]->type == cudaGraphNodeTypeMemFree)
			return true;
	return false;
}

/* Its own and its children's. */
static void collect(cudaGraph_t graph, hd_nodes *nodes)
{
	hd_nodes order;
	hd_graph_order(graph, &order);
	for (uint32_t i = 0; i < order.len; i++) {
		cudaGraphNode_t node = order.data[i];
		if (node->type == cudaGraphNodeTypeGraph)
			collect(node->u.child, nodes);
		else if (node->memory || node->type == cudaGraphNodeTypeMemFree)
			hd_vec_push(nodes, node);
	}
	hd_vec_release(&order);
}

bool hd_graph_memory_taken(cudaGraph_t graph)
{
	hd_nodes nodes = {0};
	bool taken = false;
	collect(graph, &nodes);
	for (uint32_t i = 0; i < nodes.len; i++)
		taken |= nodes.data[i]->memory && nodes.data[i]->memory->taken;
	hd_vec_release(&nodes);
	return taken;
}

void hd_graph_memory_take(cudaGraph_t graph, bool taken)
{
	hd_nodes nodes = {0};
	collect(graph, &nodes);
	for (uint32_t i = 0; i < nodes.len; i++)
		if (nodes.data[i]->memory)
			nodes.data[i]->memory->taken = taken;
	hd_vec_release(&nodes);
}

static cudaError_t check(struct hd_cudart *cudart, const hd_nodes *nodes, bool frees_first)
{
	for (uint32_t i = 0; i < nodes->len; i++) {
		cudaGraphNode_t node = nodes->data[i];
		if (node->memory ? node->memory->allocated && !frees_first
				 : !hd_handle_lives(node->u.freed, HD_HANDLE_GRAPH_MEMORY) &&
					   !hd_sim_owns(cudart->sim, (uintptr_t)node->u.freed))
			return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

cudaError_t hd_graph_memory_launch(struct hd_cudart *cudart, cudaGraph_t graph, bool frees_first)
{
	hd_nodes nodes = {0};
	collect(graph, &nodes);
	cudaError_t error = check(cudart, &nodes, frees_first);
	for (uint32_t i = 0; i < nodes.len && error == cudaSuccess; i++) {
		struct hd_graph_memory *memory = nodes.data[i]->memory;
		if (memory)
			show(cudart, memory);
		else
			memory = find(cudart, nodes.data[i]->u.freed);
		if (memory)
			memory->allocated = nodes.data[i]->memory;
	}
	hd_vec_release(&nodes);
	return error;
}

/* ------------------------------------------------------------ turns of nodes */

/* What an earlier launch has left there is gone. */
void hd_graph_memory_begin(struct hd_cudart *cudart, struct hd_graph_memory *memory)
{
	if (!memory) /* no bytes were asked for */
		return;
	hide(cudart, memory);
	show(cudart, memory);
}

void hd_graph_memory_end(struct hd_cudart *cudart, const void *pointer)
{
	struct hd_graph_memory *memory = find(cudart, pointer);
	if (memory)
		hide(cudart, memory);
	else /* the graph that allocated it is gone */
		hd_sim_free_memory(cudart->sim, (uintptr_t)pointer);
}
