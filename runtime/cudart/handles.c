/*
 * The table of live handles: see handles.h. Internal graphs and nodes are in it, too, since a node of a child graph is
 * handed out like any other. Constant time for each.
 */
#include "runtime/cudart/handles.h"

struct hd_handle {
	const void *handle; /* key */
	enum hd_handle_kind kind;
	UT_hash_handle hh;
};

void hd_handle_add(const void *handle, enum hd_handle_kind kind)
{
	struct hd_handle **table = hd_cudart_live_of_process(), *entry = hd_xcalloc(1, sizeof *entry);
	entry->handle = handle;
	entry->kind = kind;
	HASH_ADD_PTR(*table, handle, entry);
}

void hd_handle_drop(const void *handle)
{
	struct hd_handle **table = hd_cudart_live_of_process(), *entry;
	HASH_FIND_PTR(*table, &handle, entry);
	if (!entry)
		return;
	HASH_DEL(*table, entry);
	free(entry);
}

bool hd_handle_lives(const void *handle, enum hd_handle_kind kind)
{
	struct hd_handle *entry;
	if (kind == HD_HANDLE_STREAM && (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread))
		return true;
	HASH_FIND_PTR(*hd_cudart_live_of_process(), &handle, entry);
	return entry && entry->kind == kind;
}

void hd_handles_release(void)
{
	struct hd_handle **table = hd_cudart_live_of_process(), *entry = *table;
	HASH_CLEAR(hh, *table);
	while (entry) {
		struct hd_handle *next = entry->hh.next;
		free(entry);
		entry = next;
	}
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
