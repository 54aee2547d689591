/*
 * User objects: what the program keeps for a graph, with a count of references of the program's and of graphs. Its
 * destructor is called once the last one is given back, outside of the runtime's lock. CUDA calls it on a thread of its
 * own, here the thread does whose call gave the reference back; it may call nothing of CUDA's.
 */
#include <limits.h>

#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"

struct CUuserObject_st {
	uint64_t references;
	cudaHostFn_t destroy;
	void *data;
};

static bool is_count(unsigned count)
{
	return count > 0 && count <= INT_MAX;
}

static void give_back(cudaUserObject_t object, uint64_t count)
{
	object->references -= count;
	if (object->references)
		return;
	hd_cudart_call_later(object->destroy, object->data);
	hd_handle_drop(object);
	free(object);
}

/* ------------------------------------------------------------ of graphs */

static struct hd_user_reference *reference_of(cudaGraph_t graph, cudaUserObject_t object)
{
	for (uint32_t i = 0; i < graph->objects.len; i++)
		if (graph->objects.data[i].object == object)
			return &graph->objects.data[i];
	return NULL;
}

void hd_graph_copy_references(cudaGraph_t copy, const struct CUgraph_st *graph)
{
	for (uint32_t i = 0; i < graph->objects.len; i++) {
		hd_vec_push(&copy->objects, graph->objects.data[i]);
		graph->objects.data[i].object->references += graph->objects.data[i].count;
	}
}

void hd_graph_release_references(cudaGraph_t graph)
{
	for (uint32_t i = 0; i < graph->objects.len; i++)
		give_back(graph->objects.data[i].object, graph->objects.data[i].count);
	hd_vec_release(&graph->objects);
}

/* ------------------------------------------------------------ the API */

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy,
				 unsigned int initialRefcount, unsigned int flags)
{
	HD_CUDART(cudart);
	(void)cudart;
	if (!object_out || !destroy || !is_count(initialRefcount) || flags != cudaUserObjectNoDestructorSync)
		return hd_cudart_return(cudaErrorInvalidValue);
	*object_out = hd_xcalloc(1, sizeof **object_out);
	**object_out = (struct CUuserObject_st){initialRefcount, destroy, ptr};
	hd_handle_add(*object_out, HD_HANDLE_USER_OBJECT);
	return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
	HD_CUDART(cudart);
	(void)cudart;
	HD_VALID(USER_OBJECT, object);
	if (!is_count(count))
		return hd_cudart_return(cudaErrorInvalidValue);
	object->references += count;
	return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
	HD_CUDART(cudart);
	(void)cudart;
	HD_VALID(USER_OBJECT, object);
	if (!is_count(count) || count > object->references)
		return hd_cudart_return(cudaErrorInvalidValue);
	give_back(object, count);
	return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
				      unsigned int flags)
{
	HD_CUDART(cudart);
	(void)cudart;
	HD_VALID(GRAPH, graph);
	HD_VALID(USER_OBJECT, object);
	if (!is_count(count) || (flags & ~(unsigned)cudaGraphUserObjectMove))
		return hd_cudart_return(cudaErrorInvalidValue);
	struct hd_user_reference *held = reference_of(graph, object);
	if (held)
		held->count += count;
	else
		hd_vec_push(&graph->objects, ((struct hd_user_reference){object, count}));
	if (!(flags & cudaGraphUserObjectMove))
		object->references += count;
	return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count)
{
	HD_CUDART(cudart);
	(void)cudart;
	HD_VALID(GRAPH, graph);
	HD_VALID(USER_OBJECT, object);
	struct hd_user_reference *held = reference_of(graph, object);
	if (!is_count(count) || !held || held->count < count)
		return hd_cudart_return(cudaErrorInvalidValue);
	held->count -= count;
	if (!held->count)
		*held = graph->objects.data[--graph->objects.len];
	give_back(object, count);
	return cudaSuccess;
}
