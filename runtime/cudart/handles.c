/*
 * The table of live handles: see handles.h. Internal graphs and nodes are in it, too, since a node of a child graph is
 * handed out like any other. Constant time for each.
 */
#include "runtime/cudart/handles.h"

void hd_handle_add(const void *handle, enum hd_handle_kind kind)
{
	hd_map_put(hd_cudart_live_of_process(), handle, kind, 0);
}

void hd_handle_drop(const void *handle)
{
	hd_map_remove(hd_cudart_live_of_process(), handle);
}

bool hd_handle_lives(const void *handle, enum hd_handle_kind kind)
{
	if (kind == HD_HANDLE_STREAM && (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread))
		return true;
	const struct hd_map_entry *entry = hd_map_get(hd_cudart_live_of_process(), handle);
	return entry && entry->start == kind;
}

void hd_handles_of(enum hd_handle_kind kind, struct hd_handles *list)
{
	const struct hd_map *live = hd_cudart_live_of_process();
	*list = (struct hd_handles){0};
	for (uint32_t i = 0; i < live->capacity; i++)
		if (live->entries[i].key && live->entries[i].start == kind)
			hd_vec_push(&list->all, live->entries[i].key);
}

void hd_handles_release(void)
{
	hd_map_release(hd_cudart_live_of_process());
}

static cudaError_t code_of(enum hd_handle_kind kind)
{
	return kind == HD_HANDLE_STREAM || kind == HD_HANDLE_EVENT ? cudaErrorInvalidResourceHandle
								   : cudaErrorInvalidValue;
}

cudaError_t hd_handle_check(const void *handle, enum hd_handle_kind kind)
{
	return hd_handle_lives(handle, kind) ? cudaSuccess : code_of(kind);
}

cudaError_t hd_handle_check_apart(const void *handle, enum hd_handle_kind kind)
{
	HD_CUDART(cudart);
	(void)cudart;
	return hd_handle_check(handle, kind);
}

cudaError_t hd_handle_check_nodes(const cudaGraphNode_t *nodes, size_t count)
{
	if (!nodes)
		return count ? cudaErrorInvalidValue : cudaSuccess;
	for (size_t i = 0; i < count; i++)
		if (!hd_handle_lives(nodes[i], HD_HANDLE_NODE))
			return cudaErrorInvalidValue; /* before what lies behind a size that cannot be */
	return cudaSuccess;
}
